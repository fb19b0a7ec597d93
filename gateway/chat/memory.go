package chat

import (
	"time"

	"github.com/askgate/askgate/tools"
)

// Memory is one thing that is remembered of a person in an app, beyond chats: the person's own
// words, which the model keeps with the tool remember, or an answer.
type Memory struct {
	ID      string // globally unique, unguessable
	Tenant  string
	Subject string
	App     string
	Key     string // a name for what it is about
	// Of is "" for words. For an answer, it says what was asked under that key: two questions that
	// differ have an answer each.
	Of   string
	Text string // the words, or the text of the answer
	// Said is the part of the words that occurred in the person's own messages or answers, or that the
	// person wrote on their page: runs of words, one a line. Nothing else of the words counts as said by
	// the person.
	Said string
	// Answer is the answer to one part of a question; nil for words.
	Answer    *RememberedAnswer
	Silent    bool // the person wants not to be asked again
	UpdatedAt time.Time
	ExpiresAt time.Time // zero: never
	// ConversationID is the chat in which the words are said; "" for none. It is not stored, but
	// checked: if the chat is gone when the words are saved, the person may be gone, too.
	ConversationID string
}

// RememberedAnswer is an answer to one part of a question, with as much of the part as it takes to
// see whether a later one asks the same: its type, key and template, and the chosen options.
type RememberedAnswer struct {
	Part   tools.Part   `json:"part"`
	Filled string       `json:"filled,omitempty"` // identifies the values with which its template was filled
	Answer tools.Answer `json:"answer"`
}

// Limits of what is remembered of a person in an app.
const (
	MaxMemories   = 100 // of each sort; the oldest answers make room for new ones
	MaxMemoryText = 500 // code points of words
	MaxMemoryKey  = 64  // bytes of a key
)
