package turn

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/stream"
	"github.com/askgate/askgate/gateway/turn/run"
)

// streamed returns what the chat's newest run, on another node, has streamed since it last stored
// something, as far as the hub has it.
func (e *Engine) streamed(head *chat.Conversation) (s run.Streamed) {
	f := e.Hub.Follow(head.ID)
	defer f.Close()
	f.Seek(head.LastEvent)
	now, cancel := context.WithCancel(context.Background())
	cancel() // read only what the hub has already
	for {
		batch, err := f.Next(now)
		switch {
		case errors.Is(err, stream.ErrGap), errors.Is(err, stream.ErrLagged):
			return run.Streamed{} // without its beginning, it is of no use
		case err != nil:
			return s
		case batch.First.Fence == head.Fence && !batch.Transient:
			addStreamed(&s, &batch.Events)
		}
	}
}

// addStreamed adds the texts of events. Any other event ends or restarts the step.
func addStreamed(s *run.Streamed, events *stream.Events) {
	for i := range events.Len() {
		var piece string
		switch text, typ := events.Text(i); {
		case text == nil:
			*s = run.Streamed{}
		case json.Unmarshal(text, &piece) != nil:
		case typ == chat.EventChunk:
			s.Text = append(s.Text, piece...)
		default:
			s.Thinking = append(s.Thinking, piece...)
		}
	}
}
