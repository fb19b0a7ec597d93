package host

import (
	"context"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/inbox"
)

// Inbox notifies people about all their chats; ForInbox makes one.
type Inbox interface {
	// Follow opens a person's stream after the event id ("" for a new one). What it begins with must
	// be admitted by ctx.
	Follow(ctx context.Context, who inbox.Who, after string) (Following, error)
	// Ended waits until a clarification or ctx has ended, and returns the clarification as it is
	// stored then.
	Ended(ctx context.Context, id string) (chat.Clarification, error)
}
