package run

import (
	"context"
	"fmt"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/gateway/turn/prompt"
	"github.com/askgate/askgate/tools"
)

// toResult returns an outcome as the model reads it. The model knows only the arguments that it
// sent, so the changes and the note of the person who approved the call are added.
func (r *Run) toResult(callID string, o tools.Outcome) chat.ToolResult {
	note := ""
	if about := r.history.Allowed[callID]; about != nil {
		a := about.Answer
		if a.Arguments != nil {
			note = "\n" + tools.By(about.Holders()) + " changed the arguments of this call to " + string(a.Arguments)
		}
		switch said := about.Closing().Note(); {
		case said == "":
		case about.For != "":
			note += "\n" + said
		default:
			note += tools.Noted(said)
		}
	}
	if o.Error == nil {
		if o.Note != "" {
			note = tools.Noted(o.Note) + note
		}
		return chat.ToolResult{Content: o.Result + note, Fence: r.Record.Fence, Shown: r.shown(o.Content)}
	}
	e := *o.Error // a tool may return the same error again
	e.Message += note
	return chat.ErrorResult(&e, r.Record.Fence)
}

// settled adds stored results to the history, and publishes them.
func (r *Run) settled(ended []chat.Ended) {
	r.history.Settle(ended)
	r.rec.Flush()
}

// content counts the bytes of those parts of the chat's results that people are shown. Only the
// chat's run adds to them, so the store is asked only once.
type content struct {
	held    int64
	counted bool
}

// room returns how many more bytes the chat's results may hold.
func (c *content) room(r *Run) int64 {
	if !c.counted {
		ctx, cancel := context.WithTimeout(r.ctx, store.Timeout)
		defer cancel()
		held, err := r.store.ContentSize(ctx, r.Conversation.ID)
		if err != nil { // what is stored next will fail, too
			r.Log.Warn("cannot compute the size of a chat's tool results", "error", err)
			return 0
		}
		c.held, c.counted = held, true
	}
	return tools.MaxContentChat - c.held
}

// shown returns what a result shows people, with ids and addresses for the bytes that are kept, as
// long as the chat has room. Parts without room keep only their description.
func (r *Run) shown(parts []tools.Content) []tools.Content {
	for i := range parts {
		p := &parts[i]
		if p.Bytes == nil {
			continue
		}
		if r.content.room(r) < int64(p.Size) {
			r.Log.Warn("part of a tool result is dropped: the results stored for the chat are at their limit", "bytes", p.Size, "limit", tools.MaxContentChat)
			p.Bytes = nil
			continue
		}
		p.ID = chat.NewID("cnt")
		r.content.held += int64(p.Size)
	}
	chat.Locate(r.Conversation.Ref, parts)
	return parts
}

// cutShort reports whether a call had no outcome worth keeping when the run was cancelled.
func cutShort(o tools.Outcome) bool {
	return o.Question != nil || o.Error != nil && o.Error.Code == tools.CodeCancelled
}

// maxCalls is how many calls of one step are carried out: as many as one message of a prompt can
// have.
const maxCalls = prompt.MaxCalls

var tooMany = &tools.Error{
	Code:    tools.CodeCancelled,
	Message: fmt.Sprintf("This call was not run: only the first %d calls of one step are. Make it again if it is still needed.", maxCalls),
}
