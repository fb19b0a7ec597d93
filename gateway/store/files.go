package store

import (
	"context"
	"time"

	"github.com/askgate/askgate/gateway/chat"
)

// Files knows the files that people uploaded. A file's row is there before its bytes are, and
// until they are gone, so that no crash leaves bytes that nobody knows of.
type Files interface {
	// File is one of a chat's that is whole, ErrNotFound where there is none.
	File(ctx context.Context, ref chat.Ref, id string) (chat.File, error)
	// GiveUpFiles takes files from their chats that nothing uses and that were begun before: no
	// answer or message finds them any more. It deletes conversations that never began and whose
	// newest file was begun before unsent, likewise.
	GiveUpFiles(ctx context.Context, before, unsent time.Time) error
	// GoneFiles lists files that no chat has: given up, or of chats that were erased. Those
	// that are not whole are left out if they were begun since: their bytes may still come.
	GoneFiles(ctx context.Context, since time.Time, limit int) ([]GoneFile, error)
	// DropFile forgets a file that is gone.
	DropFile(ctx context.Context, f GoneFile) error
}

// GoneFile is a file that a chat had.
type GoneFile struct {
	ID   string
	Kept bool // another chat has the same file, whose bytes stay

	Row int64 // the store's own
}

// FileTx is the part of a Tx that is about the chat's files.
type FileTx interface {
	// Add begins a file, whose Size and Type are not yet known.
	Add(f chat.File) error
	// Save overwrites Type, Size and UsedBy. ErrNotFound where there is no such file.
	Save(f chat.File) error
	// Find is one of the chat's that is whole, ErrNotFound where there is none.
	Find(id string) (chat.File, error)
	// Adopt has a file that is whole, and waits at the conversation's Unsent, be one of this chat's;
	// ErrNotFound where there is none.
	Adopt(id string) error
	// Held is how many files the chat has, begun ones too, and how many bytes.
	Held() (files int, bytes int64, err error)
	// GiveUp takes a file from the chat that nothing uses, and whose bytes do not come any more.
	GiveUp(id string) error
}
