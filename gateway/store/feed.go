package store

import (
	"context"
	"time"

	"github.com/askgate/askgate/gateway/chat"
)

// Feed reads the news that RunTx.Tell has stored. No reader misses any: what has an id below
// one that was returned is never added later, however long its transaction took.
type Feed interface {
	// News lists what concerns a subject after that id, oldest first: what happened in its
	// chats, what its roles are asked, and what it has asked itself.
	News(ctx context.Context, tenant, subject string, roles []string, after int64, limit int) ([]chat.News, error)
	// AllNews is News of everybody. later says that there is more which cannot be read yet,
	// since transactions before it have not ended.
	AllNews(ctx context.Context, after int64, limit int) (news []chat.News, later bool, err error)
	// NewsHead is an id after which all news that are stored from now on are found. What was
	// stored before may have a greater one.
	NewsHead(ctx context.Context) (int64, error)
	// DropNews deletes those that were told earlier than before.
	DropNews(ctx context.Context, before time.Time) error
}
