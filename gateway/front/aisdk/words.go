package aisdk

import (
	"encoding/json"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/front"
	"github.com/askgate/askgate/gateway/host"
)

// writeWords asks a part of a question in words, without a run: in a message of its own, or in the
// one that the client goes on with. It is in a step of its own, which keeps the helpers from
// sending the failed call again.
func writeWords(c *host.Request, t *encoder, of *chat.Clarification, part int, another bool) error {
	if another {
		t.id = front.WordsID(of, part)
	}
	asked := chat.NewAsked(of)
	text, _ := json.Marshal(front.Words(c, &asked, part)) // a string always encodes
	frames := t.Text(t.Step(nil), text)
	frames = t.Done(frames, chat.Done{FinishReason: chat.FinishStop})
	c.Header().Set(version, "v1")
	front.Frames(c, frames)
	return nil
}
