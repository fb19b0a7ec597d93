package notify

import (
	"context"
	"encoding/base64"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/tooltypes/documents"
	"github.com/askgate/askgate/tooltypes/documents/index"
)

const (
	// stands is how long a difference must last if it may only be a node's older view of the folder: NFS
	// clients see the changes of others after up to a minute, and the kubelet updates volumes every minute.
	stands = 2 * time.Minute
	// noteUse is how often a node notes that it uses a folder. A folder that has not been used for as long
	// as unused is dropped.
	noteUse = time.Hour
	unused  = 30 * 24 * time.Hour
	// filesAtOnce is how many files are read, compared and stored at a time.
	filesAtOnce = 500
)

// errOthers means that another node is storing a folder for the first time, so this one waits.
var errOthers = errors.New("another node is storing the folder for the first time")

// Changes tells webhooks of changed documents: its Look is documents.Shelf.Changed. The store has what
// the webhooks were told last, as files with the checksum of their content. The package comment says
// which differences from it are told, and when.
type Changes struct {
	store  changeStore
	config func() *config.Snapshot
	log    *slog.Logger
	stands time.Duration

	mu      sync.Mutex
	folders map[string]*folder
}

// changeStore is the part of a store that Changes needs.
type changeStore interface {
	Outbox() store.Outbox
	Now() time.Time
}

// NewChanges makes Changes. Several may work on one store.
func NewChanges(s changeStore, current func() *config.Snapshot, log *slog.Logger) *Changes {
	return &Changes{store: s, config: current, log: log, stands: stands, folders: map[string]*folder{}}
}

// folder is what this node knows of a folder: the files that differ from what the webhooks were told.
type folder struct {
	mu      sync.Mutex
	basis   int64 // the stored revision that it was compared with; 0: none yet
	differ  map[string]difference
	seen    int64     // the stored revision at the last look that changed nothing
	since   time.Time // when it was seen first
	open    bool      // whether changes were left untold then
	used    time.Time // when this node last noted that it uses it
	dropped bool      // it is not stored, because no webhook names the event
}

// difference is a difference of a file from what was told that is not told yet.
type difference struct {
	mine  bool      // this node's own looks found it, so it is told if it lasts
	since time.Time // when it was found, or when another node last told of the file
}

func (c *Changes) folder(name string) *folder {
	c.mu.Lock()
	defer c.mu.Unlock()
	f := c.folders[name]
	if f == nil {
		f = &folder{}
		f.forget()
		c.folders[name] = f
	}
	return f
}

// forget has the next look compare everything.
func (f *folder) forget() { f.basis, f.open, f.differ = 0, false, map[string]difference{} }

// due reports whether a difference has lasted for long enough.
func (f *folder) due(now time.Time, stands time.Duration) bool {
	if f.open && now.Sub(f.since) >= stands {
		return true
	}
	for _, d := range f.differ {
		if d.mine && now.Sub(d.since) >= stands {
			return true
		}
	}
	return false
}

// Look tells the webhooks what the newest looks at a folder have found. If nothing has changed, it does
// not query the store.
func (c *Changes) Look(ctx context.Context, look *documents.Look) error {
	f := c.folder(look.Name)
	f.mu.Lock()
	defer f.mu.Unlock()
	hooks := slices.DeleteFunc(slices.Clone(c.config().Gateway.Webhooks), func(w config.Webhook) bool {
		return !slices.Contains(w.Events, config.WebhookChanged)
	})
	if len(hooks) == 0 {
		return c.drop(ctx, f, look.Name)
	}
	f.dropped = false
	now := c.store.Now()
	if look.First {
		f.forget()
	}
	if f.basis > 0 && len(look.Moved) == 0 && !f.due(now, c.stands) {
		if now.Sub(f.used) < noteUse {
			return nil
		}
		f.used = now
		return c.store.Outbox().Folders().UseFolder(ctx, look.Name)
	}
	f.used = now
	const tries = 5
	var err error
	for range tries {
		t := &telling{c: c, f: f, look: look, hooks: hooks, now: now}
		if err = t.tell(ctx); !errors.Is(err, store.ErrBehind) {
			break
		}
	}
	if err != nil && ctx.Err() == nil && !errors.Is(err, store.ErrBehind) && !errors.Is(err, errOthers) {
		c.log.Warn("cannot tell webhooks of changed documents yet; the next look tries again", "tool", look.Tool, "error", err)
	}
	return err
}

// drop removes what is stored of a folder, once.
func (c *Changes) drop(ctx context.Context, f *folder, name string) error {
	if f.dropped {
		return nil
	}
	f.forget()
	stored, err := c.store.Outbox().Folders().Folder(ctx, name)
	if err != nil {
		return err
	}
	if err := c.store.Outbox().Folders().DropFolder(ctx, stored); err != nil {
		return err
	}
	f.dropped = true
	return nil
}

// telling is one comparison of a folder with what is stored.
type telling struct {
	c      *Changes
	f      *folder
	look   *documents.Look
	hooks  []config.Webhook
	now    time.Time
	stored store.Folder
	paths  []string // of the files to tell
	waited map[string]bool
}

// tell tells the webhooks what has changed. It returns store.ErrBehind if another node was first.
func (t *telling) tell(ctx context.Context) (err error) {
	folders := t.c.store.Outbox().Folders()
	if t.stored, err = folders.Folder(ctx, t.look.Name); err != nil {
		return err
	}
	f := t.f
	t.waited = map[string]bool{}
	if t.stored.Revision < f.basis {
		f.forget() // it was dropped, and stored again
	}
	first := !t.stored.Whole
	switch {
	case first && t.stored.Revision > 0 && t.stored.Revision != f.seen:
		f.seen = t.stored.Revision // another node may be at it
		return errOthers
	case first || f.basis == 0:
		err = t.compareAll(ctx, first)
	default:
		err = t.compareStored(ctx)
	}
	if err != nil {
		return err
	}
	for path, d := range f.differ {
		if d.mine && t.now.Sub(d.since) >= t.c.stands {
			t.paths, t.waited[path] = append(t.paths, path), true
		}
	}
	slices.Sort(t.paths)
	if first {
		err = t.storeAll(ctx)
	} else {
		err = t.tellAll(ctx)
	}
	if err == nil {
		f.basis = t.stored.Revision
	}
	return err
}

// compareAll compares all files of the index with those that are stored.
func (t *telling) compareAll(ctx context.Context, first bool) error {
	there := pages[index.Listed]{read: t.look.Files, path: func(f index.Listed) string { return f.Path }}
	told := pages[store.FolderFile]{path: func(f store.FolderFile) string { return f.Path }, read: func(ctx context.Context, path string, limit int) ([]store.FolderFile, error) {
		return t.c.store.Outbox().Folders().FilesAfter(ctx, t.look.Name, path, limit)
	}}
	for {
		file, err := there.peek(ctx)
		if err != nil {
			return err
		}
		row, err := told.peek(ctx)
		if err != nil {
			return err
		}
		switch {
		case file == nil && row == nil:
			return nil
		case row == nil || file != nil && file.Path < row.Path:
			t.compare(file.Path, file, nil, first)
			there.next()
		case file == nil || row.Path < file.Path:
			t.compare(row.Path, nil, row, first)
			told.next()
		default:
			t.compare(file.Path, file, row, first)
			there.next()
			told.next()
		}
	}
}

// compare notes a file that differs from what is stored when nothing is known of earlier looks. It is
// told at once if the index had the content that was told before, or if the file is newer than that.
func (t *telling) compare(path string, file *index.Listed, row *store.FolderFile, first bool) {
	if asTold(file, row) {
		return
	}
	before, moved := t.look.Moved[path]
	switch {
	case first, moved && (row == nil && before == zero || row != nil && (row.Sum == sum(before) || row.Sum == "" && before == zero)),
		file != nil && (row == nil || t.modified(file).After(row.At)):
		t.paths = append(t.paths, path)
	default:
		t.f.differ[path] = difference{mine: true, since: t.now}
	}
}

var zero [32]byte

// modified returns when a file was modified. If the index does not know, that was a moment ago.
func (t *telling) modified(f *index.Listed) time.Time {
	if f.Changed == 0 {
		return t.now.Add(-2 * time.Second)
	}
	return time.Unix(0, f.Changed)
}

// compareStored compares the index with what other nodes have stored since, and decides which of the
// files that this node's looks found are told.
func (t *telling) compareStored(ctx context.Context) error {
	f := t.f
	for at := (store.FolderFile{Revision: f.basis, Path: behindAll}); at.Revision < t.stored.Revision; {
		rows, err := t.c.store.Outbox().Folders().FilesSince(ctx, t.look.Name, at, filesAtOnce)
		if err != nil {
			return err
		}
		paths := make([]string, len(rows))
		for i := range rows {
			paths[i] = rows[i].Path
		}
		there, err := t.look.FilesAt(ctx, paths)
		if err != nil {
			return err
		}
		for i := range rows {
			path := rows[i].Path
			if asTold(found(there, path), &rows[i]) {
				delete(f.differ, path)
			} else {
				f.differ[path] = difference{mine: f.differ[path].mine, since: t.now}
			}
		}
		if len(rows) < filesAtOnce {
			break
		}
		at = rows[len(rows)-1]
	}
	var again []string
	for path := range t.look.Moved {
		if _, differs := f.differ[path]; differs {
			f.differ[path] = difference{mine: true, since: t.now}
			again = append(again, path)
		} else {
			t.paths = append(t.paths, path)
		}
	}
	for paths := range slices.Chunk(again, filesAtOnce) { // some may agree by now
		if err := t.each(ctx, paths, func(string, *index.Listed, *store.FolderFile) {}); err != nil {
			return err
		}
	}
	return nil
}

// each calls differs with the files that differ from what was told, and forgets the differences of the
// others.
func (t *telling) each(ctx context.Context, paths []string, differs func(path string, file *index.Listed, row *store.FolderFile)) error {
	there, err := t.look.FilesAt(ctx, paths)
	if err != nil {
		return err
	}
	stored, err := t.c.store.Outbox().Folders().FilesAt(ctx, t.look.Name, paths)
	if err != nil {
		return err
	}
	told := make(map[string]*store.FolderFile, len(stored))
	for i := range stored {
		if stored[i].Revision > t.stored.Revision { // agreeing with it now would not be agreeing with t.stored
			return store.ErrBehind
		}
		told[stored[i].Path] = &stored[i]
	}
	for _, path := range paths {
		if file, row := found(there, path), told[path]; asTold(file, row) {
			delete(t.f.differ, path)
		} else {
			differs(path, file, row)
		}
	}
	return nil
}

// behindAll is a path that sorts after those of all files.
const behindAll = "\xff\xff"

// asTold reports whether a file has the content that was told. One that cannot be read counts as
// unchanged.
func asTold(file *index.Listed, row *store.FolderFile) bool {
	switch {
	case file != nil && file.Unread:
		return true
	case row == nil || row.Sum == "":
		return file == nil
	}
	return file != nil && sum(file.Sum) == row.Sum
}

func sum(s [32]byte) string { return base64.RawURLEncoding.EncodeToString(s[:]) }

func found(files map[string]index.Listed, path string) *index.Listed {
	if f, ok := files[path]; ok {
		return &f
	}
	return nil
}

// pages reads a list page by page, by path.
type pages[T any] struct {
	read  func(ctx context.Context, path string, limit int) ([]T, error)
	path  func(T) string
	page  []T
	last  string
	ended bool
}

// peek returns the next item, or nil at the end.
func (p *pages[T]) peek(ctx context.Context) (*T, error) {
	if len(p.page) == 0 && !p.ended {
		page, err := p.read(ctx, p.last, filesAtOnce)
		if err != nil {
			return nil, err
		}
		p.page, p.ended = page, len(page) < filesAtOnce
	}
	if len(p.page) == 0 {
		return nil, nil //nolint:nilnil // the end
	}
	return &p.page[0], nil
}

func (p *pages[T]) next() { p.last, p.page = p.path(p.page[0]), p.page[1:] }
