package claims_test

import (
	"bytes"
	"log/slog"
	"maps"
	"strings"
	"testing"

	"github.com/askgate/askgate/gateway/seal"
	"github.com/askgate/askgate/gateway/turn/claims"
	"github.com/askgate/askgate/tools"
)

func keeper(log *bytes.Buffer, secret string) *claims.Keeper {
	return claims.NewKeeper(func() seal.Secrets { return seal.Secrets{Own: secret} }, slog.New(slog.NewTextHandler(log, nil)))
}

const (
	secret  = "0123456789abcdef0123456789abcdef"
	another = "another-secret-of-at-least-32-bytes"
)

func TestClaimsOpenForTheirPersonOnly(t *testing.T) {
	alice := tools.Caller{Tenant: "acme", Subject: "alice", App: "shop", Chat: "c1", Claims: map[string]string{"email": "alice@acme.example", "level": "1e400"}}
	var log bytes.Buffer
	k := keeper(&log, secret)
	kept, err := k.Seal("turn_1", &alice)
	if err != nil || kept.Of != "turn_1" || kept.Tenant != "acme" || kept.Subject != "alice" || strings.Contains(kept.Claims, "alice") {
		t.Fatalf("%+v, %v", kept, err)
	}
	for name, c := range map[string]struct {
		k      *claims.Keeper
		who    tools.Caller
		sealed string
		opens  bool
		logged bool
	}{
		"her own":           {k, tools.Caller{Tenant: "acme", Subject: "alice"}, kept.Claims, true, false},
		"hers, elsewhere":   {keeper(&log, secret), tools.Caller{Tenant: "acme", Subject: "alice"}, kept.Claims, true, false},
		"someone else's":    {k, tools.Caller{Tenant: "acme", Subject: "bob"}, kept.Claims, false, true},
		"of another tenant": {k, tools.Caller{Tenant: "other", Subject: "alice"}, kept.Claims, false, true},
		"of another secret": {keeper(&log, another), tools.Caller{Tenant: "acme", Subject: "alice"}, kept.Claims, false, true},
		"changed":           {k, tools.Caller{Tenant: "acme", Subject: "alice"}, kept.Claims[:len(kept.Claims)-2] + "AA", false, true},
		"nothing":           {k, tools.Caller{Tenant: "acme", Subject: "alice"}, "", false, false},
	} {
		log.Reset()
		c.k.Open(c.sealed, &c.who)
		if opened := maps.Equal(c.who.Claims, alice.Claims); opened != c.opens || !opened && c.who.Claims != nil {
			t.Errorf("%s: %v", name, c.who.Claims)
		}
		if logged := log.Len() > 0; logged != c.logged || strings.Contains(log.String(), "acme.example") {
			t.Errorf("%s: logged %q", name, log.String())
		}
	}
}
