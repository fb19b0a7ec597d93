package mcptool

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/askgate/askgate/tools"
)

// elicitation is a question of a server with an older protocol. Its handler waits for answer.
type elicitation struct {
	params *mcp.ElicitParams
	answer chan *mcp.ElicitResult // room for one
}

// landing is the end of a call.
type landing struct {
	result *mcp.CallToolResult
	err    error
}

// flight is a call under way.
type flight struct {
	cancelled int // questions of the server that were cancelled without asking the user

	// The rest is only set for a call that may be parked.
	ctx      context.Context //nolint:containedctx // of a call that outlives the run that made it
	end      context.CancelFunc
	elicit   chan *elicitation
	landed   chan landing  // room for one
	waits    *elicitation  // waits for the user's answer
	dropped  chan struct{} // closed: the user is not asked any more
	told     chan struct{} // closed by tell: the server has been notified that the call is cancelled
	tell     func()
	progress report
}

// flightKey is the context key under which the requests of a call find its flight.
type flightKey struct{}

// cancelSent closes the flight's told if ctx belongs to the request that cancels a call. The SDK
// sends that request with the values of the call's context, but without its cancellation.
func cancelSent(ctx context.Context) {
	if f, _ := ctx.Value(flightKey{}).(*flight); f != nil && f.ctx.Err() != nil && ctx.Err() == nil {
		f.tell()
	}
}

// refuse cancels a question that the user cannot be asked. The server goes on without an answer.
func (f *flight) refuse() {
	f.cancelled++
	f.waits.answer <- &mcp.ElicitResult{Action: "cancel"}
}

// explained adds a note for the model to the result of a call that asked without an answer.
func (f *flight) explained(out tools.Outcome) tools.Outcome {
	if f != nil && f.cancelled > 0 && out.Error == nil && out.Question == nil {
		out.Result += "\n[The server wanted to ask the user something during this call. That is not possible here; it was told that the user cancelled.]"
	}
	return out
}

// flights holds the calls under way. It is safe for concurrent use.
type flights struct {
	reports reports
	most    int            // that can be parked at a time
	parking sync.WaitGroup // calls with a session of their own, and sessions that are ending

	mu      sync.Mutex
	shared  map[*flight]bool               // calls on the server's session
	private map[*mcp.ClientSession]*flight // calls with a session of their own
	parked  map[string]*flight             // of these, the ones that wait for a user
	closed  bool                           // no more calls can be parked
}

func newFlights() *flights {
	return &flights{most: maxParked, shared: map[*flight]bool{}, private: map[*mcp.ClientSession]*flight{}, parked: map[string]*flight{}}
}

// board registers a call on the server's session. land removes it.
func (fl *flights) board(f *flight, params *mcp.CallToolParams, of *report) (land func()) {
	end := fl.reports.expect(params, of)
	fl.mu.Lock()
	defer fl.mu.Unlock()
	fl.shared[f] = true
	return func() {
		end()
		fl.mu.Lock()
		defer fl.mu.Unlock()
		delete(fl.shared, f)
	}
}

// maxParked is how many calls of a server can be held open at a time. Each takes a connection or a
// process.
const maxParked = 32

// park keeps a call that waits for a user. It returns false if most calls are parked, or after
// dropAll.
func (fl *flights) park(id string, f *flight) bool {
	fl.mu.Lock()
	defer fl.mu.Unlock()
	if fl.closed || len(fl.parked) == fl.most {
		return false
	}
	fl.parked[id] = f
	return true
}

// holds reports whether a call is parked on this node.
func (fl *flights) holds(id string) bool {
	fl.mu.Lock()
	defer fl.mu.Unlock()
	return fl.parked[id] != nil
}

// answering answers a server's questions in place of the SDK, which would add the defaults of
// skipped fields to an accepted answer.
func (fl *flights) answering(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, r mcp.Request) (mcp.Result, error) {
		if e, ok := r.(*mcp.ElicitRequest); ok {
			return fl.elicited(ctx, e)
		}
		return next(ctx, method, r)
	}
}

// elicited answers a question that arrives during a call. If the call may be parked, it waits for
// the user. Otherwise it answers that the user cancelled; since it cannot know which of the calls
// on the shared session asked, it marks all of them.
func (fl *flights) elicited(ctx context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
	cancelled := &mcp.ElicitResult{Action: "cancel"}
	fl.mu.Lock()
	f := fl.private[r.Session]
	if f == nil {
		for f := range fl.shared {
			f.cancelled++
		}
		fl.mu.Unlock()
		return cancelled, nil
	}
	fl.mu.Unlock()
	e := &elicitation{params: r.Params, answer: make(chan *mcp.ElicitResult, 1)}
	select {
	case f.elicit <- e:
	case <-f.dropped:
		return cancelled, nil
	case <-f.ctx.Done():
		return cancelled, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	select {
	case answer := <-e.answer:
		return answer, nil
	case <-f.ctx.Done():
		return cancelled, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// begin begins a call that may be held open, on a session of its own that ends with it. inform is
// set if the server learns by a separate request that a call is cancelled. The session must not
// end before that request is sent, because servers may wait for their calls when a session ends.
func (fl *flights) begin(session *mcp.ClientSession, params mcp.CallToolParams, report func(tools.Progress), inform bool) *flight {
	f := &flight{elicit: make(chan *elicitation), landed: make(chan landing, 1), dropped: make(chan struct{}), told: make(chan struct{})}
	f.tell = sync.OnceFunc(func() { close(f.told) })
	f.progress.to = report
	f.ctx, f.end = context.WithCancel(context.WithValue(context.Background(), flightKey{}, f))
	fl.mu.Lock()
	defer fl.mu.Unlock()
	fl.private[session] = f
	fl.parking.Go(func() {
		defer f.end()
		end := fl.reports.expect(&params, &f.progress)
		result, err := session.CallTool(f.ctx, &params)
		end()
		f.landed <- landing{result, err}
		fl.mu.Lock()
		delete(fl.private, session)
		fl.mu.Unlock()
		if inform && f.ctx.Err() != nil {
			select {
			case <-f.told:
			case <-time.After(terminate):
			}
		}
		hangUp(session)
	})
	return f
}

// take removes a parked call and returns it, or nil if it is not parked any more.
func (fl *flights) take(id string) *flight {
	fl.mu.Lock()
	defer fl.mu.Unlock()
	f := fl.parked[id]
	delete(fl.parked, id)
	return f
}

// drop ends a parked call that will not be continued. It cancels the server's question, and all
// that it asks after that. The server then has the time terminate to end the call properly.
func (fl *flights) drop(id string) {
	if f := fl.take(id); f != nil {
		close(f.dropped)
		f.waits.answer <- &mcp.ElicitResult{Action: "cancel"}
		time.AfterFunc(terminate, f.end)
	}
}

// dropAll drops all parked calls. No call can be parked after it.
func (fl *flights) dropAll() {
	fl.mu.Lock()
	fl.closed = true
	ids := slices.Collect(maps.Keys(fl.parked))
	fl.mu.Unlock()
	for _, id := range ids {
		fl.drop(id)
	}
}

// idle reports whether no call is under way on the server's session.
func (fl *flights) idle() bool {
	fl.mu.Lock()
	defer fl.mu.Unlock()
	return len(fl.shared) == 0
}

// over reports whether no call is under way at all.
func (fl *flights) over() bool {
	fl.mu.Lock()
	defer fl.mu.Unlock()
	return len(fl.shared)+len(fl.private)+len(fl.parked) == 0
}

// hangUp ends a session. It ignores errors: the server need not learn of it.
func hangUp(session *mcp.ClientSession) { _ = session.Close() }
