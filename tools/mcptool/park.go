package mcptool

import (
	"context"
	"crypto/rand"
	"maps"
	"slices"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/askgate/askgate/tools"
)

// parkGrace is how much longer than its question a call is held open: an answer that was just
// in time still has to get there.
const parkGrace = 10 * time.Second

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

// asked answers a server's questions in place of the SDK, which would add the defaults of
// what the person skipped to what they accepted.
func (s *server) asked(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, r mcp.Request) (mcp.Result, error) {
		if e, ok := r.(*mcp.ElicitRequest); ok {
			return s.elicited(ctx, e)
		}
		return next(ctx, method, r)
	}
}

// elicited answers a question that came inside a call: in one that may be parked it waits
// for the user, in others the answer is that the user cancelled. Which of those it came in
// cannot be known, so all calls under way are marked.
func (s *server) elicited(ctx context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
	cancelled := &mcp.ElicitResult{Action: "cancel"}
	s.mu.Lock()
	f := s.private[r.Session]
	if f == nil {
		for f := range s.flights {
			f.cancelled++
		}
		s.mu.Unlock()
		return cancelled, nil
	}
	s.mu.Unlock()
	e := &elicitation{params: r.Params, answer: make(chan *mcp.ElicitResult, 1)}
	select {
	case f.elicit <- e:
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

// parks says whether calls of this server may be parked.
func (t *Tool) parks(ctx context.Context) bool {
	if t.server.o.Park == 0 {
		return false
	}
	session, err := t.server.live(ctx)
	return err == nil && session.InitializeResult().ProtocolVersion < stateless
}

// park makes a call that may be held open. It has a session of its own, so that what
// comes in there belongs to it, and does not end with the run.
func (t *Tool) park(ctx context.Context, call tools.Call, params mcp.CallToolParams, round int) (tools.Outcome, error) {
	s := t.server
	session, err := s.open(ctx)
	if err != nil {
		return tools.Outcome{}, s.failed(ctx, err)
	}
	return t.follow(ctx, call, s.begin(session, params, call.Report), round)
}

// begin begins a call that may be held open, which ends with its session.
func (s *server) begin(session *mcp.ClientSession, params mcp.CallToolParams, report func(tools.Progress)) *flight {
	f := &flight{elicit: make(chan *elicitation), landed: make(chan landing, 1)}
	f.progress.to = report
	f.ctx, f.end = context.WithCancel(context.Background())
	s.mu.Lock()
	defer s.mu.Unlock()
	s.private[session] = f
	s.parking.Go(func() {
		defer f.end()
		end := s.reports.expect(&params, &f.progress)
		result, err := session.CallTool(f.ctx, &params)
		end()
		f.landed <- landing{result, err}
		s.mu.Lock()
		delete(s.private, session)
		s.mu.Unlock()
		s.hangUp(session)
	})
	return f
}

// follow waits until a call that may be parked asks, or ends.
func (t *Tool) follow(ctx context.Context, call tools.Call, f *flight, round int) (tools.Outcome, error) {
	s := t.server
	f.progress.tellTo(call.Report)
	defer f.progress.tellTo(nil)
	for {
		select {
		case <-ctx.Done():
			f.end()
			return tools.Outcome{}, ctx.Err()
		case l := <-f.landed:
			if wants := pageWanted(l.err); wants != nil {
				return t.ask(call, wants, round+1)
			}
			if l.err != nil {
				return tools.Outcome{}, s.failed(ctx, l.err)
			}
			out, err := s.outcome(l.result)
			return f.explained(out), err
		case f.waits = <-f.elicit:
		}
		id := rand.Text()
		asked := &state{Park: id, requests: mcp.InputRequestMap{"": f.waits.params}}
		out, err := t.ask(call, asked, round+1)
		if err != nil { // the server goes on without
			f.cancelled++
			f.waits.answer <- &mcp.ElicitResult{Action: "cancel"}
			continue
		}
		out.Question.ExpiresIn = s.o.Park
		s.mu.Lock()
		s.parked[id] = f
		s.mu.Unlock()
		time.AfterFunc(s.o.Park+min(s.o.Park, parkGrace), func() { s.drop(id) })
		return out, nil
	}
}

// unpark goes on with a parked call.
func (t *Tool) unpark(ctx context.Context, call tools.Call, asked *state, responses mcp.InputResponseMap) (tools.Outcome, error) {
	f := t.server.take(asked.Park)
	answer, _ := responses[""].(*mcp.ElicitResult)
	if f == nil || answer == nil {
		return tools.Outcome{}, &tools.Error{
			Code: tools.CodeInterrupted,
			Message: "The user answered, but the call that asked is gone: it is held open for a limited time, and only where it began. " +
				"It may or may not have taken effect. Find out before you repeat it.",
		}
	}
	f.waits.answer <- answer
	return t.follow(ctx, call, f, asked.Round)
}

// take is the parked call, once; nil where there is none any more.
func (s *server) take(id string) *flight {
	s.mu.Lock()
	defer s.mu.Unlock()
	f := s.parked[id]
	delete(s.parked, id)
	return f
}

// drop ends a parked call that nobody goes on with. Its server, which may end it well when
// it learns that, has a moment for it.
func (s *server) drop(id string) {
	if f := s.take(id); f != nil {
		f.waits.answer <- &mcp.ElicitResult{Action: "cancel"}
		time.AfterFunc(terminate, f.end)
	}
}

// dropAll does so with all of them.
func (s *server) dropAll() {
	s.mu.Lock()
	ids := slices.Collect(maps.Keys(s.parked))
	s.mu.Unlock()
	for _, id := range ids {
		s.drop(id)
	}
}
