package store

import (
	"context"
	"errors"
	"time"
)

// ErrBehind means that a folder was changed by another node since it was read. Nothing was stored.
var ErrBehind = errors.New("store: the folder has changed since it was read")

// Folders keeps what webhooks were last told of folders of documents, so that all nodes tell of each
// change once. A row is small, but there may be 200,000 of a folder: each call reads or writes no more
// than what it names. Safe for concurrent use.
type Folders interface {
	// Folder returns what is stored of a folder. If nothing is, its Revision is 0.
	Folder(ctx context.Context, name string) (Folder, error)
	// FilesAfter returns up to limit files of a folder after a path, by path. FilesSince returns those
	// that were stored after a revision, by revision and path, after a file. Both include files that
	// were removed.
	FilesAfter(ctx context.Context, name, path string, limit int) ([]FolderFile, error)
	FilesSince(ctx context.Context, name string, behind FolderFile, limit int) ([]FolderFile, error)
	// FilesAt returns the named files, as far as they are stored.
	FilesAt(ctx context.Context, name string, paths []string) ([]FolderFile, error)
	// SaveFolder stores changed files, and deliveries about them, in one transaction. The Revision of f
	// is the one that was read; everything else in f is stored. SaveFolder returns the new revision, or
	// ErrBehind if the folder has another revision by now. Removed files are forgotten after an hour.
	SaveFolder(ctx context.Context, f Folder, files []FolderFile, deliveries []FolderDelivery) (revision int64, err error)
	// UseFolder notes that a folder is in use.
	UseFolder(ctx context.Context, name string) error
	// UnusedFolder returns a folder that was last in use earlier than before, or one with Revision 0.
	UnusedFolder(ctx context.Context, before time.Time) (Folder, error)
	// DropFolder removes everything of a folder, in several transactions. It returns ErrBehind if another
	// node stores something of it meanwhile.
	DropFolder(ctx context.Context, f Folder) error
}

// Folder is a folder of documents, as webhooks were told of it.
type Folder struct {
	Name     string // of the folder and the settings that determine what is read of it
	Tool     string
	Revision int64 // counts up with each SaveFolder
	Whole    bool  // all files have been stored once
	// Untold is what earlier calls of SaveFolder changed and no delivery has yet; the store does not
	// read it.
	Untold string
}

// FolderFile is a file of a folder.
type FolderFile struct {
	Path     string
	Sum      string // of its content; "": it was removed
	Work     string
	Revision int64     // of the folder, when it was stored
	At       time.Time // when it was stored
}

// FolderDelivery is what a webhook is to be told of a folder: Delivery.Told.
type FolderDelivery struct {
	Webhook, Event, Told string
}
