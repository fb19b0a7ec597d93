package chat

import "time"

// News says that something was stored which people, or the programs that ask them, want to
// hear of. It names rows and holds no texts: what is told is made of them when it is read.
type News struct {
	// ID orders all news as they became certain: later ones have greater ids.
	ID int64
	At time.Time
	Ref
	ConversationID string
	Role           string // who is asked, where it is not the owner of the chat
	Asker          string // the subject of the program that asked, "" for a model's questions
	// Type is EventClarification, EventClarificationResolved, EventDone, EventAskerMessage or EventTitle.
	Type            EventType
	ClarificationID string
	TurnID          string
	MessageID       string       // of a question that ended since its chat was deleted, the id of its call
	FinishReason    FinishReason // of EventDone
	Usage           Usage        // likewise
	// Hooks are the webhooks that are told of it. They are stored apart, and not read with it.
	Hooks []Hook
}
