package documents

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"sync"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/tooltypes/documents/index"
)

// Look is what the looks at a folder have found since Shelf.Changed last returned without an error. All
// of it is in the index.
type Look struct {
	// Name identifies the folder and the settings that determine what is read of it. It is the same on
	// all nodes of one configuration.
	Name string
	Tool string // the id of its entry
	// First reports that nothing is known of earlier looks, for example after a start, or while a lost
	// index is rebuilt. Moved may then lack files.
	First bool
	// Moved are the files that were added, changed or removed, with the checksum of their earlier content;
	// zero if there was none.
	Moved map[string][sha256.Size]byte

	l *library
}

// Files returns up to limit files of the index after a path, by path.
func (k *Look) Files(ctx context.Context, path string, limit int) (list []index.Listed, err error) {
	err = k.l.use(ctx, func(x *index.Index) error {
		list, err = x.Files(ctx, path, limit)
		return err
	})
	return list, err
}

// FilesAt returns the named files, as far as they are in the index, by path.
func (k *Look) FilesAt(ctx context.Context, paths []string) (list map[string]index.Listed, err error) {
	err = k.l.use(ctx, func(x *index.Index) error {
		list, err = x.FilesAt(ctx, paths)
		return err
	})
	return list, err
}

// FolderOf returns the Look.Name of an entry, or "" for one of another type, or of a built-in folder.
func FolderOf(t *config.Tool) string {
	o, ok := t.Own.(*Options)
	if !ok {
		return ""
	}
	own := *o
	own.ID = t.ID
	return own.folder()
}

// folder returns the Look.Name of a folder on disk. The path counts as it is written, because the
// configuration may be in another place on each node.
func (o *Options) folder() string {
	if o.Folder.Built != nil {
		return ""
	}
	raw, err := json.Marshal([]any{o.ID, cmp.Or(o.Folder.Written, o.Folder.Path), o.Include, o.Settings})
	if err != nil { // never happens: texts marshal
		panic("documents: " + err.Error())
	}
	return fmt.Sprintf("%s-%x", o.ID, sha256.Sum256(raw))
}

// teller calls Shelf.Changed after looks, in another goroutine, so that no look waits for it. A
// nil teller does nothing.
type teller struct {
	changed func(context.Context, *Look) error
	wake    chan struct{}

	mu    sync.Mutex
	first bool
	empty bool // the index was empty, so that all files seem to be new
	moved map[string][sha256.Size]byte
}

func newTeller(changed func(context.Context, *Look) error) *teller {
	return &teller{changed: changed, wake: make(chan struct{}, 1), first: true, moved: map[string][sha256.Size]byte{}}
}

// emptied notes that the index is empty.
func (t *teller) emptied() {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.first, t.empty = true, true
	clear(t.moved)
}

// move notes files whose content in the index has changed, with its checksum before.
func (t *teller) move(before map[string]index.Stamp, files []index.File, gone []string) {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.empty {
		return
	}
	note := func(path string) {
		if _, noted := t.moved[path]; !noted {
			t.moved[path] = before[path].Sum
		}
	}
	for i := range files {
		note(files[i].Path)
	}
	for _, path := range gone {
		note(path)
	}
}

// looked wakes the goroutine: a look is over.
func (t *teller) looked() {
	if t == nil {
		return
	}
	select {
	case t.wake <- struct{}{}:
	default:
	}
}

// run tells of looks until the library is closed. What could not be told is told with the next one.
func (t *teller) run(l *library) {
	for {
		select {
		case <-t.wake:
		case <-l.ctx.Done():
			return
		}
		t.mu.Lock()
		look := &Look{Name: l.o.folder(), Tool: l.o.ID, First: t.first, Moved: t.moved, l: l}
		empty := t.empty
		t.first, t.empty, t.moved = false, false, map[string][sha256.Size]byte{}
		t.mu.Unlock()
		if err := t.changed(l.ctx, look); err != nil {
			t.mu.Lock()
			t.first, t.empty = t.first || look.First, t.empty || empty
			if !t.empty {
				for path := range t.moved {
					if _, noted := look.Moved[path]; !noted {
						look.Moved[path] = t.moved[path]
					}
				}
				t.moved = look.Moved
			}
			t.mu.Unlock()
		}
	}
}
