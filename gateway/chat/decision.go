package chat

import (
	"slices"
	"time"

	"github.com/askgate/askgate/tools"
)

// Decision is what one of several people decided about a call that waits for all of them.
type Decision struct {
	By     By
	At     time.Time
	Fence  int64 // the run that announced it
	Answer tools.Answer
}

// DecidedBy is a decision as clients see it.
type DecidedBy struct {
	By    string `json:"by"` // the person: a subject
	At    Time   `json:"at"`
	Value bool   `json:"value"` // whether the person allowed the call
}

// DecidedBys returns decisions as clients see them.
func DecidedBys(all []Decision) []DecidedBy {
	var list []DecidedBy
	for i := range all {
		d := &all[i]
		list = append(list, DecidedBy{By: d.By.Subject, At: Time(d.At), Value: d.Answer.Allows()})
	}
	return list
}

// Decided is the data of clarification.decided: one of several people has decided, and the question
// still waits for others.
type Decided struct {
	ChatID          string      `json:"chatId"`
	ClarificationID string      `json:"clarificationId"`
	Decisions       []DecidedBy `json:"decisions"` // so far, with this one
}

// Decided reports whether a person, a subject, has allowed the call.
func (c *Clarification) Decided(subject string) bool {
	return slices.ContainsFunc(c.Decisions, func(d Decision) bool { return d.By.Subject == subject && d.Answer.Allows() })
}

// Decide adds a decision. It reports whether the call still waits for other people: no one has said
// no, and fewer have allowed it than must.
func (c *Clarification) Decide(d Decision) (waits bool) {
	c.Decisions = append(slices.Clip(c.Decisions), d)
	return d.Answer.Allows() && len(c.Decisions) < c.Question.Quorum
}

// DecidedIn reports whether the run with this fence announced a decision about the call that left it
// waiting for other people.
func (c *Clarification) DecidedIn(fence int64) bool {
	return fence != c.DoneFence && slices.ContainsFunc(c.Decisions, func(d Decision) bool { return d.Fence == fence })
}

// Closing returns how the question ended, in the form for tools.
func (c *Clarification) Closing() tools.Closing {
	end := tools.Closing{State: c.State, Answer: c.Answer, Role: c.Holders()}
	for i := range c.Decisions {
		end.Notes = append(end.Notes, c.Decisions[i].Answer.Note)
	}
	return end
}

// NewDecided returns the event of the decision that the run with this fence announced.
func NewDecided(c *Clarification, fence int64) Event {
	return c.decided(func(d *Decision) bool { return d.Fence <= fence })
}

// NewDecidedAt is NewDecided for a decision that is known by its time.
func NewDecidedAt(c *Clarification, at time.Time) Event {
	return c.decided(func(d *Decision) bool { return d.Fence != c.DoneFence && !d.At.After(at) })
}

// decided returns the event with the decisions up to the last that counts.
func (c *Clarification) decided(counts func(*Decision) bool) Event {
	upTo := 0
	for i := range c.Decisions {
		if counts(&c.Decisions[i]) {
			upTo = i + 1
		}
	}
	return Event{EventClarificationDecided, Decided{ChatID: c.ChatID, ClarificationID: c.ID, Decisions: DecidedBys(c.Decisions[:upTo])}}
}

// Responded reports whether a person has given a result in place of the call.
func (c *Clarification) Responded() bool {
	return c.Question.Kind == tools.KindApproval && c.State == tools.StateAnswered && c.Answer != nil && c.Answer.Result != nil
}
