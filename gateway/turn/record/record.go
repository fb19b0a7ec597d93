// Package record writes down what others are to hear of a chat than those who look on, in the update
// that changes the chat: what was rolled back, or lost to another run, is not told.
//
//	news    for people's other screens (package inbox) and for webhooks (package notify)
//	audit   for operators, where the configuration that a request began with wants one
package record

import (
	"time"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/tools"
)

// Recorder writes news and records of the audit. It is safe for concurrent use.
type Recorder struct {
	Node    string                 // that tells them
	InForce func() *config.Gateway // names the webhooks
}

// Asked tells of a question that is stored, and who asks it.
func (rec *Recorder) Asked(tx store.RunTx, g *config.Gateway, c *chat.Clarification, by chat.Actor) error {
	n := newsOf(c, chat.EventClarification, c.AskedAt)
	n.Hooks = rec.hooks(c.App, config.WebhookAsked)
	if c.Question.Kind != tools.KindInput { // else no screen shows it
		n.Hooks = append(n.Hooks, rec.unseen(c.App)...)
	}
	if err := tx.Tell(n); err != nil {
		return err
	}
	return rec.audit(tx, g, record(g, chat.AuditAsked, c, c.AskedAt), by)
}

// Resolved tells how a question ended, and who ended it; zero: the chat's owner.
func (rec *Recorder) Resolved(tx store.RunTx, g *config.Gateway, c *chat.Clarification, by chat.Actor) error {
	n := newsOf(c, chat.EventClarificationResolved, c.AnsweredAt)
	n.Hooks = rec.hooks(c.App, config.WebhookResolved)
	if err := tx.Tell(n); err != nil {
		return err
	}
	if c.State == tools.StateExpired { // nobody answered in time
		by = chat.Actor{Kind: chat.ActorGateway}
	}
	return rec.audit(tx, g, record(g, chat.AuditResolved, c, c.AnsweredAt), orOwner(by, &c.Ref))
}

// Silent tells of a question that was answered without asking: only the audit does.
func (rec *Recorder) Silent(tx store.RunTx, g *config.Gateway, c *chat.Clarification, by chat.Actor) error {
	if err := rec.audit(tx, g, record(g, chat.AuditAsked, c, c.AskedAt), by); err != nil {
		return err
	}
	return rec.audit(tx, g, record(g, chat.AuditResolved, c, c.AnsweredAt), chat.Actor{Kind: chat.ActorGateway})
}

// Done tells of a run's end.
func (rec *Recorder) Done(tx store.RunTx, app string, r *chat.Run) error {
	n := chat.News{At: r.EndedAt, Type: chat.EventDone, TurnID: r.TurnID, FinishReason: r.FinishReason, Usage: r.Usage}
	if r.TurnID != "" && r.FinishReason != chat.FinishClarification {
		n.Hooks = rec.hooks(app, config.WebhookTurnEnded)
	}
	return tx.Tell(n)
}

// Forked tells that a chat began as a copy: only the audit does.
func (rec *Recorder) Forked(tx store.RunTx, g *config.Gateway, c *chat.Conversation, by chat.Actor, at time.Time) error {
	return rec.audit(tx, g, chat.AuditRecord{
		At: chat.Time(at), What: chat.AuditForked, Tenant: c.Tenant, Subject: c.Subject, App: c.App, ChatID: c.ChatID,
		TurnID: c.Fork.TurnID, ForkedFrom: c.ForkedFrom(),
	}, orOwner(by, &c.Ref))
}

// Erased is the record, if any, that somebody erased a chat: neither whose it was nor which.
func (rec *Recorder) Erased(ref chat.Ref, at time.Time) []chat.AuditRecord {
	if !rec.InForce().Audit.Enabled {
		return nil
	}
	return []chat.AuditRecord{{
		At: chat.Time(at), What: chat.AuditErased, Tenant: ref.Tenant, App: ref.App,
		By: chat.Actor{Kind: chat.ActorCaller}, Node: rec.Node,
	}}
}

func newsOf(c *chat.Clarification, what chat.EventType, at time.Time) chat.News {
	return chat.News{At: at, Type: what, ClarificationID: c.ID, TurnID: c.TurnID, Role: c.For, Asker: c.Asker}
}

// hooks are the webhooks that are told of an event.
func (rec *Recorder) hooks(app, event string) (hooks []chat.Hook) {
	all := rec.InForce().Webhooks
	for i := range all {
		if all[i].Wants(event, app) {
			hooks = append(hooks, chat.Hook{Webhook: all[i].ID, Event: event})
		}
	}
	return hooks
}

// unseen are those that are told if no screen shows a question, and the one that is counted.
func (rec *Recorder) unseen(app string) []chat.Hook {
	g := rec.InForce()
	hooks := []chat.Hook{{Event: config.WebhookUndelivered, Unseen: g.UndeliveredAfter()}}
	for i := range g.Webhooks {
		if w := &g.Webhooks[i]; w.Wants(config.WebhookUndelivered, app) {
			hooks = append(hooks, chat.Hook{Webhook: w.ID, Event: config.WebhookUndelivered, Unseen: w.UndeliveredAfter.Std()})
		}
	}
	return hooks
}
