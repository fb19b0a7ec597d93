package follow

import (
	"encoding/json"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tools/arguments"
)

func snapshot(view *store.View, maxQuestions int) *chat.Snapshot {
	s := &chat.Snapshot{
		ChatID: view.Conversation.ChatID, Status: chat.StatusOf(view.Turn),
		Messages: []chat.SnapshotMessage{}, HasMore: view.More, Pending: []chat.Asked{},
		LastEventID: view.Conversation.LastEvent.String(),
	}
	decided := map[string]*chat.Clarification{}
	for i := range view.Clarifications {
		if c := &view.Clarifications[i]; c.Decision() != nil { // of two, the later
			decided[c.ToolCallID] = c
		}
	}
	for i := range view.Messages {
		s.Messages = append(s.Messages, snapshotMessage(&view.Messages[i], decided))
	}
	for _, c := range view.Pending() {
		s.Pending = append(s.Pending, chat.NewAsked(&c))
	}
	if len(s.Pending) > 0 {
		s.Clarification = &s.Pending[0]
	}
	for _, q := range view.Queue {
		s.Queued = append(s.Queued, chat.SnapshotQueued{ID: q.ID, Content: q.Content, CreatedAt: chat.Time(q.CreatedAt)})
	}
	s.Resumable = view.Turn.Resumable() && len(view.Queue) == 0
	if t := view.Turn; t != nil && t.State == chat.TurnEnded {
		s.FinishReason = t.FinishReason
	}
	s.Approvals = chat.RememberedTools(view.Clarifications)
	s.Clarifications.Max = maxQuestions
	for _, c := range view.Clarifications {
		if c.Question.Kind == tools.KindQuestion {
			s.Clarifications.Used++
		}
	}
	return s
}

func snapshotMessage(m *chat.Message, decided map[string]*chat.Clarification) chat.SnapshotMessage {
	w := chat.SnapshotMessage{ID: m.ID, Role: m.Role, Content: m.Content, CreatedAt: chat.Time(m.CreatedAt)}
	for _, c := range m.ToolCalls {
		call := chat.SnapshotToolCall{ToolCallID: c.ID, ToolName: c.Name, Arguments: json.RawMessage(c.Arguments)}
		if about := decided[c.ID]; about != nil {
			call.Approval = about.Decision()
			if about.Approved() && about.Answer.Arguments != nil {
				call.Arguments = about.Answer.Arguments
			}
		}
		call.ArgumentsText = arguments.Deceptive(string(call.Arguments))
		if c.Result != nil {
			call.Result, call.Content = &c.Result.Content, chat.Parts(c.Result.Shown)
		}
		w.ToolCalls = append(w.ToolCalls, call)
	}
	return w
}
