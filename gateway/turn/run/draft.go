package run

import (
	"slices"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/model"
	"github.com/askgate/askgate/tools"
)

// draft is the step that the model is writing, until it is stored.
type draft struct {
	run     *Run
	model   string            // the model asked last: the app's, or one of its fallbacks
	text    []byte            // so far
	thought []byte            // so far, as it is kept; empty if thinking is not shown
	full    bool              // thought has no room for another piece
	spans   []int             // see chat.Message.Spans
	raw     map[string]string // arguments that cannot be read, as the model sent them, by call id
	repairs []repair          // of the newest step's calls
	heard   bool              // the run's first text has come
	refused int               // requests for the step that were refused as too long
	tooMuch bool              // the log already has that state is not kept
}

// again empties the draft, to begin the step once more or to begin the next one.
func (d *draft) again() {
	d.text, d.thought, d.full, d.spans = d.text[:0], d.thought[:0], false, d.spans[:0]
}

// show records a piece of the step's text or thinking, and adds it to the draft.
func (d *draft) show(typ chat.EventType, piece []byte) {
	d.run.rec.Chunk(typ, piece)
	odd := 0 // spans alternate: thinking has the even indexes
	if typ == chat.EventChunk {
		odd = 1
		d.text = append(d.text, piece...)
	} else {
		d.think(piece)
	}
	for len(d.spans) == 0 || len(d.spans)%2 == odd {
		d.spans = append(d.spans, 0)
	}
	d.spans[len(d.spans)-1] += len(piece)
}

// came returns the spans of the step's message.
func (d *draft) came() []int {
	all, usual := d.spans, []int{len(d.thought), len(d.text)}
	if len(all) <= len(usual) && slices.Equal(all, usual[:len(all)]) {
		return nil
	}
	return slices.Clone(all)
}

// think keeps a piece of the thinking as long as there is room: what is kept is the beginning of a
// step's thinking, without gaps.
func (d *draft) think(piece []byte) {
	if d.full {
		return
	}
	if room := chat.MaxThinking - len(d.thought); len(piece) > room {
		piece, d.full = []byte(tools.Clip(string(piece), room)), true
	}
	d.thought = append(d.thought, piece...)
}

// answer is the outcome of a model request.
type answer struct {
	size   int       // bytes of text and thinking received
	first  time.Time // when the first piece came
	calls  []model.ToolCall
	finish model.FinishReason
	usage  model.Usage
	made   model.Made
	forgot bool // the server refused the state of the messages before
}

// begun reports whether any part of the answer came.
func (a *answer) begun() bool { return a.size > 0 || len(a.calls) > 0 }
