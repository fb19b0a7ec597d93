package config_test

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/askgate/askgate/config"
)

const withKeys = `"auth": {"mode": "apiKeys", "keys": [{"id": "k", "hash": "` + hash + `", "tenant": "t", "subject": "s"}]}`

// Without authentication a gateway may listen on loopback only. Load reports the fault at the flag,
// variable or key that set the address, so that every command and every reload finds it.
func TestNobodyIsLetInFromTheNetworkWithoutKeys(t *testing.T) {
	for address, ok := range map[string]bool{
		"127.0.0.1:80": true, "127.9.9.9:80": true, "[::1]:80": true, "localhost:80": true, "LocalHost:80": true,
		"0.0.0.0:80": false, ":80": false, "[::]:80": false, "192.168.1.1:80": false, "example.org:80": false, "localhost.example.org:80": false,
	} {
		file, none, variable := `{"listen": "`+address+`"}`, `{}`, env{"ASKGATE_LISTEN": address}
		for from, c := range map[string]struct {
			text string
			env  env
			flag *string
		}{
			"gateway.json":   {file, nil, nil},
			"ASKGATE_LISTEN": {none, variable, nil},
			"--listen":       {none, env{"ASKGATE_LISTEN": "127.0.0.1:1"}, &address},
		} {
			dir := t.TempDir()
			gateway(c.text).Write(t, dir)
			o := config.Options{Dir: dir, Env: c.env.Lookup, Overrides: config.Overrides{Listen: c.flag}}
			want := config.Fault{File: from}
			if from == "gateway.json" {
				want = config.Fault{File: filepath.Join(dir, from), Line: 1, Col: 12}
			}
			_, err := config.Load(o)
			var faults config.Faults
			switch {
			case ok && err != nil:
				t.Errorf("%s by %s: %v", address, from, err)
			case !ok && (!errors.As(err, &faults) || len(faults) != 1 || faults[0].File != want.File || faults[0].Line != want.Line || faults[0].Col != want.Col):
				t.Errorf("%s by %s: want one fault there, got: %v", address, from, err)
			case !ok && (!strings.Contains(err.Error(), "--insecure") || !strings.Contains(err.Error(), "askgate key new")):
				t.Errorf("the hint is missing: %v", err)
			}
			o.Insecure = true
			if _, err := config.Load(o); err != nil {
				t.Errorf("%s by %s, insecure: %v", address, from, err)
			}
		}
	}
	mustLoad(t, gateway(`{"listen": ":80", `+withKeys+`}`), nil)
}

// If "auth" or the address has a fault of its own, that is the only fault.
func TestExposureIsNotJudgedByWhatIsFaulty(t *testing.T) {
	nowhere := "nowhere"
	for name, c := range map[string]struct {
		text string
		flag *string
	}{
		"auth mode": {`{"listen": ":80", "auth": {"mode": "apikeys"}}`, nil},
		"syntax":    {`{"listen": ":80", "auth": {"mode": }}`, nil},
		"flag":      {`{"listen": ":80"}`, &nowhere},
	} {
		dir := t.TempDir()
		gateway(c.text).Write(t, dir)
		_, err := config.Load(config.Options{Dir: dir, Env: env{}.Lookup, Tools: fakeTypes, Overrides: config.Overrides{Listen: c.flag}})
		var faults config.Faults
		if !errors.As(err, &faults) || len(faults) != 1 || strings.Contains(err.Error(), "insecure") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A reload cannot turn off authentication while the process listens on the network, even if the file
// has a loopback address, which takes effect only at the next start.
func TestReloadOpensNothingToTheNetwork(t *testing.T) {
	for name, c := range map[string]struct {
		files tree
		want  string
	}{
		"mode none":              {gateway(`{"listen": "0.0.0.0:80", "auth": {"mode": "none"}}`), "gateway.json:1:12: "},
		"mode none and loopback": {gateway(`{"listen": "127.0.0.1:80", "auth": {"mode": "none"}}`), "gateway.json:1:45: "},
		"no auth and loopback":   {gateway(`{}`), "gateway.json:1:1: "},
	} {
		dir := t.TempDir()
		gateway(`{"listen": "0.0.0.0:80", `+withKeys+`}`).Write(t, dir)
		w := startWatch(t, config.WatchPolling, dir)
		c.files.Write(t, dir)
		if err := w.Reload(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: want %q, got: %v", name, c.want, err)
		}
		if mode := w.Current().Gateway.Auth.Mode; mode != config.AuthAPIKeys || len(w.LastReload().Faults) != 1 {
			t.Errorf("%s: the previous configuration is no longer active: mode %s, %v", name, mode, w.LastReload().Faults)
		}
	}
	dir := t.TempDir()
	gateway(`{`+withKeys+`}`).Write(t, dir)
	w := startWatch(t, config.WatchPolling, dir)
	gateway(`{}`).Write(t, dir)
	if err := w.Reload(); err != nil {
		t.Errorf("on loopback keys may go: %v", err)
	}
}

// The list of framers takes effect without a restart, and cannot be given away to strangers by one.
func TestFramersChangeWhileTheGatewayRuns(t *testing.T) {
	dir := t.TempDir()
	gateway(`{`+withKeys+`}`).Write(t, dir)
	w := startWatch(t, config.WatchPolling, dir)
	origins := []string{"https://a.example.org", "https://b.example.org:8443", "http://localhost:3000", "http://127.0.0.1:3000"}
	gateway(`{"frameAncestors": ["`+strings.Join(origins, `", "`)+`"], `+withKeys+`}`).Write(t, dir)
	if err := w.Reload(); err != nil || !slices.Equal(w.Current().Gateway.FrameAncestors, origins) {
		t.Fatalf("%v, %v", w.Current().Gateway.FrameAncestors, err)
	}
	gateway(`{"frameAncestors": ["https://a.example.org"]}`).Write(t, dir)
	if err := w.Reload(); err == nil || !strings.Contains(err.Error(), "gateway.json:1:20: ") {
		t.Errorf("%v", err)
	}
	gateway(`{`+withKeys+`}`).Write(t, dir)
	if err := w.Reload(); err != nil || len(w.Current().Gateway.FrameAncestors) != 0 {
		t.Errorf("%v, %v", w.Current().Gateway.FrameAncestors, err)
	}
}
