package chat

import "time"

// News says that something was stored which people, or the programs that ask them, want to hear
// about. It names rows and holds no texts: what is sent is made from the rows when the news is read.
type News struct {
	// ID orders all news as they became certain: later ones have greater ids.
	ID int64
	At time.Time
	Ref
	ConversationID string
	Role           string // a role that is asked, if it is not the owner of the chat
	Asker          string // the subject of the program that asked; "" for a model's questions
	// Type is EventClarification, EventClarificationResolved, EventClarificationDecided,
	// EventClarificationEscalated, EventDone, EventAskerMessage, EventTitle or EventQueue.
	Type            EventType
	ClarificationID string
	TurnID          string
	MessageID       string       // for a question that ended because its chat was deleted, the id of its call
	FinishReason    FinishReason // of EventDone
	Usage           Usage        // of EventDone
	// Hooks are the webhooks that are sent it. They are stored separately, and not read with it.
	Hooks []Hook
	// Notices are whom channels tell of the question from now on. They are stored separately, and not
	// read with it.
	Notices []Recipient
	// NotTold are the channels that have no one to tell of the question; nil: unchanged.
	NotTold []string
	// EndNotices says that what channels told of the question is out of date.
	EndNotices bool
}
