package store

import (
	"context"
	"time"

	"github.com/askgate/askgate/gateway/chat"
)

// Files keeps track of the files that people uploaded. A file's row exists before its bytes do
// and until they are gone, so that a crash never leaves bytes without a row.
type Files interface {
	// File returns a complete file of a chat, or ErrNotFound.
	File(ctx context.Context, ref chat.Ref, id string) (chat.File, error)
	// GiveUpFiles takes from their chats the files that nothing uses and that were begun earlier
	// than before, or than unsent if an answer link uploaded them: answers and messages no longer
	// find them. It also deletes conversations that never began and whose newest file was begun
	// earlier than unsent.
	GiveUpFiles(ctx context.Context, before, unsent time.Time) error
	// GoneFiles lists files that no chat has any more: given up, or of erased chats. It leaves out
	// incomplete files begun at since or later, whose bytes may still come.
	GoneFiles(ctx context.Context, since time.Time, limit int) ([]GoneFile, error)
	// DropFile removes the row of a gone file.
	DropFile(ctx context.Context, f GoneFile) error
}

// GoneFile is a file that a chat had.
type GoneFile struct {
	ID   string
	Kept bool // another chat has the same file, so its bytes stay

	Row int64 // the store's own
}

// FileTx is the part of a Tx that handles the chat's files.
type FileTx interface {
	// Add begins a file whose Size and Type are not known yet.
	Add(f chat.File) error
	// Save overwrites Type, Size and UsedBy. It returns ErrNotFound if there is no such file.
	Save(f chat.File) error
	// Release takes a file from the message that has it, as if it had been uploaded at that time. It
	// returns ErrNotFound if there is no such file.
	Release(id string, at time.Time) error
	// Find returns a complete file of the chat, or ErrNotFound.
	Find(id string) (chat.File, error)
	// FindAt returns a complete file that waits in a conversation that never began (chat.Ref.Unsent,
	// chat.Ref.Linked), or ErrNotFound.
	FindAt(place chat.Ref, id string) (chat.File, error)
	// Adopt moves a complete file that waits there to this chat. It returns ErrNotFound if there is
	// none.
	Adopt(place chat.Ref, id string) error
	// Held returns how many files the chat has, unfinished ones included, and their total bytes.
	Held() (files int, bytes int64, err error)
	// GiveUp takes from the chat a file that nothing uses and whose bytes will not come.
	GiveUp(id string) error
}
