package store

import (
	"context"
	"time"

	"github.com/askgate/askgate/gateway/chat"
)

// Outbox holds what is to be sent to webhooks: chat.News.Hooks, as stored by RunTx.AddNews, which is
// deleted with its chat; and what Folders.SaveFolder stores, which has a tool where the others have a
// chat. Times are by the store's clock.
type Outbox interface {
	Notices
	// Folders returns what webhooks were told of folders of documents.
	Folders() Folders
	// ClaimDeliveries takes due deliveries of a webhook for the duration of lease, after which they
	// are due again. It takes only the oldest of each chat or tool, and none while another claim
	// has that one.
	ClaimDeliveries(ctx context.Context, webhook string, lease time.Duration, limit int) ([]Delivery, error)
	// EndDelivery removes a delivery that was made or is no longer to be made.
	EndDelivery(ctx context.Context, d Delivery) error
	// PostponeDelivery makes a claimed delivery due again after wait, and the later ones of its chat
	// or tool no earlier. It does not change one that has been claimed again since.
	PostponeDelivery(ctx context.Context, d Delivery, wait time.Duration) error
	// DropDeliveries removes the deliveries of a webhook that were stored earlier than before.
	DropDeliveries(ctx context.Context, webhook string, before time.Time) error
	// Webhooks returns the webhooks that have deliveries.
	Webhooks(ctx context.Context) ([]string, error)
	// OldestDelivery returns since when the oldest delivery of a webhook has waited, or the zero
	// time if there is none.
	OldestDelivery(ctx context.Context, webhook string) (time.Time, error)
	// TurnUndelivered makes deliveries due whose chat.Hook.Unseen condition has come true, and drops
	// those whose condition can no longer come true. It returns the app of each question that it
	// found unseen for a hook without a webhook.
	TurnUndelivered(ctx context.Context, limit int) (apps []string, err error)
	// Undelivered counts, by app, the pending questions from before the given time that no screen
	// has shown. It leaves out inputs, which no screen shows.
	Undelivered(ctx context.Context, before time.Time) (map[string]int, error)
}

// Delivery is a message for a webhook.
type Delivery struct {
	Seq             int64  // the store's
	ID              string // the same at each attempt
	Webhook         string
	Event           string
	Tool, Told      string // of a folder of documents, see FolderDelivery; the members about a chat are then empty
	ConversationID  string
	chat.Ref        // of the chat
	Language        string
	ClarificationID string
	TurnID          string
	FinishReason    chat.FinishReason
	At              time.Time
	Attempts        int // including the one that it is claimed for
}
