package tools

import (
	"encoding/json"
	"slices"
)

// Answer is what a person answered, in the contract's wire form (section 4).
type Answer struct {
	Value    json.RawMessage `json:"value,omitempty"` // string, number or boolean
	Values   []string        `json:"values,omitempty"`
	Other    string          `json:"other,omitempty"`
	Note     string          `json:"note,omitempty"`
	Skipped  bool            `json:"skipped,omitempty"`
	Declined bool            `json:"declined,omitempty"`
	Answers  []Answer        `json:"answers,omitempty"` // one per part of a form
	// DontAskAgain: the answer may be used without asking, where the admin allows that.
	DontAskAgain bool `json:"dontAskAgain,omitempty"`
	// Options are those among the chosen that are not in the question. They come
	// from the source, never from the caller.
	Options []Option `json:"options,omitempty"`
	// File is what is known of the file that Value names. It comes from the store, never from
	// the caller.
	File *Attachment `json:"file,omitempty"`
	// Of KindInput: what the caller's tool came to, any JSON, or why it failed.
	Result json.RawMessage `json:"result,omitempty"`
	Error  string          `json:"error,omitempty"`
	// Of KindApproval, where the question is Editable: the call's arguments as the person
	// wants them, a JSON object in place of the model's.
	Arguments json.RawMessage `json:"arguments,omitempty"`
	// Of KindApproval, where a yes would be remembered: this one counts for its call alone.
	Once bool `json:"once,omitempty"`
}

// State of a clarification. Everything but StatePending is final.
type State string

// The states.
const (
	StatePending    State = "pending"
	StateAnswered   State = "answered"
	StateSkipped    State = "skipped"
	StateDeclined   State = "declined"
	StateExpired    State = "expired"
	StateSuperseded State = "superseded"
	StateCancelled  State = "cancelled"
	// StateRemembered is that of a question that was answered out of what the person had answered
	// before, without asking.
	StateRemembered State = "remembered"
)

// Replied says that a person has said something to the question, be it that they will not, or
// had said it before.
func (s State) Replied() bool {
	switch s {
	case StateAnswered, StateSkipped, StateDeclined, StateRemembered:
		return true
	}
	return false
}

// Outcome is the state that a person's answer leads to.
func (a Answer) Outcome() State {
	switch {
	case a.Declined:
		return StateDeclined
	case a.Skipped:
		return StateSkipped
	default:
		return StateAnswered
	}
}

// UsesOther says that none of the options was what the person meant, in a part at least.
func (a Answer) UsesOther() bool {
	return a.Other != "" || slices.ContainsFunc(a.Answers, Answer.UsesOther)
}

// HasNote says that there is a note to it, or to a part.
func (a Answer) HasNote() bool { return a.Note != "" || slices.ContainsFunc(a.Answers, Answer.HasNote) }

// Allows says that a checked answer is the yes to an approval.
func (a Answer) Allows() bool { return string(a.Value) == `"yes"` }

// Closing is how a question ended: its final state, and the answer where a
// person gave one.
type Closing struct {
	State  State
	Answer *Answer
	// Role is the role whose holder answered, where that was not the user; "" otherwise.
	Role string
}

// Holder is how the model reads of somebody who decided in the user's place; their role follows.
// What such a person adds to a tool's result begins a line with it, and reaches to the end.
const Holder = "A holder of the role "

// By is who answered, as the model reads it at the beginning of a sentence. A tool's own words
// never begin like it (Quoted).
func By(role string) string {
	if role == "" {
		return "The user"
	}
	return Holder + role
}

// NoteBy is a note as the model reads it: a holder's is marked as theirs, and no line of it
// passes for another's.
func NoteBy(role, note string) string {
	if role == "" || note == "" {
		return note
	}
	return By(role) + " notes: " + Indented(note)
}

// FieldError is one fault of an answer. Code and Params choose the message in
// the reader's language; Message, if set, is the asker's own and wins.
type FieldError struct {
	Question int            // index of the part
	Field    string         // value, values, other, note, skipped, answers; of a question: its path
	Code     string         // e.g. required, pattern, min, max, too_long, option, type
	Params   map[string]any // what the message names, e.g. {"Min": 3}
	Message  string
}

// StaleError refuses an answer that names options which their source no longer has; the
// question stays pending.
type StaleError struct {
	Question int      // index of the part
	Gone     []string // the values
	Options  []Option // the first that there are now
	Total    int      // how many there are now
}

func (e *StaleError) Error() string { return "an option is gone" }

// AnswerError refuses an answer; the question stays pending.
type AnswerError struct{ Fields []FieldError }

func (e *AnswerError) Error() string {
	if len(e.Fields) == 0 {
		return "invalid answer"
	}
	return "invalid answer: " + e.Fields[0].Field + ": " + e.Fields[0].Code
}
