// Package run carries a turn on without interruption: from its stored state to a question, to the
// turn's end, or until the process ends. Stored state decides each step, so another run, in any
// process, can go on from wherever one ended. Steps do not know each other.
//
//	Begin ── Drive ── load: read the chat (package history)
//	                   │
//	                   v
//	           next: what does the stored state ask for?
//	            │
//	            ├─ closed questions without a result ── settle: Resume, store results
//	            ├─ calls without a result ──────────── call: run them, store results;
//	            │                                       a question: store it, PAUSE
//	            ├─ variables of the app are unknown ── askForm: store a question, PAUSE
//	            ├─ all calls have results ──────────── step: ask the model, store its message
//	            └─ steps used up, or a step without calls ─ END
//
// # Where to look
//
//	what comes next    drive.go
//	asking the model   step.go; sanitize.go makes its calls fit to be stored, state.go keeps the state
//	                   that goes back to the model
//	running tools      calls.go, journal.go, result.go; progress.go announces how far they have come
//	asking people      question.go; form.go for the variables of the app's prompts
//	their answers      settle.go
//	failures           failed.go
//	what is stored     commit.go; patience.go waits for a store that is away; node.go holds what all
//	                   runs of a process share
//
// # What it owns
//
// A run owns the turn's rows as long as no newer run has the chat. Each commit compares the run's
// fence and the last event that the run knows to be stored; if they differ, the run has lost the
// turn (ErrLost). So has a run that cannot know whether its commit was made. If the store is away,
// the run waits (patience.go). A run records its events, commits what they announce, and only then
// publishes them. Text is the exception: it is published as it comes, and stored at the step's end.
//
// # Calls
//
// Results are stored before the next step. A call that must not run twice is marked before it runs,
// and its result is stored when it ends, each separately. If a dead run has marked a call and stored
// no result, the model gets an error that the call was interrupted, and it does not run again.
//
// A call that a person has approved is an open call like any other: settle makes no result of the
// approval, and call runs it because a stored clarification for its id is approved. So the journal
// covers it too, and a crash in between changes nothing.
//
// A tool may also ask a person in the middle of a call (tools.Question.State). The update that
// stores the question removes the call's mark. When the question is answered, the call runs again,
// with the question and its answer, and may ask once more.
//
// An approval may be remembered for its tool (chat.Clarification.Remembered). The answer sets this;
// a later refusal or a revocation removes it. Each call looks it up in the store right before it
// begins, so a revocation takes effect at once on every node.
package run

import (
	"context"
	"errors"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/model"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/gateway/stream"
	"github.com/askgate/askgate/gateway/trace"
	"github.com/askgate/askgate/gateway/turn/budget"
	"github.com/askgate/askgate/gateway/turn/history"
	"github.com/askgate/askgate/gateway/turn/prompt"
	"github.com/askgate/askgate/gateway/turn/reuse"
	"github.com/askgate/askgate/toolexec"
	"github.com/askgate/askgate/tools"
)

// Setup is a configuration and what was made from it.
type Setup struct {
	Config  *config.Snapshot
	Catalog *toolexec.Catalog
	Models  map[string]model.Model // by their names in the configuration
}

// Start is the stored state with which a run begins. The rows change as the run goes on.
type Start struct {
	Setup        *Setup
	App          *config.App
	Conversation chat.Conversation
	Turn         chat.Turn
	Record       chat.Run           // stored when the run ends
	Before       chat.EventID       // the chat's last event before the run
	Begun        *chat.Rows         // what was stored when the run began; nil once it is announced
	Only         *chat.Message      // the only message of a chat that began with it; nil if there are others, or once the run has read it
	ClientTools  []tools.Definition // tools that the client brought with the command
	Claims       map[string]string  // of the caller's token, if they came with the command; otherwise they are read with the chat
	Left         []budget.Budget    // of the chat's owner
	Spent        *budget.SpentError // the budget that is used up: the model is not asked
	Streamed     Streamed           // by the dead run before this one, in case this run is stopped at once
	At           time.Time
	Trace        *trace.Run // nil if runs are not traced
	Log          *slog.Logger
}

// Run is one uninterrupted stretch of a turn. One goroutine drives it; Cancel, Done, Unpublished and
// Queued are for all others.
type Run struct {
	Start
	node  *Node
	store *patient

	// How it ends.
	ctx         context.Context
	cancel      context.CancelCauseFunc
	ended       chan struct{}
	Unpublished atomic.Bool // programs have asked or said something meanwhile
	Queued      atomic.Bool // messages wait for the end of the turn

	// What it knows.
	known   chat.EventID     // the chat's last stored event
	history *history.History // nil until it is read
	loan    *history.Loan    // what it began with; nil: it read nothing, or has returned it
	prompt  prompt.Builder   // makes the requests to models
	earlier reuse.Answers    // of the chat's owner

	// What is not stored yet, and what counts against limits.
	draft     draft // the step that the model is writing
	asking    asking
	uncharged int64 // tokens used since the last commit
	content   content

	// What it announces.
	rec      *stream.Recorder
	opening  func() // waits until the opening events are written; nil: they are
	result   chat.Result
	progress *progress // of the step's calls; nil before the first
	paced    time.Time // no progress event may be sent before this time
}

// Why a run ends early.
var (
	ErrStopped  = errors.New("turn: stopped by the user")
	ErrHandover = errors.New("turn: handed over, the process ends")
	ErrLost     = errors.New("turn: this run has lost the turn to another")
)

// errDone ends the loop after the done event.
var errDone = errors.New("turn: run is over")

// Begin returns a new run, which must be driven or, if it is already over, announced (Announce).
func (n *Node) Begin(s Start) *Run {
	r := &Run{Start: s, node: n, store: &patient{Store: n.Store}, known: s.Conversation.LastEvent, ended: make(chan struct{})}
	r.draft.run, r.asking.run = r, r
	r.ctx, r.cancel = context.WithCancelCause(toolexec.WithLog(context.Background(), r.Log))
	r.earlier = reuse.Answers{
		App: r.App, Catalog: r.Setup.Catalog, Conversation: &r.Conversation, Turn: &r.Turn,
		Past:     reuse.NewPast(r.store, r.Log),
		Memory:   reuse.NewMemory(r.store, &r.Conversation, r.App.Clarifications.SecretWords, r.Log),
		Repeated: func(how string) { n.Metrics.Repeats.WithLabelValues(r.App.ID, how).Inc() },
	}
	r.earlier.Memory.Stood = r.prompt.Stood
	r.prompt.Source = prompt.Source{
		Config: r.Setup.Config, Catalog: r.Setup.Catalog, App: r.App, Conversation: &r.Conversation, Turn: &r.Turn,
		Memories: r.earlier.Memory.List, File: n.Uploads.Bytes, Extracted: n.Uploads.Text, Extent: r.store.Extent, Log: r.Log,
		LeftOut: func(turns, tokens int64) {
			n.Metrics.Trimmed.WithLabelValues(r.App.ID).Add(float64(turns))
			n.Metrics.LeftOut.WithLabelValues(r.App.ID).Add(float64(tokens))
		},
	}
	if s.Only != nil { // there is nothing else to read
		r.read(&store.Recent{View: store.View{Messages: []chat.Message{*s.Only}}, First: 1, Last: 1, ClientTools: s.ClientTools})
		r.Only = nil
	}
	return r
}

// read takes the chat as read from the store.
func (r *Run) read(recent *store.Recent) {
	who := tools.Caller{Tenant: r.Conversation.Tenant, Subject: r.Conversation.Subject, App: r.App.ID, Chat: r.Conversation.ChatID, Claims: r.Claims}
	r.node.Claims.Open(recent.Caller, &who)
	r.use(r.Setup.Catalog.As(r.App.ID, who))
	if len(recent.ClientTools) > 0 {
		r.use(r.Setup.Catalog.With(r.App.ID, recent.ClientTools))
		r.prompt.Brought = true
	}
	r.history = history.New(recent)
	r.earlier.History = r.history
	r.prompt.Read(r.ctx, r.history, recent.Questions, recent.Basis)
}

// use makes the run use another catalog: for the turn's caller, or with the tools of its client.
func (r *Run) use(catalog *toolexec.Catalog) {
	if catalog == r.Setup.Catalog {
		return
	}
	setup := *r.Setup
	setup.Catalog = catalog
	r.Setup, r.earlier.Catalog, r.prompt.Catalog = &setup, catalog, catalog
}

// Cancel ends the run early. Done is closed when it has ended.
func (r *Run) Cancel(cause error) { r.cancel(cause) }

// Done returns a channel that is closed when the run has ended.
func (r *Run) Done() <-chan struct{} { return r.ended }

// TurnID returns the id of the turn that the run belongs to.
func (r *Run) TurnID() string { return r.Turn.ID }

// assistant returns a message with a text that was shown, and the thinking so far.
func (r *Run) assistant(text string, calls []chat.ToolCall) chat.Message {
	return chat.Message{
		ID: chat.NewID("msg"), TurnID: r.Turn.ID, Fence: r.Record.Fence, Role: chat.RoleAssistant,
		Content: text, ToolCalls: calls, CreatedAt: r.node.Store.Now(), Thinking: string(r.draft.thought),
		Seq: r.rec.Last().Seq, Spans: r.draft.came(),
	}
}
