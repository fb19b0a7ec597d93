package store

import "github.com/askgate/askgate/gateway/chat"

// Forks begin a chat with a copy of a part of another.
type Forks interface {
	// Origin reads what a fork needs of the chat that it forks from, of the same owner in the same
	// app. That chat does not change until this update has ended. It returns ErrNotFound if the chat
	// does not exist, or has no message, or no question of a model, with that id; and ErrTooLarge if
	// its questions, or the calls behind the point, are too large to read here.
	Origin(at chat.Fork) (*Origin, error)
	// Copy copies into this conversation, which must be new, the messages of the origin up to
	// Through, with their calls, results and the bytes that these hold. Questions asked by programs
	// are left out. The files that came with these messages then belong to this conversation as
	// well. The turn of the point becomes the turn with that id.
	Copy(o *Origin, turnID string) error
	// CopyFiles copies the origin's files that the question or message with the id of uses there (""
	// for files that nothing uses yet). The copies are files of this conversation, used by the
	// question or message with the id to ("" for none).
	CopyFiles(o *Origin, of, to string) error
	// SaveRan records the calls that ran behind the point. Calls that are already recorded are not
	// an error.
	SaveRan(ran []chat.Ran) error
}

// Origin is a chat that is forked.
type Origin struct {
	chat.Conversation
	Turn *chat.Turn // the newest
	// Message is the one that the point names, or the one with the question's call. Through is the
	// position of the last message that is copied, 0 for none: either Message itself or the one
	// before it. The result of the call Open is not copied, and neither are those of the calls Same,
	// which wait for it.
	Message chat.Message
	Through int64
	Open    string
	Same    []string
	// Asked is everything that turns asked in the chat. Behind is the calls of the messages behind
	// Through, without their results. Ran is what ran behind the point at which the chat was itself
	// forked.
	Asked  []chat.Clarification
	Behind []chat.ToolCall
	Ran    []chat.Ran
	// Bytes is the approximate size of the copy: texts with calls and results, and the bytes that
	// these hold.
	Bytes int64
}
