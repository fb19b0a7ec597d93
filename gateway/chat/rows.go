package chat

import (
	"cmp"
	"slices"
)

// Rows holds the stored rows of one run, or of one commit of it. The events that people see are made
// from them, by the run when it has stored them and by any later reader: the same events, with the
// same ids. Only pieces of text are sent before they are stored; their ids come from the same
// numbers.
type Rows struct {
	ChatID  string
	TurnID  string
	Fence   int64
	Opening *Opening // nil for a commit that does not begin the run
	Steps   []*Message
	Ended   []Ended         // calls, with their results
	Silent  []Clarification // questions of those calls that were answered without asking
	Asked   []Clarification // the questions with which the run ended, in order
	Run     *Run            // the run as it ended; nil: it has not ended
}

// Ended is a call with its result.
type Ended struct {
	Call   *ToolCall
	Result *ToolResult
}

// Emitted is an event with its id.
type Emitted struct {
	ID EventID
	Event
}

// silent returns the question of a call that was answered without asking, or nil if there is none.
func (r *Rows) silent(callID string) *Clarification {
	i := slices.IndexFunc(r.Silent, func(c Clarification) bool { return c.ToolCallID == callID })
	if i < 0 {
		return nil
	}
	return &r.Silent[i]
}

// closing returns the events with which a run ended.
func (r *Rows) closing() []Event {
	var events []Event
	for i := range r.Asked {
		events = append(events, Event{EventClarification, NewAsked(&r.Asked[i])})
	}
	if r.Run == nil {
		return events
	}
	if r.Run.Failure != nil {
		events = append(events, FailureEvents(r.Run.Failure)...)
	}
	return append(events, Event{EventDone, Done{ChatID: r.ChatID, TurnID: r.TurnID, FinishReason: r.Run.FinishReason, Usage: r.Run.Usage}})
}

// Number gives the rows of a commit the numbers of their events, which follow last, and returns the
// highest. A step has its number already, because its text was sent as it came.
func (r *Rows) Number(last int64) int64 {
	if r.Opening != nil {
		last = int64(len(r.Opening.Events()))
	}
	for _, m := range r.Steps {
		last = m.Seq + int64(len(m.ToolCalls))
	}
	for _, e := range r.Ended {
		if last++; r.silent(e.Call.ID) != nil {
			last++
		}
		e.Result.Seq = last
	}
	if r.Run != nil {
		last += int64(len(r.closing()))
		r.Run.LastSeq = last
	}
	return last
}

// place is an event with its position in a run: the numbers after one and up to another.
type place struct {
	after, upTo int64
	Event
	text string // for a piece of text: all that is stored of it
	step bool   // a step begins with it
}

// After returns the events after the one with that id.
func (r *Rows) After(id EventID) []Emitted {
	if r.Fence < id.Fence {
		return nil
	}
	from := int64(0)
	if id.Fence == r.Fence {
		from = id.Seq
	}
	prev := int64(0)
	if r.Opening == nil {
		prev = from
	}
	var events []Emitted
	emit := func(seq int64, ev Event) { events = append(events, Emitted{EventID{r.Fence, seq}, ev}) }
	for _, p := range r.places() {
		// A gap is text that was generated again: readers that have part of it drop it.
		if p.after > prev && p.after > from && (p.step || prev < from) {
			emit(p.after, Event{EventStepRestart, StepRestart{ChatID: r.ChatID, TurnID: r.TurnID}})
		}
		prev = p.upTo
		switch {
		case p.upTo <= from:
		case p.Data != nil:
			emit(p.upTo, p.Event)
		default:
			if rest := p.text[min(max(0, from-p.after), int64(len(p.text))):]; rest != "" {
				emit(p.upTo, Event{p.Type, Chunk{ChatID: r.ChatID, Content: rest}})
			}
		}
	}
	return events
}

// places returns the run's events, in order.
func (r *Rows) places() []place {
	var all []place
	add := func(after int64, events ...Event) {
		for i, ev := range events {
			all = append(all, place{after: after + int64(i), upTo: after + int64(i) + 1, Event: ev})
		}
	}
	if r.Opening != nil {
		add(0, r.Opening.Events()...)
	}
	for _, m := range r.Steps {
		first := len(all)
		all = append(all, m.texts()...)
		for i := range m.ToolCalls {
			add(m.Seq+int64(i), NewToolCallStart(r.ChatID, &m.ToolCalls[i]))
		}
		if first < len(all) {
			all[first].step = true
		}
	}
	for _, e := range r.Ended {
		if c := r.silent(e.Call.ID); c != nil {
			add(e.Result.Seq-2, Event{EventClarificationResolved, NewResolved(c)})
		}
		add(e.Result.Seq-1, NewToolCallEnd(r.ChatID, e.Call, e.Result))
	}
	if r.Run != nil {
		closing := r.closing()
		add(r.Run.LastSeq-int64(len(closing)), closing...)
	}
	slices.SortStableFunc(all, func(a, b place) int { return cmp.Compare(a.upTo, b.upTo) })
	return all
}

// texts returns the places of a step's texts, in the order in which they came.
func (m *Message) texts() (all []place) {
	spans := m.Spans
	if spans == nil {
		spans = []int{len(m.Thinking), len(m.Content)}
	}
	at := m.Seq
	for _, n := range spans {
		at -= int64(n)
	}
	types, rest := [...]EventType{EventThinking, EventChunk}, []string{m.Thinking, m.Content}
	for i, n := range spans {
		of := &rest[i%2]
		kept := min(n, len(*of))
		if n > 0 {
			all = append(all, place{after: at, upTo: at + int64(n), Event: Event{Type: types[i%2]}, text: (*of)[:kept]})
		}
		*of, at = (*of)[kept:], at+int64(n)
	}
	return all
}
