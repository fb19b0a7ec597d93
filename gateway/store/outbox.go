package store

import (
	"context"
	"time"

	"github.com/askgate/askgate/gateway/chat"
)

// Outbox is what webhooks are to be told: chat.News.Hooks, as RunTx.Tell has stored them. It
// goes with its chat. Times are those of the store's clock.
type Outbox interface {
	// ClaimDeliveries takes deliveries of a webhook that are due, for as long as lease, after
	// which they are due again. Of each chat it takes the oldest alone, and none while another
	// has that.
	ClaimDeliveries(ctx context.Context, webhook string, lease time.Duration, limit int) ([]Delivery, error)
	// EndDelivery removes one: it was delivered, or nobody is told any more.
	EndDelivery(ctx context.Context, d Delivery) error
	// PostponeDelivery makes one that was claimed due again after wait, and those of its chat
	// behind it no earlier. One that was claimed again since stays as it is.
	PostponeDelivery(ctx context.Context, d Delivery, wait time.Duration) error
	// DropDeliveries removes those of a webhook that were stored earlier than before.
	DropDeliveries(ctx context.Context, webhook string, before time.Time) error
	// Webhooks are those that have deliveries.
	Webhooks(ctx context.Context) ([]string, error)
	// OldestDelivery is since when the oldest of a webhook waits; the zero time: none does.
	OldestDelivery(ctx context.Context, webhook string) (time.Time, error)
	// TurnUndelivered has those delivered whose chat.Hook.Unseen has come true, and drops those
	// where it cannot any more. It returns the app of each question that it has found unseen
	// for a hook without a webhook.
	TurnUndelivered(ctx context.Context, limit int) (apps []string, err error)
	// Undelivered counts, by app, the pending questions from before that no screen has shown;
	// without inputs, which none shows.
	Undelivered(ctx context.Context, before time.Time) (map[string]int, error)
}

// Delivery is something that a webhook is told.
type Delivery struct {
	Seq             int64  // the store's
	ID              string // the same at each attempt
	Webhook         string
	Event           string
	ConversationID  string
	chat.Ref        // of the chat
	Language        string
	ClarificationID string
	TurnID          string
	FinishReason    chat.FinishReason
	At              time.Time
	Attempts        int // with the one that it is claimed for
}
