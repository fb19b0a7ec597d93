package gemini_test

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/askgate/askgate/gateway/model"
	"github.com/askgate/askgate/gateway/model/gemini"
	"github.com/askgate/askgate/gateway/model/modeltest"
	"github.com/askgate/askgate/gateway/model/modeltest/claims"
)

func TestTheScriptsOfAllProviders(t *testing.T) {
	provider.InBubble(t, gemini.Options{}, []modeltest.Response{append(modeltest.Response{modeltest.Reasoning("hm ")}, modeltest.Answer("Hello there")...)},
		func(t *testing.T, _ *modeltest.Server, g claims.Got, _ time.Duration) {
			if g.Text != "Hello there" || g.Thinking != "hm " || g.Finish != model.FinishStop || g.Usage == nil || g.Usage.InputTokens != 10 {
				t.Errorf("%s", g)
			}
		})
	provider.InBubble(t, gemini.Options{}, []modeltest.Response{modeltest.Calls(model.ToolCall{ID: "a", Name: "f", Arguments: `{"x":[1, 2]}`}, model.ToolCall{ID: "b", Name: "g"})},
		func(t *testing.T, _ *modeltest.Server, g claims.Got, _ time.Duration) {
			if len(g.Calls) != 2 || g.Calls[0] != (model.ToolCall{ID: "a", Name: "f", Arguments: `{"x":[1, 2]}`}) || g.Calls[1].Arguments != "{}" || g.Finish != model.FinishToolCalls {
				t.Errorf("%s", g)
			}
		})
}

// A malformed call is a one-off failure: another answer is requested without a wait, unless
// something was shown already.
func TestAMalformedCallIsAskedForOnceMore(t *testing.T) {
	malformed := modeltest.Response{modeltest.Finish("MALFORMED_FUNCTION_CALL")}
	provider.InBubble(t, gemini.Options{}, []modeltest.Response{malformed, modeltest.Answer("Hi")}, func(t *testing.T, s *modeltest.Server, g claims.Got, took time.Duration) {
		if g.Text != "Hi" || took > time.Millisecond {
			t.Errorf("%s after %v", g, took)
		}
	})
	for _, script := range [][]modeltest.Response{{malformed, malformed}, {append(modeltest.Response{modeltest.Text("a")}, malformed...)}} {
		provider.InBubble(t, gemini.Options{MaxRetries: 3}, script, func(t *testing.T, s *modeltest.Server, g claims.Got, _ time.Duration) {
			if e, is := errors.AsType[*model.Error](g.Err); !is || !e.Failed || !strings.Contains(e.Detail, "MALFORMED_FUNCTION_CALL") || len(s.Requests()) != len(script) {
				t.Errorf("%s after %d requests", g, len(s.Requests()))
			}
		})
	}
}

// A server that refuses the signatures gets the request once more, without any state.
func TestRefusedSignaturesAreForgotten(t *testing.T) {
	o := gemini.Options{Model: "gemini-3-pro"}
	call := model.ToolCall{ID: "a1", Name: "f", Arguments: "{}"}
	req := model.Request{Messages: []model.Message{user("u"), made(t, o, "", `[{"text":"t","thought":true},{"functionCall":{"id":"a1","name":"f","args":{}},"thoughtSignature":"mine"}]`, call), result("a1", "A")}}
	for _, refusal := range []string{"Invalid thought signature.", "Corrupted thought signature.", "Thought signature is not valid."} { // docs.apiyi.com, 15 October 2026
		var bodies []string
		o.Transport = answers(func(r *http.Request) (int, string) {
			b, _ := io.ReadAll(r.Body)
			if bodies = append(bodies, string(b)); len(bodies) == 1 {
				return 400, `{"error":{"code":400,"message":"` + refusal + `","status":"INVALID_ARGUMENT"}}`
			}
			return 200, events(said("STOP", `{"text":"a"}`))
		})
		g := claims.Read(t, gemini.New(o), req)
		if g.Err != nil || !g.Forgot || len(bodies) != 2 || !strings.Contains(bodies[0], `"mine"`) || strings.Contains(bodies[1], "mine") || strings.Contains(bodies[1], "thought\"") ||
			strings.Count(bodies[1], "skip_thought_signature_validator") != 1 || !strings.Contains(bodies[1], `"id":"a1"`) {
			t.Errorf("%s: %s after %q", refusal, g, bodies)
		}
	}
}

// A part that the server refuses is left out, and this is remembered once the server has answered.
func TestRefusedParametersAreLeftOut(t *testing.T) {
	var bodies []string
	c := gemini.New(gemini.Options{Model: "gemini-3.7-flash", Effort: "minimal", Transport: answers(func(r *http.Request) (int, string) {
		b, _ := io.ReadAll(r.Body)
		if bodies = append(bodies, string(b)); strings.Contains(string(b), "thinkingLevel") {
			// vercel/ai, packages/google/src/__fixtures__/google-thinking-level-minimal-unsupported.json
			return 400, `{"error":{"code":400,"message":"Thinking level MINIMAL is not supported for this model. Please retry with other thinking level.","status":"INVALID_ARGUMENT"}}`
		}
		return 200, events(said("STOP", `{"text":"a"}`))
	})})
	for range 2 {
		if g := claims.Read(t, c, claims.Ask); g.Err != nil || g.Text != "a" || g.Forgot {
			t.Errorf("%s", g)
		}
	}
	if len(bodies) != 3 || strings.Contains(bodies[2], "thinkingLevel") {
		t.Errorf("sent %q", bodies)
	}
}

// answers is a transport that responds with a status and a body.
type answers func(*http.Request) (int, string)

func (f answers) RoundTrip(r *http.Request) (*http.Response, error) {
	status, text := f(r)
	return &http.Response{StatusCode: status, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(text))}, nil
}

func TestFinalErrors(t *testing.T) {
	for name, c := range map[string]struct {
		status int
		body   string
		kind   model.ErrorKind
		fault  model.Fault
	}{
		// ai.google.dev, troubleshooting; google-gemini/gemini-cli#3178
		"a bad key":  {400, `[{"error":{"code":400,"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT"}}]`, model.KindError, model.FaultKey},
		"forbidden":  {403, `{"error":{"code":403,"message":"m","status":"PERMISSION_DENIED"}}`, model.KindError, model.FaultKey},
		"no model":   {404, `{"error":{"code":404,"message":"models/m is not found for API version v1beta","status":"NOT_FOUND"}}`, model.KindError, model.FaultModel},
		"too long":   {400, `{"error":{"code":400,"message":"The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).","status":"INVALID_ARGUMENT"}}`, model.KindTooLong, ""},
		"overloaded": {503, `{"error":{"code":503,"message":"m","status":"UNAVAILABLE"}}`, model.KindUnavailable, ""},
	} {
		g := claims.Read(t, gemini.New(gemini.Options{Model: "m", APIKey: "secret", Transport: answers(func(*http.Request) (int, string) { return c.status, c.body })}), claims.Ask)
		if e, is := errors.AsType[*model.Error](g.Err); !is || e.Kind != c.kind || e.Fault != c.fault || e.Status != c.status {
			t.Errorf("%s: %+v", name, g.Err)
		}
	}
}

func TestTheCallerMayLeave(t *testing.T) {
	c := gemini.New(gemini.Options{Model: "m", Transport: &claims.Body{Text: events(said("", `{"text":"a"}`), said("STOP"))}})
	for range c.Stream(t.Context(), claims.Ask) {
		break
	}
}
