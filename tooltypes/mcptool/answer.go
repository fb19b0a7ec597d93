package mcptool

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tools/arguments"
)

// Check implements tools.Resumer. It checks an answer as ask_user does, and then against the
// server's schema.
func (t *Tool) Check(q tools.Question, a tools.Answer) (tools.Answer, error) {
	checked, err := t.asking.Asker.Check(q, a)
	if err != nil || q.State == nil || checked.Declined {
		return checked, err
	}
	s, err := readState(q.State)
	if err != nil {
		return tools.Answer{}, err
	}
	responses, err := s.responses(q, tools.Closing{Answer: &checked})
	if err != nil {
		return tools.Answer{}, err
	}
	var faults []tools.FieldError
	part := 0
	for _, r := range s.Asked {
		found, err := r.faults(responses[r.Key], part)
		if err != nil {
			return tools.Answer{}, err
		}
		faults = append(faults, found...)
		part += r.parts()
	}
	if len(faults) > 0 {
		return tools.Answer{}, &tools.AnswerError{Fields: faults}
	}
	return checked, nil
}

// faults checks an answer against the server's schema. part is the request's first part of the
// question.
func (r request) faults(response mcp.InputResponse, part int) ([]tools.FieldError, error) {
	e, ok := response.(*mcp.ElicitResult)
	if !ok || e.Action != "accept" || r.Schema == nil {
		return nil, nil
	}
	schema, err := arguments.CompileStrict(r.Schema)
	if err != nil {
		return nil, err
	}
	raw, err := json.Marshal(e.Content)
	if err != nil {
		return nil, err
	}
	var faults []tools.FieldError
	for _, fault := range schema.Faults(raw) {
		i := 0
		if len(fault.Path) > 0 {
			i = max(0, slices.IndexFunc(r.Fields, func(f field) bool { return f.Name == fault.Path[0] }))
		}
		faults = append(faults, tools.FieldError{Question: part + i, Field: "value", Code: "pattern"})
	}
	return faults, nil
}

// Read implements tools.Resumer.
func (t *Tool) Read(q tools.Question, text, language string) (tools.Answer, bool) {
	a, ok := t.asking.Asker.Read(q, text, language)
	if !ok {
		return a, false
	}
	a, err := t.Check(q, a)
	return a, err == nil
}

// Resume implements tools.Resumer, for a question that was closed without an answer. A parked call
// is cancelled; any other server does not learn of it.
func (t *Tool) Resume(ctx context.Context, call tools.Call, q tools.Question, c tools.Closing) (tools.Outcome, error) {
	if s, err := readState(q.State); err == nil && s.Park != "" {
		t.cancel(ctx, s.Park)
	}
	return t.asking.Asker.Resume(ctx, call, q, c)
}

// cancel ends a parked call without an answer, on whichever node holds it.
func (t *Tool) cancel(ctx context.Context, id string) {
	if s := t.server; s.relay == nil || s.calls.holds(id) {
		s.calls.drop(id)
	} else {
		abandon(ctx, s.relay, id)
	}
}

// abandon ends a parked call without an answer on the node that holds it.
func abandon(ctx context.Context, relay Relay, id string) {
	if data, err := json.Marshal(mcp.ElicitResult{Action: cancelled}); err == nil && relay != nil {
		_ = relay.Put(ctx, answerKey(id), data, relayFor) // if this fails, the call ends at its deadline
	}
}
