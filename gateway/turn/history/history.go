// Package history is a run's own picture of its chat: read once, and kept up to date with what
// the run stores. It says what the stored state asks for (LastStep, Unsettled, Deciding), and
// which calls may run (Batch, MayRun).
package history

import (
	"slices"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/toolexec"
	"github.com/askgate/askgate/tools"
)

// History is a chat, or its newest part.
type History struct {
	View      *store.View
	First     int64                          // position of the view's first message
	Questions []chat.Clarification           // that people were asked
	Silent    []chat.Clarification           // questions that were answered without asking
	Calls     map[string]*chat.ToolCall      // by id
	Unsettled []*chat.Clarification          // closed, and their calls have no result yet
	Allowed   map[string]*chat.Clarification // approvals of calls that were allowed, by call id; of two, the later
	Asked     map[string]*tools.Asked        // what calls that go on asked last, by their id
	// StateBefore is how many bytes of state the messages before the view's first have.
	StateBefore int64
	Ran         []chat.Ran // in the chat that this one was forked from, behind the point
}

// New is the history of what was read.
func New(recent *store.Recent) *History {
	view := &recent.View
	h := &History{
		View: view, First: recent.First, StateBefore: recent.StateBefore, Ran: recent.Ran,
		Calls: map[string]*chat.ToolCall{}, Allowed: map[string]*chat.Clarification{}, Asked: map[string]*tools.Asked{},
	}
	for i := range recent.Questions {
		if c := recent.Questions[i]; c.State == tools.StateRemembered {
			h.Silent = append(h.Silent, c)
		} else {
			h.Questions = append(h.Questions, c)
		}
	}
	for i := range view.Messages {
		h.index(&view.Messages[i])
	}
	for i := range view.Clarifications {
		c := &view.Clarifications[i]
		if call := h.Calls[c.ToolCallID]; c.Approved() && call != nil && call.Name == c.ToolName {
			h.Allowed[c.ToolCallID] = c
		}
		if c.Question.GoesOn(c.State) { // the last of several stays
			h.Asked[c.ToolCallID] = &tools.Asked{Question: c.Question, Closing: c.Closing()}
		}
		if call := h.Calls[c.ToolCallID]; c.State != tools.StatePending && call != nil && call.Result == nil {
			h.Unsettled = append(h.Unsettled, c)
		}
	}
	return h
}

// All are the questions of the chat: those that nobody was asked, then the others.
func (h *History) All() []*chat.Clarification {
	all := make([]*chat.Clarification, 0, len(h.Silent)+len(h.Questions))
	for _, list := range [][]chat.Clarification{h.Silent, h.Questions} {
		for i := range list {
			all = append(all, &list[i])
		}
	}
	return all
}

// Forms are the forms of the app among the questions.
func (h *History) Forms() []*chat.Clarification {
	return slices.DeleteFunc(h.All(), func(c *chat.Clarification) bool { return !c.IsForm() })
}

// Steps are the messages of people and of the model.
func (h *History) Steps() []chat.Message {
	return slices.DeleteFunc(slices.Clone(h.View.Messages), func(m chat.Message) bool { return m.AskedBy != nil })
}

// FirstSaid is what the person said first.
func (h *History) FirstSaid() string {
	for i := range h.View.Messages {
		if m := &h.View.Messages[i]; m.Role == chat.RoleUser && m.AskedBy == nil {
			return m.Content
		}
	}
	return ""
}

func (h *History) index(m *chat.Message) {
	for i := range m.ToolCalls {
		h.Calls[m.ToolCalls[i].ID] = &m.ToolCalls[i]
	}
}

// Add takes a stored message in.
func (h *History) Add(m chat.Message) {
	h.View.Messages = append(h.View.Messages, m)
	h.index(&m)
}

// Next is a position that no message of the view has: the next one that is stored gets it, or a
// later one.
func (h *History) Next() int64 { return h.First + int64(len(h.View.Messages)) }

// StateSizes are the bytes of state of the whole chat, and of them those of a turn, which is among
// the messages of the view.
func (h *History) StateSizes(turnID string) (all, ofTurn int64) {
	all = h.StateBefore
	for i := range h.View.Messages {
		m := &h.View.Messages[i]
		all += int64(len(m.State))
		if m.TurnID == turnID {
			ofTurn += int64(len(m.State))
		}
	}
	return all, ofTurn
}

// DropState takes in that the state of all turns but one, or with "" of all, was removed.
func (h *History) DropState(but string) {
	h.StateBefore = 0
	for i := range h.View.Messages {
		if m := &h.View.Messages[i]; m.TurnID != but {
			m.State = nil
		}
	}
}

// Settle takes stored results in.
func (h *History) Settle(ended []chat.Ended) {
	for _, e := range ended {
		for i := range e.Result.Shown {
			e.Result.Shown[i].Bytes = nil // stored and published; the model has no use for them
		}
		h.Calls[e.Call.ID].Result = e.Result
	}
}

// LastStep is the turn's newest assistant message, nil before the first.
func (h *History) LastStep(turnID string) *chat.Message {
	for i := len(h.View.Messages) - 1; i >= 0; i-- {
		if m := &h.View.Messages[i]; m.AskedBy == nil {
			if m.Role == chat.RoleAssistant && m.TurnID == turnID {
				return m
			}
			return nil
		}
	}
	return nil
}

// MayRun says that an answer lets the call run: a person has allowed it, or it goes on.
func (h *History) MayRun(callID string) bool {
	return h.Allowed[callID] != nil || h.Asked[callID] != nil
}

// Batch begins a batch of calls with what the caps and approvals ask of the history.
func (h *History) Batch(turnID string) toolexec.Batch {
	b := toolexec.Batch{Approved: map[string]string{}}
	for id, c := range h.Allowed {
		b.Approved[id] = c.Question.Definition
	}
	b.AskedConversation = len(h.Questions)
	for i := range h.Questions {
		if h.Questions[i].TurnID == turnID {
			b.AskedTurn++
		}
	}
	for i := range h.View.Clarifications { // all of the newest turn are among them
		if c := &h.View.Clarifications[i]; c.TurnID == turnID && c.Question.Kind == tools.KindApproval {
			b.AskedApprovals++
		}
	}
	return b
}

// Deciding are the clarifications whose calls get their results now: of several that one
// call asked, the last counts. A call that was approved, or that goes on with the answer,
// gets none: it is run like any other that has no result, unless its turn has ended because
// another question of its step was superseded.
func (h *History) Deciding(turnID string) []chat.Clarification {
	var list []chat.Clarification
	for _, c := range h.Unsettled {
		if slices.ContainsFunc(h.Unsettled, c.Before) {
			continue
		}
		of := *c
		if c.Approved() || c.Question.GoesOn(c.State) {
			if c.TurnID == turnID {
				continue
			}
			of.State = tools.StateSuperseded
		}
		list = append(list, of)
	}
	return list
}
