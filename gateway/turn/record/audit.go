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
	if what == chat.AuditAnswerDeleted {
		answered := chat.Time(c.AnsweredAt)
		r.Outcome, r.AnsweredAt = c.State, &answered
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
	case what == chat.AuditAnswerDeleted:
	case what == chat.AuditDecided:
		r.Answer = &c.Decisions[len(c.Decisions)-1].Answer
	default:
		r.Questions = withoutOffers(c.Question.Parts)
		if c.Question.Kind != tools.KindQuestion {
			r.Arguments = json.RawMessage(c.Arguments)
		}
	}
	return r
}

// withoutOffers returns the parts of a question without earlier answers, which have records of their
// own.
func withoutOffers(parts []tools.Part) []tools.Part {
	parts = slices.Clone(parts)
	for i := range parts {
		parts[i].Earlier = nil
	}
	return parts
}

// AnswerDeleted records, in the audit only, that the person who gave the answer to a clarification has deleted
// it. The records with its words go: those of the ends of what it answered, and those of questions
// that offered it, which are added again without texts.
func (rec *Recorder) AnswerDeleted(tx store.Tx, c *chat.Clarification, answered, offered []chat.Clarification, by chat.Actor, at time.Time) error {
	ends, asked := map[string]bool{}, map[string]bool{}
	var chats []string
	note := func(in map[string]bool, list []chat.Clarification) {
		for i := range list {
			in[list[i].ID] = true
			if !slices.Contains(chats, list[i].ConversationID) {
				chats = append(chats, list[i].ConversationID)
			}
		}
	}
	note(ends, answered)
	note(asked, offered)
	deleted := record(rec.Config(), chat.AuditAnswerDeleted, c, at)
	deleted.By, deleted.Node = orOwner(by, &c.Ref), rec.Node
	erased := chat.AuditRecord{At: chat.Time(at), What: chat.AuditErased, Tenant: c.Tenant, App: c.App, By: chat.Actor{Kind: deleted.By.Kind}, Node: rec.Node}
	found := false
	err := tx.Answers().EraseAudit(chats, func(r *chat.AuditRecord) bool {
		switch {
		case r.What == chat.AuditResolved && ends[r.ClarificationID]:
			found, r.What = true, ""
		case r.What == chat.AuditAsked && asked[r.ClarificationID] && r.Questions != nil:
			*r = r.WithoutTexts()
		default:
			return false
		}
		return true
	}, erased)
	if err != nil || !found && !rec.Config().Audit.Enabled {
		return err
	}
	return tx.Audit(deleted)
}

// Deleted records news that an answer is deleted. They have the type of the news of its end, which
// then show it so, and so do the messages of channels.
func (rec *Recorder) Deleted(tx store.RunTx, c *chat.Clarification, at time.Time) error {
	n := newsOf(c, chat.EventClarificationResolved, at)
	n.EndNotices = len(rec.Config().Channels) > 0
	return addNews(tx, c, n)
}
