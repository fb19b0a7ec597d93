package turn

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/model"
)

const (
	// maxArguments is up to where a call's arguments are kept as the model sent them,
	// in bytes; the tools refuse longer ones.
	maxArguments = 256 << 10
	maxCallID    = 256 // bytes; providers' own have up to 64
	maxToolName  = 64  // what the strictest provider accepts in a history
)

// sanitize makes the model's calls fit to be stored and sent back: unique ids,
// names that providers accept, arguments that are a JSON object.
func (r *Run) sanitize(a answer) []chat.ToolCall {
	if a.finish == model.FinishContentFilter {
		return nil
	}
	r.draft.raw = map[string]string{}
	calls := make([]chat.ToolCall, 0, len(a.calls))
	for _, c := range a.calls {
		id := c.ID
		if strings.TrimSpace(id) == "" || len(id) > maxCallID || r.taken(id) || !utf8.ValidString(id) || strings.ContainsFunc(id, unicode.IsControl) {
			id = chat.NewID("call")
		}
		r.draft.raw[id] = c.Arguments
		calls = append(calls, chat.ToolCall{ID: id, Name: toolName(c.Name), Arguments: objectArguments(c.Arguments)})
	}
	return slices.Clip(calls)
}

// taken says whether the chat, or this step, has a call with that id.
func (r *Run) taken(id string) bool {
	_, step := r.draft.raw[id]
	return step || r.history.calls[id] != nil
}

func toolName(name string) string {
	name = strings.Map(func(r rune) rune {
		if r == '_' || r == '-' || r < 0x80 && (unicode.IsLetter(r) || unicode.IsDigit(r)) {
			return r
		}
		return '_'
	}, strings.TrimSpace(name))
	if name == "" {
		return "unknown"
	}
	return name[:min(len(name), maxToolName)]
}

// objectArguments is the JSON object in s, also one inside a JSON string; {} where
// there is none.
func objectArguments(s string) string {
	if len(s) > maxArguments {
		return "{}"
	}
	var inner string
	if json.Unmarshal([]byte(s), &inner) == nil {
		s = inner
	}
	var compact bytes.Buffer
	if json.Compact(&compact, []byte(strings.ToValidUTF8(s, "\ufffd"))) != nil || compact.Bytes()[0] != '{' {
		return "{}"
	}
	return compact.String()
}
