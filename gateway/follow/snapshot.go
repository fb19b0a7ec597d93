package follow

import (
	"cmp"
	"encoding/json"
	"slices"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/tools/arguments"
)

func snapshot(view *store.View, maxQuestions int) *chat.Snapshot {
	s := &chat.Snapshot{
		ChatID: view.Conversation.ChatID, Title: view.Conversation.Title, Status: view.Status(),
		Messages: []chat.SnapshotMessage{}, HasMore: view.More, Older: view.Older, Pending: []chat.Kept{},
		LastEventID: view.Conversation.LastEvent.String(), ForkedFrom: view.Conversation.ForkedFrom(), Root: view.Conversation.Root,
		Branches: chat.NewBranches(view.Family), Unreadable: view.Unreadable,
	}
	asked := map[string][]*chat.Clarification{} // by call, in order
	for i := range view.Clarifications {
		c := &view.Clarifications[i]
		asked[c.ToolCallID] = append(asked[c.ToolCallID], c)
	}
	for _, of := range asked {
		slices.SortStableFunc(of, func(a, b *chat.Clarification) int { return cmp.Compare(a.AskedFence, b.AskedFence) })
	}
	for i := range view.Messages {
		m := view.Messages[i]
		if m.ClarificationID != "" {
			m.ToolCalls = standing(view.Clarifications, m.ClarificationID)
		}
		s.Messages = append(s.Messages, snapshotMessage(&m, asked))
	}
	for _, c := range view.Pending() {
		s.Pending = append(s.Pending, chat.NewKept(&c))
	}
	if len(s.Pending) > 0 {
		s.Clarification = &s.Pending[0]
	}
	for _, q := range view.Queue {
		s.Queued = append(s.Queued, chat.SnapshotQueued{ID: q.ID, Content: q.Content, CreatedAt: chat.Time(q.CreatedAt), Files: q.Files})
	}
	s.Resumable = view.Turn.Resumable() && len(view.Queue) == 0
	if t := view.Turn; t != nil && t.State == chat.TurnEnded {
		s.FinishReason = t.FinishReason
	}
	s.Approvals = chat.RememberedTools(view.Clarifications)
	s.Clarifications.Max, s.Clarifications.Used = maxQuestions, view.Questions
	return s
}

// standing returns the call that stands for a program's question.
func standing(all []chat.Clarification, id string) []chat.ToolCall {
	for i := range all {
		if c := &all[i]; c.ID == id {
			return []chat.ToolCall{{ID: c.ToolCallID, Name: c.ToolName, Arguments: c.Arguments}}
		}
	}
	return nil
}

func snapshotMessage(m *chat.Message, asked map[string][]*chat.Clarification) chat.SnapshotMessage {
	w := chat.SnapshotMessage{ID: m.ID, Role: m.Role, Content: m.Content, Thinking: m.Thinking, CreatedAt: chat.Time(m.CreatedAt), AskedBy: m.AskedBy, Files: m.Files, Unreadable: m.Unreadable}
	for _, c := range m.ToolCalls {
		call := chat.SnapshotToolCall{ToolCallID: c.ID, ToolName: c.Name, Arguments: json.RawMessage(c.Arguments)}
		for _, about := range asked[c.ID] {
			kept := chat.NewKept(about)
			call.Clarification = &kept
			call.Clarifications = append(call.Clarifications, kept)
			if kept.Approval == nil {
				continue
			}
			call.Approval = kept.Approval // the later one of two
			if about.Approved() && about.Answer.Arguments != nil {
				call.Arguments = about.Answer.Arguments
			}
		}
		if len(call.Clarifications) == 1 {
			call.Clarifications = nil
		}
		call.ArgumentsText = arguments.Deceptive(string(call.Arguments))
		if c.Result != nil {
			call.Result, call.Error, call.Content = &c.Result.Content, c.Result.Error, chat.Parts(c.Result.Shown)
		}
		w.ToolCalls = append(w.ToolCalls, call)
	}
	return w
}
