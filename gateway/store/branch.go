package store

import (
	"context"

	"github.com/askgate/askgate/gateway/chat"
)

// MaxBranches is the most chats that Branches returns, MaxLines the most lines that it looks for.
const (
	MaxBranches = 50
	MaxLines    = 16
)

// BranchReader reads the chats that share one name of a client.
type BranchReader interface {
	// Branches returns the chat and all others of its family: the one that has the client's name,
	// and the branches that clients made of it. The one written to last comes first. There are at
	// most MaxBranches, and none if the family has no chat yet. In each, Branches looks for the
	// first MaxLines of lines.
	Branches(ctx context.Context, ref chat.Ref, lines []Line) ([]Branch, error)
}

// Branch is a chat of a family.
type Branch struct {
	chat.Conversation
	Turn  *chat.Turn // the newest
	Lines []Place    // where the lines are, one for each; zero: not in the chat
}

// Line is a message in a client's history: one from the person by ClientID (chat.ClientID), with
// its text, or one from the assistant by its turn.
type Line struct {
	ClientID string
	TurnID   string
	Text     string
	Answers  bool // also look for the person's line among the answers to questions
}

// Place says where a chat has a line.
type Place struct {
	MessageID string // of the person's message: the line, or what began its turn
	TurnID    string
	Same      bool                // the line has the message's text
	Files     []chat.SentFile     // of the person's message
	Next      string              // the person's next message, "" if there is none
	Answered  *chat.Clarification // the question that the line answered; nil if it answered none
	Last      bool                // with Answered: none of the turn's other questions was closed after it
}
