package turn

import (
	"context"
	"log/slog"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/askgate/askgate/gateway/files"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/gateway/stream"
	"github.com/askgate/askgate/gateway/trace"
	"github.com/askgate/askgate/gateway/turn/run"
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
	// idempotencyLife is how long a key is remembered.
	idempotencyLife = 24 * time.Hour
	// sweepLimit is how many rows are looked at in one go.
	sweepLimit = 200
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

	runs     runs
	clock    clockWatch
	readable readables
	sources  sources
}

// WithLog has what is done under the context, beside a run, logged there.
func WithLog(ctx context.Context, log *slog.Logger) context.Context {
	return toolexec.WithLog(ctx, log)
}

// Drain refuses new turns from now on; running ones go on.
func (e *Engine) Drain() { e.node.Draining.Store(true) }

// Running is how many turns this node runs.
func (e *Engine) Running() int { return len(e.runs.running()) }
