package turn

import (
	"encoding/json"
	"slices"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/sse"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/tools"
)

// replay makes the frames of a run again from what is stored: its texts come in one
// chunk each. What is in known, if that is not nil, was told before and is left out.
//
// The first events and the last ones have the ids they had; those in between, of
// which there may have been more, have ids of the run's.
func replay(view *store.View, record chat.Run, known *store.View) []byte {
	t := retelling{view: view, chatID: view.Conversation.ChatID, fence: record.Fence, known: known}
	if known == nil || known.Conversation.LastEvent.Fence < t.fence {
		t.opening(record)
	}
	opened := len(t.events)
	for i := range view.Messages {
		t.message(&view.Messages[i])
	}
	for i := range view.Clarifications {
		if c := &view.Clarifications[i]; c.AskedFence == t.fence && !t.knowsQuestion(c.ID) {
			t.add(chat.EventClarification, chat.NewAsked(c))
		}
	}
	if record.Failure != nil {
		t.add(chat.EventError, record.Failure)
	}
	last := record.LastSeq
	if known != nil && known.Conversation.LastEvent.Fence == t.fence {
		last = max(last, known.Conversation.LastEvent.Seq+int64(len(t.events)))
	}
	if record.FinishReason != "" {
		t.add(chat.EventDone, chat.Done{ChatID: t.chatID, TurnID: record.TurnID, FinishReason: record.FinishReason, Usage: record.Usage})
	} else if e := view.Conversation.LastEvent; e.Fence == t.fence {
		last = e.Seq
	}
	return t.frames(opened, max(last, int64(len(t.events))))
}

// retelling is a run's events on the way from the store to a viewer.
type retelling struct {
	view   *store.View
	known  *store.View
	chatID string
	fence  int64
	events []retold
}

type retold struct {
	typ  chat.EventType
	data any
}

func (t *retelling) add(typ chat.EventType, data any) { t.events = append(t.events, retold{typ, data}) }

// opening adds what Run.begin records.
func (t *retelling) opening(record chat.Run) {
	message := userMessage(t.view, t.fence)
	if message == nil && !record.Resumed {
		t.add(chat.EventStepRestart, chat.StepRestart{ChatID: t.chatID, TurnID: record.TurnID})
		return
	}
	t.add(chat.EventTurnStart, chat.TurnStart{ChatID: t.chatID, TurnID: record.TurnID, Resumed: record.Resumed})
	for i := range t.view.Clarifications {
		if c := &t.view.Clarifications[i]; c.DoneFence == t.fence && c.State != tools.StatePending {
			t.add(chat.EventClarificationResolved, chat.NewResolved(c))
		}
	}
	if message != nil {
		t.add(chat.EventUserMessage, chat.UserMessage{ChatID: t.chatID, TurnID: message.TurnID, MessageID: message.ID, Content: message.Content})
	}
}

// message adds what the run said, called and got.
func (t *retelling) message(m *chat.Message) {
	said := t.knowsMessage(m.ID)
	if m.Fence == t.fence && said == nil && m.Role == chat.RoleAssistant {
		if m.Content != "" {
			t.add(chat.EventChunk, chat.Chunk{ChatID: t.chatID, Content: m.Content})
		}
		for i := range m.ToolCalls {
			c := &m.ToolCalls[i]
			t.add(chat.EventToolCallStart, chat.ToolCallStart{ChatID: t.chatID, ToolCallID: c.ID, ToolName: c.Name, Arguments: json.RawMessage(c.Arguments)})
		}
	}
	for i := range m.ToolCalls {
		c := &m.ToolCalls[i]
		if c.Result != nil && c.Result.Fence == t.fence && (said == nil || said.ToolCalls[i].Result == nil) {
			t.add(chat.EventToolCallEnd, toolCallEnd(t.chatID, c, c.Result))
		}
	}
}

func (t *retelling) knowsMessage(id string) *chat.Message {
	if t.known == nil {
		return nil
	}
	i := slices.IndexFunc(t.known.Messages, func(m chat.Message) bool { return m.ID == id })
	if i < 0 {
		return nil
	}
	return &t.known.Messages[i]
}

func (t *retelling) knowsQuestion(id string) bool {
	return t.known != nil && slices.ContainsFunc(t.known.Clarifications, func(c chat.Clarification) bool { return c.ID == id })
}

// frames numbers the first events from 1 and the others up to last.
func (t *retelling) frames(opened int, last int64) []byte {
	var frames []byte
	for i, ev := range t.events {
		data, err := json.Marshal(ev.data)
		if err != nil {
			continue // wire types hold nothing that cannot be written
		}
		id := chat.EventID{Fence: t.fence, Seq: int64(i + 1)}
		if i >= opened {
			id.Seq = last - int64(len(t.events)-1-i)
		}
		frames = sse.AppendEvent(frames, id.String(), string(ev.typ), data)
	}
	return frames
}
