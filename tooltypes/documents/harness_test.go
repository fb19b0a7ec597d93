package documents_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/config/configtest"
	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tools/extract"
	"github.com/askgate/askgate/tooltypes/documents"
)

// bench is a folder, with a tool that reads it.
type bench struct {
	*documents.Tool
	folder, cache string
	shelf         *documents.Shelf
	log           *record
	extract       *extract.Reader
}

// record is a log that tests read.
type record struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (r *record) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.b.Write(p)
}

func (r *record) String() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.b.String()
}

var include = []string{"**/*.md", "**/*.html", "**/*.txt", "**/*.jsonl"}

func open(t *testing.T, files map[string]string, change ...func(*documents.Options)) *bench {
	t.Helper()
	b := &bench{folder: t.TempDir(), cache: filepath.Join(t.TempDir(), "cache"), log: &record{}}
	configtest.Files(files).Write(t, b.folder)
	b.open(t, change...)
	return b
}

func (b *bench) open(t *testing.T, change ...func(*documents.Options)) {
	t.Helper()
	o := documents.Options{ID: "laws", Folder: config.Folder{Path: b.folder}, Include: include}
	for _, f := range change {
		f(&o)
	}
	b.shelf = documents.NewShelf(slog.New(slog.NewTextHandler(b.log, nil)))
	b.shelf.Dir, b.shelf.Extract = b.cache, b.extract
	b.shelf.LookEvery(5 * time.Millisecond)
	tool, err := b.shelf.Tool("law", o)
	if err != nil {
		t.Fatal(err)
	}
	b.Tool = tool
	t.Cleanup(b.end)
}

func (b *bench) end() {
	_ = b.Close() // it has no error
	b.shelf.Wait(context.Background())
}

// reply is a page of hits.
type reply struct {
	Items []struct{ ID, Title, Work, Link, Snippet string }
	Next  *string `json:"nextCursor"`
	Works []string
	Note  string
}

func (b *bench) run(t *testing.T, name, arguments string) (tools.Outcome, *tools.Error) {
	t.Helper()
	call := tools.Call{Name: name, Arguments: arguments}
	if err := b.CheckArguments(call); err != nil {
		return tools.Outcome{}, &tools.Error{Code: tools.CodeInvalidArguments, Message: err.Error()}
	}
	out, err := b.Run(t.Context(), call)
	var refused *tools.Error
	if err != nil && !errors.As(err, &refused) {
		t.Fatal(err)
	}
	return out, refused
}

func (b *bench) search(t *testing.T, query string) reply {
	t.Helper()
	raw, _ := json.Marshal(map[string]string{"query": query})
	out, refused := b.run(t, "laws__search", string(raw))
	var r reply
	if refused != nil || json.Unmarshal([]byte(out.Result), &r) != nil {
		t.Fatalf("%s %v", out.Result, refused)
	}
	return r
}

// until waits until a condition is true.
func until(t *testing.T, what string, is func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for !is() {
		select {
		case <-ctx.Done():
			t.Fatalf("not within a minute: %s", what)
		case <-time.After(time.Millisecond):
		}
	}
}

// finds waits until a query finds that text, "" for nothing.
func (b *bench) finds(t *testing.T, query, text string) {
	t.Helper()
	until(t, query+" finds "+text, func() bool {
		r := b.search(t, query)
		return text == "" && len(r.Items) == 0 || len(r.Items) > 0 && text != "" && strings.Contains(r.Items[0].Snippet, text)
	})
}
