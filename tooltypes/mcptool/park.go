package mcptool

import (
	"context"
	"crypto/rand"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/askgate/askgate/tools"
)

// parkGrace is how much longer than its question a call is held open, so that an answer at the
// last moment still reaches it.
const parkGrace = 10 * time.Second

// parks reports whether calls of this server may be parked.
func (t *Tool) parks(ctx context.Context) bool {
	if t.server.o.Park == 0 {
		return false
	}
	session, err := t.server.live(ctx)
	return err == nil && session.InitializeResult().ProtocolVersion < stateless
}

// park makes a call that may be held open. The call has a session of its own, so that what arrives
// on that session belongs to it, and it does not end with the run.
func (t *Tool) park(ctx context.Context, call tools.Call, params mcp.CallToolParams, round int) (tools.Outcome, error) {
	s := t.server
	session, err := s.open(ctx)
	if err != nil {
		return tools.Outcome{}, s.failed(ctx, err)
	}
	return t.follow(ctx, call, s.calls.begin(session, params, call.Report, s.o.Command == ""), round, nil)
}

// follow continues a call that may be parked until it asks or ends. answer is the answer to its
// last question, or nil.
func (t *Tool) follow(ctx context.Context, call tools.Call, f *flight, round int, answer *mcp.ElicitResult) (tools.Outcome, error) {
	s := t.server
	f.progress.tellTo(call.Report)
	defer f.progress.tellTo(nil)
	if answer != nil {
		f.waits.answer <- answer
	}
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
			out, err := s.speech.outcome(l.result)
			return f.explained(out), err
		case f.waits = <-f.elicit:
		}
		id := rand.Text()
		asked := &state{Park: id, requests: mcp.InputRequestMap{"": f.waits.params}}
		out, err := t.ask(call, asked, round+1)
		if err != nil { // the server goes on without an answer
			f.refuse()
			continue
		}
		out.Question.ExpiresIn = s.o.Park
		if !s.calls.park(id, f) {
			f.refuse()
			continue
		}
		if s.relay != nil {
			go t.hold(id, tools.Call{ID: call.ID, Name: call.Name, Language: call.Language}, asked.Round)
		}
		time.AfterFunc(s.o.Park+min(s.o.Park, parkGrace), func() { s.calls.drop(id) })
		return out, nil
	}
}

// unpark continues a parked call, here or on the node that holds it.
func (t *Tool) unpark(ctx context.Context, call tools.Call, asked *state, responses mcp.InputResponseMap) (tools.Outcome, error) {
	answer, _ := responses[""].(*mcp.ElicitResult)
	switch {
	case answer == nil:
		return tools.Outcome{}, errLost
	case t.server.relay != nil && !t.server.calls.holds(asked.Park):
		return t.passOn(ctx, asked.Park, answer)
	}
	return t.answered(ctx, call, asked.Park, asked.Round, answer)
}
