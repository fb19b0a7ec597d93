package main

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/tooltypes/documents"
)

// Operators see a tool of type documents in the metrics, in /readyz, in the admin view, and as an index
// in documents.cache.
func TestDocumentsAreToldOf(t *testing.T) {
	p := start(t, "", map[string]string{
		"gateway.json": `{"documents": {"cache": "cache"}}`, "apps/law.json": `{"id": "law", "tools": ["laws"]}`,
		"tools.json": `[{"id": "laws", "type": "documents", "documents": {"path": "laws"}}]`,
		"laws/a.md":  "# Harbour Code\n\n## Berths\n\nShips wait.", "laws/b.jsonl": "{\"id\": 1, \"text\": \"x\"}\nno JSON\n",
	})
	waitFor(t, func() bool {
		return strings.Contains(p.body("GET", "/metrics", ""), "askgate_documents{tool=\"laws\"} 2\n")
	})
	if metrics := p.body("GET", "/metrics", ""); !strings.Contains(metrics, "askgate_documents_index_seconds{tool=\"laws\"} 0.") {
		t.Error("no time of the indexing")
	}
	part := func() (part struct{ Status, Hint string }) {
		var ready struct {
			Status string
			Parts  map[string]json.RawMessage
		}
		if err := json.Unmarshal([]byte(p.body("GET", "/readyz?verbose", "")), &ready); err != nil || ready.Status != "ready" {
			t.Fatal(ready, err)
		}
		_ = json.Unmarshal(ready.Parts["documents:laws"], &part) // nothing if it is not there
		return part
	}
	if got := part(); got.Status != "ok" {
		t.Errorf("%+v", got)
	}
	var seen struct{ Tools []struct{ ID, State string } }
	p.admin("config", &seen)
	for _, tool := range seen.Tools {
		if want := map[string]string{"laws": "2 documents, 2 passages, 1 left out"}[tool.ID]; tool.State != want {
			t.Errorf("%s: %q", tool.ID, tool.State)
		}
	}
	if files, _ := filepath.Glob(filepath.Join(p.dir, "cache", "laws-*.db")); len(files) != 1 {
		t.Error("no index in documents.cache", files)
	}
	if files, _ := filepath.Glob(filepath.Join(p.dir, "*.documents")); len(files) != 0 {
		t.Error("another folder for indexes", files)
	}
	// A missing folder is reported, and everything else continues.
	if err := os.Rename(filepath.Join(p.dir, "laws"), filepath.Join(p.dir, "away")); err != nil {
		t.Fatal(err)
	}
	waitFor(t, func() bool { return part().Status == "degraded" })
	if got := part(); !strings.Contains(got.Hint, "see the log") || !strings.Contains(p.body("GET", "/metrics", ""), "askgate_documents{tool=\"laws\"} 2\n") {
		t.Errorf("%+v", got)
	}
}

// askgate without arguments answers from the built-in texts, and the admin view shows the state of their
// index.
func TestTheFirstCommandHasTheLaw(t *testing.T) {
	n := startNode(t, os.Args[0], asProgram+"=1", "ASKGATE_STORE=sqlite:"+filepath.Join(t.TempDir(), "askgate.db"))
	p := &process{t: t, url: "http://" + n.address, client: &http.Client{}}
	waitFor(t, func() bool { return strings.Contains(p.body("GET", "/v1/admin/config", ""), `"state":"10 documents, `) })
	if app := p.body("GET", "/v1/apps/law", ""); !strings.Contains(app, `"starterPrompts":["What is the notice period?"]`) {
		t.Error(app)
	}
}

// held is a folder whose listing is blocked for now.
type held struct {
	fs.FS
	until <-chan struct{}
}

func (h held) Open(name string) (fs.File, error) {
	<-h.until
	return h.FS.Open(name)
}

// The state of an index says whether it is still being built.
func TestAnIndexInTheMakingIsDegraded(t *testing.T) {
	shelf := documents.NewShelf(slog.New(slog.DiscardHandler))
	until := make(chan struct{})
	tool, err := shelf.Tool("law", documents.Options{ID: "laws", Include: []string{"**"}, Folder: config.Folder{Path: "laws", Built: held{fstest.MapFS{"a.md": {Data: []byte("# A")}}, until}}})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = tool.Close() // it has no error
		shelf.Wait(context.Background())
	}()
	fault := func() error {
		parts := documentsParts(shelf)()
		if len(parts) != 1 || parts[0].Name != "documents:laws" {
			t.Fatalf("%+v", parts)
		}
		_, fault := parts[0].Status()
		return fault
	}
	if err := fault(); !errors.Is(err, errIndexing) {
		t.Error(err)
	}
	close(until)
	waitFor(t, func() bool { return fault() == nil })
	registry := prometheus.NewRegistry()
	registry.MustRegister(&documentsCollector{shelf})
	families, err := registry.Gather()
	if err != nil || len(families) != 2 || families[0].GetMetric()[0].GetGauge().GetValue() != 1 {
		t.Error(families, err)
	}
}
