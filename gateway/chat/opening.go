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
	// Of a run without a turn: what programs said, with what they asked in its place.
	Said  []Message
	Asked []Clarification
}

// Events are the events that open the run, in order: they are recorded when it begins,
// counted when its beginning is stored, and replayed from what was stored.
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
	if m := o.Message; m != nil {
		events = append(events, Event{EventUserMessage, UserMessage{ChatID: o.ChatID, TurnID: o.TurnID, MessageID: m.ID, Content: m.Content, Files: m.Files}})
	}
	return events
}

// besides are the events of a run without a turn.
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
	for i := range o.Closed {
		events = append(events, Event{EventClarificationResolved, NewResolved(&o.Closed[i])})
	}
	return events
}
