package mcptool

import (
	"context"
	"encoding/json"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tools/arguments"
)

const (
	// maxSheds is how many times a call is made again, shedWait apart, if a busy server sends it
	// back without a question.
	maxSheds = 3
	shedWait = time.Second
)

// Run implements tools.Tool. It makes the call, or continues it with the user's answer.
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

// withNote adds the note of the person who answered to the outcome, since the protocol has no
// field for it.
func withNote(out tools.Outcome, a *tools.Answer) tools.Outcome {
	if a != nil && a.Note != "" && out.Question == nil && out.Error == nil {
		out.Note = a.Note
	}
	return out
}

// goOn continues a call whose question has an answer.
func (t *Tool) goOn(ctx context.Context, call tools.Call, params mcp.CallToolParams, asked *state) (tools.Outcome, error) {
	responses, err := asked.responses(call.Asked.Question, call.Asked.Closing)
	if err != nil {
		return tools.Outcome{}, err
	}
	switch {
	case asked.Park != "":
		return t.unpark(ctx, call, asked, responses)
	case asked.Before && !accepted(responses):
		return tools.Outcome{}, &tools.Error{Code: tools.CodeToolFailed, Message: "The user did not open the page that the server requires first; the call was not made."}
	case !asked.Before:
		params.InputResponses, params.RequestState = responses, asked.RequestState
	}
	return t.call(ctx, call, params, asked.Round)
}

// call makes a call, and returns a question if the server asks. round is how many times the call
// has asked before.
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
			out, err := t.server.speech.outcome(result)
			return f.explained(out), err
		case len(result.InputRequests) > 0:
			return t.ask(call, &state{RequestState: result.RequestState, requests: result.InputRequests}, round+1)
		case shed == maxSheds:
			return tools.Outcome{}, &tools.Error{Code: tools.CodeToolFailed, Message: "The server of this tool is busy. Try later, or go on without it."}
		}
		params.RequestState = result.RequestState
		select {
		case <-time.After(shedWait):
		case <-ctx.Done():
			return tools.Outcome{}, ctx.Err()
		}
	}
}
