package openai_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/askgate/askgate/gateway/model"
	"github.com/askgate/askgate/gateway/model/modeltest/claims"
	"github.com/askgate/askgate/gateway/model/openai"
	"github.com/askgate/askgate/tools/arguments"
)

// scripted is a transport that gives one answer after another, and records the requests.
type scripted struct {
	answers []string // after "400 ": the body of that status
	sent    []string
	paths   []string
}

func (s *scripted) RoundTrip(r *http.Request) (*http.Response, error) {
	raw, _ := io.ReadAll(r.Body)
	s.sent, s.paths = append(s.sent, string(raw)), append(s.paths, r.URL.Path)
	answer := data(end(`"stop"`), "[DONE]")
	if len(s.answers) > 0 {
		answer, s.answers = s.answers[0], s.answers[1:]
	}
	status := http.StatusOK
	if _, err := fmt.Sscanf(answer, "%d ", &status); err == nil {
		answer = answer[4:]
	}
	return &http.Response{StatusCode: status, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(answer))}, nil
}

// messages returns the messages of request n, each unchanged.
func (s *scripted) messages(t testing.TB, n int) (list []string) {
	t.Helper()
	var w struct {
		Messages []json.RawMessage `json:"messages"`
	}
	if err := json.Unmarshal([]byte(s.sent[n]), &w); err != nil {
		t.Fatal(err)
	}
	for _, m := range w.Messages {
		list = append(list, string(m))
	}
	return list
}

func (s *scripted) client(model string) *openai.Client {
	return openai.New(openai.Options{BaseURL: "http://x/v1", Model: model, Transport: s})
}

// answered is the message of a stream's answer as the engine stores it, followed by the results of
// its calls.
func answered(t testing.TB, stream string) []model.Message {
	t.Helper()
	m := model.Message{Role: model.RoleAssistant}
	for d, err := range (&scripted{answers: []string{stream}}).client("m").Stream(t.Context(), claims.Ask) {
		if err != nil {
			t.Fatal(err)
		}
		m.Content += string(d.Text)
		m.ToolCalls = append(m.ToolCalls, d.ToolCalls...)
		if d.Made != nil {
			m.Made = *d.Made
		}
	}
	list := []model.Message{m}
	for i, c := range m.ToolCalls {
		canonical, err := arguments.Canonical(c.Arguments)
		if err != nil {
			canonical = "{}"
		}
		m.ToolCalls[i].Arguments = canonical
		if c.ID == "" {
			m.ToolCalls[i].ID = fmt.Sprint("made-up-", i)
		}
		list = append(list, model.Message{Role: model.RoleTool, ToolCallID: m.ToolCalls[i].ID, Content: "ok"})
	}
	if len(m.ToolCalls) == 0 {
		list = append(list, model.Message{Role: model.RoleUser, Content: "More"})
	}
	return list
}

// sentBack returns an answer in the form in which it goes into the next request to a server's
// model.
func sentBack(t testing.TB, to string, history []model.Message) []string {
	t.Helper()
	s := &scripted{}
	g := claims.Read(t, s.client(to), model.Request{Messages: append([]model.Message{{Role: model.RoleUser, Content: "Go"}}, history...)})
	if g.Err != nil {
		t.Fatal(g.Err)
	}
	return s.messages(t, 0)[1:]
}

const plainCall = `{"index":0,"id":"a","type":"function","function":{"name":"f","arguments":"{}"}}`

func calling(members string) string {
	return `{"role":"assistant","content":null,` + members + `"tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}}]}`
}

// State that a server hands out is sent back unchanged, under the names under which it came.
func TestStateGoesBackToItsMaker(t *testing.T) {
	call, called := frag(plainCall), end(`"tool_calls"`)
	for name, c := range map[string]struct{ stream, want string }{
		"nothing but text":   {data(delta(`{"content":" Hi \n"}`), end(`"stop"`)), `{"role":"assistant","content":" Hi \n"}`},
		"nothing but a call": {data(call, called), calling(``)},
		// DeepSeek: null next to content, the tail of it next to the call (fantasy's replay_test,
		// November 2026).
		"DeepSeek": {data(delta(`{"role":"assistant","content":null,"reasoning_content":"We "}`), delta(`{"content":null,"reasoning_content":"need\n\"f\""}`), delta(`{"content":null,"reasoning_content":".","tool_calls":[`+plainCall+`]}`), called),
			calling(`"reasoning_content":"We need\n\"f\".",`)},
		"DeepSeek, text behind": {data(delta(`{"reasoning_content":"Hm."}`), delta(`{"content":"Hi","reasoning_content":null}`), end(`"stop"`)), `{"role":"assistant","content":"Hi","reasoning_content":"Hm."}`},
		// Kimi sends an empty one before a call, and requires it afterwards (vscode#318809, May
		// 2026).
		"Kimi, empty":    {data(delta(`{"role":"assistant","content":"","reasoning_content":""}`), call, called), calling(`"reasoning_content":"",`)},
		"empty, no call": {data(delta(`{"role":"assistant","content":"","reasoning_content":""}`), delta(`{"content":"Hi"}`), end(`"stop"`)), `{"role":"assistant","content":"Hi"}`},
		// vLLM from January 2026 on, Cerebras, Groq (vllm#33402).
		"vLLM": {data(delta(`{"reasoning":"a"}`), delta(`{"reasoning":"b"}`), call, called), calling(`"reasoning":"ab",`)},
		// vLLM in November 2025: twice, under two names (vllm#27755).
		"vLLM, doubled": {data(delta(`{"reasoning":"a","reasoning_content":"a"}`), delta(`{"reasoning":"b","reasoning_content":"b"}`), call, called), calling(`"reasoning_content":"ab","reasoning":"ab",`)},
		// OpenRouter, Claude: the signature comes alone, at the end (earendil-works/pi#9534,
		// September 2026).
		"OpenRouter, Claude": {data(
			delta(`{"role":"assistant","content":"","reasoning":"Let","reasoning_details":[{"type":"reasoning.text","text":"Let","format":"anthropic-claude-v1","index":0}]}`),
			delta(`{"role":"assistant","content":"","reasoning":" me","reasoning_details":[{"type":"reasoning.text","text":" me","format":"anthropic-claude-v1","index":0}]}`),
			delta(`{"role":"assistant","content":"","reasoning":null,"reasoning_details":[{"type":"reasoning.text","signature":"EqQB/+8=","format":"anthropic-claude-v1","index":0}]}`),
			delta(`{"role":"assistant","content":"","reasoning_details":[]}`), call, called),
			calling(`"reasoning":"Let me","reasoning_details":[{"type":"reasoning.text","text":"Let me","format":"anthropic-claude-v1","index":0,"signature":"EqQB/+8="}],`)},
		// OpenRouter, OpenAI: summary and encrypted item under one index (AI SDK of OpenRouter, 2026).
		"OpenRouter, OpenAI": {data(
			delta(`{"reasoning_details":[{"type":"reasoning.summary","summary":"**A","format":"openai-responses-v1","index":0}]}`),
			delta(`{"reasoning_details":[{"type":"reasoning.summary","summary":"**","format":"openai-responses-v1","index":0}]}`),
			delta(`{"reasoning_details":[{"type":"reasoning.encrypted","data":"gAAA1","format":"openai-responses-v1","id":"rs_1","index":0}]}`),
			delta(`{"reasoning_details":[{"type":"reasoning.encrypted","data":"gAAA2","format":"openai-responses-v1","id":"rs_2","index":1}]}`), call, called),
			calling(`"reasoning_details":[{"type":"reasoning.summary","summary":"**A**","format":"openai-responses-v1","index":0},{"type":"reasoning.encrypted","data":"gAAA1","format":"openai-responses-v1","id":"rs_1","index":0},{"type":"reasoning.encrypted","data":"gAAA2","format":"openai-responses-v1","id":"rs_2","index":1}],`)},
		// MiniMax from api.minimaxi.com: only the new part (MiniMax-M2#95, March 2026).
		"MiniMax": {data(
			delta(`{"reasoning_details":[{"type":"reasoning.text","id":"reasoning-text-1","format":"MiniMax-response-v1","index":0,"text":"a"}]}`),
			delta(`{"reasoning_details":[{"type":"reasoning.text","id":"reasoning-text-1","format":"MiniMax-response-v1","index":0,"text":"and b"}]}`),
			delta(`{"reasoning_details":[{"type":"reasoning.text","id":"reasoning-text-1","format":"MiniMax-response-v1","index":0,"text":"."}]}`), call, called),
			calling(`"reasoning_details":[{"type":"reasoning.text","id":"reasoning-text-1","format":"MiniMax-response-v1","index":0,"text":"aand b."}],`)},
		// MiniMax as documented: everything so far (platform.minimax.io, text-openai-api).
		"MiniMax, growing": {data(
			delta(`{"reasoning_details":[{"type":"reasoning.text","id":"reasoning-text-1","format":"MiniMax-response-v1","index":0,"text":"The"}]}`),
			delta(`{"reasoning_details":[{"type":"reasoning.text","id":"reasoning-text-1","format":"MiniMax-response-v1","index":0,"text":"The user"}]}`),
			delta(`{"reasoning_details":[{"type":"reasoning.text","id":"reasoning-text-1","format":"MiniMax-response-v1","index":0,"text":"The user asks"}]}`), call, called),
			calling(`"reasoning_details":[{"type":"reasoning.text","id":"reasoning-text-1","format":"MiniMax-response-v1","index":0,"text":"The user asks"}],`)},
		// LiteLLM, Claude: a block for each piece, all with an empty signature until the last (litellm#29428, June 2026),
		// copied into provider_specific_fields (litellm#8964).
		"LiteLLM, Claude": {data(
			delta(`{"reasoning_content":"Step","thinking_blocks":[{"type":"thinking","thinking":"Step","signature":""}],"provider_specific_fields":{"thinking_blocks":[{"type":"thinking","thinking":"Step","signature":""}]}}`),
			delta(`{"reasoning_content":" 1","thinking_blocks":[{"type":"thinking","thinking":" 1","signature":""}],"provider_specific_fields":{"thinking_blocks":[{"type":"thinking","thinking":" 1","signature":""}]}}`),
			delta(`{"reasoning_content":"","thinking_blocks":[{"type":"thinking","thinking":"","signature":"Eq=="}],"provider_specific_fields":{"thinking_blocks":[{"type":"thinking","thinking":"","signature":"Eq=="}]}}`),
			delta(`{"thinking_blocks":[{"type":"redacted_thinking","data":"Em1"}]}`), delta(`{"thinking_blocks":[{"type":"redacted_thinking","data":"Em2"}]}`), call, called),
			calling(`"reasoning_content":"Step 1","thinking_blocks":[{"type":"thinking","thinking":"Step 1","signature":"Eq=="},{"type":"redacted_thinking","data":"Em1"},{"type":"redacted_thinking","data":"Em2"}],"provider_specific_fields":{"thinking_blocks":[{"type":"thinking","thinking":"Step 1","signature":"Eq=="}]},`)},
		// LiteLLM repeats the text next to its signature (open-webui#29860, September 2026).
		"LiteLLM, repeated": {data(
			delta(`{"thinking_blocks":[{"type":"thinking","thinking":"Step","signature":null}]}`), delta(`{"thinking_blocks":[{"type":"thinking","thinking":" 1","signature":null}]}`),
			delta(`{"thinking_blocks":[{"type":"thinking","thinking":"Step 1","signature":"Eq=="}]}`), call, called),
			calling(`"thinking_blocks":[{"type":"thinking","thinking":"Step 1","signature":"Eq=="}],`)},
		"two signed blocks": {data(
			delta(`{"thinking_blocks":[{"type":"thinking","thinking":"","signature":"A"}]}`), delta(`{"thinking_blocks":[{"type":"thinking","thinking":"x"}]}`), delta(`{"thinking_blocks":[{"type":"thinking","signature":"B"}]}`), call, called),
			calling(`"thinking_blocks":[{"type":"thinking","thinking":"","signature":"A"},{"type":"thinking","thinking":"x","signature":"B"}],`)},
		// Gemini's compatible address: on the first of the calls, and on a text (see modeltest/strict).
		"Gemini": {data(
			frag(`{"index":0,"id":"a","type":"function","function":{"name":"f","arguments":"{}"},"extra_content":{"google":{"thought_signature":"Ci/=+"}}}`), frag(`{"index":1,"id":"b","type":"function","function":{"name":"g","arguments":"{}"}}`), end(`"stop"`)),
			`{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{}"},"extra_content":{"google":{"thought_signature":"Ci/=+"}}},{"id":"b","type":"function","function":{"name":"g","arguments":"{}"}}]}`},
		"Gemini, a late signature": {data(call, frag(`{"index":0,"extra_content":{"google":{"thought_signature":"Ci"}}}`), end(`"stop"`)),
			`{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{}"},"extra_content":{"google":{"thought_signature":"Ci"}}}]}`},
		"Gemini, text": {data(delta(`{"content":"Hi"}`), delta(`{"content":"","extra_content":{"google":{"thought_signature":"Ci"}}}`), end(`"stop"`)), `{"role":"assistant","content":"Hi","extra_content":{"google":{"thought_signature":"Ci"}}}`},
		// LiteLLM, Gemini: on the call or on its function (docs.litellm.ai, gemini_3).
		"LiteLLM, Gemini": {data(frag(`{"index":0,"id":"a","type":"function","function":{"name":"f","arguments":"{}","provider_specific_fields":{"thought_signature":"1"}},"provider_specific_fields":{"thought_signature":"2"}}`), called),
			`{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{}","provider_specific_fields":{"thought_signature":"1"}},"provider_specific_fields":{"thought_signature":"2"}}]}`},
		// Mistral: parts of type thinking, in pieces, before and between the text (AI SDK, mistral).
		"Mistral": {data(
			delta(`{"content":[{"type":"thinking","thinking":[{"type":"text","text":"Let"}]}]}`), delta(`{"content":[{"type":"thinking","thinking":[{"type":"text","text":" me"}],"closed":true}]}`),
			delta(`{"content":[{"type":"text","text":"Hé"}]}`), delta(`{"content":"llo"}`), delta(`{"content":[{"type":"thinking","thinking":[{"type":"text","text":"so"}]},{"type":"text","text":"!"}]}`), end(`"stop"`)),
			`{"role":"assistant","content":[{"type":"thinking","thinking":[{"type":"text","text":"Let me"}],"closed":true},{"type":"text","text":"Héllo"},{"type":"thinking","thinking":[{"type":"text","text":"so"}]},{"type":"text","text":"!"}]}`},
		// MiniMax without reasoning_split: the tags have to stay (platform.minimax.io,
		// text-openai-api).
		"tags":               {data(delta(`{"content":"<think>\nhm"}`), delta(`{"content":"</think>\n\nHi "}`), end(`"stop"`)), `{"role":"assistant","content":"<think>\nhm</think>\n\nHi "}`},
		"tags before a call": {data(delta(`{"content":"<think>hm</think>\n\n"}`), call, called), `{"role":"assistant","content":"<think>hm</think>\n\n","tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}}]}`},
		"arguments": {data(frag(`{"index":0,"id":"a","function":{"name":"f","arguments":"{\"b\": 1.0, \"a\":[ ] }"}}`), called),
			`{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{\"b\": 1.0, \"a\":[ ] }"}}]}`},
		"arguments twice encoded": {data(frag(`{"index":0,"id":"a","function":{"name":"f","arguments":"\"{}\""}}`), called), calling(``)},
		"an id of the gateway's":  {data(frag(`{"index":0,"function":{"name":"f","arguments":"{ }"}}`), called), `{"role":"assistant","content":null,"tool_calls":[{"id":"made-up-0","type":"function","function":{"name":"f","arguments":"{ }"}}]}`},
		"unknown members":         {data(delta(`{"content":"Hi","audio":{"id":"x"},"annotations":[{"a":1}],"fancy":"x"}`), end(`"stop"`)), `{"role":"assistant","content":"Hi"}`},
		"not streamed": {`{"choices":[{"message":{"role":"assistant","content":"Hi","reasoning_details":[{"type":"reasoning.text","text":"a"},{"type":"reasoning.text","text":"b"}]},"finish_reason":"stop"}]}`,
			`{"role":"assistant","content":"Hi","reasoning_details":[{"type":"reasoning.text","text":"a"},{"type":"reasoning.text","text":"b"}]}`},
	} {
		t.Run(name, func(t *testing.T) {
			history := answered(t, c.stream)
			if got := sentBack(t, "m", history)[0]; got != c.want {
				t.Errorf("back goes\n%s\nwant\n%s", got, c.want)
			}
			stateless := slices.Clone(history)
			stateless[0].Made.State = nil
			if needless := sentBack(t, "m", stateless)[0] == c.want; needless != (history[0].Made.State == nil) {
				t.Errorf("state %s", history[0].Made.State)
			}
			// Another model of the server gets none of the state, and the calls have other ids.
			foreign := strings.Join(sentBack(t, "other", history), "\n")
			for _, s := range []string{"reasoning", "thinking", "think>", "provider_specific", "extra_content", "google", `"a"`, "made-up", "Step", "closed", `1.0, `} {
				if strings.Contains(foreign, s) {
					t.Errorf("another model is sent %q:\n%s", s, foreign)
				}
			}
			for _, call := range history[0].ToolCalls {
				if strings.Count(foreign, `"`+model.WireID(call.ID)+`"`) != 2 {
					t.Errorf("call and result do not have the id %s:\n%s", model.WireID(call.ID), foreign)
				}
			}
		})
	}
}

// State comes from a store: if it does not match the message, it is ignored.
func TestStateThatDoesNotFitIsLeftOut(t *testing.T) {
	history := answered(t, data(frag(plainCall), end(`"tool_calls"`)))
	for _, state := range []string{
		`{`, `[]`, `"x"`, `{"message":5}`, `{"calls":[{},{}]}`, `{"parts":[{"at":1,"part":{}}]}`, `{"parts":[{"at":-1,"part":{}}]}`, `{"parts":[{"at":0}]}`, `{"before":{}}`,
		`{"calls":[{"arguments":"{"}]}`, `{"calls":[{"arguments":"[]"}]}`, `{"unknown":1}`, "\xff",
	} {
		history[0].Made.State = json.RawMessage(state)
		if got := sentBack(t, "m", history)[0]; got != calling(``) {
			t.Errorf("%s: %s", state, got)
		}
	}
	history[0].Content, history[0].Made.State = "é", json.RawMessage(`{"parts":[{"at":1,"part":{}}]}`)
	if got := sentBack(t, "m", history)[0]; !strings.Contains(got, `"content":"é"`) {
		t.Errorf("a part within a character: %s", got)
	}
}

// If there is more state than is stored for a chat, none of it is sent back: a part of it would be
// refused.
func TestStateIsBounded(t *testing.T) {
	big := strings.Repeat("x", 1<<20)
	for name, piece := range map[string]string{
		"reasoning":         delta(`{"reasoning_content":"` + big + `"}`),
		"reasoning_details": delta(`{"reasoning_details":[{"type":"reasoning.text","text":"` + big + `y"}]}`),
		"tags":              delta(`{"content":"<think>` + big + `"}`),
		"arguments":         frag(`{"index":0,"function":{"arguments":" ` + big + `"}}`),
	} {
		for n, want := range map[int]bool{7: true, 9: false} {
			stream := data(frag(`{"index":0,"id":"a","function":{"name":"f","arguments":"{\"x\": \""}}`)) + strings.Repeat(data(piece), n) +
				data(delta(`{"content":"</think>"}`), frag(`{"index":0,"function":{"arguments":"\"}"}}`), end(`"tool_calls"`))
			m := answered(t, stream)[0]
			if kept := len(m.Made.State) > 7<<20; kept != want || !want && len(m.Made.State) > 1<<20 {
				t.Errorf("%d MiB of %s: state of %d bytes", n, name, len(m.Made.State))
			}
			if m.Made.By == "" || len(m.ToolCalls) != 1 {
				t.Errorf("%d MiB of %s: %d calls by %q", n, name, len(m.ToolCalls), m.Made.By)
			}
		}
	}
}

// Joining takes time and memory for each level of a value: 9,000 levels of 50 KB in two pieces took
// a minute and 2.7 GB. Objects at great depth count as complete.
func TestPiecesAreJoinedToAPointOfDepth(t *testing.T) {
	deep := func(levels int, inside string) string {
		return strings.Repeat(`{"a":`, levels) + inside + strings.Repeat(`}`, levels)
	}
	for _, c := range []struct {
		levels int
		want   string
	}{{3, `{"x":1,"y":2}`}, {9000, `{"y":2}`}} {
		stream := data(
			delta(`{"extra_content":`+deep(c.levels, `{"x":1}`)+`}`), delta(`{"extra_content":`+deep(c.levels, `{"y":2}`)+`}`),
			frag(plainCall), end(`"tool_calls"`), "[DONE]")
		if got, want := sentBack(t, "m", answered(t, stream))[0], `"extra_content":`+deep(c.levels, c.want); !strings.Contains(got, want) {
			t.Errorf("%d levels: %d bytes without %.40s", c.levels, len(got), want)
		}
	}
}

// An object of 50,000 members, one per piece: looking each of them up among the others took a
// minute.
func TestManyMembersAreJoined(t *testing.T) {
	const n = 50_000
	pieces := []string{frag(plainCall)}
	for i := range n {
		pieces = append(pieces, delta(fmt.Sprintf(`{"provider_specific_fields":{"k%d":%[1]d}}`, i)))
	}
	got := sentBack(t, "m", answered(t, data(append(pieces, end(`"tool_calls"`), "[DONE]")...)))[0]
	for _, i := range []int{0, n / 2, n - 1} {
		if want := fmt.Sprintf(`"k%d":%[1]d`, i); !strings.Contains(got, want) {
			t.Errorf("%s is lost", want)
		}
	}
}

func TestTheRequestKeepsToWhatIsAsked(t *testing.T) {
	zero, half := 0.0, 0.5
	for name, c := range map[string]struct {
		o    openai.Options
		req  model.Request
		want string // after the messages
	}{
		"nothing":       {openai.Options{BaseURL: "http://x/v1"}, model.Request{CacheKey: "k"}, ``},
		"everything":    {openai.Options{BaseURL: "http://x/v1", MaxTokens: 9, Temperature: &half, Effort: "high", Cache: true}, model.Request{CacheKey: "k"}, `"temperature":0.5,"max_tokens":9,"reasoning_effort":"high",`},
		"the app's own": {openai.Options{BaseURL: "http://x/v1", Temperature: &half}, model.Request{Temperature: &zero}, `"temperature":0,`},
		"OpenAI":        {openai.Options{BaseURL: "https://api.openai.com/v1", MaxTokens: 9, Cache: true}, model.Request{CacheKey: "k"}, `"max_completion_tokens":9,"prompt_cache_key":"k",`},
		"Azure":         {openai.Options{BaseURL: "https://a.openai.azure.com/openai/deployments/d?api-version=1", MaxTokens: 9, Cache: true}, model.Request{CacheKey: "k"}, `"max_completion_tokens":9,"prompt_cache_key":"k",`},
		"Azure's other": {openai.Options{BaseURL: "https://a.services.ai.azure.com/openai/v1", Cache: true}, model.Request{CacheKey: "k"}, `"prompt_cache_key":"k",`},
		"no cache":      {openai.Options{BaseURL: "https://api.openai.com/v1"}, model.Request{CacheKey: "k"}, ``},
		"no key":        {openai.Options{BaseURL: "https://api.openai.com/v1", Cache: true}, model.Request{}, ``},
		"a likeness":    {openai.Options{BaseURL: "https://api.openai.com.x/v1", Cache: true, MaxTokens: 9}, model.Request{CacheKey: "k"}, `"max_tokens":9,`},
		"MiniMax":       {openai.Options{BaseURL: "https://api.minimax.io/v1"}, model.Request{}, `"reasoning_split":true,`},
		"body":          {openai.Options{BaseURL: "http://x/v1", Effort: "low", Body: map[string]json.RawMessage{"reasoning_effort": json.RawMessage(`null`), "top_k": json.RawMessage(`5`)}}, model.Request{}, `+"top_k":5`},
	} {
		t.Run(name, func(t *testing.T) {
			s := &scripted{}
			c.o.Transport, c.o.Model, c.req.Messages = s, "m", claims.Ask.Messages
			claims.Read(t, openai.New(c.o), c.req)
			tail, more := strings.CutPrefix(c.want, "+")
			want := `{"model":"m","messages":[{"role":"user","content":"secret words"}],` + tail + `"stream":true,"stream_options":{"include_usage":true}}`
			if more {
				want = `{"model":"m","messages":[{"role":"user","content":"secret words"}],"stream":true,"stream_options":{"include_usage":true},` + tail + `}`
			}
			if got := strings.TrimSpace(s.sent[0]); got != want {
				t.Errorf("%s\nwant\n%s", got, want)
			}
		})
	}
}

// The key goes where the server expects it, and the admin's headers are sent as well.
func TestTheKeyAndHeaders(t *testing.T) {
	for base, want := range map[string]string{
		"http://x/v1": "Authorization: Bearer key", "https://a.openai.azure.com/openai/v1": "Api-Key: key", "https://api.openai.com/v1": "Authorization: Bearer key",
		"https://b.openai.azure.com/openai/v1": "Authorization: Bearer eyJ0", // an Entra token
	} {
		var header http.Header
		o := openai.Options{BaseURL: base, APIKey: want[strings.LastIndexAny(want, " ")+1:], Model: "m", Header: http.Header{"X-Team": {"a"}}, MaxRetries: -1}
		o.Transport = transport(func(r *http.Request) (*http.Response, error) { header = r.Header; return nil, io.EOF })
		claims.Read(t, openai.New(o), claims.Ask)
		name, value, _ := strings.Cut(want, ": ")
		if header.Get(name) != value || header.Get("X-Team") != "a" || (header.Get("Authorization") == "") == (header.Get("Api-Key") == "") {
			t.Errorf("%s: %v", base, header)
		}
	}
}

type transport func(*http.Request) (*http.Response, error)

func (f transport) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// An empty message is refused (DeepSeek, crush#3794), so it is left out.
func TestAnEmptyAnswerIsNotSentBack(t *testing.T) {
	history := []model.Message{
		{Role: model.RoleAssistant, Content: " \n", Made: model.Made{By: model.Maker("openai", "chat", "http://x/v1", "m"), State: json.RawMessage(`{"message":{"reasoning_content":"hm"}}`)}},
		{Role: model.RoleUser, Content: "More"},
	}
	if got := sentBack(t, "m", history); len(got) != 1 {
		t.Errorf("%s", got)
	}
}

// FuzzState: whatever a server hands out, the next request can be written, and contains it once.
func FuzzState(f *testing.F) {
	for _, pieces := range [][2]string{
		{`{"reasoning_details":[{"type":"reasoning.text","text":"a","index":0}]}`, `{"reasoning_details":[{"signature":"s","index":0},{"id":"x","data":"d"}]}`},
		{`{"thinking_blocks":[{"type":"thinking","thinking":"a"}]}`, `{"thinking_blocks":[{"type":"thinking","thinking":"a","signature":"s"},5,"x",null]}`},
		{`{"provider_specific_fields":{"a":{"b":[1]},"a":2}}`, `{"provider_specific_fields":{"a":{"b":"c"},"":null}}`},
		{`{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{ \"x\":1}"},"extra_content":{"google":{}}}]}`, `{"tool_calls":[{"index":0,"extra_content":{"google":{"s":"t"}}}]}`},
		{`{"content":[{"type":"thinking","thinking":[{"type":"text","text":"a"}]},"x",{"type":"y"}]}`, `{"content":"<think>\ud83d"}`},
		{`{"content":"<think>a","reasoning":""}`, `{"content":"</think> b","extra_content":[]}`},
	} {
		f.Add(pieces[0], pieces[1])
	}
	f.Fuzz(func(t *testing.T, first, second string) {
		if !json.Valid([]byte(first)) || !json.Valid([]byte(second)) || strings.ContainsAny(first+second, "\n\r") {
			return
		}
		m := model.Message{Role: model.RoleAssistant}
		for d, err := range (&scripted{answers: []string{data(delta(first), delta(second), end(`"stop"`))}}).client("m").Stream(t.Context(), claims.Ask) {
			if err != nil {
				return
			}
			m.Content += string(d.Text)
			m.ToolCalls = append(m.ToolCalls, d.ToolCalls...)
			if d.Made != nil {
				m.Made = *d.Made
			}
		}
		if len(m.Made.State) > 0 && !json.Valid(m.Made.State) {
			t.Fatalf("state is not JSON: %s", m.Made.State)
		}
		s := &scripted{}
		for _, err := range s.client("m").Stream(t.Context(), model.Request{Messages: []model.Message{m}}) {
			if err != nil {
				t.Fatalf("%v\n%s", err, m.Made.State)
			}
		}
		if !json.Valid([]byte(s.sent[0])) {
			t.Fatalf("not JSON: %s", s.sent[0])
		}
	})
}
