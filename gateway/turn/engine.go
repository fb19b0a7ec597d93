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
	"github.com/askgate/askgate/tools/extract"
)

const (
	// leaseTTL is how long a node may be silent before others take over its turns: a few missed
	// heartbeats, and a fraction of the time that a person waits without wondering.
	leaseTTL = 6 * time.Second
	// stopWait bounds how long another node may take to stop its run before the turn is taken from it;
	// stopPoll is how often the store is checked meanwhile.
	stopWait = 2 * time.Second
	stopPoll = 50 * time.Millisecond
	// cancelWait bounds how long Cancel waits for a run of this node to end.
	cancelWait = 10 * time.Second
	// idempotencyLife is how long a key is remembered.
	idempotencyLife = 24 * time.Hour
	// sweepLimit is how many rows are read at a time.
	sweepLimit = 200
	// handOverWait bounds how long a run may take to give its turn up during a shutdown.
	handOverWait = 5 * time.Second
)

// Setup is a configuration and what was made from it.
type Setup = run.Setup

// Options are the parts that an engine works with.
type Options struct {
	Store    store.Store
	Hub      stream.Hub
	Executor *toolexec.Executor
	Files    files.Store     // nil: uploads are not accepted
	Extract  *extract.Reader // nil: models do not get the texts of PDF and DOCX files
	Setup    func() *Setup   // returns the current one
	// Text returns a localised text by its id.
	Text     func(language, id string, data map[string]any) string
	Registry prometheus.Registerer
	Traces   *trace.Tracer // nil: runs are not traced
	Log      *slog.Logger
	Node     string // identifies this process as the owner of turns
	Shared   bool   // other nodes may use the store, too
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

// WithLog makes what is done under the context, outside of runs, log to log.
func WithLog(ctx context.Context, log *slog.Logger) context.Context {
	return toolexec.WithLog(ctx, log)
}

// Drain refuses new turns from now on; running turns go on.
func (e *Engine) Drain() { e.node.Draining.Store(true) }

// Running returns the number of turns that this node runs.
func (e *Engine) Running() int { return len(e.runs.running()) }
