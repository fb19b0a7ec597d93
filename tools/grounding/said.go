package grounding

import "time"

const (
	maxSaid = 1 << 20  // maximum bytes of text that are read, the newest
	chunk   = 32 << 10 // bytes that are read at once
)

// Text is a text of a chat.
type Text struct {
	Content string
	At      time.Time // when, for "next Friday"; zero: unknown
}

// Said is an index of the texts of a chat. Its methods may be called concurrently, except
// With.
type Said struct {
	index    index
	facts    *facts
	acronyms map[string]bool
	seen     map[seen]bool // the texts, including those over the limit
	size     int           // bytes that were read
}

// seen identifies a text that has been read.
type seen struct {
	content string
	at      int64
}

func (t *Text) seen() seen { return seen{t.Content, t.At.UnixNano()} }
