package tools

import "context"

// Finder is a tool that searches: the options that it lists are searched by it, too.
type Finder interface {
	// Find are the arguments of a call that finds words.
	Find(words string) (arguments string)
}

// Library is a tool whose results come from texts that people may read, too.
type Library interface {
	// Passage is one of these texts; false where there is none of that id.
	Passage(ctx context.Context, id string) (Passage, bool, error)
}

// Passage is a part of a document.
type Passage struct {
	ID     string `json:"id"`
	Title  string `json:"title"` // names the document, too
	Work   string `json:"work"`  // the document's title
	Link   string `json:"link"`
	Text   string `json:"text"`
	Format string `json:"format"` // of Text: "markdown" or "text"
}
