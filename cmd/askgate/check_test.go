package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/config/configtest"
	"github.com/askgate/askgate/gateway/model/modeltest"
)

// askgate check --models lets models ask and go on, prints what works, and fails if a model does not.
func TestCheckTriesModels(t *testing.T) {
	asking := modeltest.Ask("call_1", `{"question":"Which colour?","input_type":"text"}`)
	servers := map[string]*modeltest.Server{
		"works":  modeltest.New(t, asking, modeltest.Answer("Blue it is.")),
		"silent": modeltest.New(t, modeltest.Answer("Which colour do you like?")),
		"locked": modeltest.New(t, modeltest.Status(401, `{"error":{"message":"Incorrect API key provided","code":"invalid_api_key"}}`)),
		"picky": modeltest.New(t, modeltest.Status(400, `{"error":{"message":"Unsupported parameter: 'temperature'","param":"temperature","code":"unsupported_parameter"}}`),
			asking, modeltest.Answer("Blue it is.")),
		"refuses": modeltest.New(t, asking, modeltest.Status(400, `{"error":{"message":"Unsupported value","param":"model"}}`)),
	}
	var models []string
	for name, s := range servers {
		models = append(models, fmt.Sprintf(`"%s": {"provider": "openai", "model": "m", "temperature": 0.5, "baseUrl": "%s", "apiKey": "$KEY"}`, name, s.URL))
	}
	rootless := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(rootless.Close)
	models = append(models, fmt.Sprintf(`"rootless": {"provider": "openai", "model": "m", "baseUrl": "%s/", "apiKey": "$KEY"}`, rootless.URL))
	models = append(models, fmt.Sprintf(`"rooted": {"provider": "anthropic", "model": "m", "baseUrl": "%s/v1", "apiKey": "$KEY"}`, rootless.URL))
	models = append(models, fmt.Sprintf(`"moved": {"provider": "openai", "model": "m", "baseUrl": "%s/v1", "apiKey": "$KEY"}`, rootless.URL))
	models = append(models, `"gone": {"provider": "openai", "model": "m", "maxRetries": 0, "baseUrl": "http://127.0.0.1:1/v1", "apiKey": "$KEY"}`)
	dir := t.TempDir()
	configtest.Files{"gateway.json": `{"models": {` + strings.Join(models, ", ") + `}}`}.Write(t, dir)
	secret := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(secret, []byte("s3cret-key\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("KEY_FILE", secret)

	for _, c := range []struct {
		flags []string
		code  int
		want  []string
	}{
		{nil, 0, []string{"The configuration is valid."}},
		{[]string{"--models", "works"}, 0, []string{"model works (openai m) works: text yes, tool call yes, answer yes\n  tokens: 20 in, 0 of them cached;"}},
		{[]string{"--models", "picky"}, 0, []string{"model picky (openai m) works", "\n  adapted: temperature is left out\n"}},
		{[]string{"--models=silent"}, 1, []string{"model silent (openai m) does not work: text yes, tool call no, answer no\n", "reason: the model did not call the tool"}},
		{[]string{"--models", "refuses,locked"}, 1, []string{"model refuses (openai m) does not work: text no, tool call yes, answer no\n", "400", "model locked (openai m) does not work: text no, tool call no, answer no\n  reason: model_error: the server answered 401"}},
		{[]string{"--models=gone"}, 1, []string{"model gone (openai m) does not work: text no, tool call no, answer no\n  reason: model_unavailable: the server cannot be reached; check baseUrl: ", "connection refused\n"}},
		{[]string{"--models=rootless"}, 1, []string{"answered 404", `hint: "baseUrl" of most servers ends with /v1; write "` + rootless.URL + "/v1\"\n"}},
		{[]string{"--models=moved"}, 1, []string{"answered 404"}},
		{[]string{"--models=rooted"}, 1, []string{`"baseUrl" has no /v1; write "` + rootless.URL + "\"\n"}},
		{[]string{"--models", "works,defualt"}, 2, nil},
		{[]string{"--models="}, 2, nil}, // a variable that is not set must not pass for a trial
		{[]string{"works", "--models=works"}, 2, nil},
	} {
		code, stdout, stderr := command(t, append([]string{"check", "--config", dir}, c.flags...)...)
		if !strings.HasSuffix(stdout, "\n") && stdout != "" {
			t.Errorf("%v: stdout does not end with a newline, so stderr continues its last line: %q", c.flags, stdout)
		}
		if code != c.code || strings.Contains(stdout+stderr, "s3cret") {
			t.Errorf("%v: exit %d\n%s%s", c.flags, code, stdout, stderr)
		}
		for _, want := range c.want {
			if !strings.Contains(stdout, want) {
				t.Errorf("%v: lacks %q:\n%s", c.flags, want, stdout)
			}
		}
	}
	first := servers["works"].Requests()[0]
	if first.Header.Get("Authorization") != "Bearer s3cret-key" || len(first.Body.Tools) != 1 || len(servers["works"].Requests()) != 2 {
		t.Errorf("%d requests, the first with %d tools", len(servers["works"].Requests()), len(first.Body.Tools))
	}

	// Without names it tries all models, including "default", here the demo.
	t.Setenv("KEY_FILE", "")
	t.Setenv("KEY", "k")
	configtest.Files{"gateway.json": `{}`}.Write(t, dir)
	code, stdout, stderr := command(t, "check", "--config", dir, "--models")
	if code != 0 || !strings.Contains(stdout, "model default (demo) works: text yes, tool call yes, answer yes\n") {
		t.Errorf("exit %d\n%s%s", code, stdout, stderr)
	}
}

// check prints where the gateway would listen, and the links for people and for Prometheus.
func TestCheckPrintsAddresses(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct {
		gateway string
		flags   []string
		want    []string
	}{
		{`{}`, nil, []string{"would listen: listen=127.0.0.1:8080\n", "links: page=http://127.0.0.1:8080/ admin=http://127.0.0.1:8080/admin metrics=http://127.0.0.1:8080/metrics\n"}},
		{
			`{"listen": ":80", "adminListen": "0.0.0.0:9090"}`,
			[]string{"--insecure"},
			[]string{"would listen: listen=:80 adminListen=0.0.0.0:9090\n", "links: page=http://localhost:80/ admin=http://localhost:80/admin metrics=http://localhost:9090/metrics\n"},
		},
		{
			`{"adminListen": "127.0.0.1:9090", "publicUrl": "https://ask.example.org/x/"}`,
			[]string{"--listen", "[::1]:81"},
			[]string{"listen=[::1]:81 ", "links: page=https://ask.example.org/x/ admin=https://ask.example.org/x/admin metrics=http://127.0.0.1:9090/metrics\n"},
		},
	} {
		configtest.Files{"gateway.json": c.gateway}.Write(t, dir)
		code, stdout, stderr := command(t, append([]string{"check", "--config", dir}, c.flags...)...)
		for _, want := range c.want {
			if code != 0 || !strings.Contains(stdout, want) {
				t.Errorf("%s: exit %d, lacks %q:\n%s%s", c.gateway, code, want, stdout, stderr)
			}
		}
	}
}

// A missing folder of documents is a fault in a check. A start goes on: the folder may be created later.
func TestCheckFindsMissingDocuments(t *testing.T) {
	dir := t.TempDir()
	configtest.Files{
		"tools.json":  `[{"id": "laws", "type": "documents", "documents": {"path": "nowhere"}}]`,
		"apps/a.json": `{"id": "a", "tools": ["laws"]}`,
	}.Write(t, dir)
	code, _, stderr := command(t, "check", "--config", dir)
	if want := "tools.json:1:60: [0].documents.path: folder " + filepath.Join(dir, "nowhere") + " does not exist; create it, or correct the path"; code != 1 || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, want) {
		t.Errorf("exit %d: %s", code, stderr)
	}
	var f configFlags
	f.register(&cobra.Command{})
	f.options.Dir = dir
	if _, err := config.Load(f.options); err != nil {
		t.Error("a start:", err)
	}
}
