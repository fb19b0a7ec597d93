package store

import "github.com/askgate/askgate/gateway/chat"

// Forks begin a chat with a copy of a part of another.
type Forks interface {
	// Origin reads what a fork needs of the chat that it leaves, of the same owner in the same
	// app. That chat does not change before this update has ended. ErrNotFound where there is no
	// such chat, or it does not have the message, or a question of a model's with that id;
	// ErrTooLarge where its questions, or the calls behind the point, are too many bytes to read here.
	Origin(at chat.Fork) (*Origin, error)
	// Copy copies into this conversation, which must be new, the messages of the origin up to
	// Through, with their calls, results and the bytes that these hold. What programs asked is
	// left out. The files that these messages came with are then files of this conversation, too. The
	// turn of the point becomes the turn with that id.
	Copy(o *Origin, turnID string) error
	// CopyFiles copies the origin's files that a question or message uses there, "" for those that
	// none does yet, as files of this conversation that another uses, "" for none.
	CopyFiles(o *Origin, of, to string) error
	// SaveRan keeps that calls ran behind the point. Those that are known already are no error.
	SaveRan(ran []chat.Ran) error
}

// Origin is a chat that is forked.
type Origin struct {
	chat.Conversation
	Turn *chat.Turn // the newest
	// Message is the one that the point names, or that has the call of the question. Through
	// is the position of the last message that is copied, 0 for none: that before Message, or
	// Message itself. The result of the call Open is not copied, nor those of the calls Same, which
	// wait for it.
	Message chat.Message
	Through int64
	Open    string
	Same    []string
	// Asked is all that turns asked in the chat; Behind the calls of the messages behind
	// Through, without their results; and Ran what ran behind the point where the chat was
	// forked itself.
	Asked  []chat.Clarification
	Behind []chat.ToolCall
	Ran    []chat.Ran
	// Bytes is about how many the copy has: texts with calls and results, and what these hold.
	Bytes int64
}
