package config_test

import (
	"fmt"
	"net/netip"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/askgate/askgate/config"
)

func TestTokensAreConfigured(t *testing.T) {
	dir := t.TempDir()
	tree{
		"gateway.json": `{"auth": {"mode": "jwt", "jwt": {"jwks": "keys.json", "issuer": "https://i", "audience": ["a", "b"],
			"claims": {"tenant": "tid", "roles": "realm_access.roles"}}, "roles": {"ci": {"mayAsk": ["alice", "role:oncall"]}}}}`,
		"keys.json":   `{"keys": []}`,
		"others.json": `{}`,
	}.Write(t, dir)
	s, err := config.Load(config.Options{Dir: dir, Env: env{}.Lookup, Tools: fakeTypes})
	if err != nil {
		t.Fatal(err)
	}
	want := config.JWT{JWKS: filepath.Join(dir, "keys.json"), Issuer: "https://i", Audience: []string{"a", "b"},
		Tenant: "default", Claims: config.Origins{Tenant: "tid", Subject: "sub", Roles: "realm_access.roles"}}
	if got := s.Gateway.Auth.JWT; !reflect.DeepEqual(got, want) {
		t.Errorf("%+v", got)
	}
	if got := s.Gateway.Auth.Roles["ci"].MayAsk; !reflect.DeepEqual(got, []string{"alice", "role:oncall"}) {
		t.Errorf("%q", got)
	}
	// The key set is a file that is read; the other is not.
	if len(s.Warnings) != 1 || !strings.Contains(s.Warnings[0].File, "others.json") {
		t.Errorf("%v", s.Warnings)
	}
	s = mustLoad(t, gateway(`{"auth": {"mode": "jwt", "jwt": {"jwks": "https://h/k", "issuer": "i", "audience": ["a"]}}}`), nil)
	if j := s.Gateway.Auth.JWT; j.Tenant != "default" || j.Claims != (config.Origins{Subject: "sub"}) {
		t.Errorf("defaults %+v", j)
	}
}

func TestProxiesAreConfigured(t *testing.T) {
	s := mustLoad(t, gateway(`{"auth": {"mode": "proxy", "proxy": {"from": ["10.0.0.5", "10.1.2.3/16", "fd00::/8"], "tenant": "acme", "headers": {"roles": "X-Groups"}}},
		"listen": "0.0.0.0:8080", "cors": {"origins": ["https://app.example.org", "http://localhost:3000", "http://[::1]:3000"]}}`), nil)
	want := config.Proxy{Tenant: "acme", Headers: config.Origins{Subject: "X-Remote-User", Roles: "X-Groups"},
		From: []netip.Prefix{netip.MustParsePrefix("10.0.0.5/32"), netip.MustParsePrefix("10.1.0.0/16"), netip.MustParsePrefix("fd00::/8")}}
	if got := s.Gateway.Auth.Proxy; !reflect.DeepEqual(got, want) {
		t.Errorf("%+v", got)
	}
	if len(s.Gateway.CORS.Origins) != 3 {
		t.Errorf("%v", s.Gateway.CORS.Origins)
	}
}

func TestWarningsOfAuthentication(t *testing.T) {
	staff := `{"id": "a", "access": {"roles": ["staff"]}}`
	for name, c := range map[string]struct {
		files tree
		want  string
	}{
		"keys unencrypted": {gateway(`{"auth": {"mode": "jwt", "jwt": {"jwks": "http://login.example.org/k", "issuer": "i", "audience": ["a"]}}}`), "unencrypted"},
		"rights of none":   {gateway(`{"auth": {"roles": {"ci": {"mayAsk": ["*"]}}}}`), "no one has these rights"},
		"keys on loopback": {gateway(`{"auth": {"mode": "jwt", "jwt": {"jwks": "http://[::1]:8081/k", "issuer": "i", "audience": ["a"]}}}`), ""},
		"idle, but seals":  {gateway(`{"auth": {"session": {"secret": "0123456789abcdef0123456789abcdef"}}}`), ""},
		"no seals":         {gateway(`{"redis": "redis://h"}`), "set auth.session.secret"},
		"seals in Redis":   {gateway(`{"redis": "redis://h", "auth": {"session": {"secret": "0123456789abcdef0123456789abcdef"}}}`), ""},
		"others alone":     {gateway(`{"auth": {"session": {"otherSecrets": ["0123456789abcdef0123456789abcdef"]}}}`), "neither sealed nor checked"},
		"every proxy":      {gateway(`{"trustedProxies": ["::/0"]}`), "claim any address"},
		"every address":    {gateway(`{"hosts": ["h"], "auth": {"mode": "proxy", "proxy": {"from": ["0.0.0.0/0"]}}}`), "can pose as any user"},
		"no roles in jwt":  {tree{"gateway.json": `{"auth": {"mode": "jwt", "jwt": ` + jwt("") + `}}`, "apps/a.json": staff}, "auth.jwt.claims.roles"},
		"roles in jwt":     {tree{"gateway.json": `{"auth": {"mode": "jwt", "jwt": ` + jwt(`, "claims": {"roles": "r"}`) + `}}`, "apps/a.json": staff}, ""},
		"no roles behind":  {tree{"gateway.json": `{"hosts": ["h"], "auth": {"mode": "proxy", "proxy": {"from": ["::1"]}}}`, "apps/a.json": staff}, "auth.proxy.headers.roles"},
		"no hosts behind":  {gateway(`{"auth": {"mode": "proxy", "proxy": {"from": ["::1"]}}}`), `list the hosts that clients use in "hosts"`},
		"hosts of no use":  {gateway(`{"hosts": ["h"], "auth": {"mode": "jwt", "jwt": ` + jwt("") + `}}`), ""},
	} {
		s := mustLoad(t, c.files, nil)
		switch {
		case c.want == "" && len(s.Warnings) > 0:
			t.Errorf("%s: %v", name, s.Warnings)
		case c.want != "" && (len(s.Warnings) != 1 || !strings.Contains(s.Warnings[0].Message, c.want)):
			t.Errorf("%s: %v", name, s.Warnings)
		}
	}
}

func TestTheAuditIsConfigured(t *testing.T) {
	s := mustLoad(t, gateway(`{}`), nil)
	if a := s.Gateway.Audit; a != (config.Audit{}) {
		t.Errorf("without a word: %+v", a)
	}
	s = mustLoad(t, gateway(`{"audit": {"enabled": true, "texts": true}, "trustedProxies": ["10.0.0.5", "fd00::/8"]}`), nil)
	if got := s.Gateway.Audit; got != (config.Audit{Enabled: true, Texts: true}) || len(s.Warnings) != 0 {
		t.Errorf("%+v, %v", got, s.Warnings)
	}
	if got := fmt.Sprint(s.Gateway.TrustedProxies); got != "[10.0.0.5/32 fd00::/8]" {
		t.Errorf("trusted proxies %s", got)
	}
	s = mustLoad(t, gateway(`{"audit": {"texts": true}}`), nil)
	if len(s.Warnings) != 1 || !strings.Contains(s.Warnings[0].Message, `write "enabled": true`) {
		t.Errorf("texts of no audit: %v", s.Warnings)
	}
}
