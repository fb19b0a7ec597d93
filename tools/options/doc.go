// Package options reads the options of a question from the result of a tool.
//
//	a tool's result (JSON, any size up to the caller's limit)
//	   │ Read      finds the rows, and the label, value and description of each
//	   ▼
//	List ── First: the options in the question ── Search: while the user types
//	     └─ Find, Named: the option that an answer names
//
// Rows that cannot be options are left out: those with a blank label, a value that is not a
// text, number or boolean or that is too long, or the value of an earlier row. If two rows
// have the same label, the value is added to the second. A List is immutable and safe for
// concurrent use. Read builds the search index once.
package options
