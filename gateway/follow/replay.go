package follow

import (
	"fmt"
	"slices"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/gateway/stream"
	"github.com/askgate/askgate/tools"
)

// replay adds the events of a run, made again from what is stored: its texts come in one
// chunk each, behind what the model thought. What is in known, if that is not nil, was shown before and is left out.
//
// The first events and the last ones have the ids they had. So have those in between, if
// they are as they were; otherwise they have ids that are no places in the run, and a viewer
// who comes back with one starts over with a snapshot.
func replay(to *stream.Events, view *store.View, record chat.Run, known *seen) {
	r := replayed{view: view, chatID: view.Conversation.ChatID, fence: record.Fence, known: known}
	if known == nil || known.last.Fence < r.fence {
		opening := opening(view, record)
		r.events = opening.Events()
	}
	opened := len(r.events)
	for i := known.begins(view); i < len(view.Messages); i++ {
		r.message(&view.Messages[i])
	}
	for i := range view.Clarifications {
		if c := &view.Clarifications[i]; c.Asker == "" && c.AskedFence == r.fence && c.State != tools.StateRemembered && !known.question(c.ID) {
			r.add(chat.EventClarification, chat.NewAsked(c))
		}
	}
	if record.Failure != nil {
		r.events = append(r.events, chat.FailureEvents(record.Failure)...)
	}
	last, ends := record.LastSeq, record.FinishReason != ""
	if known != nil && known.last.Fence == r.fence {
		last = max(last, known.last.Seq+int64(len(r.events)))
	}
	if record.FinishReason != "" {
		r.add(chat.EventDone, chat.Done{ChatID: r.chatID, TurnID: record.TurnID, FinishReason: record.FinishReason, Usage: record.Usage})
	} else if e := view.Conversation.LastEvent; e.Fence == r.fence {
		last, ends = e.Seq, true
	}
	r.number(to, opened, r.tail(opened, ends), max(last, int64(len(r.events))))
}

// opening is what began a run.
func opening(view *store.View, record chat.Run) chat.Opening {
	o := chat.Opening{
		ChatID: view.Conversation.ChatID, TurnID: record.TurnID, Resumed: record.Resumed, Discards: record.Discards,
		Message: userMessage(view, record.Fence),
	}
	if record.TurnID == "" {
		o.Asked = view.Clarifications
		for _, m := range view.Messages {
			if m.Fence == record.Fence && m.AskedBy != nil {
				o.Said = append(o.Said, m)
			}
		}
	}
	for _, c := range view.Clarifications {
		if c.DoneFence == record.Fence && c.State != tools.StatePending && c.State != tools.StateRemembered {
			o.Closed = append(o.Closed, c)
		}
	}
	return o
}

// unfinished stands for the record of a run that has none: one is stored at its end.
func unfinished(view *store.View, fence int64) chat.Run {
	run := chat.Run{Fence: fence}
	for _, m := range view.Messages {
		if m.Fence <= fence && m.AskedBy == nil {
			run.TurnID = m.TurnID // each turn begins with a message
		}
	}
	if userMessage(view, fence) == nil {
		run.Resumed = slices.ContainsFunc(view.Clarifications, func(c chat.Clarification) bool {
			return c.DoneFence == fence && c.State != tools.StateRemembered
		})
	}
	return run
}

// userMessage is the message that began the run, nil where none did.
func userMessage(view *store.View, fence int64) *chat.Message {
	for i := range view.Messages {
		if m := &view.Messages[i]; m.Fence == fence && m.Role == chat.RoleUser {
			return m
		}
	}
	return nil
}

// replayed is a run's events on the way from the store to a viewer.
type replayed struct {
	view   *store.View
	known  *seen
	chatID string
	fence  int64
	events []chat.Event
	mixed  bool // the events had an order, or were more, than is stored
}

func (r *replayed) add(typ chat.EventType, data any) {
	r.events = append(r.events, chat.Event{Type: typ, Data: data})
}

// message adds the run's part of a message: its text and calls, and the results it got.
func (r *replayed) message(m *chat.Message) {
	settled, known := r.known.message(m.ID)
	if m.Fence == r.fence && !known && m.Role == chat.RoleAssistant && m.AskedBy == nil {
		if m.Thinking != "" {
			r.add(chat.EventThinking, chat.Chunk{ChatID: r.chatID, Content: m.Thinking})
			r.mixed = true // its end may be missing, and where it stood among the texts is not stored
		}
		if m.Content != "" {
			r.add(chat.EventChunk, chat.Chunk{ChatID: r.chatID, Content: m.Content})
		}
		for i := range m.ToolCalls {
			r.events = append(r.events, chat.NewToolCallStart(r.chatID, &m.ToolCalls[i]))
		}
	}
	for _, ran := range []bool{false, true} { // answers come before the calls that run
		r.ends(m, settled, known, ran)
	}
}

// ends adds the results that calls of a message got in the run: of those that ran, or of the
// others. Of the run's own message all count as the former.
func (r *replayed) ends(m *chat.Message, settled []bool, known, ran bool) {
	ends := 0
	for i := range m.ToolCalls {
		c := &m.ToolCalls[i]
		if c.Result == nil || c.Result.Fence != r.fence || known && settled[i] || ran != (m.Fence == r.fence || !r.answered(c.ID)) {
			continue
		}
		r.remembered(c.ID)
		r.events = append(r.events, chat.NewToolCallEnd(r.chatID, c, c.Result))
		ends++
	}
	r.mixed = r.mixed || ran && ends > 1
}

// answered says that a call's result is what a question or an input came to, or an approval
// that allowed nothing.
func (r *replayed) answered(callID string) bool {
	return slices.ContainsFunc(r.view.Clarifications, func(c chat.Clarification) bool {
		return c.ToolCallID == callID && (c.Question.Kind != tools.KindApproval || !c.Approved())
	})
}

// remembered adds the question of a call that was answered without asking.
func (r *replayed) remembered(callID string) {
	for i := range r.view.Clarifications {
		if c := &r.view.Clarifications[i]; c.ToolCallID == callID && c.State == tools.StateRemembered {
			r.add(chat.EventClarificationResolved, chat.NewResolved(c))
		}
	}
}

// tail is the index from which on the events have the ids they had: where what is stored
// of the run ends with them, the last one, and the questions and the failure that come right
// before a done.
func (r *replayed) tail(opened int, ends bool) int {
	tail := len(r.events)
	if !ends || tail == opened {
		return tail
	}
	tail--
	if r.events[tail].Type != chat.EventDone {
		return tail
	}
	for tail > opened && slices.Contains([]chat.EventType{chat.EventClarification, chat.EventTurnError, chat.EventError}, r.events[tail-1].Type) {
		tail--
	}
	return tail
}

// number adds them: it numbers the first events from 1, and those of the tail up to last. Ids in between
// are the one before them and a number behind a dot, which ParseEventID refuses; as texts
// and as numbers they are in order, too.
func (r *replayed) number(to *stream.Events, opened, tail int, last int64) {
	before := chat.EventID{Fence: r.fence, Seq: int64(opened)}
	if opened == 0 && r.known != nil && r.known.last.Fence == r.fence {
		before = r.known.last
	}
	if tail < len(r.events) && !r.mixed && last-before.Seq == int64(len(r.events)-opened) {
		tail = opened // as many as there were
	}
	for i, ev := range r.events {
		id := chat.EventID{Fence: r.fence, Seq: int64(i + 1)}
		switch {
		case i >= tail:
			id.Seq = last - int64(len(r.events)-1-i)
		case i >= opened:
			to.AddAs(fmt.Sprintf("%s.%08d", before, i-opened+1), ev)
			continue
		}
		to.Add(id, ev)
	}
}
