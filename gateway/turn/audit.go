package turn

import (
	"encoding/json"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/tools"
)

// The audit, where the configuration wants one, is written by the same update as the
// change that it records: what was rolled back, or lost to another run, is not in it.

// auditAsked records that a question was stored.
func (r *Run) auditAsked(tx store.RunTx, c *chat.Clarification) error {
	if !r.setup.Config.Gateway.Audit.Enabled {
		return nil
	}
	record := r.setup.record(chat.AuditAsked, c, c.AskedAt)
	record.By, record.Node = chat.Actor{Kind: chat.ActorModel, Model: r.draft.model}, r.engine.Node
	if c.IsForm() {
		record.By = chat.Actor{Kind: chat.ActorGateway}
	}
	return tx.Audit(record)
}

// auditSilent records that a question was answered without asking.
func (r *Run) auditSilent(tx store.RunTx, c *chat.Clarification) error {
	if err := r.auditAsked(tx, c); err != nil || !r.setup.Config.Gateway.Audit.Enabled {
		return err
	}
	record := r.setup.record(chat.AuditResolved, c, c.AnsweredAt)
	record.By, record.Node, record.Outcome = chat.Actor{Kind: chat.ActorGateway}, r.engine.Node, c.State
	return tx.Audit(record)
}

// auditResolved records that a question was closed.
func (t *transition) auditResolved(c *chat.Clarification) error {
	if !t.setup.Config.Gateway.Audit.Enabled {
		return nil
	}
	record := t.setup.record(chat.AuditResolved, c, c.AnsweredAt)
	record.By, record.Node = t.cmd.By, t.engine.Node
	switch {
	case c.State == tools.StateExpired:
		record.By = chat.Actor{Kind: chat.ActorGateway} // nobody answered in time
	case record.By.Kind == "":
		record.By = chat.Actor{Kind: chat.ActorCaller, Tenant: c.Tenant, Subject: c.Subject}
	}
	record.Outcome = c.State
	if c.Question.Kind == tools.KindApproval && c.Answer != nil {
		allowed := c.Approved()
		record.Approved = &allowed
	}
	return t.tx.Audit(record)
}

func (s *Setup) record(what chat.AuditWhat, c *chat.Clarification, at time.Time) chat.AuditRecord {
	record := chat.AuditRecord{
		At: chat.Time(at), What: what, Tenant: c.Tenant, Subject: c.Subject, App: c.App, ChatID: c.ChatID, TurnID: c.TurnID,
		ClarificationID: c.ID, ToolCallID: c.ToolCallID, Kind: c.Question.Kind, ToolName: c.ToolName, InputType: c.Question.InputType(),
	}
	if role, is := chat.RoleOf(c.Subject); is {
		record.Subject, record.Role = "", role
	} else {
		record.Role = c.For
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
