// Package record writes down what others than a chat's viewers need to hear about it. It writes in
// the update that changes the chat, so that nothing is reported that was rolled back or lost to
// another run.
//
//	news    for people's other screens (package inbox), webhooks (package notify) and channels (package channels)
//	audit   for operators, if enabled in the configuration with which the request began
package record

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/tools"
)

// Recorder writes news and records of the audit. It is safe for concurrent use.
type Recorder struct {
	Node   string                 // the node that writes
	Config func() *config.Gateway // returns the current configuration, which names the webhooks
}

// Asked records that a question was stored, and who asks it.
func (rec *Recorder) Asked(tx store.RunTx, g *config.Gateway, c *chat.Clarification, by chat.Actor) error {
	n := newsOf(c, chat.EventClarification, c.AskedAt)
	n.Hooks = rec.hooks(c.App, config.WebhookAsked)
	if c.Question.Kind != tools.KindInput { // no screen shows one of kind input
		n.Hooks = append(n.Hooks, rec.unseen(c.App)...)
		n.Notices, n.NotTold = rec.recipients(c, c.For)
	}
	if err := tx.AddNews(n); err != nil {
		return err
	}
	return rec.audit(tx, g, record(g, chat.AuditAsked, c, c.AskedAt), by)
}

// Resolved records how a question ended, and who ended it; zero is the chat's owner.
func (rec *Recorder) Resolved(tx store.RunTx, g *config.Gateway, c *chat.Clarification, by chat.Actor) error {
	n := newsOf(c, chat.EventClarificationResolved, c.AnsweredAt)
	n.Hooks = rec.hooks(c.App, config.WebhookResolved)
	n.EndNotices = len(rec.Config().Channels) > 0
	if err := addNews(tx, c, n); err != nil {
		return err
	}
	if c.State == tools.StateExpired { // no one answered in time
		by = chat.Actor{Kind: chat.ActorGateway}
	}
	return rec.audit(tx, g, record(g, chat.AuditResolved, c, c.AnsweredAt), orOwner(by, &c.Ref))
}

// Decided records that one of several people has allowed a call, which still waits for others.
func (rec *Recorder) Decided(tx store.RunTx, g *config.Gateway, c *chat.Clarification, by chat.Actor) error {
	at := c.Decisions[len(c.Decisions)-1].At
	if err := addNews(tx, c, newsOf(c, chat.EventClarificationDecided, at)); err != nil {
		return err
	}
	return rec.audit(tx, g, record(g, chat.AuditDecided, c, at), orOwner(by, &c.Ref))
}

// Escalated records that steps of a question's escalation have just happened. before is how many roles were
// asked until then: these are told that others are asked, too, and the others that they are asked.
func (rec *Recorder) Escalated(tx store.RunTx, g *config.Gateway, c *chat.Clarification, before int) error {
	at, roles := c.Escalated[len(c.Escalated)-1].At, c.Roles()
	for i, role := range roles {
		n := newsOf(c, chat.EventClarificationEscalated, at)
		if n.Role = role; i > 0 {
			n.Asker = "" // is told once
		}
		if i >= before {
			n.Type = chat.EventClarification
			n.Notices, _ = rec.recipients(c, role)
			n.NotTold = stillNotTold(c, n.Notices)
		}
		if i == len(roles)-1 {
			n.Hooks = rec.hooks(c.App, config.WebhookAsked)
		}
		if err := tx.AddNews(n); err != nil {
			return err
		}
	}
	for i := before; i < len(roles); i++ { // one record for each role
		r := record(g, chat.AuditEscalated, c, at)
		r.AlsoAsks = r.AlsoAsks[:i]
		if err := rec.audit(tx, g, r, chat.Actor{Kind: chat.ActorGateway}); err != nil {
			return err
		}
	}
	return nil
}

// Silent records a question that was answered without asking, in the audit only.
func (rec *Recorder) Silent(tx store.RunTx, g *config.Gateway, c *chat.Clarification, by chat.Actor) error {
	if err := rec.audit(tx, g, record(g, chat.AuditAsked, c, c.AskedAt), by); err != nil {
		return err
	}
	return rec.audit(tx, g, record(g, chat.AuditResolved, c, c.AnsweredAt), chat.Actor{Kind: chat.ActorGateway})
}

// Ruled records what rules decided about a call without asking anyone, in the audit only.
func (rec *Recorder) Ruled(tx store.RunTx, g *config.Gateway, ref *chat.Ref, turnID string, call *chat.ToolCall, ruled *tools.Ruled, at time.Time) error {
	r := chat.AuditRecord{
		At: chat.Time(at), What: chat.AuditRuled, Tenant: ref.Tenant, Subject: ref.Subject, App: ref.App, ChatID: ref.ChatID, TurnID: turnID,
		ToolCallID: call.ID, Kind: tools.KindApproval, ToolName: call.Name,
		Outcome: chat.RuledDenied, Rule: ruled.Rule, Reason: ruled.Reason,
	}
	if ruled.Allowed {
		r.Outcome = chat.RuledAllowed
	}
	if g.Audit.Texts {
		r.Arguments = json.RawMessage(call.Arguments)
	}
	return rec.audit(tx, g, r, chat.Actor{Kind: chat.ActorGateway})
}

// Done records a run's end.
func (rec *Recorder) Done(tx store.RunTx, app string, r *chat.Run) error {
	n := chat.News{At: r.EndedAt, Type: chat.EventDone, TurnID: r.TurnID, FinishReason: r.FinishReason, Usage: r.Usage}
	if r.TurnID != "" && r.FinishReason != chat.FinishClarification {
		n.Hooks = rec.hooks(app, config.WebhookTurnEnded)
	}
	return tx.AddNews(n)
}

// Forked records that a chat began as a copy, in the audit only.
func (rec *Recorder) Forked(tx store.RunTx, g *config.Gateway, c *chat.Conversation, by chat.Actor, at time.Time) error {
	return rec.audit(tx, g, chat.AuditRecord{
		At: chat.Time(at), What: chat.AuditForked, Tenant: c.Tenant, Subject: c.Subject, App: c.App, ChatID: c.ChatID,
		TurnID: c.Fork.TurnID, ForkedFrom: c.ForkedFrom(),
	}, orOwner(by, &c.Ref))
}

// Erased returns the audit record, if any, that someone erased a chat. It says neither whose chat
// nor which.
func (rec *Recorder) Erased(ref chat.Ref, at time.Time) []chat.AuditRecord {
	if !rec.Config().Audit.Enabled {
		return nil
	}
	return []chat.AuditRecord{{
		At: chat.Time(at), What: chat.AuditErased, Tenant: ref.Tenant, App: ref.App,
		By: chat.Actor{Kind: chat.ActorCaller}, Node: rec.Node,
	}}
}

// stillNotTold returns the channels that could tell no one of a question and tell no one of it now; nil
// if nothing changes.
func stillNotTold(c *chat.Clarification, to []chat.Recipient) []string {
	left := slices.DeleteFunc(slices.Clone(c.NotTold), func(channel string) bool {
		return slices.ContainsFunc(to, func(r chat.Recipient) bool { return r.Channel == channel })
	})
	if len(left) == len(c.NotTold) {
		return nil
	}
	c.NotTold = left
	return left
}

// addNews adds news of a question for each role that is asked.
func addNews(tx store.RunTx, c *chat.Clarification, n chat.News) error {
	if err := tx.AddNews(n); err != nil {
		return err
	}
	for _, also := range c.AlsoAsks() {
		if err := tx.AddNews(chat.News{At: n.At, Type: n.Type, ClarificationID: n.ClarificationID, TurnID: n.TurnID, Role: also.Role}); err != nil {
			return err
		}
	}
	return nil
}

func newsOf(c *chat.Clarification, what chat.EventType, at time.Time) chat.News {
	return chat.News{At: at, Type: what, ClarificationID: c.ID, TurnID: c.TurnID, Role: c.For, Asker: c.Asker}
}

// hooks returns the webhooks that want an event.
func (rec *Recorder) hooks(app, event string) (hooks []chat.Hook) {
	all := rec.Config().Webhooks
	for i := range all {
		if all[i].Wants(event, app) {
			hooks = append(hooks, chat.Hook{Webhook: all[i].ID, Event: event})
		}
	}
	return hooks
}

// unseen returns the hooks for a question that no screen shows: those of webhooks, and one that is
// only counted.
func (rec *Recorder) unseen(app string) []chat.Hook {
	g := rec.Config()
	hooks := []chat.Hook{{Event: config.WebhookUndelivered, Unseen: g.UndeliveredAfter()}}
	for i := range g.Webhooks {
		if w := &g.Webhooks[i]; w.Wants(config.WebhookUndelivered, app) {
			hooks = append(hooks, chat.Hook{Webhook: w.ID, Event: config.WebhookUndelivered, Unseen: w.UndeliveredAfter.Std()})
		}
	}
	return hooks
}

// maxRecipients limits how many people one channel tells of one question.
const maxRecipients = 200

// recipients returns whom channels tell of a question: the holders of a role that the configuration
// names, except for the asker and the one for whom the call is made; without a role the owner of the
// chat. notTold are the channels that have no one to tell.
func (rec *Recorder) recipients(c *chat.Clarification, role string) (all []chat.Recipient, notTold []string) {
	g := rec.Config()
	for i := range g.Channels {
		channel := &g.Channels[i]
		if !channel.Wants(c.App) {
			continue
		}
		before := len(all)
		if role == "" {
			all = append(all, chat.Recipient{Channel: channel.ID, Subject: c.Subject})
		} else {
			for _, p := range g.Holders(c.Tenant, role) {
				if p.Subject != c.Asker && p.Subject != c.Subject && len(all) < before+maxRecipients {
					all = append(all, chat.Recipient{Channel: channel.ID, Subject: p.Subject})
				}
			}
		}
		if len(all) == before {
			notTold = append(notTold, channel.ID)
		}
	}
	return all, notTold
}
