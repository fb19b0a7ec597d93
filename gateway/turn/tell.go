package turn

import (
	"time"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/tools"
)

// tellAsked tells of a question, in the update that stores it.
func (e *Engine) tellAsked(tx store.RunTx, c *chat.Clarification) error {
	n := newsOf(c, chat.EventClarification, c.AskedAt)
	n.Hooks = e.hooks(c.App, config.WebhookAsked)
	if c.Question.Kind != tools.KindInput { // else no screen shows it
		n.Hooks = append(n.Hooks, e.unseen(c.App)...)
	}
	return tx.Tell(n)
}

// tellResolved tells how a question ended, in the update that closes it.
func (e *Engine) tellResolved(tx store.RunTx, c *chat.Clarification) error {
	n := newsOf(c, chat.EventClarificationResolved, c.AnsweredAt)
	n.Hooks = e.hooks(c.App, config.WebhookResolved)
	return tx.Tell(n)
}

func newsOf(c *chat.Clarification, what chat.EventType, at time.Time) chat.News {
	return chat.News{At: at, Type: what, ClarificationID: c.ID, TurnID: c.TurnID, Role: c.For, Asker: c.Asker}
}

// tellDone tells of a run's end, in the update that stores it.
func (e *Engine) tellDone(tx store.RunTx, app string, r *chat.Run) error {
	n := chat.News{At: r.EndedAt, Type: chat.EventDone, TurnID: r.TurnID, FinishReason: r.FinishReason, Usage: r.Usage}
	if r.TurnID != "" && r.FinishReason != chat.FinishClarification {
		n.Hooks = e.hooks(app, config.WebhookTurnEnded)
	}
	return tx.Tell(n)
}
