package run

import "github.com/askgate/askgate/gateway/chat"

// Streamed is the text that a dead run had streamed from a step that it did not store.
type Streamed struct{ Text, Thinking []byte }

// keepStreamed lets a run that was stopped before it wrote anything end with what the dead run
// before it had streamed, because people saw that. It is sent again, since the run began with
// step.restart.
func (r *Run) keepStreamed() {
	if len(r.draft.text) > 0 || len(r.draft.thought) > 0 {
		return
	}
	if s := &r.Streamed; len(s.Thinking) > 0 {
		r.draft.show(chat.EventThinking, s.Thinking)
	}
	if s := &r.Streamed; len(s.Text) > 0 {
		r.draft.show(chat.EventChunk, s.Text)
	}
}
