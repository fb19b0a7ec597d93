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
	n := chat.News{At: r.EndedAt, Type: chat.EventDone, TurnID: r.TurnID, FinishReason: r.FinishReason}
	if r.TurnID != "" && r.FinishReason != chat.FinishClarification {
		n.Hooks = e.hooks(app, config.WebhookTurnEnded)
	}
	return tx.Tell(n)
}

// hooks are the webhooks that are told of an event.
func (e *Engine) hooks(app, event string) (hooks []chat.Hook) {
	all := e.Setup().Config.Gateway.Webhooks
	for i := range all {
		if all[i].Wants(event, app) {
			hooks = append(hooks, chat.Hook{Webhook: all[i].ID, Event: event})
		}
	}
	return hooks
}

// unseen are those that are told if no screen shows a question, and the one that is counted.
func (e *Engine) unseen(app string) []chat.Hook {
	g := &e.Setup().Config.Gateway
	hooks := []chat.Hook{{Event: config.WebhookUndelivered, Unseen: g.UndeliveredAfter()}}
	for i := range g.Webhooks {
		if w := &g.Webhooks[i]; w.Wants(config.WebhookUndelivered, app) {
			hooks = append(hooks, chat.Hook{Webhook: w.ID, Event: config.WebhookUndelivered, Unseen: w.UndeliveredAfter.Std()})
		}
	}
	return hooks
}
