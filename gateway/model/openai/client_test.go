package openai_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/askgate/askgate/gateway/model"
	"github.com/askgate/askgate/gateway/model/modeltest"
	"github.com/askgate/askgate/gateway/model/modeltest/claims"
	"github.com/askgate/askgate/gateway/model/openai"
)

func TestTheRequest(t *testing.T) {
	s := modeltest.New(t, modeltest.Answer("Hi"), modeltest.Answer("Hi"))
	temperature := 0.0
	own := model.Made{By: model.Maker("openai", "chat", s.URL+"/", "qwen3")}
	req := model.Request{
		System: "Be <kind> & \"short\".",
		Messages: []model.Message{
			{Role: model.RoleUser, Content: "Translate\x00: \u2028 ü"},
			{Role: model.RoleAssistant, ToolCalls: []model.ToolCall{{ID: "a", Name: "ask_user", Arguments: `{"question":"?"}`}, {ID: "b", Name: "f", Arguments: `"x"`}}, Made: own},
			{Role: model.RoleTool, ToolCallID: "a", Content: ""},
			{Role: model.RoleTool, ToolCallID: "b", Content: "fr"},
			{Role: model.RoleAssistant, Content: "Done."},
			{Role: model.RoleUser, Content: "More"},
		},
		Tools:       []model.Definition{{Name: "ask_user", Description: "Asks.", Parameters: json.RawMessage(`{"type":"object","properties":{"description":{"type":"string","description":"d"}}}`)}, {Name: "clock", Parameters: json.RawMessage(`{"type":"object","properties":{}}`)}},
		Temperature: &temperature,
	}
	c := openai.New(openai.Options{BaseURL: s.URL + "/", APIKey: "key", Model: "qwen3"})
	if g := claims.Read(t, c, req); g.Text != "Hi" {
		t.Fatal(g)
	}
	claims.Read(t, openai.New(openai.Options{BaseURL: s.URL + "/chat/completions", Model: "qwen3"}), claims.Ask)
	first, second := s.Requests()[0], s.Requests()[1]
	want := `{"model":"qwen3","messages":[{"role":"system","content":"Be <kind> & \"short\"."},` +
		`{"role":"user","content":"Translate\u0000: ` + "\u2028" + ` ü"},` +
		`{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"ask_user","arguments":"{\"question\":\"?\"}"}},{"id":"b","type":"function","function":{"name":"f","arguments":"\"x\""}}]},` +
		`{"role":"tool","content":"","tool_call_id":"a"},{"role":"tool","content":"fr","tool_call_id":"b"},` +
		`{"role":"assistant","content":"Done."},{"role":"user","content":"More"}],` +
		`"tools":[{"type":"function","function":{"name":"ask_user","description":"Asks.","parameters":{"type":"object","properties":{"description":{"type":"string","description":"d"}}}}},{"type":"function","function":{"name":"clock","parameters":{"type":"object","properties":{}}}}],` +
		`"temperature":0,"stream":true,"stream_options":{"include_usage":true}}`
	if string(first.Raw) != want {
		t.Errorf("body\n%s\nwant\n%s", first.Raw, want)
	}
	if string(second.Raw) != `{"model":"qwen3","messages":[{"role":"user","content":"secret words"}],"stream":true,"stream_options":{"include_usage":true}}` {
		t.Errorf("body %s", second.Raw)
	}
	if first.Path != "/v1/chat/completions" || second.Path != first.Path {
		t.Errorf("paths %s, %s", first.Path, second.Path)
	}
	if first.Header.Get("Authorization") != "Bearer key" || second.Header["Authorization"] != nil || first.Header["Accept-Encoding"] != nil {
		t.Errorf("headers %v", first.Header)
	}
}

func TestStreamOptionsAreDroppedWhereTheServerRefusesThem(t *testing.T) {
	refusal := modeltest.Status(400, `{"error":{"message":"Unrecognized request argument supplied: stream_options"}}`)
	s := modeltest.New(t, refusal, modeltest.Answer("a"), modeltest.Answer("b"))
	c := openai.New(openai.Options{BaseURL: s.URL, Model: "m"})
	if a, b := claims.Read(t, c, claims.Ask), claims.Read(t, c, claims.Ask); a.Text != "a" || b.Text != "b" {
		t.Errorf("%s, %s", a, b)
	}
	for n, r := range s.Requests() {
		if (r.Body.StreamOptions != nil) != (n == 0) {
			t.Errorf("request %d: %s", n, r.Raw)
		}
	}
	s = modeltest.New(t, refusal, refusal)
	if g := claims.Read(t, openai.New(openai.Options{BaseURL: s.URL, Model: "m", MaxRetries: 5}), claims.Ask); g.String() != `text="" error=model_error/400` || len(s.Requests()) != 2 {
		t.Errorf("a server that goes on refusing: %s after %d requests", g, len(s.Requests()))
	}
}

func BenchmarkStream(b *testing.B) {
	// Reading only: the transport is a slice of bytes.
	chunk := data(`{"id":"chatcmpl-1","object":"chat.completion.chunk","created":1700000000,"model":"m","choices":[{"index":0,"delta":{"content":"twenty bytes of text"},"logprobs":null,"finish_reason":null}]}`)
	const chunks = 10000
	c := overBody(&claims.Body{Text: strings.Repeat(chunk, chunks) + data(end(`"stop"`), "[DONE]")})
	b.ReportAllocs()
	for b.Loop() {
		for _, err := range c.Stream(b.Context(), claims.Ask) {
			if err != nil {
				b.Fatal(err)
			}
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/chunks, "ns/chunk")
}
