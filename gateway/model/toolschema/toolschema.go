// Package toolschema writes the parameters of tools in a form that all providers take.
//
//	JSON Schema ── tree.go: read, keys in order
//	            ── flat.go: $ref written out, allOf merged
//	            ── form.go: one type a place, null becomes optional, unions become anyOf
//	            ── top.go:  no union at the top: one object, and words that say what belongs together
//	            ── gemini.go: what Gemini's Schema does not know becomes words
//	            ── cache.go: kept for the next request
//
// The form is never stricter: a value without null that the tool's own schema takes is valid for the
// form, too. Three things are narrowed, because providers demand a type at each place and one object
// at the top: a place without a type has the types that its keywords are about, an open place takes
// lists, but not lists of lists, and the branches of a union at the top are taken to be closed. The
// form may be less strict, so what a model sends is checked against the tool's own schema.
//
// # Rules and where they are from
//
// No union, enum or not at the top: OpenAI ("schema must have type 'object' and not have
// 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level") and Anthropic ("input_schema does not
// support oneOf, allOf, or anyOf at the top level", notion-mcp-server#341, 2026-08-05). A type at
// each place, and not beside anyOf: Kimi ("type is not defined", kimi-cli#1595, 2026-03-26; "when
// using anyOf, type should be defined in anyOf items", kimi-code#2661, 2026-08-05). items in each
// array: OpenAI ("array schema missing items") and Gemini.
//
// # Gemini
//
// Its Schema is a message with few fields (google.golang.org/genai v1.77.0, types.go), and it refuses
// others. enum is for texts only ("enum: only allowed for STRING type", OmniRoute#760,
// 2026-03-29), which must not be empty; the format of a text is enum or date-time (gemini-cli#3178,
// 2025-07-03); nothing may stand beside anyOf. Numbers of an enum are therefore told in words. A
// property whose name is not a letter or underscore and up to 63 letters, digits and underscores
// makes a tool unfit for Gemini: names are not mapped, because what the model sends back would have
// to be mapped, too, in state as well.
package toolschema

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/askgate/askgate/tools"
)

// MaxBytes is how much a tool's parameters may have on the wire, in bytes.
const MaxBytes = 64 << 10

const (
	maxInput = 1 << 20 // bytes of a tool's own schema
	maxNodes = 20_000  // schemas, with those that a $ref stands for each time
	maxDepth = 64      // schemas in schemas, and values in values
	maxWork  = 1 << 22 // members looked at, and bytes compared
	// rounds is how often a schema that holds itself is written out within itself.
	rounds = 2
)

// Dialect is which keywords a server knows.
type Dialect int

// The dialects.
const (
	Common Dialect = iota // of all that take JSON Schema
	Gemini                // of Gemini's Schema, which knows few keywords
)

// Portable returns the parameters of a tool in the form for a dialect, the same bytes each time, or
// an error that says why they have none. With Gemini, nil stands for no parameters. A schema that
// has the form already comes back unchanged. The bytes must not be changed: forms are kept, within
// limits, for later calls. Safe for concurrent use.
func Portable(d tools.Definition, dialect Dialect) (json.RawMessage, error) {
	c := &caches[dialect]
	f, known := c.get(d.Parameters)
	if !known {
		f.raw, f.err = portable(d.Parameters, dialect)
		c.put(d.Parameters, f)
	}
	if f.err != nil {
		return nil, fmt.Errorf("the parameters of the tool %q cannot be sent to models: %w", tools.Shorten(d.Name, maxName), f.err)
	}
	return f.raw, nil
}

func portable(parameters json.RawMessage, dialect Dialect) (json.RawMessage, error) {
	if len(parameters) == 0 {
		parameters = json.RawMessage(`{"type":"object","properties":{}}`)
	}
	root, err := read(parameters)
	if err != nil {
		return nil, err
	}
	var over *limitError
	for n := rounds; ; n-- { // with fewer rounds, a schema that holds itself often may yet fit
		raw, err := (&writer{root: root, rounds: n, entered: map[*object]int{}}).write(dialect)
		if n == 1 || !errors.As(err, &over) {
			return raw, err
		}
	}
}

// limitError is what is over a limit.
type limitError struct{ text string }

func (e *limitError) Error() string { return e.text }

// writer writes one tool's parameters.
type writer struct {
	root    *object
	rounds  int
	entered map[*object]int // by target of a $ref: how often it is written out around this place
	nodes   int
	work    int
}

// spend counts work, and fails beyond the limit.
func (w *writer) spend(n int) error {
	if w.work += n; w.work > maxWork {
		return &limitError{"writing out their $refs and unions takes too long; use fewer of them"}
	}
	return nil
}

// pairs is the work of looking for each of a names among b.
func pairs(a, b int) int { return a * max(1, b/8) }

func (w *writer) write(dialect Dialect) (json.RawMessage, error) {
	node, err := w.top()
	if err != nil {
		return nil, err
	}
	if dialect == Gemini {
		if node, err = w.gemini(node, "parameters"); err != nil {
			return nil, err
		}
		if node.get("properties") == nil {
			return nil, nil
		}
	}
	raw := appendValue(nil, node, MaxBytes)
	if len(raw) > MaxBytes {
		return nil, &limitError{fmt.Sprintf("with their $refs written out they have over %d bytes; make the schema smaller", MaxBytes)}
	}
	return raw, nil
}
