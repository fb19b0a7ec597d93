package upstream

import (
	"encoding/json"
	"strings"

	"github.com/askgate/askgate/gateway/model"
)

const (
	// MaxCalls is how many tool calls one answer may have: far more than a step may make,
	// so that each beyond that gets a result which says so.
	MaxCalls = 4096
	// maxArguments bounds the arguments of all calls in one answer, in bytes.
	maxArguments = 12 << 20
	// MaxName bounds ids and names in bytes; longer ones are cut, so that they
	// match no tool.
	MaxName = 256
	// cutMark makes arguments over the limit invalid JSON: a prefix of JSON may be JSON.
	cutMark = "…"
)

// Call is a tool call that grows in fragments.
type Call struct {
	ID, Name  string
	Arguments []byte
	cut       bool
}

// Add appends arguments, as far as the answer has room. size is the sum of all its calls'
// arguments so far, in bytes.
func (c *Call) Add(arguments string, size *int) {
	if room := maxArguments - *size; len(arguments) > room {
		arguments, c.cut = strings.ToValidUTF8(arguments[:room], ""), true // the cut may be inside a code point
	}
	c.Arguments = append(c.Arguments, arguments...)
	*size += len(arguments)
}

// Whole is the call with all its fragments.
func (c *Call) Whole() model.ToolCall {
	arguments := string(c.Arguments)
	if c.cut {
		arguments += cutMark
	}
	return model.ToolCall{ID: c.ID, Name: c.Name, Arguments: arguments}
}

// IsObject says that arguments are a JSON object, canonical or not.
func IsObject(arguments string) bool {
	return strings.HasPrefix(strings.TrimLeft(arguments, " \t\r\n"), "{") && json.Valid([]byte(arguments))
}

// CutName is s within MaxName bytes.
func CutName(s string) string {
	if len(s) <= MaxName {
		return s
	}
	return strings.ToValidUTF8(s[:MaxName], "") + cutMark
}
