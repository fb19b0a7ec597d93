package mcptool

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tools/arguments"
	"github.com/askgate/askgate/tools/elicit"
)

const (
	// maxSheds is how often a call is made again that a busy server sent back without a
	// question, shedWait apart.
	maxSheds = 3
	shedWait = time.Second
	// maxRounds is how often one call may ask.
	maxRounds = 8
)

// Tool is a server's tools for one app. Safe for concurrent use.
type Tool struct {
	server  *server
	asking  Asking
	release func()
}

var (
	_ tools.Family   = (*Tool)(nil)
	_ tools.Checker  = (*Tool)(nil)
	_ tools.Repeater = (*Tool)(nil)
	_ tools.Timed    = (*Tool)(nil)
)

// Close lets go of the server.
func (t *Tool) Close() error {
	t.release()
	return nil
}

// Members implements tools.Family.
func (t *Tool) Members(string) []tools.Definition {
	<-t.server.first
	if r := t.server.roster.Load(); r != nil {
		return r.definitions
	}
	return nil
}

// Ready implements tools.Family.
func (t *Tool) Ready(ctx context.Context, name string) error {
	if t.server.roster.Load() == nil {
		ctx, cancel := context.WithTimeout(ctx, t.server.o.Timeout)
		defer cancel()
		if _, err := t.server.live(ctx); err != nil {
			return unreachable(err)
		}
	}
	if t.member(name) == nil {
		return tools.NotAvailable(name, t.names())
	}
	return nil
}

func (t *Tool) names() (names []string) {
	for _, d := range t.Members("") {
		names = append(names, d.Name)
	}
	return names
}

// member is nil where there is none.
func (t *Tool) member(name string) *member {
	if r := t.server.roster.Load(); r != nil {
		return r.byName[name]
	}
	return nil
}

// CheckArguments implements tools.Checker. It does not wait for the server's list: what
// an approval changes before that is there is checked when the call is made.
func (t *Tool) CheckArguments(call tools.Call) error {
	var schema *arguments.Schema // of any object
	if m := t.member(call.Name); m != nil {
		schema = m.schema
	}
	return schema.Check(call.Arguments)
}

// Repeatable implements tools.Repeater: what the server says of its tool. The admin chose
// the server.
func (t *Tool) Repeatable(call tools.Call) bool {
	m := t.member(call.Name)
	return m != nil && m.repeatable
}

// Timeout implements tools.Timed.
func (t *Tool) Timeout() time.Duration { return t.server.o.Timeout }

// Run implements tools.Tool: it makes the call, or makes it again with what the user
// answered.
func (t *Tool) Run(ctx context.Context, call tools.Call) (tools.Outcome, error) {
	m := t.member(call.Name)
	if m == nil {
		return tools.Outcome{}, unreachable(errDown)
	}
	canonical, err := arguments.Canonical(call.Arguments)
	if err != nil {
		return tools.Outcome{}, &tools.Error{Code: tools.CodeInvalidArguments, Message: err.Error()}
	}
	params := mcp.CallToolParams{Name: m.name, Arguments: json.RawMessage(canonical)}
	if call.Asked == nil {
		return t.call(ctx, call, params, 0)
	}
	asked, err := readState(call.Asked.Question.State)
	if err != nil {
		return tools.Outcome{}, err
	}
	out, err := t.goOn(ctx, call, params, asked)
	return withNote(out, call.Asked.Closing.Answer), err
}

// withNote hands the note of the person who answered on: the server has no place for it.
func withNote(out tools.Outcome, a *tools.Answer) tools.Outcome {
	if a != nil && a.Note != "" && out.Question == nil && out.Error == nil {
		out.Note = a.Note
	}
	return out
}

// goOn goes on with a call whose question has an answer.
func (t *Tool) goOn(ctx context.Context, call tools.Call, params mcp.CallToolParams, asked *state) (tools.Outcome, error) {
	responses, err := asked.responses(call.Asked.Question, call.Asked.Closing)
	if err != nil {
		return tools.Outcome{}, err
	}
	switch {
	case asked.Park != "":
		return t.unpark(ctx, call, asked, responses)
	case asked.Before && !accepted(responses):
		return tools.Outcome{}, &tools.Error{Code: tools.CodeToolFailed, Message: "The user did not open the page that the server wants visited first; the call was not made."}
	case !asked.Before:
		params.InputResponses, params.RequestState = responses, asked.RequestState
	}
	return t.call(ctx, call, params, asked.Round)
}

// call makes a call, and asks if the server does. round counts how often it has.
func (t *Tool) call(ctx context.Context, call tools.Call, params mcp.CallToolParams, round int) (tools.Outcome, error) {
	if t.parks(ctx) {
		return t.park(ctx, call, params, round)
	}
	progress := &report{to: call.Report}
	for shed := 0; ; shed++ {
		result, f, err := t.server.call(ctx, params, progress)
		switch wants := pageWanted(err); {
		case wants != nil:
			return t.ask(call, wants, round+1)
		case err != nil:
			return tools.Outcome{}, t.server.failed(ctx, err)
		case !result.NeedsInput():
			out, err := t.server.outcome(result)
			return f.explained(out), err
		case len(result.InputRequests) > 0:
			return t.ask(call, &state{RequestState: result.RequestState, requests: result.InputRequests}, round+1)
		case shed == maxSheds:
			return tools.Outcome{}, &tools.Error{Code: tools.CodeToolFailed, Message: "The server of this tool is busy. Try again later, or go on without."}
		}
		params.RequestState = result.RequestState
		select {
		case <-time.After(shedWait):
		case <-ctx.Done():
			return tools.Outcome{}, ctx.Err()
		}
	}
}

// flight is a call under way.
type flight struct {
	cancelled int // questions of the server that were answered for the user

	// Of a call that may be parked.
	ctx      context.Context //nolint:containedctx // of a call that outlives the run that made it
	end      context.CancelFunc
	elicit   chan *elicitation
	landed   chan landing // room for one
	waits    *elicitation // for the user
	progress report
}

// explained adds what the model should know of a call.
func (f *flight) explained(out tools.Outcome) tools.Outcome {
	if f != nil && f.cancelled > 0 && out.Error == nil && out.Question == nil {
		out.Result += "\n[The server wanted to ask the user something in the middle of this call. It cannot here, and was told that the user cancelled.]"
	}
	return out
}

// call makes a call on the session. One that the server has forgotten, with which the call
// was not made, is replaced once.
func (s *server) call(ctx context.Context, params mcp.CallToolParams, progress *report) (*mcp.CallToolResult, *flight, error) {
	f := &flight{}
	for again := true; ; again = false {
		session, err := s.live(ctx)
		if err != nil {
			return nil, nil, err
		}
		s.mu.Lock()
		s.flights[f] = true
		s.mu.Unlock()
		once := params // the SDK writes into it
		end := s.reports.expect(&once, progress)
		result, err := session.CallTool(ctx, &once)
		end()
		s.mu.Lock()
		delete(s.flights, f)
		s.mu.Unlock()
		if errors.Is(err, mcp.ErrSessionMissing) && again {
			s.lost(session)
			continue
		}
		return result, f, err
	}
}

// failed is the error of a call that came to no result.
func (s *server) failed(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			s.doubt(true)
		}
		return ctx.Err()
	}
	if refused := saidBy(err); refused != nil {
		return &tools.Error{
			Code:    tools.CodeToolFailed,
			Message: "The server of this tool refused the call. It says: " + tools.Shorten(elicit.Clean(s.redactor.Replace(tools.Clip(refused.Message, maxMessage))), maxSaid),
		}
	}
	s.doubt(false)
	return unreachable(err)
}

// unreachable is the error where the server is not there.
func unreachable(err error) *tools.Error {
	e := &tools.Error{
		Code:    tools.CodeToolFailed,
		Message: "The server of this tool cannot be reached, or did not answer as it should. Try again later, or go on without.",
	}
	if !errors.Is(err, errDown) { // which the server's loop has logged
		e.Cause = cause(err).Error()
	}
	return e
}
