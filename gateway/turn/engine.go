package turn

import (
	"context"
	"errors"
	"hash/maphash"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/files"
	"github.com/askgate/askgate/gateway/model"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/gateway/stream"
	"github.com/askgate/askgate/gateway/trace"
	"github.com/askgate/askgate/gateway/turn/tell"
	"github.com/askgate/askgate/gateway/turn/title"
	"github.com/askgate/askgate/gateway/turn/uploads"
	"github.com/askgate/askgate/toolexec"
)

const (
	// leaseTTL is how long a node may be silent before others take its turns over: a
	// few missed heartbeats, a fraction of what a person waits without wondering.
	leaseTTL = 6 * time.Second
	// storeTimeout bounds one store update. Stores have shorter bounds of their own; this
	// one also has to leave time to a node that was paused in the middle of it.
	storeTimeout = 30 * time.Second
	// readAgain is the pause before a chat is read again that could not be read.
	readAgain = 250 * time.Millisecond
	// stopWait bounds how long another node may take to stop its run, before the turn is
	// taken from it; stopPoll is how often the store is asked meanwhile.
	stopWait = 2 * time.Second
	stopPoll = 50 * time.Millisecond
	// cancelWait bounds how long Cancel waits for a run of this node to end.
	cancelWait = 10 * time.Second
	// idempotencyLife is how long a key is remembered (contract 4).
	idempotencyLife = 24 * time.Hour
	// maxBackground is how many runs that no request drives go on at the same time:
	// taken over, resumed by an expiry, begun with a queued message.
	maxBackground = 128
	// handOverWait bounds how long a run may take to give its turn up at the end.
	handOverWait = 5 * time.Second
	// laneCount is how many chats can commit at the same time.
	laneCount = 256
)

// Why a run's context ends early.
var (
	errStopped  = errors.New("turn: stopped by the user")
	errHandover = errors.New("turn: handed over, the process ends")
	errLost     = errors.New("turn: another run has the turn")
)

// Setup is one configuration with what was made from it.
type Setup struct {
	Config  *config.Snapshot
	Catalog *toolexec.Catalog
	Models  map[string]model.Model // by their name in the configuration
}

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
	metrics *metrics
	others  tell.Others
	seed    maphash.Seed
	lanes   [laneCount]sync.Mutex

	draining atomic.Bool
	doubt    atomic.Bool // an update failed: the store may have turns of this node that nobody drives
	mu       sync.Mutex
	runs     map[string]*Run // driven here, by conversation id
	slots    chan struct{}   // of the runs that no request drives
	titles   *title.Namer
}

// New makes an engine and makes its node known to the store. Sweep must run beside it.
func New(ctx context.Context, o Options) (*Engine, error) {
	e := &Engine{
		Options: o, metrics: newMetrics(o.Registry), seed: maphash.MakeSeed(),
		runs: map[string]*Run{}, slots: make(chan struct{}, maxBackground),
	}
	e.titles = title.New(ctx, e.update, o.Hub.Nudge, func(ctx context.Context, name string, usage model.Usage, failed error) {
		e.metrics.asked(ctx, name, usage, failed)
	})
	e.others = tell.Others{Node: o.Node, InForce: func() *config.Gateway { return &o.Setup().Config.Gateway }}
	e.Uploads = uploads.New(o.Store, o.Files, e.update, o.Log)
	_, err := o.Store.Heartbeat(ctx, o.Node, leaseTTL)
	return e, err
}

// lane orders what happens to one chat in this process.
func (e *Engine) lane(ref chat.Ref) *sync.Mutex {
	return &e.lanes[maphash.Comparable(e.seed, ref)%laneCount]
}

// update is one bounded transaction. A lazy one does not wait for the disk. point names
// it as a place at which tests make the process die.
func (e *Engine) update(ref chat.Ref, point string, lazy bool, fn func(store.Tx) error) error {
	update := e.Store.Update
	if lazy {
		update = e.Store.UpdateLazily
	}
	return e.bounded(point, func(ctx context.Context) error { return update(ctx, ref, fn) })
}

// bounded makes one update of the store.
func (e *Engine) bounded(point string, update func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(context.Background(), storeTimeout)
	defer cancel()
	reached(point + ".before")
	err := update(ctx)
	if err == nil {
		reached(point + ".after")
	} else if errors.Is(err, store.ErrUnavailable) || errors.Is(err, context.DeadlineExceeded) {
		e.doubt.Store(true)
	}
	return err
}

// register makes the run known to Cancel, to the keeper of the leases and to Shutdown.
func (e *Engine) register(r *Run) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.runs[r.conversation.ID] = r
}

func (e *Engine) unregister(r *Run) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.runs[r.conversation.ID] == r {
		delete(e.runs, r.conversation.ID)
	}
}

// registered is the run of that conversation, nil where this process drives none.
func (e *Engine) registered(conversationID string) *Run {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.runs[conversationID]
}

func (e *Engine) running() []*Run {
	e.mu.Lock()
	defer e.mu.Unlock()
	runs := make([]*Run, 0, len(e.runs))
	for _, r := range e.runs {
		runs = append(runs, r)
	}
	return runs
}
