package run

import (
	"context"
	"fmt"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/gateway/turn/prompt"
	"github.com/askgate/askgate/tools"
)

// toResult is an outcome as the model reads it. The model knows only the arguments that
// it sent, so what the person who allowed the call changed, or noted, is added.
func (r *Run) toResult(callID string, o tools.Outcome) chat.ToolResult {
	note := ""
	if about := r.history.Allowed[callID]; about != nil {
		a := about.Answer
		if a.Arguments != nil {
			note = "\n" + tools.By(about.For) + " changed the arguments of this call to " + string(a.Arguments)
		}
		switch {
		case a.Note == "":
		case about.For != "":
			note += "\n" + tools.NoteBy(about.For, a.Note)
		default:
			note += "\nNote: " + a.Note
		}
	}
	if o.Error == nil {
		if o.Note != "" {
			note = "\nNote: " + o.Note + note
		}
		return chat.ToolResult{Content: o.Result + note, Fence: r.Record.Fence, Shown: r.shown(o.Content)}
	}
	e := *o.Error // a tool may return the same one again
	e.Message += note
	return chat.ErrorResult(&e, r.Record.Fence)
}

// settled takes stored results in, and publishes them.
func (r *Run) settled(ended []chat.Ended) {
	r.history.Settle(ended)
	r.rec.Flush()
}

// content is how many bytes the chat's results hold that people are shown, once they are counted.
// Only the chat's run adds to them, so what is stored is asked for once.
type content struct {
	held    int64
	counted bool
}

// room is how many bytes more the chat's results may hold.
func (c *content) room(r *Run) int64 {
	if !c.counted {
		ctx, cancel := context.WithTimeout(r.ctx, store.Timeout)
		defer cancel()
		held, err := r.store.ContentSize(ctx, r.Conversation.ID)
		if err != nil { // what is stored next will fail, too
			r.Log.Warn("what a chat's results hold cannot be counted", "error", err)
			return 0
		}
		c.held, c.counted = held, true
	}
	return tools.MaxContentChat - c.held
}

// shown is what a result shows people, with ids and addresses for the bytes that are kept:
// as far as the chat has room for them. The others are named, and gone.
func (r *Run) shown(parts []tools.Content) []tools.Content {
	for i := range parts {
		p := &parts[i]
		if p.Bytes == nil {
			continue
		}
		if r.content.room(r) < int64(p.Size) {
			r.Log.Warn("a part of a tool's result is not kept, the chat has no room for it", "bytes", p.Size, "limit", tools.MaxContentChat)
			p.Bytes = nil
			continue
		}
		p.ID = chat.NewID("cnt")
		r.content.held += int64(p.Size)
	}
	chat.Locate(r.Conversation.Ref, parts)
	return parts
}

// cutShort says that a call came to nothing worth keeping when the run was cancelled.
func cutShort(o tools.Outcome) bool {
	return o.Question != nil || o.Error != nil && o.Error.Code == tools.CodeCancelled
}

// maxCalls is how many calls of one step are carried out: as many as stand in one message.
const maxCalls = prompt.MaxCalls

var tooMany = &tools.Error{
	Code:    tools.CodeCancelled,
	Message: fmt.Sprintf("This call was not run: only the first %d calls of one step are. Make it again if it is still needed.", maxCalls),
}
