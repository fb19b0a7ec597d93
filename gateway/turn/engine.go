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
	"github.com/askgate/askgate/gateway/model"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/gateway/stream"
	"github.com/askgate/askgate/toolexec"
)

const (
	// leaseTTL is how long a run may be silent before another takes over.
	leaseTTL = 15 * time.Second
	// storeTimeout bounds one store update.
	storeTimeout = 10 * time.Second
	// cancelWait bounds how long Cancel waits for the run to end.
	cancelWait = 10 * time.Second
	// idempotencyLife is how long a key is remembered (contract 4).
	idempotencyLife = 24 * time.Hour
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
	Setup    func() *Setup // the one in force
	// Text is a localised text by its id.
	Text     func(language, id string, data map[string]any) string
	Registry prometheus.Registerer
	Log      *slog.Logger
	Node     string // names this process in leases
}

// Engine starts, answers and ends turns. Safe for concurrent use.
type Engine struct {
	Options
	metrics *metrics
	seed    maphash.Seed
	lanes   [laneCount]sync.Mutex

	draining atomic.Bool
	mu       sync.Mutex
	runs     map[string]*Run // driven here, by conversation id
	swept    chan struct{}   // bounds the runs that the sweeper drives
}

// New makes an engine. Sweep must run beside it.
func New(o Options) *Engine {
	return &Engine{
		Options: o, metrics: newMetrics(o.Registry), seed: maphash.MakeSeed(),
		runs: map[string]*Run{}, swept: make(chan struct{}, 32),
	}
}

// lane orders what happens to one chat in this process.
func (e *Engine) lane(ref chat.Ref) *sync.Mutex {
	return &e.lanes[maphash.Comparable(e.seed, ref)%laneCount]
}

// update is one bounded transaction. A lazy one is followed by another shortly.
func (e *Engine) update(ref chat.Ref, lazy bool, fn func(store.Tx) error) error {
	ctx, cancel := context.WithTimeout(context.Background(), storeTimeout)
	defer cancel()
	if lazy {
		return e.Store.UpdateLazily(ctx, ref, fn)
	}
	return e.Store.Update(ctx, ref, fn)
}

// register makes the run known to Cancel, the lease keeper and Shutdown.
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

func (e *Engine) running() []*Run {
	e.mu.Lock()
	defer e.mu.Unlock()
	runs := make([]*Run, 0, len(e.runs))
	for _, r := range e.runs {
		runs = append(runs, r)
	}
	return runs
}

// Cancel stops the chat's running turn and waits until it has ended. Nothing to
// stop is fine; a pending question stays answerable.
func (e *Engine) Cancel(ctx context.Context, ref chat.Ref) error {
	conversation, _, err := e.Store.Conversation(ctx, ref)
	if err != nil {
		return notFound(err)
	}
	e.stop(ctx, conversation.ID)
	return nil
}

func (e *Engine) stop(ctx context.Context, conversationID string) {
	e.mu.Lock()
	r := e.runs[conversationID]
	e.mu.Unlock()
	if r == nil {
		return
	}
	r.cancel(errStopped)
	ctx, cancel := context.WithTimeout(ctx, cancelWait)
	defer cancel()
	select {
	case <-r.ended:
	case <-ctx.Done():
	}
}

// Delete erases the chat and everything about it; a running turn is stopped first.
func (e *Engine) Delete(ctx context.Context, ref chat.Ref) error {
	view, err := e.Store.View(ctx, ref)
	if err != nil {
		return notFound(err)
	}
	e.stop(ctx, view.Conversation.ID)
	lane := e.lane(ref)
	lane.Lock()
	defer lane.Unlock()
	if err := e.Store.Delete(ctx, ref); err != nil {
		return notFound(err)
	}
	e.Hub.Erase(view.Conversation.ID)
	for _, c := range view.Pending() {
		e.metrics.resolved.WithLabelValues(ref.App, c.Question.InputType(), "cancelled").Inc()
	}
	return nil
}

// notFound makes the store's ErrNotFound the contract's.
func notFound(err error) error {
	if errors.Is(err, store.ErrNotFound) {
		return &chat.Error{Code: chat.CodeNotFound, Err: err}
	}
	return err
}

// Drain refuses new turns from now on; running ones go on.
func (e *Engine) Drain() { e.draining.Store(true) }

// Shutdown drains and waits for the running turns. Those that have not ended
// when ctx does are handed over: their lease is given back, so that another
// process goes on with them at once.
func (e *Engine) Shutdown(ctx context.Context) {
	e.Drain()
	for _, r := range e.running() {
		select {
		case <-r.ended:
		case <-ctx.Done():
			r.cancel(errHandover)
		}
	}
	for _, r := range e.running() {
		r.cancel(errHandover)
		select {
		case <-r.ended:
		case <-time.After(storeTimeout):
		}
	}
}
