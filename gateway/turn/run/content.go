package run

import (
	"context"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/tools"
)

// content is how many bytes the chat's results hold that people are shown, once they are counted.
// Only the chat's run adds to them, so what is stored is asked for once.
type content struct {
	held    int64
	counted bool
}

// room is how many bytes more the chat's results may hold.
func (c *content) room(r *Run) int64 {
	if !c.counted {
		ctx, cancel := context.WithTimeout(r.ctx, StoreTimeout)
		defer cancel()
		held, err := r.node.Store.ContentSize(ctx, r.Conversation.ID)
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
