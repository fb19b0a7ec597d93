package chat

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/askgate/askgate/tools"
)

// Clarification is a stored question with its state and, later, its answer.
type Clarification struct {
	ID             string // globally unique, unguessable
	ConversationID string
	Ref
	TurnID     string // "" for a program's question
	ToolCallID string // generated for a program's question
	ToolName   string
	Arguments  string // of the call, valid JSON
	// Asker is the subject that has a program ask, of the same tenant; "" if a turn asks.
	Asker string
	// Model is the configured model whose call asks, by its name in the configuration; "" for a
	// program's question.
	Model string
	// For is the role whose holders are asked first, see Roles; "" if the owner of the chat answers.
	For      string
	Question tools.Question
	Number   int // counts from 1 within the conversation; for other kinds, that of the question before
	Max      int // perConversation when the question was asked
	State    tools.State
	Answer   *tools.Answer
	// Remembered says that the approval also counts for later calls of the tool in the chat, until it is
	// revoked.
	Remembered bool
	AskedFence int64 // the run that asked
	DoneFence  int64 // the run that announced the end; 0 while pending
	AskedAt    time.Time
	AnsweredAt time.Time
	AnsweredBy *By       // nil while pending, and if no one closed it
	ExpiresAt  time.Time // zero: never
	// Draft is the user's draft so far, any JSON; nil for none. Only SaveDraft stores it. It is
	// dropped when the question is closed.
	Draft json.RawMessage
	// SeenAt is when a screen first showed it; zero: none has said so. Only SaveSeen stores it.
	SeenAt time.Time
	// Decisions are those about a call that several people must allow, in their order; they are fewer
	// than Question.Quorum, unless the last one closed the question.
	Decisions []Decision
	// DeletedFence is the run that announced that the answer was deleted; -1 until one has, 0 if it was
	// not. Only AnswerTx stores it.
	DeletedFence int64
	// Copied says that it was asked in the chat from which this one was forked, and counts there.
	Copied bool
	// InWords says that a client's result for the question's call was not an answer. From then on,
	// clients that run tools themselves are asked in words. Only SaveInWords stores it; forks keep it.
	InWords bool
	Attendance
	NotTold []string // the ids of the channels that could tell none of those they were to tell
	Escalation
}

// MayAnswer reports whether a principal may answer the question: the owner of the chat or, if it is
// for roles, a holder of one of them who neither asked it nor owns the call that waits.
func (c *Clarification) MayAnswer(p Principal) bool {
	if p.Tenant != c.Tenant {
		return false
	}
	if c.For == "" {
		return p.Subject == c.Subject
	}
	return c.AskedAs(p) != "" && p.Subject != c.Subject && p.Subject != c.Asker
}

// AnsweredFrom reports whether a principal closed the question: as AnsweredBy says or, where that is
// not known, as the owner of the chat.
func (c *Clarification) AnsweredFrom(p Principal) bool {
	by := c.Subject
	if c.AnsweredBy != nil {
		by = c.AnsweredBy.Subject
	}
	return p.Tenant == c.Tenant && p.Subject == by && c.State != tools.StatePending
}

// Size returns about how many bytes the texts of the question have.
func (c *Clarification) Size() int64 {
	n := len(c.Arguments) + len(c.Draft) + len(c.Question.Details)
	for i := range c.Question.Parts {
		p := &c.Question.Parts[i]
		n += len(p.Question) + len(p.Context)
		for _, o := range p.Options {
			n += len(o.Label) + len(o.Value) + len(o.Description)
		}
	}
	if c.Answer != nil {
		n += len(c.Answer.Value) + len(c.Answer.Result) + len(c.Answer.Arguments) + len(c.Answer.Note)
	}
	for i := range c.Decisions {
		n += len(c.Decisions[i].Answer.Note)
	}
	return int64(n)
}

// Approved reports whether a person has approved the call.
func (c *Clarification) Approved() bool {
	return c.Question.Kind == tools.KindApproval && c.State == tools.StateAnswered &&
		c.Answer != nil && c.Answer.Allows()
}

// Refused reports whether a person has refused the call, by a no or by declining to answer.
func (c *Clarification) Refused() bool {
	return c.Question.Kind == tools.KindApproval &&
		(c.State == tools.StateDeclined || c.State == tools.StateAnswered && !c.Approved() && !c.Responded())
}

// IsForm reports whether the question asks for the variables of an app's prompts: the app asks it,
// and not a model.
func (c *Clarification) IsForm() bool {
	return c.Question.AskedBy != nil && c.Question.AskedBy.Kind == tools.AskerApp
}

// Digest identifies what an approval is about: the call with its arguments, as edited by the person
// if they were.
func (c *Clarification) Digest() string {
	arguments := c.Arguments
	if c.Answer != nil && c.Answer.Arguments != nil {
		arguments = string(c.Answer.Arguments)
	}
	return tools.Digest(c.Question.Definition, arguments)
}

// RememberedTools returns the tools whose approval is remembered, sorted.
func RememberedTools(all []Clarification) []string {
	var names []string
	for i := range all {
		if all[i].Remembered {
			names = append(names, all[i].ToolName)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Before reports whether other is a later clarification of the same call: an approval comes before
// an input.
func (c *Clarification) Before(other *Clarification) bool {
	return other.ToolCallID == c.ToolCallID && other.AskedFence > c.AskedFence
}
