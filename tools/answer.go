package tools

import (
	"encoding/json"
	"slices"
	"strings"
)

// Answer is a person's answer, in the wire form of docs/protocol.md.
type Answer struct {
	Value    json.RawMessage `json:"value,omitempty"` // string, number or boolean
	Values   []string        `json:"values,omitempty"`
	Other    string          `json:"other,omitempty"`
	Note     string          `json:"note,omitempty"`
	Skipped  bool            `json:"skipped,omitempty"`
	Declined bool            `json:"declined,omitempty"`
	Answers  []Answer        `json:"answers,omitempty"` // one per part of a form
	// DontAskAgain allows the answer to be used later without asking, if the admin permits it.
	DontAskAgain bool `json:"dontAskAgain,omitempty"`
	// Options are the chosen options that are not in the question. They come from the
	// source, never from the caller.
	Options []Option `json:"options,omitempty"`
	// File describes the file that Value names. It comes from the store, never from the caller.
	File *Attachment `json:"file,omitempty"`
	// For KindInput: the result of the caller's tool, any JSON, or why it failed. For KindApproval, if
	// the question takes one (Respond): a text in place of the call, which is not made.
	Result json.RawMessage `json:"result,omitempty"`
	Error  string          `json:"error,omitempty"`
	// For KindApproval, if the question is Editable: the arguments as edited by the person, a
	// JSON object that replaces the model's.
	Arguments json.RawMessage `json:"arguments,omitempty"`
	// For KindApproval, if a yes would be remembered: this one applies only to its call.
	Once bool `json:"once,omitempty"`
	// Deleted: who gave the answer has deleted it, and nothing else of it is left. It comes from the
	// store, never from the caller.
	Deleted bool `json:"deleted,omitempty"`
}

// Noted returns what follows a tool's result if the person who answered it noted something. No line of a
// tool's own result begins like this (see Quoted).
func Noted(note string) string { return "\nNote: " + note }

// DeletedText is what the model reads in place of an answer that was deleted.
const DeletedText = "[deleted]"

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
	// StateRemembered: the question was answered with an earlier answer of the person, without
	// asking.
	StateRemembered State = "remembered"
)

// Replied reports whether a person has responded to the question, now or earlier, which
// includes skipping and declining it.
func (s State) Replied() bool {
	switch s {
	case StateAnswered, StateSkipped, StateDeclined, StateRemembered:
		return true
	}
	return false
}

// Outcome returns the state that an answer leads to.
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

// UsesOther reports whether the person wrote their own text in place of a value, in any part.
func (a Answer) UsesOther() bool {
	return a.Other != "" || slices.ContainsFunc(a.Answers, Answer.UsesOther)
}

// HasNote reports whether the answer, or that of a part, has a note.
func (a Answer) HasNote() bool { return a.Note != "" || slices.ContainsFunc(a.Answers, Answer.HasNote) }

// Allows reports whether a checked answer is the yes to an approval.
func (a Answer) Allows() bool { return string(a.Value) == `"yes"` }

// Closing is the end of a question: its final state, and the answer if a person gave one.
type Closing struct {
	State  State
	Answer *Answer
	// Role is the role of the person who answered, "" if it was the user.
	Role string
	// Notes are those of all who decided, in their order, if several had to; nil if there is only that
	// of the answer.
	Notes []string
}

// Note returns the notes of those who answered as the model reads them; "" if there are none. Each
// begins a line of its own, see NoteBy.
func (c Closing) Note() string {
	switch {
	case c.Answer == nil:
		return ""
	case c.Notes == nil:
		return NoteBy(c.Role, c.Answer.Note)
	}
	var lines []string
	for _, note := range c.Notes {
		if note != "" {
			lines = append(lines, NoteBy(c.Role, note))
		}
	}
	return strings.Join(lines, "\n")
}

// Holder begins the model's text about a person who decided in the user's place. Their role
// follows. A note of such a person in a tool's result starts a line with it and extends to the
// end.
const Holder = "A holder of the role "

// By returns the subject of a sentence for the model about the person who answered. No line of
// a tool's own result begins like this (see Quoted).
func By(role string) string {
	if role == "" {
		return "The user"
	}
	return Holder + role
}

// NoteBy returns a note as the model reads it. The note of a role's holder is marked with the
// role, and none of its lines can pass for the words of another person.
func NoteBy(role, note string) string {
	if role == "" || note == "" {
		return note
	}
	return By(role) + " notes: " + Indented(note)
}

// FieldError is a fault of an answer. Code and Params select the message in the reader's
// language. Message, if set, is the asker's own and takes precedence.
type FieldError struct {
	Question int            // index of the part
	Field    string         // value, values, other, note, skipped, answers; in a question: its path
	Code     string         // e.g. required, pattern, min, max, too_long, option, type
	Params   map[string]any // values in the message, such as {"Min": 3}
	Message  string
}

// StaleError refuses an answer with options that their source no longer has. The question
// stays pending.
type StaleError struct {
	Question int      // index of the part
	Gone     []string // the values
	Options  []Option // the first current options
	Total    int      // the number of current options
}

func (e *StaleError) Error() string { return "an option is gone" }

// AnswerError refuses an answer. The question stays pending.
type AnswerError struct{ Fields []FieldError }

func (e *AnswerError) Error() string {
	if len(e.Fields) == 0 {
		return "invalid answer"
	}
	return "invalid answer: " + e.Fields[0].Field + ": " + e.Fields[0].Code
}
