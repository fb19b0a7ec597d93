package chat

import (
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

// NewDecided returns the event of the decision that the run with this fence announced.
func NewDecided(c *Clarification, fence int64) Event {
	upTo := 0
	for i := range c.Decisions {
		if c.Decisions[i].Fence <= fence {
			upTo = i + 1
		}
	}
	return Event{EventClarificationDecided, Decided{ChatID: c.ChatID, ClarificationID: c.ID, Decisions: DecidedBys(c.Decisions[:upTo])}}
}
