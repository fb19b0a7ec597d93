package tools

import "context"

// Finder is a tool that can search. The options that it lists are also searched with it.
type Finder interface {
	// Find returns the arguments of a call that searches for words in the list that a call with the
	// arguments listed returns.
	Find(listed, words string) (arguments string)
}

// Library is a tool whose results come from texts that people may also read.
type Library interface {
	// Passage returns one of these texts, and false if there is none with that id.
	Passage(ctx context.Context, id string) (Passage, bool, error)
	// Searches returns the name of the function that searches.
	Searches() string
	// Search runs that function with JSON arguments, and returns its result. The calls of one
	// request share what together counts. It returns the error of the function, or of ctx.
	Search(ctx context.Context, arguments string, together *Processor) (result string, err error)
	// Facets returns what people may narrow a search by. It does not wait.
	Facets() Facets
}

// Facets is what a search in a library can be narrowed by.
type Facets struct {
	Fields   map[string]Facet `json:"fields,omitempty"` // by name
	Versions bool             `json:"versions"`         // whether works have versions
}

// Facet is a field of documents.
type Facet struct {
	Type   string   `json:"type"`             // "enum", "list", "date" or "number"
	Values []string `json:"values,omitempty"` // of an enum or a list, sorted; nil: too many to list
}

// Passage is a part of a document.
type Passage struct {
	ID    string `json:"id"`
	Title string `json:"title"` // includes the document's title
	Work  string `json:"work"`  // the document's title
	Link  string `json:"link"`
	PassageFacts
	Text   string `json:"text"`
	Format string `json:"format"` // of Text: "markdown" or "text"
}

// PassageFacts is what is known of the document of a passage. All of it is optional.
type PassageFacts struct {
	WorkID    string         `json:"workId,omitempty"`    // the document's id, for people
	Date      string         `json:"date,omitempty"`      // as 2026-01-31
	Fields    map[string]any `json:"fields,omitempty"`    // texts, lists of texts, and numbers
	ValidFrom string         `json:"validFrom,omitempty"` // the first day on which it applies
	ValidTo   string         `json:"validTo,omitempty"`   // the last day on which it applies
}
