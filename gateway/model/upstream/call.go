package upstream

import (
	"encoding/json"
	"strings"

	"github.com/askgate/askgate/gateway/model"
)

const (
	// MaxCalls is how many tool calls one answer may have. It is far above the limit of a step,
	// so that each call above that limit gets an error of its own.
	MaxCalls = 4096
	// maxArguments bounds the arguments of all calls in one answer, in bytes.
	maxArguments = 12 << 20
	// MaxName bounds ids and names in bytes. Longer ones are cut, and match no tool.
	MaxName = 256
	// cutMark makes cut arguments invalid JSON: without it, the prefix could be valid.
	cutMark = "…"
)

// Call is a tool call that grows in fragments.
type Call struct {
	ID, Name  string
	Arguments []byte
	cut       bool
}

// Add appends arguments, and cuts them at the limit of the answer. size is the number of bytes of
// all its calls' arguments so far.
func (c *Call) Add(arguments string, size *int) {
	if room := maxArguments - *size; len(arguments) > room {
		arguments, c.cut = strings.ToValidUTF8(arguments[:room], ""), true // the cut may be inside a code point
	}
	c.Arguments = append(c.Arguments, arguments...)
	*size += len(arguments)
}

// Whole returns the call with all its fragments.
func (c *Call) Whole() model.ToolCall {
	arguments := string(c.Arguments)
	if c.cut {
		arguments += cutMark
	}
	return model.ToolCall{ID: c.ID, Name: c.Name, Arguments: arguments}
}

// IsObject reports whether arguments are a JSON object, canonical or not.
func IsObject(arguments string) bool {
	return strings.HasPrefix(strings.TrimLeft(arguments, " \t\r\n"), "{") && json.Valid([]byte(arguments))
}

// CutName cuts s after MaxName bytes.
func CutName(s string) string {
	if len(s) <= MaxName {
		return s
	}
	return strings.ToValidUTF8(s[:MaxName], "") + cutMark
}
