// Package toolschema writes the parameters of tools in a form that all providers accept.
//
//	JSON Schema ── tree.go: read, keys in order
//	            ── flat.go: $ref replaced by its target, allOf merged
//	            ── form.go: one type at each place, null becomes optional, unions become anyOf
//	            ── top.go:  no union at the top: one object, with a text that groups its properties
//	            ── gemini.go: keywords that Gemini's Schema does not know become words
//	            ── cache.go: kept for the next request
//
// The form is never stricter: a value without null that is valid for the tool's own schema is also
// valid for the form. There are three exceptions, because providers demand a type at each place and
// one object at the top: a place without a type gets the types that its keywords apply to, an open
// place accepts lists but not lists of lists, and the branches of a union at the top are treated as
// closed. The form may be less strict, so what a model sends is checked against the tool's own schema.
//
// # Rules and their sources
//
// No union, enum or not at the top: OpenAI ("schema must have type 'object' and not have
// 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level") and Anthropic ("input_schema does not
// support oneOf, allOf, or anyOf at the top level", notion-mcp-server#341, 2026-08-05). A type at
// each place, and none next to anyOf: Kimi ("type is not defined", kimi-cli#1595, 2026-03-26; "when
// using anyOf, type should be defined in anyOf items", kimi-code#2661, 2026-08-05). items in each
// array: OpenAI ("array schema missing items") and Gemini.
//
// # Gemini
//
// Its Schema is a message with few fields (google.golang.org/genai v1.77.0, types.go), and all others
// are refused. enum is for texts only ("enum: only allowed for STRING type", OmniRoute#760,
// 2026-03-29), which must not be empty. The format of a text is enum or date-time (gemini-cli#3178,
// 2025-07-03). No keyword is allowed next to anyOf. So the numbers of an enum become words. The name
// of a property must be a letter or underscore, followed by up to 63 letters, digits and underscores;
// a tool with any other name cannot be sent to Gemini. Names are not mapped, because they would have to
// be mapped back in the model's answers, and in their state.
package toolschema

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/askgate/askgate/tools"
)

// MaxBytes is the most bytes of a tool's parameters on the wire.
const MaxBytes = 64 << 10

const (
	maxInput = 1 << 20 // bytes of a tool's own schema
	maxNodes = 20_000  // schemas, counting the target of a $ref each time
	maxDepth = 64      // nesting of schemas, and of values
	maxWork  = 1 << 22 // members visited, and bytes compared
	// rounds is how many times a recursive schema is written out within itself.
	rounds = 2
)

// Dialect is the set of keywords that a server knows.
type Dialect int

// The dialects.
const (
	Common Dialect = iota // all servers that accept JSON Schema
	Gemini                // Gemini's Schema, which knows few keywords
)

// Portable returns the parameters of a tool in the form for a dialect, with the same bytes each time,
// or an error if they have none. For Gemini, nil means no parameters. A schema that already has the
// form is returned unchanged. The caller must not change the bytes, since forms are cached, within
// limits, for later calls. Portable is safe for concurrent use.
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
	for n := rounds; ; n-- { // with fewer rounds, a very recursive schema may still fit
		raw, err := (&writer{root: root, rounds: n, entered: map[*object]int{}}).write(dialect)
		if n == 1 || !errors.As(err, &over) {
			return raw, err
		}
	}
}

// limitError is the error of a schema that exceeds a limit.
type limitError struct{ text string }

func (e *limitError) Error() string { return e.text }

// writer writes one tool's parameters.
type writer struct {
	root    *object
	rounds  int
	entered map[*object]int // by target of a $ref: how many times it contains the current place
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

// pairs returns the work of searching each of a names among b.
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
		return nil, &limitError{fmt.Sprintf("with their $refs written out they have more than %d bytes; make the schema smaller", MaxBytes)}
	}
	return raw, nil
}
