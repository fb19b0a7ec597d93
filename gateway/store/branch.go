package store

import (
	"context"

	"github.com/askgate/askgate/gateway/chat"
)

// MaxBranches is how many chats Branches returns at most, MaxLines how many lines it looks for.
const (
	MaxBranches = 50
	MaxLines    = 16
)

// BranchReader reads the chats that one name of a client's stands for.
type BranchReader interface {
	// Branches are the chat and all others of its family: the one that its name stands for, and the
	// branches that clients made of that. The one that was written to last comes first; there are at
	// most MaxBranches, and none where the family has no chat yet. In each, lines are looked for, of
	// which the first MaxLines count.
	Branches(ctx context.Context, ref chat.Ref, lines []Line) ([]Branch, error)
}

// Branch is a chat of a family.
type Branch struct {
	chat.Conversation
	Turn  *chat.Turn // the newest
	Lines []Place    // where the lines are, one for each; zero: the chat does not have it
}

// Line is a message in a client's history: one of the person's by ClientID (chat.ClientID), with
// its text, or one of the assistant's by its turn.
type Line struct {
	ClientID string
	TurnID   string
	Text     string
	Answers  bool // the person's is looked for among the answers to questions, too
}

// Place is where a chat has a line.
type Place struct {
	MessageID string // of the person's message: the line, or what began its turn
	TurnID    string
	Same      bool                // the line has the message's text
	Files     []chat.SentFile     // of the person's message
	Next      string              // the person's next message, "" if there is none
	Answered  *chat.Clarification // the question that the line answered; nil if it answered none
	Last      bool                // with Answered: no other one of the turn was closed behind it
}
