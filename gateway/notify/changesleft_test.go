package notify_test

import (
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"
)

// What a file had when it was told last counts, however often it has changed while the store is slow to
// fail: else it would be told only once it stands, because its time is older than that.
func TestAFileChangesTwiceWhileTheStoreIsDown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLibrary(t, standard(tells), "a.md: # A")
		n := l.read("")
		l.expect("of the first indexing")
		n.end()
		c := &counted{Store: l.db, after: time.Minute}
		c.fails.Store(true)
		l.read(n.cache, c)
		for i, text := range []string{"# A2", "# A3"} {
			l.expect("while the store is down")
			l.write("a.md: " + text)
			if err := os.Chtimes(filepath.Join(l.folder, "a.md"), time.Time{}, time.Unix(int64(i), 1)); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(few)
		c.fails.Store(false)
		time.Sleep(time.Minute)
		l.expect("when it is back", "changed a.md A3")
	})
}

// A node that builds its index from an older state of the folder does not tell it as a change.
func TestANodeThatIsBehindWithoutAnIndexTellsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLibrary(t, standard(tells), "a.md: # A", "b.md: # B")
		l.read("")
		l.expect("of the first indexing")
		l.remove("b.md")
		l.expect("of a removed file", "removed b.md B")
		late := &library{t: t, db: l.db, config: t.TempDir(), hooks: l.hooks}
		late.folder = filepath.Join(late.config, "laws")
		late.write("a.md: # A", "b.md: # B")
		if err := os.Chtimes(filepath.Join(late.folder, "b.md"), time.Time{}, time.Unix(1, 0)); err != nil {
			t.Fatal(err)
		}
		late.read("")
		l.expect("by a node that has yet to see that")
		late.remove("b.md")
		time.Sleep(10 * time.Minute)
		l.expect("once both see the same")
	})
}

// What changed while an index was lost is told, also if the store is down when it is rebuilt.
func TestAnIndexIsRebuiltWhileTheStoreIsDown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLibrary(t, standard(tells), "a.md: # A")
		c := &counted{Store: l.db}
		n := l.read("", c)
		l.expect("of the first indexing")
		n.end()
		if err := os.RemoveAll(n.cache); err != nil {
			t.Fatal(err)
		}
		l.write("a.md: # A2")
		c.fails.Store(true)
		n.open()
		l.expect("while the store is down")
		c.fails.Store(false)
		l.expect("when it is back", "changed a.md A2")
	})
}

// What is stored of a removed file is forgotten after an hour, with the next change.
func TestRemovedFilesAreForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLibrary(t, standard(tells), "a.md: # A", "b.md: # B")
		l.read("")
		l.expect("of the first indexing")
		l.remove("b.md")
		l.expect("of a removed file", "removed b.md B")
		stored := func() int {
			folders := l.db.Outbox().Folders()
			f, err := folders.UnusedFolder(t.Context(), l.db.Now().Add(time.Hour))
			if err != nil {
				t.Fatal(err)
			}
			files, err := folders.FilesAfter(t.Context(), f.Name, "", 10)
			if err != nil {
				t.Fatal(err)
			}
			return len(files)
		}
		if n := stored(); n != 2 {
			t.Errorf("%d files", n)
		}
		time.Sleep(time.Hour)
		l.write("a.md: # A2")
		l.expect("of another file", "changed a.md A2")
		if n := stored(); n != 1 {
			t.Errorf("%d files after an hour", n)
		}
	})
}
