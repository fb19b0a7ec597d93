package trial_test

import (
	"context"
	"encoding/json"
	"iter"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/askgate/askgate/gateway/model"
	"github.com/askgate/askgate/gateway/model/modeltest"
	"github.com/askgate/askgate/gateway/model/openai"
	"github.com/askgate/askgate/gateway/model/trial"
	"github.com/askgate/askgate/tools"
)

var ask = tools.Definition{Name: "ask_user", Description: "Asks.", Parameters: json.RawMessage(`{"type":"object","properties":{"question":{"type":"string"}}}`)}

// Each thing that works is reported, one by one, and each thing that does not, with the server's
// reason.
func TestTrial(t *testing.T) {
	asking := modeltest.Ask("call_1", `{"question":"Which colour?"}`)
	for name, c := range map[string]struct {
		script             []modeltest.Response
		text, call, answer bool
		problem            string // part of it
	}{
		"works":         {[]modeltest.Response{asking, modeltest.Answer("Blue.")}, true, true, true, ""},
		"no tool call":  {[]modeltest.Response{modeltest.Answer("Which colour?")}, true, false, false, "did not call the tool"},
		"another tool":  {[]modeltest.Response{modeltest.Calls(model.ToolCall{ID: "a", Name: "ask", Arguments: `{}`})}, false, false, false, "did not call the tool"},
		"no arguments":  {[]modeltest.Response{modeltest.Ask("a", `{"question`)}, false, false, false, "did not call the tool"},
		"no text":       {[]modeltest.Response{asking, {modeltest.Finish("stop"), modeltest.Done()}}, false, true, true, "wrote nothing"},
		"cut":           {[]modeltest.Response{{modeltest.Text("I"), modeltest.Finish("length"), modeltest.Done()}}, true, false, false, "maxTokens"},
		"wrong key":     {[]modeltest.Response{modeltest.Status(401, `{"error":{"message":"bad key"}}`)}, false, false, false, "bad key"},
		"refused":       {[]modeltest.Response{modeltest.Status(400, `{"error":{"message":"no"}}`)}, false, false, false, "400"},
		"answer denied": {[]modeltest.Response{asking, modeltest.Status(400, `{"error":{"message":"no"}}`)}, false, true, false, "400"},
		"never answers": {[]modeltest.Response{{modeltest.Stall()}}, false, false, false, "longer than 1m0s"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := modeltest.NewMemory(t, c.script...)
				r := trial.Run(t.Context(), openai.New(openai.Options{BaseURL: s.URL, Model: "m", Transport: s.Client().Transport}), ask)
				if r.Text != c.text || r.Call != c.call || r.Answer != c.answer || r.Works() != (c.problem == "") {
					t.Errorf("%+v", r)
				}
				if p := r.Problem(); (p == "") != (c.problem == "") || !strings.Contains(p, c.problem) {
					t.Errorf("the problem: %q, want one with %q", p, c.problem)
				}
			})
		})
	}
}

// scripted yields one delta for each request.
type scripted struct {
	deltas   []model.Delta
	err      error
	requests []model.Request
}

func (s *scripted) Stream(_ context.Context, req model.Request) iter.Seq2[model.Delta, error] {
	return func(yield func(model.Delta, error) bool) {
		s.requests = append(s.requests, req)
		if len(s.deltas) < len(s.requests) {
			yield(model.Delta{}, s.err)
			return
		}
		yield(s.deltas[len(s.requests)-1], nil)
	}
}

// The second request continues the first as a chat does: with the state that the server handed out,
// and one result for each call. The token counts are the sums of both.
func TestTrialIsLikeAChat(t *testing.T) {
	made := model.Made{By: "me", State: json.RawMessage(`{"signature":"x"}`)}
	call := model.ToolCall{Name: "ask_user", Arguments: `{}`}
	m := &scripted{deltas: []model.Delta{
		{Text: []byte("Well. "), ToolCalls: []model.ToolCall{call, call}, Made: &made, Usage: &model.Usage{InputTokens: 5, OutputTokens: 3}},
		{Text: []byte("Blue."), Usage: &model.Usage{InputTokens: 9, CachedInputTokens: 4, CacheWriteTokens: 1, OutputTokens: 2, ReasoningTokens: 1}},
	}}
	r := trial.Run(t.Context(), m, ask)
	if want := (model.Usage{InputTokens: 14, CachedInputTokens: 4, CacheWriteTokens: 1, OutputTokens: 5, ReasoningTokens: 1}); !r.Works() || r.Usage != want {
		t.Fatalf("%+v", r)
	}
	list := m.requests[1].Messages
	if len(list) != 4 || list[0].Role != model.RoleUser || list[1].Content != "Well. " || string(list[1].Made.State) != string(made.State) || list[1].Made.By != "me" {
		t.Fatalf("%+v", list)
	}
	for i, c := range list[1].ToolCalls {
		if result := list[2+i]; c.ID == "" || result.Role != model.RoleTool || result.ToolCallID != c.ID || result.Content == "" {
			t.Errorf("call %+v, result %+v", c, result)
		}
	}
	if list[1].ToolCalls[0].ID == list[1].ToolCalls[1].ID {
		t.Error("two calls have the same id")
	}
}

// The operator sees the server's words, where they are known.
func TestTrialTellsTheReason(t *testing.T) {
	for want, err := range map[string]*model.Error{
		"model_error: 400; the server says: no tools": {Kind: model.KindError, Status: 400, Reason: "no tools", Detail: "400"},
		"model_error: 400: no tools":                  {Kind: model.KindError, Status: 400, Reason: "no tools", Detail: "400: no tools"},
		"model_error: d":                              {Kind: model.KindError, Status: 400, Detail: "d"},
	} {
		if r := trial.Run(t.Context(), &scripted{err: err}, ask); r.Problem() != want || r.Works() {
			t.Errorf("%q, want %q", r.Problem(), want)
		}
	}
}
