package front

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/tools"
)

// NoAnswer is the error of a result that was not given by a person: the client's tool failed,
// gave up waiting, or said nothing. The question stays open, and is asked in words.
type NoAnswer struct{ Reason Reason }

func (e *NoAnswer) Error() string { return "front: no answer: " + string(e.Reason) }

// Reason is why a result is not an answer. It is a label of metrics.
type Reason string

const (
	ReasonText   Reason = "text"   // prose, where clients run tools by themselves
	ReasonError  Reason = "error"  // it reports a failure
	ReasonStatus Reason = "status" // its status says failed, timed out or cancelled
	ReasonEmpty  Reason = "empty"
)

// Reasons lists them all.
var Reasons = []Reason{ReasonText, ReasonError, ReasonStatus, ReasonEmpty}

// unanswered are the statuses by which programs say that no person answered, in lower case and
// without separators between words.
var unanswered = []string{
	"timeout", "timedout", "expired", "error", "errored", "failed", "failure", "cancelled", "canceled", "aborted", "abort", "interrupted",
	"pending", "unsupported", "unavailable",
}

// failures are the ways in which programs report in a JSON object that their tool failed. A
// member with the name of a question is the answer to that question.
var failures = map[string]func(v any) (Reason, bool){
	"error":    func(v any) (Reason, bool) { return ReasonError, v != nil && v != false && v != "" },
	"isError":  func(v any) (Reason, bool) { return ReasonError, v == true },
	"is_error": func(v any) (Reason, bool) { return ReasonError, v == true },
	"success":  func(v any) (Reason, bool) { return ReasonError, v == false },
	"ok":       func(v any) (Reason, bool) { return ReasonError, v == false },
	"type":     func(v any) (Reason, bool) { return ReasonError, v == "error" },
	"status": func(v any) (Reason, bool) {
		s, _ := v.(string)
		return ReasonStatus, slices.Contains(unanswered, strings.NewReplacer("_", "", "-", "", " ", "").Replace(strings.ToLower(s)))
	},
}

// failed returns why a JSON object is not an answer, or nil if it may be one.
func (r *reader) failed(object []byte) *NoAnswer {
	var members map[string]json.RawMessage
	_ = json.Unmarshal(object, &members) // it is an object
	var found *NoAnswer
	for name, says := range failures {
		data, ok := members[name]
		if !ok || r.named(name) >= 0 {
			continue
		}
		var v any
		_ = json.Unmarshal(data, &v) // it is well-formed
		// If there are several, an error counts: a label must not depend on the order of a map.
		if reason, is := says(v); is && (found == nil || reason == ReasonError) {
			found = &NoAnswer{reason}
		}
	}
	return found
}

// chosen reads a text as an answer that cannot be an error message: an option, by value, label or
// number, a number, a date, or the yes or no of a confirm.
func (r *reader) chosen(s string) (tools.Answer, bool) {
	if len(r.c.Question.Parts) != 1 {
		return tools.Answer{}, false
	}
	p := &r.c.Question.Parts[0]
	if p.InputType == tools.Text || p.InputType == tools.File {
		return tools.Answer{}, false
	}
	if a, ok := r.typed(s); ok && own(&a.Answer) {
		return a.Answer, true
	}
	a := r.text(0, strings.TrimSpace(s))
	switch p.InputType {
	case tools.Number, tools.Scale:
		return a, len(a.Value) > 0 && a.Value[0] != '"'
	case tools.Date:
		_, err := time.Parse(time.DateOnly, strings.TrimSpace(s))
		return a, err == nil
	case tools.Datetime:
		_, err := time.Parse(time.RFC3339, strings.TrimSpace(s))
		return a, err == nil
	case tools.Select, tools.Multiselect, tools.Rank, tools.Confirm:
		return a, own(&a) && offers(p, &a)
	case tools.Text, tools.File:
	}
	return tools.Answer{}, false
}

// own reports whether an answer has a value that the question offers, and no words of the
// person's own.
func own(a *tools.Answer) bool {
	return (a.Value != nil || len(a.Values) > 0) && a.Other == "" && a.Note == "" && !a.Skipped && !a.Declined
}

// offers reports whether all that an answer chooses is among the options.
func offers(p *tools.Part, a *tools.Answer) bool {
	values := a.Values
	if a.Value != nil {
		var v string
		_ = json.Unmarshal(a.Value, &v) // else ""
		values = append(slices.Clone(values), v)
	}
	for _, v := range values {
		if !slices.ContainsFunc(p.Options, func(o tools.Option) bool { return o.Value == v }) {
			return false
		}
	}
	return true
}

// InWords reports whether a client of the chat sent a result that was not an answer. Clients that
// run tools by themselves are then asked in words until the chat ends.
func InWords(all []chat.Clarification) bool {
	return slices.ContainsFunc(all, func(c chat.Clarification) bool { return c.InWords })
}

// WaitsInWords returns the first pending question that is asked in words after a result that was
// not an answer, or nil.
func WaitsInWords(view *store.View) *chat.Clarification {
	if view != nil {
		for i := range view.Clarifications {
			if c := &view.Clarifications[i]; c.InWords && c.State == tools.StatePending {
				return c
			}
		}
	}
	return nil
}
