package anthropic_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/askgate/askgate/gateway/model"
	"github.com/askgate/askgate/gateway/model/anthropic"
	"github.com/askgate/askgate/gateway/model/modeltest"
	"github.com/askgate/askgate/gateway/model/modeltest/claims"
	"github.com/askgate/askgate/gateway/model/upstream"
)

// refusing responds with status 400 and its texts, one after the other, then with a stream.
type refusing struct {
	texts  []string
	bodies []string
}

func (r *refusing) RoundTrip(req *http.Request) (*http.Response, error) {
	raw, err := io.ReadAll(req.Body)
	if err != nil {
		return nil, err
	}
	r.bodies = append(r.bodies, string(raw))
	if n := len(r.bodies); n <= len(r.texts) {
		text, err := json.Marshal(r.texts[n-1])
		if err != nil {
			return nil, err
		}
		answer := fmt.Sprintf(`{"type":"error","error":{"type":"invalid_request_error","message":%s},"request_id":"req_1"}`, text)
		if strings.HasPrefix(r.texts[n-1], "in the stream: ") {
			return &http.Response{StatusCode: 200, Body: io.NopCloser(strings.NewReader(stream(answer)))}, nil
		}
		return &http.Response{StatusCode: 400, Body: io.NopCloser(strings.NewReader(answer))}, nil
	}
	return &http.Response{StatusCode: 200, Body: io.NopCloser(strings.NewReader(stream(begin, text0, hi, end0, ended(`"end_turn"`), stop)))}, nil
}

// A part that the API refuses is left out, and that is remembered. The texts are the servers' own.
func TestWhatIsRefusedCostsThatPart(t *testing.T) {
	warm := 0.5
	tools := []model.Definition{{Name: "ask_user", Parameters: json.RawMessage(`{"type":"object","properties":{}}`)}, {Name: "odd", Parameters: json.RawMessage(`{"type":"object","properties":{}}`)}}
	for name, c := range map[string]struct {
		o             anthropic.Options
		texts         []string
		without, with []string // the second request, and one after it
		learnt        []string
	}{
		"temperature": { // Opus 4.7 and newer, see modeltest/strict
			anthropic.Options{Temperature: &warm}, []string{"`temperature` is deprecated for this model."},
			[]string{"temperature"}, []string{`"tools"`}, []string{"temperature"},
		},
		"a budget": { // AAClause/nvda-OpenAI#126, 2 July 2026; the name is the operator's own
			anthropic.Options{Model: "claude-3-7-sonnet", Effort: "high", Show: true}, []string{"\"thinking.type.enabled\" is not supported for this model. Use \"thinking.type.adaptive\" and \"output_config.effort\" to control thinking behavior."},
			[]string{"enabled"}, []string{`"thinking":{"type":"adaptive","display":"summarized"}`}, []string{"thinking"},
		},
		"no budget": { // mnfst/llm-gateway#1928, 16 May 2026; Oaklight/llm-rosetta#289, 18 June 2026
			anthropic.Options{Model: "mine", Effort: "medium", Show: true}, []string{"adaptive thinking is not supported on this model", "This model does not support the effort parameter."},
			[]string{"adaptive", "display", "output_config"}, []string{`"thinking":{"type":"enabled","budget_tokens":2048}`}, []string{"thinking", "reasoning_effort"},
		},
		"an effort": { // the values of Opus 4.5: platform.claude.com/docs effort
			anthropic.Options{Model: "claude-opus-4-5", Effort: "max"}, []string{"output_config.effort: Input should be 'low', 'medium' or 'high'"},
			nil, []string{`"output_config":{"effort":"high"}`, `"budget_tokens":4096`}, []string{"reasoning_effort"},
		},
		"it always thinks": { // docs.apiyi.com, 9 November 2026
			anthropic.Options{Effort: "none"}, []string{"\"thinking.type.disabled\" is not supported for this model."},
			[]string{"thinking"}, []string{`"tools"`}, []string{"thinking"},
		},
		"display": {
			anthropic.Options{Effort: "high", Show: true}, []string{"thinking.adaptive.display: Extra inputs are not permitted"},
			[]string{"display"}, []string{`"thinking":{"type":"adaptive"}`}, []string{"thinking_display"},
		},
		"max_tokens": { // anthropics/claude-code#24451, 9 February 2026
			anthropic.Options{MaxTokens: 128001}, []string{"max_tokens: 128001 > 64000, which is the maximum allowed number of output tokens for claude-opus-4-5-20251101"},
			nil, []string{`"max_tokens":64000`}, []string{"max_tokens"},
		},
		"a budget within the limit": {
			anthropic.Options{Model: "claude-opus-4-5", MaxTokens: 128001, Effort: "max"}, []string{"max_tokens: 128001 > 64000, which is the maximum allowed number of output tokens for claude-opus-4-5-20251101"},
			nil, []string{`"max_tokens":64000`, `"budget_tokens":32000`}, []string{"max_tokens"},
		},
		"cache_control": {
			anthropic.Options{Cache: true}, []string{"tools.0.custom.cache_control: Extra inputs are not permitted"},
			[]string{"cache_control"}, []string{`"system":"You help."`}, []string{"cache_control"},
		},
		"a tool": { // makenotion/notion-mcp-server#341, 5 August 2026
			anthropic.Options{}, []string{"tools.1.custom.input_schema: input_schema does not support oneOf, allOf, or anyOf at the top level"},
			[]string{`"odd"`}, []string{`"ask_user"`}, []string{"tool"},
		},
		"an event of the stream": {
			anthropic.Options{Temperature: &warm}, []string{"in the stream: `temperature` is deprecated for this model."},
			[]string{"temperature"}, nil, []string{"temperature"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			var learnt []string
			server := &refusing{texts: c.texts}
			c.o.BaseURL, c.o.Transport, c.o.MaxRetries = "http://x", server, -1
			c.o.Notes = upstream.NewNotes(func(a upstream.Adaptation) { learnt = append(learnt, a.What) })
			if c.o.Model == "" {
				c.o.Model = "claude-opus-5-5"
			}
			req := claims.Ask
			req.System, req.Tools = "You help.", tools
			client := anthropic.New(c.o)
			for range 2 {
				if g := claims.Read(t, client, req); g.Text != "Hi" || g.Forgot {
					t.Fatalf("%s (%v)", g, g.Err)
				}
			}
			if len(server.bodies) != len(c.texts)+2 || !slices.Equal(learnt, c.learnt) {
				t.Fatalf("%d requests, learnt %q", len(server.bodies), learnt)
			}
			for _, body := range server.bodies[len(c.texts):] {
				for _, word := range c.without {
					if strings.Contains(body, word) {
						t.Errorf("%s is in\n%s", word, body)
					}
				}
				for _, word := range c.with {
					if !strings.Contains(body, word) {
						t.Errorf("%s is not in\n%s", word, body)
					}
				}
			}
		})
	}
}

// withThinking is a turn in which the model's own last step has thinking, between those of other
// models.
func withThinking(t *testing.T, o anthropic.Options) model.Request {
	t.Helper()
	server := &requests{streams: []string{stream(begin, think(0), thought(0, "hm"), sign(0, "s"), over(0), use(1, "t1", "f", "{}"), over(1), ended(`"tool_use"`), stop)}}
	return turn(kept(t, claims.Read(t, server.client(o), claims.Ask)))
}

// State that the server refuses is left out of the whole request, but of that request only: the
// engine no longer sends it afterwards. The texts: anomalyco/opencode#48637 (12 September 2026) and
// anthropics/claude-code#63269 (28 May 2026).
func TestStateThatIsRefusedStaysOut(t *testing.T) {
	for _, text := range []string{
		"messages.1.content.0: Invalid `signature` in `thinking` block. The block is bound to a different conversation. Remove the block, or set `thinking.block_binding.prefix_mismatch_behavior` to \"drop_block\".",
		"messages.1.content.0: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified. These blocks must remain as they were in the original response.",
	} {
		for _, name := range []string{"claude-opus-5-5", "claude-sonnet-4-5"} {
			server := &refusing{texts: []string{text}}
			o := anthropic.Options{BaseURL: "http://x", Model: name, Effort: "high", Transport: server}
			req := withThinking(t, o)
			client := anthropic.New(o)
			g := claims.Read(t, client, req)
			if g.Text != "Hi" || !g.Forgot || len(server.bodies) != 2 {
				t.Fatalf("%s after %d requests", g, len(server.bodies))
			}
			if !strings.Contains(server.bodies[0], `"signature":"s"`) || strings.Contains(server.bodies[1], `"signature"`) || !strings.Contains(server.bodies[1], `{"type":"tool_use","id":"t1"`) {
				t.Errorf("first\n%s\nthen\n%s", server.bodies[0], server.bodies[1])
			}
			if strings.Contains(server.bodies[1], "enabled") {
				t.Errorf("a turn that has lost its thinking cannot have more: %s", server.bodies[1])
			}
			if g := claims.Read(t, client, req); g.Forgot || !strings.Contains(server.bodies[2], `"signature":"s"`) {
				t.Errorf("remembered for other chats: %s\n%s", g, server.bodies[2])
			}
		}
	}
}

// A server that requires thinking in each step, and is not Claude, accepts an empty one: DeepSeek
// (leookun/cursor-byok#276, 7 August 2026).
func TestThinkingThatIsDemandedIsFilledIn(t *testing.T) {
	server := &refusing{texts: []string{"The `content[].thinking` in the thinking mode must be passed back to the API."}}
	o := anthropic.Options{BaseURL: "http://x", Model: "deepseek-v4-pro", Transport: server}
	req := turn(model.Message{Role: model.RoleAssistant, Content: "Let me see.", ToolCalls: []model.ToolCall{{ID: "c", Name: "f", Arguments: "{}"}}})
	g := claims.Read(t, anthropic.New(o), req)
	if want := `[{"type":"thinking","thinking":"","signature":""},{"type":"text","text":"Let me see."},`; len(server.bodies) != 2 || !strings.Contains(server.bodies[1], want) {
		t.Errorf("%s: %q", g, server.bodies)
	}
	// Claude would refuse the signature, so the model does not think in that turn.
	server = &refusing{texts: []string{"messages.1.content.0.type: Expected `thinking` or `redacted_thinking`, but found `text`. When `thinking` is enabled, a final `assistant` message must start with a thinking block (preceeding the lastmost set of `tool_use` and `tool_result` blocks)."}}
	o.Model, o.Effort, o.Transport = "our-claude", "high", server
	g = claims.Read(t, anthropic.New(o), req)
	if len(server.bodies) != 2 || !strings.Contains(server.bodies[0], "adaptive") || strings.Contains(server.bodies[1], "thinking") {
		t.Errorf("%s: %q", g, server.bodies)
	}
}

// If a model with a thinking budget requires thinking in each step of its turn, it does not think
// in a turn that has a step without.
func TestThinkingMayBeDemandedOfEachStep(t *testing.T) {
	steps := &requests{streams: []string{
		stream(begin, think(0), sign(0, "s"), over(0), use(1, "t1", "f", "{}"), over(1), ended(`"tool_use"`), stop),
		stream(begin, use(0, "t2", "f", "{}"), over(0), ended(`"tool_use"`), stop),
	}}
	o := anthropic.Options{BaseURL: "http://x", Model: "claude-sonnet-4-5", Effort: "high"}
	first := turn(kept(t, claims.Read(t, steps.client(o), claims.Ask)))
	req := first
	req.Messages = append(req.Messages[:len(req.Messages):len(req.Messages)], turn(kept(t, claims.Read(t, steps.client(o), req))).Messages[1:]...)
	server := &refusing{texts: []string{"messages.3.content.0.type: Expected `thinking` or `redacted_thinking`, but found `tool_use`."}}
	o.Transport = server
	c := anthropic.New(o)
	for _, req := range []model.Request{req, req, first} {
		claims.Read(t, c, req)
	}
	for i, want := range []bool{true, false, false, true} {
		if len(server.bodies) != 4 || strings.Contains(server.bodies[i], `"enabled"`) != want {
			t.Fatalf("request %d of %d: %s", i, len(server.bodies), server.bodies[i])
		}
	}
}

// A tool whose parameters have no form that servers accept is left out, and reported once. ask_user
// is never left out: the request fails, and gives the reason.
func TestAToolWithoutAPortableFormIsLeftOut(t *testing.T) {
	large := json.RawMessage(`{"type":"object","properties":{"x":{"type":"string","description":"` + strings.Repeat("secret ", 20<<10) + `"}}}`)
	var learnt []upstream.Adaptation
	server := &requests{streams: []string{stream(begin, text0, hi, end0, ended(`"end_turn"`), stop)}}
	c := server.client(anthropic.Options{Notes: upstream.NewNotes(func(a upstream.Adaptation) { learnt = append(learnt, a) })})
	req := claims.Ask
	req.Tools = []model.Definition{{Name: "ask_user"}, {Name: "large", Parameters: large}, {Name: "clock"}}
	for range 2 {
		claims.Read(t, c, req)
	}
	if body := string(server.bodies[1]); strings.Contains(body, `"large"`) || !strings.Contains(body, `"clock"`) {
		t.Errorf("%.300s", body)
	}
	if len(learnt) != 1 || learnt[0].What != "tool" || !strings.Contains(learnt[0].Detail, "large") || strings.Contains(learnt[0].Detail, "secret") {
		t.Errorf("learnt %+v", learnt)
	}
	req.Tools = []model.Definition{{Name: "ask_user", Parameters: large}}
	var e *model.Error
	if g := claims.Read(t, c, req); !errors.As(g.Err, &e) || !strings.Contains(e.Detail, "ask_user") || e.Retryable() || len(server.bodies) != 2 {
		t.Errorf("%v after %d requests", g.Err, len(server.bodies))
	}
}

// What the admin configured is sent unchanged, and is not taken back.
func TestHeadersAndBodyAreTheAdmins(t *testing.T) {
	s := modeltest.New(t, modeltest.Answer("Hi"))
	claims.Read(t, anthropic.New(anthropic.Options{BaseURL: s.URL, Model: "claude-opus-5-5", APIKey: "key", Effort: "low",
		Header: http.Header{"Anthropic-Beta": {"context-1m-2025-08-07"}},
		Body:   map[string]json.RawMessage{"output_config": json.RawMessage(`{"effort":"high"}`), "thinking": json.RawMessage("null")},
	}), claims.Ask)
	r := s.Requests()[0]
	if r.Header.Get("Anthropic-Beta") != "context-1m-2025-08-07" || r.Header.Get("X-Api-Key") != "key" || r.Header.Get("Anthropic-Version") == "" {
		t.Errorf("%v", r.Header)
	}
	if got := parameters(t, r.Raw); got != `max_tokens=8192 output_config={"effort":"high"}` {
		t.Error(got)
	}
}
