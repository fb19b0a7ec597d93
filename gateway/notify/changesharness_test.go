package notify_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/config/configtest"
	"github.com/askgate/askgate/gateway/notify"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/tooltypes/documents"
)

const tells = `, "events": ["document.changed"]`

// library is the folder of a tool, which the nodes of a test share.
type library struct {
	t      *testing.T
	db     store.Store
	folder string
	config string // directory
	hooks  string
	keys   string // more keys of the tool
}

func newLibrary(t *testing.T, hooks string, files ...string) *library {
	l := &library{t: t, db: open(t), config: t.TempDir(), hooks: hooks}
	l.folder = filepath.Join(l.config, "laws")
	if err := os.Mkdir(l.folder, 0o755); err != nil {
		t.Fatal(err)
	}
	l.write(files...)
	return l
}

// write writes files, each "NAME: TEXT".
func (l *library) write(files ...string) {
	l.t.Helper()
	for _, f := range files {
		name, text, _ := strings.Cut(f, ": ")
		configtest.Files{name: text}.Write(l.t, l.folder)
	}
}

func (l *library) remove(names ...string) {
	l.t.Helper()
	for _, name := range names {
		if err := os.Remove(filepath.Join(l.folder, name)); err != nil {
			l.t.Fatal(err)
		}
	}
}

// reader is a node that looks at the folder.
type reader struct {
	l     *library
	shelf *documents.Shelf
	snap  atomic.Pointer[config.Snapshot]
	cache string
	end   func()
	log   *strings.Builder
}

// read starts a node with its index in a folder; "" is a new one.
func (l *library) read(cache string, s ...store.Store) *reader {
	l.t.Helper()
	if cache == "" {
		cache = l.t.TempDir()
	}
	r := &reader{l: l, cache: cache, log: &strings.Builder{}}
	log := slog.New(slog.NewTextHandler(r.log, nil))
	r.shelf = documents.NewShelf(log)
	r.shelf.Dir = cache
	r.load(l.hooks)
	db := l.db
	if len(s) > 0 {
		db = s[0]
	}
	r.shelf.Changed = notify.NewChanges(db, r.snap.Load, log).Look
	r.open()
	return r
}

// open begins to look at the folder.
func (r *reader) open() {
	r.l.t.Helper()
	app, _ := r.snap.Load().App("law")
	entry, _ := r.snap.Load().Tool("law", "laws")
	tool, err := documents.Type(r.shelf).New(app, entry)
	if err != nil {
		r.l.t.Fatal(err)
	}
	r.end = sync.OnceFunc(func() {
		_ = tool.(*documents.Tool).Close() // it has no error
		r.shelf.Wait(context.Background())
	})
	r.l.t.Cleanup(r.end)
}

// load reads the configuration with these webhooks.
func (r *reader) load(hooks string) {
	r.l.t.Helper()
	configtest.Files{
		"gateway.json":  `{"publicUrl": "https://ask.example.org", "webhooks": [` + hooks + `]}`,
		"tools.json":    `[{"id": "laws", "type": "documents", "documents": {"path": "laws"` + r.l.keys + `}}]`,
		"apps/law.json": `{"id": "law", "tools": ["laws__search"]}`, "apps/lex.json": `{"id": "lex", "tools": ["laws"]}`, "apps/talk.json": `{"id": "talk"}`,
	}.Write(r.l.t, r.l.config)
	snap, err := config.Load(config.Options{Dir: r.l.config, Env: configtest.Env{}.Lookup, Tools: []config.ToolType{documents.Type(r.shelf)}})
	if err != nil {
		r.l.t.Fatal(err)
	}
	r.snap.Store(snap)
}

// few is long enough for a few looks. They come at even seconds after their node's start, and must not
// be under way when a test changes files.
const few = 20*time.Second + 37*time.Millisecond

// told returns the events that a webhook has been told of since the last call, each as its changes, and
// checks the rest of them.
func (l *library) told(webhook string) (events []string) {
	l.t.Helper()
	synctest.Wait()
	for {
		due, err := l.db.Outbox().ClaimDeliveries(l.t.Context(), webhook, time.Hour, 10)
		if err != nil {
			l.t.Fatal(err)
		}
		if len(due) == 0 {
			return events
		}
		for _, d := range due {
			var c struct {
				Tool    string
				Apps    []string
				Changes []struct{ Kind, Path, Work string }
				Total   int
			}
			if err := json.Unmarshal([]byte(d.Told), &c); err != nil || c.Tool != "laws" || d.Event != "document.changed" {
				l.t.Errorf("%s %s: %v", d.Event, d.Told, err)
			}
			if c.Total > len(c.Changes) {
				events = append(events, fmt.Sprintf("%d of %d", len(c.Changes), c.Total))
			} else {
				var list []string
				for _, change := range c.Changes {
					list = append(list, strings.TrimSpace(change.Kind+" "+change.Path+" "+change.Work))
				}
				events = append(events, strings.Join(list, ", "))
			}
			if err := l.db.Outbox().EndDelivery(l.t.Context(), d); err != nil {
				l.t.Fatal(err)
			}
		}
	}
}

// expect waits for a few looks, and fails unless exactly these events were told.
func (l *library) expect(when string, events ...string) {
	l.t.Helper()
	time.Sleep(few)
	if got := l.told("a"); !slices.Equal(got, events) {
		l.t.Errorf("%s: told %q, want %q", when, got, events)
	}
}
