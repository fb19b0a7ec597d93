package sqldb

import (
	"context"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
)

// Folders keeps what webhooks were told of folders of documents.
type Folders struct{ h *handle }

// Folders implements store.Outbox.
func (d *Outbox) Folders() store.Folders { return &Folders{d.h} }

const (
	// removedKept is how long the row of a removed file is kept: other nodes learn from it that the file
	// was removed.
	removedKept = time.Hour
	// dropAtOnce is how many rows of a folder are deleted in one transaction.
	dropAtOnce = 2000
)

func scanFolder(f *store.Folder) func(scan scanner) error {
	return func(scan scanner) error { return scan(&f.Name, &f.Tool, &f.Revision, &f.Whole, &f.Untold) }
}

// only returns the folder that a query finds, or one without a revision.
func (d *Folders) only(ctx context.Context, query string, args ...any) (f store.Folder, err error) {
	err = d.h.read(ctx, func(s session) error {
		f = store.Folder{}
		_, err := one(s, scanFolder(&f), query, args...)
		return err
	})
	return f, err
}

// Folder implements store.Folders.
func (d *Folders) Folder(ctx context.Context, name string) (store.Folder, error) {
	return d.only(ctx, q.folder, name)
}

// UnusedFolder implements store.Folders.
func (d *Folders) UnusedFolder(ctx context.Context, before time.Time) (store.Folder, error) {
	return d.only(ctx, q.unusedFolder, toMillis(before))
}

// UseFolder implements store.Folders.
func (d *Folders) UseFolder(ctx context.Context, name string) error {
	return d.h.write(ctx, true, func(s session) error {
		_, err := s.exec(q.useFolder, d.h.atNow(name)...)
		return d.h.fail(err)
	})
}

func scanFolderFile(scan scanner, f *store.FolderFile) error {
	var at int64
	err := scan(&f.Path, &f.Sum, &f.Work, &f.Revision, &at)
	f.At = fromMillis(at)
	return err
}

// FilesAfter implements store.Folders.
func (d *Folders) FilesAfter(ctx context.Context, name, path string, limit int) ([]store.FolderFile, error) {
	return list(ctx, d.h, scanFolderFile, q.folderFilesAfter, name, path, limit)
}

// FilesSince implements store.Folders.
func (d *Folders) FilesSince(ctx context.Context, name string, behind store.FolderFile, limit int) ([]store.FolderFile, error) {
	return list(ctx, d.h, scanFolderFile, q.folderFilesSince, name, behind.Revision, behind.Path, limit)
}

// FilesAt implements store.Folders.
func (d *Folders) FilesAt(ctx context.Context, name string, paths []string) ([]store.FolderFile, error) {
	var files []store.FolderFile
	err := d.h.read(ctx, func(s session) error {
		files = nil
		queries := make([]query, len(paths))
		for i, path := range paths {
			queries[i] = rows(appendTo(&files, scanFolderFile), q.folderFile, name, path)
		}
		return s.each(queries...)
	})
	return files, err
}

// SaveFolder implements store.Folders.
func (d *Folders) SaveFolder(ctx context.Context, f store.Folder, files []store.FolderFile, deliveries []store.FolderDelivery) (int64, error) {
	revision := f.Revision + 1
	err := d.h.write(ctx, false, func(s session) error {
		if err := d.advance(s, f); err != nil {
			return err
		}
		for i := range files {
			s.later(q.saveFolderFile, d.h.atNow(f.Name, files[i].Path, files[i].Sum, files[i].Work, revision)...)
		}
		for _, told := range deliveries {
			s.later(q.insertFolderDelivery, d.h.atNow(chat.NewID("msg"), told.Webhook, told.Event, f.Tool, told.Told)...)
		}
		_, err := s.exec(q.dropRemovedFiles, d.h.atNow(f.Name, removedKept.Milliseconds())...)
		return d.h.fail(err)
	})
	if err != nil {
		return 0, err
	}
	return revision, nil
}

// advance gives a folder its next revision, and locks it until the commit. It returns ErrBehind if it
// has another one than f.
func (d *Folders) advance(s session, f store.Folder) error {
	text, args := q.saveFolder, d.h.atNow(f.Whole, f.Untold, f.Name, f.Revision)
	if f.Revision == 0 {
		text, args = q.insertFolder, d.h.atNow(f.Name, f.Tool, f.Whole, f.Untold)
	}
	switch n, err := s.exec(text, args...); {
	case err != nil:
		return d.h.fail(err)
	case n == 0:
		return store.ErrBehind
	}
	return nil
}

// DropFolder implements store.Folders. It first marks the folder as not whole, so that what is left of
// one that was dropped in part counts as nothing.
func (d *Folders) DropFolder(ctx context.Context, f store.Folder) error {
	f.Whole, f.Untold = false, ""
	for left := f.Revision > 0; left; f.Revision++ {
		err := d.h.write(ctx, true, func(s session) error {
			if err := d.advance(s, f); err != nil {
				return err
			}
			if _, err := s.exec(q.dropFolderFiles, f.Name, f.Name, dropAtOnce); err != nil {
				return d.h.fail(err)
			}
			var any int
			found, err := one(s, func(scan scanner) error { return scan(&any) }, q.anyFolderFile, f.Name)
			if left = found; err != nil || found {
				return d.h.fail(err)
			}
			_, err = s.exec(q.dropFolder, f.Name, f.Revision+1)
			return d.h.fail(err)
		})
		if err != nil {
			return err
		}
	}
	return nil
}
