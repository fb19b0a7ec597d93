package run

import (
	"context"
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

// sanitize makes the model's calls fit to be stored and sent back: unique ids, names that
// providers accept, arguments that are a JSON object, repaired where their server spoiled them.
// All that follows (what people are shown, what is sealed, what is run) has these arguments. Those
// that cannot be read are {} from here on, and the call is Spoiled. known are ids that calls have
// which were not read. Behind a bad end there are none.
func (d *draft) sanitize(a answer, known map[string]bool) []chat.ToolCall {
	if a.finish == model.FinishContentFilter || a.finish == model.FinishLength {
		return nil // a call of theirs may be half of one, and nobody vouches for it
	}
	d.raw, d.repairs = map[string]string{}, nil
	calls, ids := make([]chat.ToolCall, 0, len(a.calls)), map[string]bool{}
	for _, c := range a.calls {
		id := c.ID
		if strings.TrimSpace(id) == "" || len(id) > maxCallID || ids[id] || known[id] || d.run.history.Calls[id] != nil || !utf8.ValidString(id) || strings.ContainsFunc(id, unicode.IsControl) {
			id = chat.NewID("call")
		}
		ids[id] = true
		call := chat.ToolCall{ID: id, Name: toolName(c.Name)}
		var repairs []string
		var err error
		if call.Arguments, repairs, err = arguments.Repair(c.Arguments); err != nil { // its tool says what is wrong with them
			d.raw[id], call.Arguments, call.Spoiled = c.Arguments, "{}", true
		}
		if len(repairs) > 0 {
			d.repairs = append(d.repairs, repair{call.Name, repairs})
		}
		calls = append(calls, call)
	}
	return slices.Clip(calls)
}

// repair is what was repaired of a call's arguments.
type repair struct {
	tool  string
	kinds []string
}

// readAs are the arguments with which the call is carried out. Where they could not be read, the
// run that got them still has them, so that the tool can word what is wrong. Any other run, after
// a crash, has null in their place, which no tool takes.
func (d *draft) readAs(c *chat.ToolCall) string {
	if !c.Spoiled {
		return c.Arguments
	}
	if raw, ok := d.raw[c.ID]; ok {
		return raw
	}
	return "null"
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

// knownCalls are those of the ids that calls have which were not read.
func (d *draft) knownCalls(calls []model.ToolCall) (map[string]bool, error) {
	if d.run.history.First <= 1 {
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
	known, err := d.run.store.KnownCalls(ctx, d.run.Conversation.ID, ids)
	set := map[string]bool{}
	for _, id := range known {
		set[id] = true
	}
	return set, err
}
