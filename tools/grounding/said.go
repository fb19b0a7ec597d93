package grounding

import "time"

const (
	maxSaid = 1 << 20  // bytes that are read: the newest
	chunk   = 32 << 10 // bytes that are taken apart at once
)

// Text is something that was said in a chat.
type Text struct {
	Content string
	At      time.Time // when, for "next Friday"; zero: unknown
}

// Said is an index of what was said. Find may be called by several goroutines at once, as long
// as none calls With.
type Said struct {
	index    index
	facts    *facts
	acronyms map[string]bool
	seen     map[seen]bool // the texts, also those that were too much
	size     int           // bytes that were read
}

// seen identifies a text that was read.
type seen struct {
	content string
	at      int64
}

func (t *Text) seen() seen { return seen{t.Content, t.At.UnixNano()} }
