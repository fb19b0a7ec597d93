package store

import (
	"context"
	"errors"
	"time"

	"github.com/askgate/askgate/gateway/chat"
)

// ErrFull says that a person has as many memories in an app as there may be, or a chat as many
// bytes of drafts.
var ErrFull = errors.New("store: no more fits")

// Keeper keeps what is remembered of people beyond their chats. What has expired is as if it were
// not there.
type Keeper interface {
	// Memories is all that is kept of a person in an app, newest first.
	Memories(ctx context.Context, tenant, subject, app string) ([]chat.Memory, error)
	// MemoryPage is a page of what is kept of a person in all apps, or in one, newest first.
	MemoryPage(ctx context.Context, tenant, subject, app string, page Page) ([]chat.Memory, string, error)
	// SaveMemory keeps words, in place of those of the same key. ErrFull, and nothing is kept,
	// where that would be more than most; ErrNotFound where they are said in a chat that is gone.
	SaveMemory(ctx context.Context, m chat.Memory, most int) error
	// EditMemory changes words; all of them are then the person's own (chat.Memory.Said). ErrNotFound where the person has none with this id.
	EditMemory(ctx context.Context, tenant, subject, id, text string, at time.Time) (chat.Memory, error)
	// DeleteMemory removes one of a person's. ErrNotFound where there is none with this id.
	DeleteMemory(ctx context.Context, tenant, subject, id string) error
	// DeleteMemories removes all of a person's, in all apps or in one, and says how many.
	DeleteMemories(ctx context.Context, tenant, subject, app string) (int64, error)
	// ForgetKey removes what is kept of a person in an app under a key, and says how many.
	ForgetKey(ctx context.Context, tenant, subject, app, key string) (int64, error)
	// DropMemories deletes what expired before.
	DropMemories(ctx context.Context, before time.Time) error
	// ChatsOf lists chats of a subject, in whatever app.
	ChatsOf(ctx context.Context, tenant, subject string, limit int) ([]chat.Ref, error)
	// EraseTraces deletes what is kept of a person outside of chats: memories, meters, news to them, and files that no message came with. It says how many memories there were.
	EraseTraces(ctx context.Context, tenant, subject string) (memories int64, err error)
}
