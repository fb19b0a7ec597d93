package turn

import (
	"context"
	"errors"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/stream"
	"github.com/askgate/askgate/gateway/trace"
	"github.com/askgate/askgate/gateway/turn/budget"
	"github.com/askgate/askgate/gateway/turn/earlier"
	"github.com/askgate/askgate/gateway/turn/history"
	"github.com/askgate/askgate/gateway/turn/prompt"
)

// Run is one uninterrupted stretch of a turn. It is driven by one goroutine;
// cancel and ended are for the others.
type Run struct {
	engine *Engine
	setup  *Setup
	app    *config.App

	conversation chat.Conversation
	before       chat.EventID // the chat's last event before the run
	opening      chat.Opening
	turn         chat.Turn
	record       chat.Run         // stored at the run's end
	history      *history.History // nil until it is read
	prompt       prompt.Builder   // what models are sent
	earlier      earlier.Answers  // of the chat's owner

	started time.Time
	ctx     context.Context
	cancel  context.CancelCauseFunc
	ended   chan struct{}

	rec    *stream.Recorder
	untold atomic.Bool // programs asked or said something meanwhile
	draft  draft       // of the step that the model writes
	tokens tokens
	// held is how many bytes the chat's results hold, once they are counted.
	held     int64
	counted  bool
	trace    *trace.Run // nil: none is made
	log      *slog.Logger
	result   chat.Result
	formless bool // the app's form is not asked, or not again
}

// tokens is what a run knows of its principal's budgets.
type tokens struct {
	budgets   []budget.Budget    // when the run began
	spent     *budget.SpentError // one of them is used up: the model is not asked
	uncharged int64              // tokens used since the last commit
}

// errDone ends the loop after a done.
var errDone = errors.New("turn: run is over")

// TurnID is the turn that the run belongs to.
func (r *Run) TurnID() string { return r.turn.ID }

func (r *Run) assistant(text string, calls []chat.ToolCall) chat.Message {
	return chat.Message{
		ID: chat.NewID("msg"), TurnID: r.turn.ID, Fence: r.record.Fence, Role: chat.RoleAssistant,
		Content: text, ToolCalls: calls, CreatedAt: time.Now(),
	}
}

func (r *Run) recordDone(reason chat.FinishReason) {
	r.rec.Event(chat.Event{Type: chat.EventDone, Data: chat.Done{
		ChatID: r.conversation.ChatID, TurnID: r.turn.ID, FinishReason: reason, Usage: r.record.Usage,
	}})
}

// askEvent records a question, and that it is the run's result if it is the first.
func (r *Run) askEvent(c *chat.Clarification) {
	asked := chat.NewAsked(c)
	r.rec.Event(chat.Event{Type: chat.EventClarification, Data: asked})
	if r.result.Clarification == nil {
		r.result.Clarification = &asked
	}
}
