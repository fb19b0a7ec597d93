package store

import (
	"context"
	"time"

	"github.com/askgate/askgate/gateway/chat"
)

// NewsLife is how long news are kept for readers who come back.
const NewsLife = 24 * time.Hour

// Feed reads the news stored by RunTx.AddNews. A reader never misses any: no news are added later
// with an id below one already returned, however long their transaction took.
//
// A run of a turn that SaveRun stores with its end is news, too, of the type EventDone. It takes no row: it
// is there as long as its chat, and is read for NewsLife after its end.
type Feed interface {
	// News lists what concerns a subject after that id, oldest first: what happened in its chats,
	// what its roles are asked, and what it asked itself.
	News(ctx context.Context, tenant, subject string, roles []string, after int64, limit int) ([]chat.News, error)
	// AllNews is News for all subjects. later reports that there are more that cannot be read yet,
	// because earlier transactions have not ended.
	AllNews(ctx context.Context, after int64, limit int) (news []chat.News, later bool, err error)
	// NewsHead returns an id after which all news stored from now on are found. News stored before
	// may have a greater one.
	NewsHead(ctx context.Context) (int64, error)
	// DropNews deletes the news stored earlier than before.
	DropNews(ctx context.Context, before time.Time) error
}
