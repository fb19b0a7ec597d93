package tools

import "context"

// Finder is a tool that can search. The options that it lists are also searched with it.
type Finder interface {
	// Find returns the arguments of a call that searches for words.
	Find(words string) (arguments string)
}

// Library is a tool whose results come from texts that people may also read.
type Library interface {
	// Passage returns one of these texts, and false if there is none with that id.
	Passage(ctx context.Context, id string) (Passage, bool, error)
}

// Passage is a part of a document.
type Passage struct {
	ID     string `json:"id"`
	Title  string `json:"title"` // includes the document's title
	Work   string `json:"work"`  // the document's title
	Link   string `json:"link"`
	Text   string `json:"text"`
	Format string `json:"format"` // of Text: "markdown" or "text"
}
