package turn

import (
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
)

// tellAsked tells of a question, in the update that stores it.
func tellAsked(tx store.RunTx, c *chat.Clarification) error {
	return tx.Tell(newsOf(c, chat.EventClarification, c.AskedAt))
}

// tellResolved tells how a question ended, in the update that closes it.
func tellResolved(tx store.RunTx, c *chat.Clarification) error {
	return tx.Tell(newsOf(c, chat.EventClarificationResolved, c.AnsweredAt))
}

func newsOf(c *chat.Clarification, what chat.EventType, at time.Time) chat.News {
	return chat.News{At: at, Type: what, ClarificationID: c.ID, TurnID: c.TurnID, Role: c.For, Asker: c.Asker}
}

// tellDone tells of a run's end, in the update that stores it.
func tellDone(tx store.RunTx, r *chat.Run) error {
	return tx.Tell(chat.News{At: r.EndedAt, Type: chat.EventDone, TurnID: r.TurnID, FinishReason: r.FinishReason, Usage: r.Usage})
}
