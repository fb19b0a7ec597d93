package turn

import (
	"slices"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/model"
	"github.com/askgate/askgate/gateway/model/fit"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/toolexec"
	"github.com/askgate/askgate/tools"
)

// history is a run's own picture of its chat, or of its newest part: read once, and kept up
// to date with what the run commits.
type history struct {
	view      *store.View
	first     int64 // position of view's first message
	questions []chat.Clarification
	silent    []chat.Clarification           // questions that were answered without asking
	pictures  pictures                       // that answered them, or came with messages
	answers   []fit.Answer                   // to questions of the chat
	calls     map[string]*chat.ToolCall      // by id
	unsettled []*chat.Clarification          // closed, and their calls have no result yet
	allowed   map[string]*chat.Clarification // approvals of calls that were allowed, by call id; of two, the later
	asked     map[string]*tools.Asked        // what calls that go on asked last, by their id
	ran       []chat.Ran                     // in the chat that this one was forked from, behind the point

	prompt     []model.Message
	promptFrom int64 // position of the first message that prompt has
	prompted   int   // messages of view that are in it, or before
}

func newHistory(recent *store.Recent, answers []fit.Answer) *history {
	view := &recent.View
	h := &history{view: view, first: recent.First, pictures: newPictures(recent.Questions, view.Messages), answers: answers, ran: recent.Ran,
		calls: map[string]*chat.ToolCall{}, allowed: map[string]*chat.Clarification{}, asked: map[string]*tools.Asked{}}
	h.questions, h.silent = apart(recent.Questions)
	for i := range view.Messages {
		h.index(&view.Messages[i])
	}
	for i := range view.Clarifications {
		c := &view.Clarifications[i]
		if call := h.calls[c.ToolCallID]; c.Approved() && call != nil && call.Name == c.ToolName {
			h.allowed[c.ToolCallID] = c
		}
		if c.Question.GoesOn(c.State) { // the last of several stays
			h.asked[c.ToolCallID] = &tools.Asked{Question: c.Question, Closing: tools.Closing{State: c.State, Answer: c.Answer}}
		}
		if call := h.calls[c.ToolCallID]; c.State != tools.StatePending && call != nil && call.Result == nil {
			h.unsettled = append(h.unsettled, c)
		}
	}
	return h
}

// of is one of the questions, of which those that nobody was asked come first.
func (h *history) of(i int) *chat.Clarification {
	if i < len(h.silent) {
		return &h.silent[i]
	}
	return &h.questions[i-len(h.silent)]
}

// apart are the questions that were asked, and those that nobody was asked.
func apart(all []chat.Clarification) (questions, silent []chat.Clarification) {
	for i := range all {
		if all[i].State == tools.StateRemembered {
			silent = append(silent, all[i])
		} else {
			questions = append(questions, all[i])
		}
	}
	return questions, silent
}

func (h *history) index(m *chat.Message) {
	for i := range m.ToolCalls {
		h.calls[m.ToolCalls[i].ID] = &m.ToolCalls[i]
	}
}

// add takes a stored message in.
func (h *history) add(m chat.Message) {
	h.view.Messages = append(h.view.Messages, m)
	h.index(&m)
}

// settle takes stored results in.
func (h *history) settle(results map[string]chat.ToolResult) {
	for id, result := range results {
		for i := range result.Shown {
			result.Shown[i].Bytes = nil // stored and published; the model has no use for them
		}
		h.calls[id].Result = &result
	}
}

// lastStep is the turn's newest assistant message, nil before the first.
func (h *history) lastStep(turnID string) *chat.Message {
	for i := len(h.view.Messages) - 1; i >= 0; i-- {
		if m := &h.view.Messages[i]; m.AskedBy == nil {
			if m.Role == chat.RoleAssistant && m.TurnID == turnID {
				return m
			}
			return nil
		}
	}
	return nil
}

// mayRun says that an answer lets the call run: a person has allowed it, or it goes on.
func (h *history) mayRun(callID string) bool {
	return h.allowed[callID] != nil || h.asked[callID] != nil
}

// batch begins a batch of calls with what the caps and approvals ask of the history.
func (h *history) batch(turnID string) toolexec.Batch {
	b := toolexec.Batch{Approved: map[string]string{}}
	for id, c := range h.allowed {
		b.Approved[id] = c.Question.Definition
	}
	b.AskedConversation = len(h.questions)
	for i := range h.questions {
		if h.questions[i].TurnID == turnID {
			b.AskedTurn++
		}
	}
	return b
}

// deciding are the clarifications whose calls get their results now: of several that one
// call asked, the last counts. A call that was approved, or that goes on with the answer,
// gets none: it is run like any other that has no result, unless its turn has ended because
// another question of its step was superseded.
func (h *history) deciding(turnID string) []chat.Clarification {
	var list []chat.Clarification
	for _, c := range h.unsettled {
		if slices.ContainsFunc(h.unsettled, c.Before) {
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
