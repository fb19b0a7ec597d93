package store

import (
	"context"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/tools/textsearch"
)

// MaxBranches is the most chats that Branches and Family return, MaxLines the most lines that
// Branches looks for.
const (
	MaxBranches = 50
	MaxLines    = 16
)

// BranchReader reads families: a chat and all its forks, and theirs.
type BranchReader interface {
	// Branches returns the chat and all others of its family that clients know by the same name (see
	// chat.Conversation.KnownAs): the one that has the name, and the branches that clients made of
	// it. The one written to last comes first. There are at most MaxBranches, and none if no chat
	// has the name yet. In each, Branches looks for the first MaxLines of lines.
	Branches(ctx context.Context, ref chat.Ref, lines []Line) ([]Branch, error)
	// Family returns the chat and all others of its family, whatever their names, likewise ordered and
	// limited. The reference may also be that of a first chat that is gone.
	Family(ctx context.Context, ref chat.Ref) ([]Branch, error)
	// Folded is Reader.Conversations with one entry for each family, placed by the newest change in
	// any of its chats. A family that changes moves to the front, as a chat does.
	Folded(ctx context.Context, tenant, subject, app string, page Page) ([]Folded, string, error)
	// SearchFolded is Reader.Search with one entry for each family, in the order of Folded, if one of
	// its chats contains all of the words. It leads to that chat; of several, to the one that
	// changed last. Of a family it looks through the MaxBranches chats written to last and the first
	// one, together as much as of one chat.
	SearchFolded(ctx context.Context, tenant, subject, app string, words textsearch.Words, page Page) ([]Folded, string, error)
}

// Folded is a family as a list shows it.
type Folded struct {
	// Match is the chat to which the entry leads: of those that have a question for their owner, or
	// else of all, the one written to last. Snippet is nil unless the entry was searched for.
	Match
	Changed  time.Time // when a chat of the family last changed
	Branches int       // how many chats it has
	Pending  int       // how many questions wait for the owner in them
	Asked    []string  // the ids of these, at most MaxAsked, those of the chat to which the entry leads first
}

// MaxAsked is the most questions that an entry of a list names.
const MaxAsked = 10

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
