package record

import (
	"encoding/json"
	"time"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/tools"
)

// audit stores an audit record if the configuration enables the audit.
func (rec *Recorder) audit(tx store.RunTx, g *config.Gateway, r chat.AuditRecord, by chat.Actor) error {
	if !g.Audit.Enabled {
		return nil
	}
	r.By, r.Node = by, rec.Node
	return tx.Audit(r)
}

// orOwner returns the actor, or the owner of the chat if it is zero.
func orOwner(by chat.Actor, of *chat.Ref) chat.Actor {
	if by.Kind == "" {
		return chat.Actor{Kind: chat.ActorCaller, Tenant: of.Tenant, Subject: of.Subject}
	}
	return by
}

// record returns the audit's record of a question.
func record(g *config.Gateway, what chat.AuditWhat, c *chat.Clarification, at time.Time) chat.AuditRecord {
	r := chat.AuditRecord{
		At: chat.Time(at), What: what, Tenant: c.Tenant, Subject: c.Subject, App: c.App, ChatID: c.ChatID, TurnID: c.TurnID,
		ClarificationID: c.ID, ToolCallID: c.ToolCallID, Kind: c.Question.Kind, ToolName: c.ToolName, InputType: c.Question.InputType(),
	}
	if role, is := chat.RoleOf(c.Subject); is {
		r.Subject, r.Role = "", role
	} else {
		r.Role = c.For
	}
	if c.Question.Kind == tools.KindApproval {
		r.Rule, r.Reason = c.Question.Rule, c.Question.Reason
	}
	r.Decisions, r.AlsoAsks = chat.DecidedBys(c.Decisions), c.AlsoAsks()
	if what == chat.AuditDecided {
		allowed := true // a no closes the question
		r.Approved = &allowed
	}
	if what == chat.AuditResolved {
		r.Outcome = c.State
		if c.Question.Kind == tools.KindApproval && c.Answer != nil {
			allowed := c.Approved()
			r.Approved, r.Responded = &allowed, c.Responded()
		}
	}
	switch {
	case !g.Audit.Texts, what == chat.AuditEscalated: // asked has the texts
	case what == chat.AuditResolved:
		r.Answer = c.Answer
	case what == chat.AuditDecided:
		r.Answer = &c.Decisions[len(c.Decisions)-1].Answer
	default:
		r.Questions = c.Question.Parts
		if c.Question.Kind != tools.KindQuestion {
			r.Arguments = json.RawMessage(c.Arguments)
		}
	}
	return r
}
