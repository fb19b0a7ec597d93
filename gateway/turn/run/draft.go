package run

import (
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/model"
	"github.com/askgate/askgate/tools"
)

// draft is the step that the model writes, until it is stored.
type draft struct {
	run     *Run
	model   string            // asked last: the app's, or one of its fallbacks
	text    []byte            // so far
	thought []byte            // so far, as it is kept; of what is not shown, nothing
	full    bool              // thought has no room for the next piece
	raw     map[string]string // arguments that cannot be read, as the model sent them, by call id
	repairs []repair          // of the newest step's calls
	heard   bool              // the run's first text has come
	refused int               // requests for the step that were too long
	tooMuch bool              // the log was told of state that is not kept
}

// again begins the step once more, or the next one.
func (d *draft) again() { d.text, d.thought, d.full = d.text[:0], d.thought[:0], false }

// think keeps a piece of the thinking, as long as there is room: the beginning of a step's, without
// gaps.
func (d *draft) think(piece []byte) {
	if d.full {
		return
	}
	if room := chat.MaxThinking - len(d.thought); len(piece) > room {
		piece, d.full = []byte(tools.Clip(string(piece), room)), true
	}
	d.thought = append(d.thought, piece...)
}

// answer is what a model request came to.
type answer struct {
	size   int       // bytes of text and thinking that came
	first  time.Time // when the first piece came
	calls  []model.ToolCall
	finish model.FinishReason
	usage  model.Usage
	made   model.Made
	forgot bool // the server refused the state of the messages before
}

// begun says that a piece of it came.
func (a *answer) begun() bool { return a.size > 0 || len(a.calls) > 0 }
