// Package options makes the options of a question out of what a tool lists.
//
//	a tool's result (JSON, any size up to the caller's limit)
//	   │ Read      find the rows, take label, value and description out of each
//	   ▼
//	List ── First: what the question carries ── Search: as the person types
//	     └─ Find, Named: what an answer names
//
// Rows that cannot be options are left out: a label that shows nothing, a value
// that is no text, number or boolean or is longer than an option's may be, a
// value that came before. Two rows with one label are told apart by their
// values. A List is immutable and safe for concurrent use; what a search needs is
// made once, by Read.
package options
