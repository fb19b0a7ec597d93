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
	maxCallID   = 256 // bytes; those of providers have up to 64
	maxToolName = 64  // what the strictest provider accepts in a history
)

// sanitize makes the model's calls fit to be stored and sent back: it gives them unique ids, names
// that providers accept, and arguments that are a JSON object, repaired if the model's server
// spoiled them. Everything that follows uses these arguments: what people are shown, what is sealed
// and what is run. Arguments that cannot be read become {}, and the call is Spoiled. known are ids
// of calls in the part of the chat that was not read. If the answer ended badly, there are no calls.
func (d *draft) sanitize(a *answer, known map[string]bool) []chat.ToolCall {
	if a.finish == model.FinishContentFilter || a.finish == model.FinishLength {
		return nil // a call may be cut off, and cannot be trusted
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
		if call.Arguments, repairs, err = arguments.Repair(c.Arguments); err != nil { // the tool reports what is wrong with them
			d.raw[id], call.Arguments, call.Spoiled = c.Arguments, "{}", true
		}
		if len(repairs) > 0 {
			d.repairs = append(d.repairs, repair{call.Name, repairs})
		}
		calls = append(calls, call)
	}
	return slices.Clip(calls)
}

// repair lists the repairs of a call's arguments.
type repair struct {
	tool  string
	kinds []string
}

// readAs returns the arguments with which the call is carried out. If they could not be read, the
// run that received them still has the original, so that the tool can say what is wrong. Any other
// run, after a crash, uses null, which no tool accepts.
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

// knownCalls returns which of the ids belong to calls in the part of the chat that was not read.
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
