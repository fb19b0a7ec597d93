package front

import (
	"encoding/json"
	"iter"
	"slices"
	"strings"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/tools"
)

// NewQuestion returns a clarification in the form that goes out. An approval is one confirm,
// whose context has warnings and the arguments that would run.
func NewQuestion(a chat.Asked) Question {
	q := Question{ID: questionID(a.Kind, a.ToolName, a.ToolCallID, a.ClarificationID), Class: Asks, Tool: AskUser, Asked: a}
	if a.Kind == tools.KindInput {
		q.Class, q.Tool, q.Input = Client, a.ToolName, a.Arguments
		return q
	}
	parts := a.Questions
	if a.Kind == tools.KindApproval && len(parts) > 0 {
		parts = slices.Clone(parts)
		about := slices.DeleteFunc([]string{a.Warning, parts[0].Context, a.ArgumentsText}, func(s string) bool { return s == "" })
		parts[0].Context = strings.Join(about, "\n\n")
	}
	q.Input, _ = json.Marshal(struct { // wire types hold nothing that cannot be written
		Questions []tools.Part `json:"questions"`
	}{parts})
	return q
}

// Condition says on which answer part i depends, for clients whose forms have no conditions: the
// earlier question and the labels of the options. It returns "" if the part is always asked.
func Condition(parts []tools.Part, i int) string {
	j := tools.Before(parts, i)
	if j < 0 {
		return ""
	}
	labels := slices.Clone(parts[i].When.Is)
	for k, value := range labels {
		if at := slices.IndexFunc(parts[j].Options, func(o tools.Option) bool { return o.Value == value }); at >= 0 {
			labels[k] = parts[j].Options[at].Label
		}
	}
	return "↳ " + parts[j].Question + " " + strings.Join(labels, " / ")
}

// questionID returns the id by which a client knows a question: that of the call that asks, or
// the question's own if clients see that call separately.
func questionID(kind tools.Kind, tool, call, clarification string) string {
	if kind == tools.KindInput || kind == tools.KindQuestion && tool == "" {
		return call
	}
	return clarification
}

// Find returns the clarification of a chat that went out with that id, or nil; sent returns the
// id with which a question went out. Find does not use a question's other id: not its own if that
// of its call went out, nor the reverse. Ids of calls are not unique in a chat: of several, Find
// returns the open one, or else the newest.
func Find(view *store.View, id string, sent func(q Question) string) *chat.Clarification {
	var found *chat.Clarification
	for c := range named(view, id) {
		if (found == nil || found.State != tools.StatePending) && sent(NewQuestion(chat.NewAsked(c))) == id {
			found = c
		}
	}
	return found
}

// ByQuestion returns the id for fronts whose clients know a question by Question.ID.
func ByQuestion(q Question) string { return q.ID }

// ByClarification returns the id for fronts whose clients know every question by the
// clarification's id.
func ByClarification(q Question) string { return q.Asked.ClarificationID }

// OfCall returns the newest clarification of a call that clients have seen, or nil. Use only Find
// to find answers.
func OfCall(view *store.View, call string) *chat.Clarification {
	var found *chat.Clarification
	for c := range named(view, call) {
		if c.ToolCallID == call {
			found = c
		}
	}
	return found
}

// named yields the clarifications whose own id, or whose call's id, is id.
func named(view *store.View, id string) iter.Seq[*chat.Clarification] {
	return func(yield func(*chat.Clarification) bool) {
		if view == nil || id == "" {
			return
		}
		for i := range view.Clarifications {
			if c := &view.Clarifications[i]; (c.ID == id || c.ToolCallID == id) && !yield(c) {
				return
			}
		}
	}
}
