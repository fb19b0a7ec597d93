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

// elicitation is a question of a server of an older protocol, whose handler waits.
type elicitation struct {
	params *mcp.ElicitParams
	answer chan *mcp.ElicitResult // room for one
}

// landing is how a call ended.
type landing struct {
	result *mcp.CallToolResult
	err    error
}

// flight is a call under way.
type flight struct {
	cancelled int // questions of the server that were answered for the user

	// Of a call that may be parked.
	ctx      context.Context //nolint:containedctx // of a call that outlives the run that made it
	end      context.CancelFunc
	elicit   chan *elicitation
	landed   chan landing  // room for one
	waits    *elicitation  // for the user
	dropped  chan struct{} // closed: nobody is asked for it any more
	told     chan struct{} // closed by tell: the server has been told that the call is cancelled
	tell     func()
	progress report
}

// flightKey is the key of a call that may be parked, in the context of its requests.
type flightKey struct{}

// cancelSent closes the call's told if ctx is that of the request that cancels a call. The SDK sends it
// with the values of the call's context, but without its end.
func cancelSent(ctx context.Context) {
	if f, _ := ctx.Value(flightKey{}).(*flight); f != nil && f.ctx.Err() != nil && ctx.Err() == nil {
		f.tell()
	}
}

// refuse answers a question that the user is not asked: the server goes on without.
func (f *flight) refuse() {
	f.cancelled++
	f.waits.answer <- &mcp.ElicitResult{Action: "cancel"}
}

// explained adds what the model should know of a call.
func (f *flight) explained(out tools.Outcome) tools.Outcome {
	if f != nil && f.cancelled > 0 && out.Error == nil && out.Question == nil {
		out.Result += "\n[The server wanted to ask the user something in the middle of this call. It cannot here, and was told that the user cancelled.]"
	}
	return out
}

// flights are the calls under way. Safe for concurrent use.
type flights struct {
	reports reports
	parking sync.WaitGroup // sessions of their own, and those that end

	mu      sync.Mutex
	shared  map[*flight]bool               // on the server's session
	private map[*mcp.ClientSession]*flight // those with a session of their own
	parked  map[string]*flight             // of them, those that wait for a user
	closed  bool                           // no more are parked
}

func newFlights() *flights {
	return &flights{shared: map[*flight]bool{}, private: map[*mcp.ClientSession]*flight{}, parked: map[string]*flight{}}
}

// board has a call under way on the server's session, until land is called.
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

// maxParked is how many calls of a server are held open at a time: each takes a connection, or a
// process.
const maxParked = 32

// park keeps a call that waits for a user; false: there are maxParked already, or dropAll has
// been called.
func (fl *flights) park(id string, f *flight) bool {
	fl.mu.Lock()
	defer fl.mu.Unlock()
	if fl.closed || len(fl.parked) == maxParked {
		return false
	}
	fl.parked[id] = f
	return true
}

// holds says whether a call is parked here.
func (fl *flights) holds(id string) bool {
	fl.mu.Lock()
	defer fl.mu.Unlock()
	return fl.parked[id] != nil
}

// answering answers a server's questions in place of the SDK, which would add the defaults of
// what the person skipped to what they accepted.
func (fl *flights) answering(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, r mcp.Request) (mcp.Result, error) {
		if e, ok := r.(*mcp.ElicitRequest); ok {
			return fl.elicited(ctx, e)
		}
		return next(ctx, method, r)
	}
}

// elicited answers a question that came inside a call: in one that may be parked it waits
// for the user, in others the answer is that the user cancelled. Which of those it came in
// cannot be known, so all calls under way are marked.
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

// begin begins a call that may be held open, which ends with its session. inform says that a
// server is told by a request of its own that the call is cancelled: the session, which ends
// after that, must not end before. Servers may wait for their calls when a session ends.
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

// take is the parked call, once; nil where there is none any more.
func (fl *flights) take(id string) *flight {
	fl.mu.Lock()
	defer fl.mu.Unlock()
	f := fl.parked[id]
	delete(fl.parked, id)
	return f
}

// drop ends a parked call that nobody goes on with. Its server, which may end it well when
// it learns that, has a moment for it; whatever else it asks is cancelled, too.
func (fl *flights) drop(id string) {
	if f := fl.take(id); f != nil {
		close(f.dropped)
		f.waits.answer <- &mcp.ElicitResult{Action: "cancel"}
		time.AfterFunc(terminate, f.end)
	}
}

// dropAll does so with all of them, for good.
func (fl *flights) dropAll() {
	fl.mu.Lock()
	fl.closed = true
	ids := slices.Collect(maps.Keys(fl.parked))
	fl.mu.Unlock()
	for _, id := range ids {
		fl.drop(id)
	}
}

// idle says that no call is under way.
func (fl *flights) idle() bool {
	fl.mu.Lock()
	defer fl.mu.Unlock()
	return len(fl.shared) == 0
}

// hangUp ends a session. Whether the server learns of it does not matter.
func hangUp(session *mcp.ClientSession) { _ = session.Close() }
