package run

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/model"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/tools/arguments"
)

const (
	maxCallID   = 256 // bytes; providers' own have up to 64
	maxToolName = 64  // what the strictest provider accepts in a history
)

// sanitize makes the model's calls fit to be stored and sent back: unique ids,
// names that providers accept, arguments that are a JSON object. known are ids that calls have
// which were not read. Behind a bad end there are none.
func (r *Run) sanitize(a answer, known map[string]bool) []chat.ToolCall {
	if a.finish == model.FinishContentFilter || a.finish == model.FinishLength {
		return nil // a call of theirs may be half of one, and nobody vouches for it
	}
	r.draft.raw = map[string]string{}
	calls, ids := make([]chat.ToolCall, 0, len(a.calls)), map[string]bool{}
	for _, c := range a.calls {
		id := c.ID
		if strings.TrimSpace(id) == "" || len(id) > maxCallID || ids[id] || known[id] || r.history.Calls[id] != nil || !utf8.ValidString(id) || strings.ContainsFunc(id, unicode.IsControl) {
			id = chat.NewID("call")
		}
		kept, err := arguments.Canonical(c.Arguments)
		if err != nil { // its tool says what is wrong with them, or repairs them
			r.draft.raw[id], kept = c.Arguments, inner(c.Arguments)
		}
		ids[id] = true
		calls = append(calls, chat.ToolCall{ID: id, Name: toolName(c.Name), Arguments: kept})
	}
	return slices.Clip(calls)
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

// stored is the one form of a call's arguments: canonical, or {} where they have no such
// form, and the call does not run.
func stored(sent string) string {
	if canonical, err := arguments.Canonical(sent); err == nil {
		return canonical
	}
	return inner(sent)
}

// inner is the object that s holds as a JSON string; {} where there is none.
func inner(s string) string {
	var text string
	if json.Unmarshal([]byte(s), &text) == nil {
		if canonical, err := arguments.Canonical(text); err == nil {
			return canonical
		}
	}
	return "{}"
}

// knownCalls are those of the ids that calls have which were not read.
func (r *Run) knownCalls(calls []model.ToolCall) (map[string]bool, error) {
	if r.history.First <= 1 {
		return nil, nil
	}
	ids := make([]string, 0, len(calls))
	for _, c := range calls {
		if len(c.ID) <= maxCallID {
			ids = append(ids, c.ID)
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), store.Timeout)
	defer cancel()
	known, err := r.node.Store.KnownCalls(ctx, r.Conversation.ID, ids)
	set := map[string]bool{}
	for _, id := range known {
		set[id] = true
	}
	return set, err
}
