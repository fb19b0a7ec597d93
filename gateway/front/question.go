package front

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/tools"
)

// NewQuestion is a clarification as it goes out. An approval is one confirm, whose context
// warns of what is to know, and has the arguments that would run.
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

// Condition is on which answer part i hangs, for clients whose forms have no conditions: the
// earlier question and what the options are called; "" where it is always asked.
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

// questionID is the id by which a client knows a question: that of the call which asks, or
// the question's own where the call is one that clients see by itself.
func questionID(kind tools.Kind, tool, call, clarification string) string {
	if kind == tools.KindInput || kind == tools.KindQuestion && tool == "" {
		return call
	}
	return clarification
}

// Find is the clarification of a chat that a client names: by its question's id, by its
// own, or by that of its call. Of several it is the one that is open, else the newest; nil
// where there is none.
func Find(view *store.View, id string) *chat.Clarification {
	if view == nil || id == "" {
		return nil
	}
	var found *chat.Clarification
	for i := range view.Clarifications {
		c := &view.Clarifications[i]
		if c.ID == id {
			return c
		}
		if c.ToolCallID == id && (found == nil || found.State != tools.StatePending) {
			found = c
		}
	}
	return found
}

// FindAsked is the clarification that an output with that id answers: the one that went out
// with it. What a client says of a call that it sees beside its question, as that of a tool
// which waits for approval or asks something itself, is no answer.
func FindAsked(view *store.View, id string) *chat.Clarification {
	c := Find(view, id)
	if c == nil || c.ID == id {
		return c
	}
	if a := chat.NewAsked(c); questionID(a.Kind, a.ToolName, a.ToolCallID, a.ClarificationID) != id {
		return nil
	}
	return c
}
