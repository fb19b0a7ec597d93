package turn

import (
	"context"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/tools"
)

// shown is what a result shows people, with ids and addresses for the bytes that are kept:
// as far as the chat has room for them. The others are named, and gone.
func (r *Run) shown(parts []tools.Content) []tools.Content {
	for i := range parts {
		p := &parts[i]
		if p.Bytes == nil {
			continue
		}
		if r.room() < int64(p.Size) {
			r.log.Warn("a part of a tool's result is not kept, the chat has no room for it", "bytes", p.Size, "limit", tools.MaxContentChat)
			p.Bytes = nil
			continue
		}
		p.ID = chat.NewID("cnt")
		r.held += int64(p.Size)
	}
	chat.Locate(r.conversation.Ref, parts)
	return parts
}

// room is how many bytes more the chat's results may hold. Only this run adds to them, so
// what is stored is asked for once.
func (r *Run) room() int64 {
	if !r.counted {
		ctx, cancel := context.WithTimeout(r.ctx, storeTimeout)
		defer cancel()
		held, err := r.engine.Store.ContentSize(ctx, r.conversation.ID)
		if err != nil { // what is stored next will fail, too
			r.log.Warn("what a chat's results hold cannot be counted", "error", err)
			return 0
		}
		r.held, r.counted = held, true
	}
	return tools.MaxContentChat - r.held
}
