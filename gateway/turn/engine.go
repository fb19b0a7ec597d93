package turn

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/gateway/files"
	"github.com/askgate/askgate/gateway/model"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/gateway/stream"
	"github.com/askgate/askgate/gateway/trace"
	"github.com/askgate/askgate/gateway/turn/metrics"
	"github.com/askgate/askgate/gateway/turn/run"
	"github.com/askgate/askgate/gateway/turn/tell"
	"github.com/askgate/askgate/gateway/turn/title"
	"github.com/askgate/askgate/gateway/turn/uploads"
	"github.com/askgate/askgate/toolexec"
)

const (
	// leaseTTL is how long a node may be silent before others take its turns over: a
	// few missed heartbeats, a fraction of what a person waits without wondering.
	leaseTTL = 6 * time.Second
	// stopWait bounds how long another node may take to stop its run, before the turn is
	// taken from it; stopPoll is how often the store is asked meanwhile.
	stopWait = 2 * time.Second
	stopPoll = 50 * time.Millisecond
	// cancelWait bounds how long Cancel waits for a run of this node to end.
	cancelWait = 10 * time.Second
	// idempotencyLife is how long a key is remembered (contract 4).
	idempotencyLife = 24 * time.Hour
	// sweepLimit is how many rows are looked at in one go.
	sweepLimit = 200
	// maxBackground is how many runs that no request drives go on at the same time:
	// taken over, resumed by an expiry, begun with a queued message.
	maxBackground = 128
	// handOverWait bounds how long a run may take to give its turn up at the end.
	handOverWait = 5 * time.Second
)

// Setup is one configuration with what was made from it.
type Setup = run.Setup

// Options are what an engine works with.
type Options struct {
	Store    store.Store
	Hub      stream.Hub
	Executor *toolexec.Executor
	Files    files.Store   // nil: none are taken
	Setup    func() *Setup // the one in force
	// Text is a localised text by its id.
	Text     func(language, id string, data map[string]any) string
	Registry prometheus.Registerer
	Traces   *trace.Tracer // nil: none are made
	Log      *slog.Logger
	Node     string // names this process as the owner of turns
	Shared   bool   // other nodes may work on the store
}

// Engine starts, answers and ends turns. Safe for concurrent use.
type Engine struct {
	Options
	Uploads *uploads.Keeper
	node    *run.Node

	mu    sync.Mutex
	runs  map[string]*run.Run // driven here, by conversation id
	slots chan struct{}       // of the runs that no request drives
	clock clockWatch

	unsure   bool // runs may have lost their turn, and could not be looked at; heartbeat's own
	readable readables
}

// New makes an engine and makes its node known to the store. Sweep must run beside it.
func New(ctx context.Context, o Options) (*Engine, error) {
	n := run.NewNode()
	n.Name, n.Store, n.Hub, n.Executor, n.Text = o.Node, o.Store, o.Hub, o.Executor, o.Text
	n.Metrics = metrics.New(o.Registry)
	n.Others = tell.Others{Node: o.Node, InForce: func() *config.Gateway { return &o.Setup().Config.Gateway }}
	n.Uploads = uploads.New(o.Store, o.Files, n.Update, o.Log)
	n.Titles = title.New(ctx, n.Update, o.Store.Now, o.Hub.Nudge, func(ctx context.Context, app, name string, usage model.Usage, failed error) {
		n.Metrics.Request(ctx, app, name, o.Setup().Config.Gateway.Models[name].Prices, usage, failed)
	})
	e := &Engine{Options: o, Uploads: n.Uploads, node: n, runs: map[string]*run.Run{}, slots: make(chan struct{}, maxBackground)}
	n.Ending, n.Ended = e.unregister, e.ended
	_, err := o.Store.Heartbeat(ctx, o.Node, leaseTTL)
	return e, err
}

// register makes the run known to Cancel, to the keeper of the leases and to Shutdown.
func (e *Engine) register(r *run.Run) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.runs[r.Conversation.ID] = r
}

func (e *Engine) unregister(r *run.Run) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.runs[r.Conversation.ID] == r {
		delete(e.runs, r.Conversation.ID)
	}
}

// registered is the run of that conversation, nil where this process drives none.
func (e *Engine) registered(conversationID string) *run.Run {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.runs[conversationID]
}

func (e *Engine) running() []*run.Run {
	e.mu.Lock()
	defer e.mu.Unlock()
	runs := make([]*run.Run, 0, len(e.runs))
	for _, r := range e.runs {
		runs = append(runs, r)
	}
	return runs
}

// WithLog has what is done under the context, beside a run, logged there.
func WithLog(ctx context.Context, log *slog.Logger) context.Context {
	return toolexec.WithLog(ctx, log)
}

// Drain refuses new turns from now on; running ones go on.
func (e *Engine) Drain() { e.node.Draining.Store(true) }

// Running is how many turns this node runs.
func (e *Engine) Running() int { return len(e.running()) }

// Shutdown drains and waits for the running turns. Those that have not ended
// when ctx does are handed over: their lease is given back, so that another
// process goes on with them at once.
func (e *Engine) Shutdown(ctx context.Context) {
	e.Drain()
	for _, r := range e.running() {
		select {
		case <-r.Done():
		case <-ctx.Done():
			r.Cancel(run.ErrHandover)
		}
	}
	for _, r := range e.running() {
		r.Cancel(run.ErrHandover)
		select {
		case <-r.Done():
		case <-time.After(handOverWait):
		}
	}
	e.node.Titles.Wait(ctx)
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), handOverWait)
	defer cancel()
	if _, err := e.Store.Heartbeat(last, e.Node, 0); err != nil {
		e.Log.Warn("leases not given up; they lapse by themselves", "error", err)
	}
}
