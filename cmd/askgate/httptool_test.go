package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/locales"
	"github.com/askgate/askgate/toolexec"
)

// Two places read an address: config, which reports what is wrong with it and where,
// and the tool. The tool accepts every address that config accepts.
func FuzzHTTPToolAddress(f *testing.F) {
	for _, address := range []string{
		"http://h/{a}", "https://terms.example.org:8443/v1/{a}/x?lang={b}&page[size]=10&flag", "http://[::1]:9000/", "http://10.0.0.1?{a}",
		"http://0177.1/", "http://u:p@h/", "http://h:0/", "http://h:99999/", "http://[fe80::1%25eth0]/", "http://h./", "http://a..b/", "HTTP://h/",
		"http://h/%2e%2e/{a}", "http://h/%{a}", "http://h/{a}{b}", "http://h/{a b}", "http://h?a={a}#", "http://hü/", "http://h/ü", "http://h\\@evil/", "http://h:80:80/",
	} {
		f.Add(address)
	}
	texts, err := locales.New()
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, address string) {
		if strings.HasPrefix(address, "$") {
			return // a variable
		}
		snap, err := config.Load(config.Options{Dir: toolDir(t, address), Tools: toolTypes(nil, nil, nil), Env: func(string) (string, bool) { return "", false }})
		if err != nil {
			return
		}
		if _, err := toolexec.NewCatalog(snap, builtinTools(texts, nil, nil)); err != nil {
			t.Errorf("askgate check takes %q, askgate serve does not: %v", address, err)
		}
	})
}

// toolDir creates a configuration with one app and one tool of type http.
func toolDir(t *testing.T, address string) string {
	t.Helper()
	quoted, err := json.Marshal(address)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, text := range map[string]string{
		"app.json":   `{"id": "a", "tools": ["x"]}`,
		"tools.json": `[{"id": "x", "type": "http", "parameters": {"properties": {"a": {}, "b": {}}}, "http": {"url": ` + string(quoted) + `}}]`,
	} {
		if err := os.MkdirAll(filepath.Join(dir, "apps", "a"), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "apps", "a", name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}
