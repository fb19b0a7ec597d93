package turn

import (
	"encoding/json"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/tools"
)

// The audit, where the configuration wants one, is written by the update that it tells
// of: what was rolled back, or lost to another, is not in it.

// auditAsked records that a question was stored.
func (r *Run) auditAsked(tx store.Tx, c *chat.Clarification) error {
	if !r.setup.Config.Gateway.Audit.Enabled {
		return nil
	}
	record := r.setup.record(chat.AuditAsked, c, c.AskedAt)
	record.By, record.Node = chat.Actor{Kind: chat.ActorModel, Model: r.model}, r.engine.Node
	return tx.Audit(record)
}

// auditResolved records that a question was closed.
func (s *submission) auditResolved(c *chat.Clarification) error {
	if !s.setup.Config.Gateway.Audit.Enabled {
		return nil
	}
	record := s.setup.record(chat.AuditResolved, c, c.AnsweredAt)
	record.By, record.Node = s.cmd.By, s.engine.Node
	switch {
	case c.State == tools.StateExpired:
		record.By = chat.Actor{Kind: chat.ActorGateway} // whoever came too late
	case record.By.Kind == "":
		record.By = chat.Actor{Kind: chat.ActorCaller, Tenant: c.Tenant, Subject: c.Subject}
	}
	record.Outcome = c.State
	if c.Question.Kind == tools.KindApproval && c.Answer != nil {
		allowed := c.Approved()
		record.Approved = &allowed
	}
	return s.tx.Audit(record)
}

// auditErased is the record, if any, that somebody erased a chat: neither whose it was
// nor which.
func (e *Engine) auditErased(ref chat.Ref) []chat.AuditRecord {
	if !e.Setup().Config.Gateway.Audit.Enabled {
		return nil
	}
	return []chat.AuditRecord{{
		At: chat.Time(time.Now()), What: chat.AuditErased, Tenant: ref.Tenant, App: ref.App,
		By: chat.Actor{Kind: chat.ActorCaller}, Node: e.Node,
	}}
}

func (s *Setup) record(what chat.AuditWhat, c *chat.Clarification, at time.Time) chat.AuditRecord {
	record := chat.AuditRecord{
		At: chat.Time(at), What: what, Tenant: c.Tenant, Subject: c.Subject, App: c.App, ChatID: c.ChatID, TurnID: c.TurnID,
		ClarificationID: c.ID, ToolCallID: c.ToolCallID, Kind: c.Question.Kind, ToolName: c.ToolName, InputType: c.Question.InputType(),
	}
	if !s.Config.Gateway.Audit.Texts {
		return record
	}
	if what == chat.AuditResolved {
		record.Answer = c.Answer
		return record
	}
	record.Questions = c.Question.Parts
	if c.Question.Kind != tools.KindQuestion {
		record.Arguments = json.RawMessage(c.Arguments)
	}
	return record
}
