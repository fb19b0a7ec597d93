// Package history is a run's own view of its chat. It is read once, and kept up to date with what
// the run stores. It says what the stored state asks for (LastStep, Unsettled, Deciding), and which
// calls may run (Batch, MayRun). Between two turns of a long chat, a Cache keeps what was read.
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
	Questions []chat.Clarification           // questions that people were asked
	Silent    []chat.Clarification           // questions that were answered without asking
	Calls     map[string]*chat.ToolCall      // by id
	Unsettled []*chat.Clarification          // closed questions whose calls have no result yet
	Allowed   map[string]*chat.Clarification // approvals that were granted, by call id; the later one of two
	Asked     map[string]*tools.Asked        // the last question of each call that goes on, by call id
	// StateBefore is the size in bytes of the state of the messages before the view's first.
	StateBefore int64
	Ran         []chat.Ran // calls that ran in the chat from which this one was forked, behind the point
	settled     int        // how many of the messages that were read another run need not read: those before the first with a call without a result
}

// New returns the history of what was read.
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
	h.settled = slices.IndexFunc(view.Messages, func(m chat.Message) bool {
		return slices.ContainsFunc(m.ToolCalls, func(c chat.ToolCall) bool { return c.Result == nil })
	})
	switch n := len(view.Messages); {
	case recent.Last-recent.First+1 != int64(n): // a position is free, so which message has which is not known
		h.settled = 0
	case h.settled < 0:
		h.settled = n
	}
	for i := range view.Clarifications {
		c := &view.Clarifications[i]
		if call := h.Calls[c.ToolCallID]; c.Approved() && call != nil && call.Name == c.ToolName {
			h.Allowed[c.ToolCallID] = c
		}
		if c.Question.GoesOn(c.State) { // the last one of several wins
			h.Asked[c.ToolCallID] = &tools.Asked{Question: c.Question, Closing: c.Closing()}
		}
		if call := h.Calls[c.ToolCallID]; c.State != tools.StatePending && call != nil && call.Result == nil {
			h.Unsettled = append(h.Unsettled, c)
		}
	}
	return h
}

// All returns the questions of the chat: first those that were answered without asking.
func (h *History) All() []*chat.Clarification {
	all := make([]*chat.Clarification, 0, len(h.Silent)+len(h.Questions))
	for _, list := range [][]chat.Clarification{h.Silent, h.Questions} {
		for i := range list {
			all = append(all, &list[i])
		}
	}
	return all
}

// DeleteAnswer records that the answer to a question was deleted.
func (h *History) DeleteAnswer(id string) {
	for _, list := range [][]chat.Clarification{h.View.Clarifications, h.Silent, h.Questions} {
		for i := range list {
			if list[i].ID == id {
				list[i].Answer = &tools.Answer{Deleted: true}
			}
		}
	}
}

// Forms returns the app's forms among the questions.
func (h *History) Forms() []*chat.Clarification {
	return slices.DeleteFunc(h.All(), func(c *chat.Clarification) bool { return !c.IsForm() })
}

// Steps returns the messages of people and of the model.
func (h *History) Steps() []chat.Message {
	return slices.DeleteFunc(slices.Clone(h.View.Messages), func(m chat.Message) bool { return m.AskedBy != nil })
}

// FirstSaid returns the person's first message.
func (h *History) FirstSaid() string {
	for i := range h.View.Messages {
		if m := &h.View.Messages[i]; m.Role == chat.RoleUser && m.AskedBy == nil {
			return m.Content
		}
	}
	return ""
}

// Known returns what another run need not read again, as of the chat's last event: the messages that
// were read and have all of their results, without what a run adds to them. The other run may append to
// them, so the history has no others any more.
func (h *History) Known(at chat.EventID) *store.Known {
	list := h.View.Messages[:h.settled]
	for i := range list {
		list[i].Instructions, list[i].Attached = "", ""
	}
	h.View.Messages = slices.Clip(list)
	return &store.Known{At: at, First: h.First, Messages: list}
}

func (h *History) index(m *chat.Message) {
	for i := range m.ToolCalls {
		h.Calls[m.ToolCalls[i].ID] = &m.ToolCalls[i]
	}
}

// Add adds a stored message.
func (h *History) Add(m chat.Message) {
	h.View.Messages = append(h.View.Messages, m)
	h.index(&m)
}

// Next returns a position behind all messages of the view. The next message that is stored gets this
// position or a later one.
func (h *History) Next() int64 { return h.First + int64(len(h.View.Messages)) }

// StateSizes returns the size in bytes of the state of the whole chat, and the part of it that
// belongs to a turn, all of whose messages must be in the view.
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

// DropState records that the state of all turns but one, or with "" of all, was removed.
func (h *History) DropState(but string) {
	h.StateBefore = 0
	for i := range h.View.Messages {
		if m := &h.View.Messages[i]; m.TurnID != but {
			m.State = nil
		}
	}
}

// Settle adds stored results to their calls.
func (h *History) Settle(ended []chat.Ended) {
	for _, e := range ended {
		for i := range e.Result.Shown {
			e.Result.Shown[i].Bytes = nil // they are stored and published; the model has no use for them
		}
		h.Calls[e.Call.ID].Result = e.Result
	}
}

// LastStep returns the turn's newest assistant message, or nil before the first.
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

// MayRun reports whether an answer lets the call run: a person approved it, or it goes on with the
// answer.
func (h *History) MayRun(callID string) bool {
	return h.Allowed[callID] != nil || h.Asked[callID] != nil
}

// Batch returns a batch of calls that has what caps and approvals need of the history.
func (h *History) Batch(turnID string) toolexec.Batch {
	b := toolexec.Batch{Approved: map[string]toolexec.Approved{}}
	for id, c := range h.Allowed {
		b.Approved[id] = toolexec.Approved{Definition: c.Question.Definition, Arguments: c.Arguments, For: c.For, Quorum: c.Question.Quorum, Escalate: c.Question.Escalate}
	}
	b.AskedConversation = len(h.Questions)
	for i := range h.Questions {
		if h.Questions[i].TurnID == turnID {
			b.AskedTurn++
		}
	}
	for i := range h.View.Clarifications { // all of the newest turn are in the view
		if c := &h.View.Clarifications[i]; c.TurnID == turnID && c.Question.Kind == tools.KindApproval {
			b.AskedApprovals++
		}
	}
	return b
}

// Deciding returns the clarifications that give their calls results now. If a call asked several,
// the last counts. A call that was approved, or that goes on with the answer, gets no result here:
// it runs like any other call without one, unless its turn has ended because another question of its
// step was superseded.
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
