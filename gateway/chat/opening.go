package chat

// Event is an event before it has an id: its type and data.
type Event struct {
	Type EventType
	Data any // one of the types of this package
}

// Opening is what began a run: a message, or what resumed a turn that was paused or had ended. A run
// without either takes over a turn from a run that died.
type Opening struct {
	ChatID   string
	TurnID   string
	Resumed  bool            // an answer, an expiry, a cancellation or a person resumed the turn
	Discards bool            // the text of the step in which the turn had ended is generated again
	Closed   []Clarification // closed by what began the run, in the order of their numbers
	Amended  []Event         // clarification.decided and clarification.escalated, of questions that still wait
	Message  *Message        // the user's message that began the turn, nil if none did
	// Of a run without a turn: what programs said, with what they asked in its place.
	Said  []Message
	Asked []Clarification
	// Deleted are the questions whose answers were deleted, in the order of their numbers.
	Deleted []Clarification
}

// Events returns the events that open the run, in order. They are recorded when it begins, counted
// when its beginning is stored, and replayed from what was stored.
func (o *Opening) Events() []Event {
	if o.TurnID == "" {
		return o.besides()
	}
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
	events = append(events, o.Amended...)
	if m := o.Message; m != nil {
		events = append(events, Event{EventUserMessage, UserMessage{ChatID: o.ChatID, TurnID: o.TurnID, MessageID: m.ID, Content: m.Content, Files: m.Files}})
	}
	return events
}

// besides returns the events of a run without a turn.
func (o *Opening) besides() []Event {
	var events []Event
	asked := o.Asked
	for i := range o.Said {
		m := &o.Said[i]
		if m.ClarificationID == "" {
			events = append(events, NewAskerMessage(o.ChatID, m))
			continue
		}
		for j := range asked {
			if asked[j].ID == m.ClarificationID {
				events = append(events, Event{EventClarification, NewAsked(&asked[j])})
			}
		}
	}
	for _, list := range [][]Clarification{o.Closed, o.Deleted} {
		for i := range list {
			events = append(events, Event{EventClarificationResolved, NewResolved(&list[i])})
		}
	}
	return append(events, o.Amended...)
}
