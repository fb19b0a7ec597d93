package store

import (
	"context"
	"errors"
	"time"

	"github.com/askgate/askgate/gateway/chat"
)

// ErrFull means that a person already has as many memories in an app, or a chat as many bytes of
// drafts, as the limit allows.
var ErrFull = errors.New("store: full")

// Keeper keeps what is remembered of people beyond their chats. It treats expired memories as
// absent.
type Keeper interface {
	// Memories returns all that is kept of a person in an app, newest first.
	Memories(ctx context.Context, tenant, subject, app string) ([]chat.Memory, error)
	// MemoryPage returns a page of what is kept of a person in all apps, or in one, newest first.
	MemoryPage(ctx context.Context, tenant, subject, app string, page Page) ([]chat.Memory, string, error)
	// SaveMemory keeps words, replacing those of the same key. It returns ErrFull and keeps nothing
	// if the person would then have more than most, and ErrNotFound if the words were said in a chat
	// that is gone.
	SaveMemory(ctx context.Context, m chat.Memory, most int) error
	// EditMemory changes the words of a memory; all of them are then the person's own
	// (chat.Memory.Said). It returns ErrNotFound if the person has none with this id.
	EditMemory(ctx context.Context, tenant, subject, id, text string, at time.Time) (chat.Memory, error)
	// DeleteMemory removes one of a person's memories, or returns ErrNotFound if there is none with
	// this id.
	DeleteMemory(ctx context.Context, tenant, subject, id string) error
	// DeleteMemories removes all of a person's memories, in all apps or in one, and returns how
	// many.
	DeleteMemories(ctx context.Context, tenant, subject, app string) (int64, error)
	// ForgetKey removes what is kept of a person in an app under a key, and returns how many
	// memories that was.
	ForgetKey(ctx context.Context, tenant, subject, app, key string) (int64, error)
	// DropMemories deletes memories that expired before the given time.
	DropMemories(ctx context.Context, before time.Time) error
	// ChatsOf lists chats of a subject, in any app.
	ChatsOf(ctx context.Context, tenant, subject string, limit int) ([]chat.Ref, error)
	// EraseTraces deletes what is kept of a person outside of chats: memories, meters, news for the
	// person, files that no message came with, and claims (Tx.SaveCaller). It returns the number of memories.
	EraseTraces(ctx context.Context, tenant, subject string) (memories int64, err error)
}
