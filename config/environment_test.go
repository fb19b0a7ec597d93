package config_test

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/config/configtest"
)

// secretFile writes a file outside the configuration directory.
func secretFile(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// A variable may name a file that contains the value, as container platforms pass secrets.
func TestVariablesFromFiles(t *testing.T) {
	keyed := gateway(`{"models": {"default": {"provider": "openai", "model": "m", "apiKey": "$K"}}}`)
	for text, want := range map[string]string{
		"s3cret": "s3cret", "s3cret\n": "s3cret", "s3cret\r\n": "s3cret", " s3cret ": " s3cret ",
		strings.Repeat("k", 64<<10): strings.Repeat("k", 64<<10),
	} {
		for name, e := range map[string]env{"not set": {"K_FILE": secretFile(t, text)}, "empty": {"K": "", "K_FILE": secretFile(t, text)}} {
			if got := mustLoad(t, keyed, e).Gateway.Models["default"].APIKey; got != want {
				t.Errorf("%s, %.20q: %.20q", name, text, got)
			}
		}
	}
	if got := mustLoad(t, keyed, env{"K": "own", "K_FILE": ""}).Gateway.Models["default"].APIKey; got != "own" {
		t.Errorf("an empty K_FILE counts: %q", got)
	}
	s := mustLoad(t, gateway(`{}`), env{
		"OPENAI_API_KEY_FILE": secretFile(t, "s3cret\n"), "ASKGATE_STORE_FILE": secretFile(t, "sqlite:x.db\n"), "ASKGATE_REDIS_FILE": secretFile(t, "redis://h"),
	})
	if g := s.Gateway; g.Models["default"].APIKey != "s3cret" || g.Store != "sqlite:x.db" || g.Redis != "redis://h" {
		t.Errorf("%+v", g)
	}
}

// A fault in such a file names the file and its variable, but never its content.
func TestFaultsOfVariablesFromFiles(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "none")
	folder := t.TempDir()
	for name, c := range map[string]struct {
		env  env
		want []string
	}{
		"both":          {env{"K": "s3cret", "K_FILE": secretFile(t, "s3cret")}, []string{"K and K_FILE", "both set"}},
		"missing":       {env{"K_FILE": missing}, []string{"K_FILE names " + missing, "no such file"}},
		"a folder":      {env{"K_FILE": folder}, []string{folder, "not a file"}},
		"empty":         {env{"K_FILE": secretFile(t, "\n")}, []string{"is empty"}},
		"two lines":     {env{"K_FILE": secretFile(t, "s3cret\ns3cret\n")}, []string{"several lines"}},
		"an empty line": {env{"K_FILE": secretFile(t, "s3cret\n\n")}, []string{"several lines"}},
		"too large":     {env{"K_FILE": secretFile(t, strings.Repeat("s3cret", 11_000))}, []string{"64 KiB"}},
		"no text":       {env{"K_FILE": secretFile(t, "s3cret\xff")}, []string{"UTF-8"}},
	} {
		t.Run(name, func(t *testing.T) {
			faults := configtest.Faulty(t, gateway(`{"models": {"default": {"provider": "openai", "model": "m", "apiKey": ¶"$K"}}}`), c.env, nil, c.want...)
			if strings.Contains(faults.Error(), "s3cret") {
				t.Error("a fault shows the secret:", faults)
			}
			e := env{}
			for k, v := range c.env {
				e[strings.Replace(k, "K", "OPENAI_API_KEY", 1)] = v
			}
			_, err := load(t, gateway(`{}`), e)
			if err == nil || !strings.HasPrefix(err.Error(), "OPENAI_API_KEY: ") || strings.Contains(err.Error(), "s3cret") || strings.Contains(err.Error(), "\n") {
				t.Errorf("of the environment: %v", err)
			}
		})
	}
}

// A change to the file of a secret reloads the configuration, even the built-in one.
func TestWatchOfVariablesFromFiles(t *testing.T) {
	for name, files := range map[string]tree{"built in": nil, "a directory": gateway(`{"store": "sqlite:x"}`)} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path, dir := secretFile(t, "one"), ""
			if files != nil {
				dir = t.TempDir()
				files.Write(t, dir)
			}
			w := watched{dir: dir, log: &logged{}, results: make(chan string, 1000)}
			var err error
			w.Watcher, err = config.WatchPolling(t.Context(), config.Options{Dir: dir, Env: env{"OPENAI_API_KEY_FILE": path}.Lookup, Tools: fakeTypes},
				slog.New(slog.NewTextHandler(w.log, nil)), func(result string) { w.results <- result })
			if err != nil {
				t.Fatal(err)
			}
			key := func() string { return w.Current().Gateway.Models["default"].APIKey }
			change := func(do func() error) {
				if err := do(); err != nil {
					t.Fatal(err)
				}
			}
			change(func() error { return os.WriteFile(path, []byte("another\n"), 0o600) })
			w.until(t, "the changed file", func() bool { return key() == "another" })
			change(func() error { return os.Remove(path) })
			w.result(t, config.ReloadError)
			if key() != "another" || !strings.Contains(w.log.String(), "OPENAI_API_KEY_FILE names ") {
				t.Errorf("%s\n%s", key(), w.log)
			}
			change(func() error { return os.WriteFile(path, []byte("new"), 0o600) })
			w.until(t, "the file is back", func() bool { return key() == "new" })
		})
	}
}
