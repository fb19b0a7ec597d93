package chat

// Event is an event before it has an id: what clients are told, and as what.
type Event struct {
	Type EventType
	Data any // one of the types of this package
}

// Opening is what began a run: a message, or what resumed a turn that was paused or had
// ended. A run that has neither takes a turn over from one that died.
type Opening struct {
	ChatID   string
	TurnID   string
	Resumed  bool            // an answer, an expiry, a cancellation or a person resumed the turn
	Discards bool            // the text of the step that the turn had ended in is generated again
	Closed   []Clarification // closed by what began the run, in the order of their numbers
	Message  *Message        // the user's that began the turn, nil where none did
}

// Events are the events that open the run, in order: they are recorded when it begins,
// counted when its beginning is stored, and replayed from what was stored.
func (o *Opening) Events() []Event {
	restart := Event{EventStepRestart, StepRestart{ChatID: o.ChatID, TurnID: o.TurnID}}
	if o.Message == nil && !o.Resumed {
		return []Event{restart}
	}
	events := []Event{{EventTurnStart, TurnStart{ChatID: o.ChatID, TurnID: o.TurnID, Resumed: o.Resumed}}}
	if o.Discards {
		events = append(events, restart)
	}
	for i := range o.Closed {
		events = append(events, Event{EventClarificationResolved, NewResolved(&o.Closed[i])})
	}
	if m := o.Message; m != nil {
		events = append(events, Event{EventUserMessage, UserMessage{ChatID: o.ChatID, TurnID: o.TurnID, MessageID: m.ID, Content: m.Content}})
	}
	return events
}
