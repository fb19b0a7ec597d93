package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// At the start the log lists the models, the configuration, the store, the mode of authentication and
// the pages' addresses.
func TestTheStartLogsWhatIsInUse(t *testing.T) {
	conf, dir := t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(conf, "gateway.json"), []byte(`{"models": {"other": {"provider": "openai", "baseUrl": "https://models.example.org/v1", "apiKey": "hidden", "model": "m2"}},
		"auth": {"mode": "apiKeys", "keys": []}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	n := startNode(t, os.Args[0], asProgram+"=1", "ASKGATE_CONFIG="+conf, "OPENAI_API_KEY=hidden-too", "ASKGATE_STORE=sqlite:"+filepath.Join(dir, "askgate.db"))
	waitFor(t, func() bool { return strings.Contains(n.log.String(), `msg="askgate serves"`) })
	log := n.log.String()
	for _, want := range []string{
		`msg="model in use" model=default provider=openai name=gpt-4.1-mini host=api.openai.com apiKey="OPENAI_API_KEY from the environment"`,
		`msg="model in use" model=other provider=openai name=m2 host=models.example.org apiKey=configured`,
		`msg="configuration in use" config=` + conf + ` apps=`, ` store=sqlite:` + filepath.Join(dir, "askgate.db") + ` auth=apiKeys`,
		` page=http://` + n.address + `/ admin=http://` + n.address + `/admin`,
	} {
		if !strings.Contains(log, want) {
			t.Errorf("no %s in\n%s", want, log)
		}
	}
	if strings.Contains(log, "hidden") {
		t.Errorf("a secret is in the log:\n%s", log)
	}
}

func TestPlacesHaveNoSecrets(t *testing.T) {
	for address, want := range map[string]string{
		"sqlite:/data/askgate.db?synchronous=normal":               "sqlite:/data/askgate.db",
		"postgres://u:p%40w@h1:5432,h2:5432/chats?password=x":      "postgres://h1:5432,h2:5432/chats",
		"postgres:///chats?host=/run/postgresql&user=u&password=x": "postgres:///chats",
		"redis://:pw@127.0.0.1:6379/0":                             "redis://127.0.0.1:6379/0",
		"rediss://u:p w%zz@h:6379/0":                               "rediss",
	} {
		if got := place(address); got != want {
			t.Errorf("%s is %s, want %s", address, got, want)
		}
	}
	for base, want := range map[string]string{"http://[::]:8080": "http://localhost:8080/", "https://0.0.0.0:443": "https://localhost:443/", "http://127.0.0.1:1": "http://127.0.0.1:1/"} {
		if got := links(base); got[1] != want {
			t.Errorf("%s: %v", base, got)
		}
	}
}

// After the first signal the log says how many turns run, and that a second signal ends
// them. It does.
func TestASecondSignalEnds(t *testing.T) {
	asked := make(chan struct{})
	model := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // else the server does not see that the caller is gone
		close(asked)
		<-r.Context().Done()
	}))
	t.Cleanup(model.Close)
	n := startNode(t, os.Args[0], asProgram+"=1", "ASKGATE_STORE=sqlite:"+filepath.Join(t.TempDir(), "askgate.db"), "OPENAI_BASE_URL="+model.URL, "ASKGATE_MODEL=slow")
	go func() {
		resp, err := http.Post("http://"+n.address+"/v1/apps/assistant/chats/c1/messages", "application/json", strings.NewReader(`{"message":"hi"}`))
		if err == nil {
			resp.Body.Close()
		}
	}()
	<-asked
	n.process.Signal(syscall.SIGINT)
	waitFor(t, func() bool {
		return strings.Contains(n.log.String(), "msg=draining running=1 shutdownTimeout_ms=30000")
	})
	if log := n.log.String(); !strings.Contains(log, "a second signal, or Ctrl-C, ends them at once") {
		t.Errorf("the log does not say how to end them:\n%s", log)
	}
	waitFor(t, func() bool { // within a second it is taken for the first one again
		n.process.Signal(syscall.SIGINT)
		return strings.Contains(n.log.String(), "ended at once by a second signal")
	})
	if code := n.process.ExitCode(); code != 1 || !strings.Contains(n.log.String(), "ended at once by a second signal") {
		t.Errorf("exit %d\n%s", code, n.log.String())
	}
}
