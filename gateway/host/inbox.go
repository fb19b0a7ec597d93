package host

import (
	"context"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/inbox"
)

// Inbox is what tells people of all their chats; ForInbox makes one.
type Inbox interface {
	// Follow opens a person's stream after the event id ("" for the start of a new one), as far as
	// ctx admits what it begins with.
	Follow(ctx context.Context, who inbox.Who, after string) (Following, error)
	// Ended waits until a clarification has ended, or ctx, and returns it as stored then.
	Ended(ctx context.Context, id string) (chat.Clarification, error)
}
