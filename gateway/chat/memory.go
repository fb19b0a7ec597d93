package chat

import (
	"time"

	"github.com/askgate/askgate/tools"
)

// Memory is one thing that is kept of a person in an app, beyond chats: words of the person's
// own, which the model keeps with the tool remember, or an answer.
type Memory struct {
	ID      string // globally unique, unguessable
	Tenant  string
	Subject string
	App     string
	Key     string // what it is about: a name
	// Of is "" of words; of an answer, what was asked under that key: of two that differ, each
	// has its own.
	Of   string
	Text string // the words, or how the answer reads
	// Said is what of words had stood in the person's own messages or answers, or was written on
	// the person's page: runs of words, one a line. Nothing else of them counts as said by the person.
	Said string
	// Answer is that of one part; nil of words.
	Answer    *RememberedAnswer
	Silent    bool // the person wants not to be asked again
	UpdatedAt time.Time
	ExpiresAt time.Time // zero: never
	// ConversationID is the chat in which words are said, "" for none. It is not kept: where the
	// chat is gone when they come to be, so is the person, perhaps.
	ConversationID string
}

// RememberedAnswer is an answer to one part of a question, with what of the part it takes to
// see whether a later one asks the same: its type, key, template, and the options that were chosen.
type RememberedAnswer struct {
	Part   tools.Part   `json:"part"`
	Filled string       `json:"filled,omitempty"` // identifies what its template was filled with
	Answer tools.Answer `json:"answer"`
}

// Limits of what is kept of a person in an app.
const (
	MaxMemories   = 100 // of either sort; of answers, the oldest makes room
	MaxMemoryText = 500 // code points of words
	MaxMemoryKey  = 64  // bytes of a key
)
