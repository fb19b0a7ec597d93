package chat

import (
	"slices"
	"strings"
	"time"
)

// Escalation says how far a question has been escalated, see tools.Question.Escalate.
type Escalation struct {
	// Escalated are the steps that have happened, in the order of Question.Escalate. From then on the
	// holders of their roles may answer, too.
	Escalated []Escalated
	// EscalatesAt is when the next step is due; zero: no step is left, or the question is closed. The
	// store sets it.
	EscalatesAt time.Time
}

// Escalated is a step that has happened.
type Escalated struct {
	At    time.Time
	Fence int64 // the run that announced it
}

// AlsoAsked is a role that is asked in addition to the first one, since At.
type AlsoAsked struct {
	Role string `json:"role"`
	At   Time   `json:"at"`
}

// EscalatedTo is the data of clarification.escalated: the holders of another role are asked, too.
type EscalatedTo struct {
	ChatID          string      `json:"chatId"`
	ClarificationID string      `json:"clarificationId"`
	AlsoAsks        []AlsoAsked `json:"alsoAsks"` // so far, with this one
}

// escalated returns how many steps have happened. Only the steps of the question count.
func (c *Clarification) escalated() int { return min(len(c.Escalated), len(c.Question.Escalate)) }

// NextStep returns when the next step of the escalation is due; zero: none is left.
func (c *Clarification) NextStep() time.Time {
	n := c.escalated()
	if c.For == "" || n == len(c.Question.Escalate) {
		return time.Time{}
	}
	return c.AskedAt.Add(c.Question.Escalate[n].After)
}

// Escalate makes the steps happen that are due at a time. It reports whether there are any. fence is
// the run that announces them.
func (c *Clarification) Escalate(at time.Time, fence int64) (any bool) {
	for next := c.NextStep(); !next.IsZero() && !at.Before(next); next = c.NextStep() {
		c.Escalated, any = append(slices.Clip(c.Escalated[:c.escalated()]), Escalated{At: at, Fence: fence}), true
	}
	return any
}

// Roles returns the roles whose holders may answer, in the order in which they were asked; nil if the
// owner of the chat answers.
func (c *Clarification) Roles() []string {
	if c.For == "" {
		return nil
	}
	roles := []string{c.For}
	for i := range c.escalated() {
		roles = append(roles, c.Question.Escalate[i].Role)
	}
	return roles
}

// Holders returns the roles of Roles as a text for the model: the person who answers holds one of them.
func (c *Clarification) Holders() string { return strings.Join(c.Roles(), " or ") }

// AskedAs returns the role under which a principal is asked: the first of Roles that they hold; "" if
// they hold none.
func (c *Clarification) AskedAs(p Principal) string {
	for _, role := range c.Roles() {
		if slices.Contains(p.Roles, role) {
			return role
		}
	}
	return ""
}

// AlsoAsks returns the roles that are asked in addition to the first, as clients see them.
func (c *Clarification) AlsoAsks() []AlsoAsked {
	var list []AlsoAsked
	for i := range c.escalated() {
		list = append(list, AlsoAsked{Role: c.Question.Escalate[i].Role, At: Time(c.Escalated[i].At)})
	}
	return list
}

// EscalatedIn reports whether the run with this fence announced a step of the escalation.
func (c *Clarification) EscalatedIn(fence int64) bool {
	return slices.ContainsFunc(c.Escalated, func(e Escalated) bool { return e.Fence == fence })
}

// NewEscalated returns the event of the steps that the run with this fence announced.
func NewEscalated(c *Clarification, fence int64) Event {
	return c.escalatedTo(func(e *Escalated) bool { return e.Fence <= fence })
}

// NewEscalatedAt is NewEscalated for steps that are known by their time.
func NewEscalatedAt(c *Clarification, at time.Time) Event {
	return c.escalatedTo(func(e *Escalated) bool { return !e.At.After(at) })
}

// escalatedTo returns the event with the steps that count.
func (c *Clarification) escalatedTo(counts func(*Escalated) bool) Event {
	all := c.AlsoAsks()
	for i := range all {
		if !counts(&c.Escalated[i]) {
			all = all[:i]
			break
		}
	}
	return Event{EventClarificationEscalated, EscalatedTo{ChatID: c.ChatID, ClarificationID: c.ID, AlsoAsks: all}}
}
