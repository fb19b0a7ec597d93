package notify_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askgate/askgate/gateway/store"
)

func TestChangesAreTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLibrary(t, standard(tells), "a.md: # A", "b.md: # B", "sub/c.md: # C")
		n := l.read("")
		l.expect("of the first indexing")
		l.write("a.md: # A\n\nnew", "d.jsonl: {\"id\": 1, \"title\": \"D1\", \"text\": \"x\"}\n{\"id\": 2, \"title\": \"D2\", \"text\": \"x\"}\n", "no.json: {}", ".x.md: # X")
		l.remove("sub/c.md")
		l.expect("of one look", "changed a.md A, added d.jsonl, removed sub/c.md C")
		l.write("a.md: # A\n\nnew")
		l.expect("of the same text")
		l.write("sub/c.md: # C again")
		l.expect("of one that comes back", "added sub/c.md C again")
		for i := range 250 {
			l.write(fmt.Sprintf("many/%03d.md: # M", i))
		}
		l.expect("of many", "100 of 250")
		n.end()
		l.write("b.md: # B2")
		l.remove("d.jsonl")
		n = l.read(n.cache)
		l.expect("of what changed while no node was there", "changed b.md B2, removed d.jsonl")
		n.end()
		n = l.read(n.cache)
		l.expect("of a restart")
		n.end()
		l.write("b.md: # B3")
		l.read("") // without an index
		l.expect("of what changed while the index was lost", "changed b.md B3")
	})
}

// With many more files than are stored at a time, what one look finds is one event.
func TestALookIsOneEvent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLibrary(t, standard(tells))
		many := func(text string) {
			for i := range 1300 {
				l.write(fmt.Sprintf("%04d.md: # %s", i, text))
			}
		}
		many("first")
		l.read("")
		l.expect("of the first indexing")
		many("second")
		l.expect("of all", "100 of 1300")
	})
}

// breaks is a store that fails after so many changes of folders.
type breaks struct {
	store.Store
	left atomic.Int64
}

func (b *breaks) Outbox() store.Outbox { return breaksOutbox{b.Store.Outbox(), &b.left} }

type breaksOutbox struct {
	store.Outbox
	left *atomic.Int64
}

func (o breaksOutbox) Folders() store.Folders { return breaking{o.Outbox.Folders(), o.left} }

type breaking struct {
	store.Folders
	left *atomic.Int64
}

func (b breaking) SaveFolder(ctx context.Context, f store.Folder, files []store.FolderFile, told []store.FolderDelivery) (int64, error) {
	if b.left.Add(-1) < 0 {
		return 0, errors.New("down")
	}
	return b.Folders.SaveFolder(ctx, f, files, told)
}

// If the store fails in the middle of a look, the look is still one event: what was stored before is told
// with the rest.
func TestALookIsOneEventAcrossAnOutage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLibrary(t, standard(tells), "a.md: # A")
		b := &breaks{Store: l.db}
		b.left.Store(1)
		n := l.read("", b)
		l.expect("of the first indexing")
		for i := range 1300 {
			l.write(fmt.Sprintf("%04d.md: # M", i))
		}
		b.left.Store(1)
		l.expect("while the store is down")
		n.end()
		l.read(n.cache)
		l.expect("after a restart", "100 of 1300")
	})
}

// A folder that cannot be read, or that is empty because it is not mounted, tells nothing.
func TestAnUnavailableFolderTellsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLibrary(t, standard(tells), "a.md: # A", "b.md: # B")
		l.read("")
		l.expect("of the first indexing")
		away := filepath.Join(l.config, "away")
		rename := func(from, to string) {
			if err := os.Rename(from, to); err != nil {
				t.Fatal(err)
			}
		}
		rename(l.folder, away)
		l.expect("while it is away")
		if err := os.Mkdir(l.folder, 0o755); err != nil {
			t.Fatal(err)
		}
		l.expect("while it is empty")
		if err := os.Remove(l.folder); err != nil {
			t.Fatal(err)
		}
		rename(away, l.folder)
		l.expect("when it is back")
		l.remove("a.md")
		if err := os.Symlink(away, filepath.Join(l.folder, "a.md")); err != nil { // leads out of the folder
			t.Fatal(err)
		}
		l.expect("of a file that cannot be read")
		l.remove("a.md")
		l.write("a.md: # A2")
		l.expect("of what changes then", "changed a.md A2")
		l.remove("a.md", "b.md")
		l.expect("of one that has just become empty")
		time.Sleep(3 * time.Minute)
		l.expect("of one that stays empty", "removed a.md A2, removed b.md B")
	})
}

// Another selection of files is another folder. Its first indexing tells nothing.
func TestAnotherConfigurationTellsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLibrary(t, standard(tells), "a.md: # A", "b.html: <h1>B</h1>")
		n := l.read("")
		l.expect("of the first indexing")
		n.end()
		l.keys = `, "include": ["**/*.md"]`
		n = l.read("")
		l.expect("of another configuration")
		l.write("a.md: # A2", "b.html: <h1>B2</h1>")
		l.expect("of the files that are left", "changed a.md A2")
		n.end()
	})
}

// Without a webhook that names the event, nothing is stored; one that is added later begins with what is
// there by then.
func TestNothingIsKeptWithoutAWebhook(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLibrary(t, standard(""), "a.md: # A")
		n := l.read("")
		kept := func() bool {
			time.Sleep(few)
			f, err := l.db.Outbox().Folders().UnusedFolder(t.Context(), l.db.Now().Add(time.Hour))
			if err != nil {
				t.Fatal(err)
			}
			return f.Revision > 0
		}
		if kept() {
			t.Error("kept without a webhook")
		}
		l.write("a.md: # A2")
		l.expect("without a webhook")
		n.load(standard(tells))
		l.expect("of one that was added")
		if !kept() {
			t.Error("nothing was kept")
		}
		l.write("a.md: # A3")
		l.expect("of what changed since", "changed a.md A3")
		n.load(standard(""))
		if kept() {
			t.Error("kept when no webhook names it any more")
		}
	})
}

func TestEachWebhookIsToldOfItsApps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hook := func(id, apps string) string {
			return `{"id": "` + id + `", "url": "https://hook.example.org", "secret": "` + signing + `", "apps": [` + apps + `]` + tells + `}`
		}
		l := newLibrary(t, hook("a", "")+","+hook("lex", `"lex", "talk"`)+","+hook("talk", `"talk"`), "a.md: # A")
		n := l.read("")
		if w := n.snap.Load().Warnings; len(w) != 1 || !strings.Contains(w[0].Message, "document.changed is never sent") {
			t.Errorf("%v", w)
		}
		time.Sleep(few)
		l.write("a.md: # A2")
		time.Sleep(few)
		for id, want := range map[string]string{"a": `"apps":["law","lex"]`, "lex": `"apps":["lex"]`, "talk": ""} {
			due, err := l.db.Outbox().ClaimDeliveries(t.Context(), id, time.Hour, 10)
			if err != nil || len(due) != min(len(want), 1) || len(due) > 0 && !strings.Contains(due[0].Told, want) {
				t.Errorf("%s: %+v %v", id, due, err)
			}
		}
	})
}

// counted is a store that counts what it is asked, and that can fail, after some time.
type counted struct {
	store.Store
	calls atomic.Int64
	fails atomic.Bool
	after time.Duration
}

func (c *counted) Outbox() store.Outbox { return countedOutbox{c.Store.Outbox(), c} }

type countedOutbox struct {
	store.Outbox
	c *counted
}

func (o countedOutbox) Folders() store.Folders {
	o.c.calls.Add(1)
	if o.c.fails.Load() {
		return failing{after: o.c.after}
	}
	return o.Outbox.Folders()
}

type failing struct {
	store.Folders
	after time.Duration
}

func (f failing) Folder(context.Context, string) (store.Folder, error) {
	time.Sleep(f.after)
	return store.Folder{}, errors.New("down")
}

func (failing) UseFolder(context.Context, string) error { return errors.New("down") }

// A look that finds nothing does not ask the store, and what could not be told while the store was down
// is told later, also after a restart.
func TestTheStoreIsAskedOfChangesOnly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLibrary(t, standard(tells), "a.md: # A", "b.md: # B")
		c := &counted{Store: l.db}
		n := l.read("", c)
		l.expect("of the first indexing")
		before := c.calls.Load()
		time.Sleep(30 * time.Minute)
		if n := c.calls.Load() - before; n != 0 {
			t.Errorf("%d calls without changes", n)
		}
		time.Sleep(2 * time.Hour)
		if n := c.calls.Load() - before; n > 2 {
			t.Errorf("%d calls to note that the folder is in use", n)
		}
		c.fails.Store(true)
		l.write("a.md: # A2")
		l.expect("while the store is down")
		l.write("a.md: # A3", "c.md: # C")
		c.fails.Store(false)
		l.expect("when it is back", "changed a.md A3, added c.md C")
		c.fails.Store(true)
		l.write("c.md: # C2")
		l.expect("while the store is down")
		c.fails.Store(false)
		l.expect("when it is back, without further changes", "changed c.md C2")
		c.fails.Store(true)
		l.write("a.md: # A4")
		l.remove("b.md")
		l.expect("while the store is down")
		n.end()
		l.read(n.cache)
		l.expect("after a restart", "changed a.md A4") // the index of this node has it, the store has not
		time.Sleep(3 * time.Minute)
		l.expect("of a removed file, once that stands", "removed b.md B")
	})
}

// Two nodes see the same changes at about the same time, and tell each once. One that sees the folder
// later, as over a network, tells nothing of what was before.
func TestNodesTellEachChangeOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLibrary(t, standard(tells), "a.md: # A", "b.md: # B", "z.md: # Z")
		l.read("")
		l.read("")
		l.expect("of the first indexing")
		for i := range 30 {
			l.write(fmt.Sprintf("a.md: # A%d", i), fmt.Sprintf("n%d.md: # N", i))
			l.expect("of both nodes", fmt.Sprintf("changed a.md A%d, added n%d.md N", i, i))
		}
		l.remove("b.md")
		l.expect("of a removed file", "removed b.md B")
	})
}

func TestANodeThatIsBehindTellsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLibrary(t, standard(tells), "a.md: # A", "b.md: # B", "z.md: # Z")
		first := l.read("")
		l.expect("of the first indexing")
		// A second folder stands for the same one, as a node sees it through a cache.
		late := &library{t: t, db: l.db, config: t.TempDir(), hooks: l.hooks}
		late.folder = filepath.Join(late.config, "laws")
		late.write("a.md: # A", "b.md: # B", "z.md: # Z")
		second := late.read("")
		l.expect("of a node that sees the same")
		l.write("a.md: # A2")
		l.expect("by the first", "changed a.md A2")
		l.write("a.md: # A3")
		l.remove("b.md")
		l.expect("by the first", "changed a.md A3, removed b.md B")
		late.write("z.md: # Z2") // the second node has not seen the others yet
		l.expect("by the second", "changed z.md Z2")
		l.write("z.md: # Z2")
		late.write("a.md: # A2")
		l.expect("by the second, of what was before")
		late.write("a.md: # A3", "b.md: # B1")
		l.expect("by the second, in between")
		late.remove("b.md")
		time.Sleep(10 * time.Minute)
		l.expect("once both see the same")
		l.write("a.md: # A")
		l.write("a.md: # A4")
		l.expect("by the first", "changed a.md A4")
		late.write("a.md: # A")
		l.expect("by the second, of a text that was told before")
		late.write("a.md: # A4")
		l.expect("by the second")
		// What only one node has found is told once it has lasted.
		first.end()
		l.write("a.md: # A5")
		late.write("a.md: # A5")
		l.expect("by the second alone", "changed a.md A5")
		second.end()
	})
}

// If all nodes but one end in the middle, what was stored and not yet told is told by another.
func TestWhatANodeLeftIsTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLibrary(t, standard(tells), "a.md: # A")
		n := l.read("")
		l.expect("of the first indexing")
		f, err := l.db.Outbox().Folders().UnusedFolder(t.Context(), l.db.Now().Add(time.Hour))
		if err != nil {
			t.Fatal(err)
		}
		f.Untold = `{"changes": [{"kind": "added", "path": "b.md", "work": "B"}], "total": 1}`
		if _, err := l.db.Outbox().Folders().SaveFolder(t.Context(), f, []store.FolderFile{{Path: "b.md", Sum: "1", Work: "B"}}, nil); err != nil {
			t.Fatal(err)
		}
		l.write("a.md: # A2")
		l.expect("with the next change", "added b.md B, changed a.md A2")
		f, err = l.db.Outbox().Folders().UnusedFolder(t.Context(), l.db.Now().Add(time.Hour))
		if err != nil {
			t.Fatal(err)
		}
		f.Untold = `{"changes": [{"kind": "removed", "path": "b.md", "work": "B"}], "total": 1}`
		if _, err := l.db.Outbox().Folders().SaveFolder(t.Context(), f, []store.FolderFile{{Path: "b.md", Work: "B"}}, nil); err != nil {
			t.Fatal(err)
		}
		n.end()
		l.read(n.cache)
		l.expect("while another node may be at it")
		time.Sleep(3 * time.Minute)
		l.expect("without a change", "removed b.md B")
	})
}

// What is stored of a configuration that no node has is dropped after a month.
func TestUnusedFoldersAreDropped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db := open(t)
		for _, name := range []string{"old", "used"} {
			if _, err := db.Outbox().Folders().SaveFolder(t.Context(), store.Folder{Name: name, Tool: "laws"}, []store.FolderFile{{Path: "a.md", Sum: "1"}}, nil); err != nil {
				t.Fatal(err)
			}
		}
		start(t, db, db, new(receiver), standard(tells), time.Hour)
		for _, days := range []int{29, 2} {
			time.Sleep(time.Duration(days) * 24 * time.Hour)
			for name, kept := range map[string]bool{"used": true, "old": days == 29} {
				if f, err := db.Outbox().Folders().Folder(t.Context(), name); err != nil || (f.Revision > 0) != kept {
					t.Errorf("%s after %d days more: %+v %v", name, days, f, err)
				}
			}
			if err := db.Outbox().Folders().UseFolder(t.Context(), "used"); err != nil {
				t.Fatal(err)
			}
		}
	})
}

func TestChangesInEveryFormat(t *testing.T) {
	for _, format := range []string{"standard", "slack", "ntfy"} {
		synctest.Test(t, func(t *testing.T) {
			db, r := open(t), new(receiver)
			start(t, db, db, r, standard(`, "format": "`+format+`"`+tells))
			told := `{"tool":"laws","apps":["law"],"changes":[{"kind":"added","path":"a <b>.md","work":"A & B"},{"kind":"removed","path":"c.md","work":""}],"total":2}`
			for i, text := range []string{told, `{"`, told} {
				f := store.Folder{Name: "laws-1", Tool: "laws", Revision: int64(i)}
				if _, err := db.Outbox().Folders().SaveFolder(t.Context(), f, nil, []store.FolderDelivery{{Webhook: "a", Event: "document.changed", Told: text}}); err != nil {
					t.Fatal(err)
				}
			}
			time.Sleep(5 * time.Second)
			all := r.received()
			if len(all) != 2 {
				t.Fatalf("%s: %d requests", format, len(all))
			}
			verify(t, all[0])
			at := all[0].at.UTC().Truncate(time.Second).Format("2006-01-02T15:04:05")
			want := map[string]string{
				"standard": `{"type":"document.changed","timestamp":"` + at,
				"slack":    `{"text":"webhook.changed\n>+ a &lt;b&gt;.md (A &amp; B)\n>− c.md\n<https://ask.example.org/#law|webhook.open>"}`,
				"ntfy":     "webhook.changed\n+ a <b>.md (A & B)\n− c.md",
			}[format]
			if !strings.HasPrefix(all[0].body, want) || format == "standard" && !strings.HasSuffix(all[0].body, `"data":`+told+`}`) {
				t.Errorf("%s: %s\nwant %s", format, all[0].body, want)
			}
			if format == "ntfy" && (all[0].header.Get("Title") != "laws" || all[0].header.Get("Click") != "https://ask.example.org/#law") {
				t.Errorf("%v", all[0].header)
			}
		})
	}
}
