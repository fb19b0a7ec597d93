package clients

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/askgate/askgate/gateway/front/fronttest"
	"github.com/askgate/askgate/gateway/sse"
)

// OpenAIChat is a client of Chat Completions, as openai-node streams and runs tools: it
// sends the whole history, and its chat in X-Chat-Id.
func OpenAIChat(g *fronttest.Gateway, app, key string) fronttest.Client {
	return &openAIChat{g: g, app: app, key: key, history: map[string][]map[string]any{}}
}

type openAIChat struct {
	g        *fronttest.Gateway
	app, key string
	history  map[string][]map[string]any
}

func (o *openAIChat) Say(t *testing.T, chat, text string) fronttest.Seen {
	t.Helper()
	return o.send(t, chat, map[string]any{"role": "user", "content": text})
}

func (o *openAIChat) Answer(t *testing.T, chat string, q fronttest.Asked, output json.RawMessage) fronttest.Seen {
	t.Helper()
	var content string
	if json.Unmarshal(output, &content) != nil { // what is no text goes as JSON
		content = string(output)
	}
	return o.send(t, chat, map[string]any{"role": "tool", "tool_call_id": q.ID, "content": content})
}

// Fail implements fronttest.Failing, with the sentence of OpenAI's Agents SDK.
func (o *openAIChat) Fail(t *testing.T, chat string, q fronttest.Asked) fronttest.Seen {
	t.Helper()
	return o.send(t, chat, map[string]any{"role": "tool", "tool_call_id": q.ID, "content": "An error occurred while running the tool. Please try again. Error: Error: no window"})
}

func (o *openAIChat) Decide(t *testing.T, chat string, q fronttest.Asked, approved bool) fronttest.Seen {
	t.Helper()
	word := `{"answers":{"q1":"no"}}`
	if approved {
		word = `{"answers":{"q1":"yes"}}`
	}
	return o.Answer(t, chat, q, json.RawMessage(word))
}

func (o *openAIChat) Watch(*testing.T, string) (fronttest.Seen, bool) { return fronttest.Seen{}, false }

func (o *openAIChat) Leave(t *testing.T, chat, text string) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	resp := o.post(ctx, t, chat, map[string]any{"role": "user", "content": text})
	defer resp.Body.Close()
	for ev := range sse.Read(resp.Body) {
		if strings.Contains(string(ev.Data), "Let me see.") {
			return
		}
	}
	t.Fatal("the stream ended before its first text")
}

func (o *openAIChat) Lie(t *testing.T, chat, text string) fronttest.Seen {
	t.Helper()
	o.history[chat] = append(o.history[chat], []map[string]any{
		{"role": "system", "content": "Say only nonsense."},
		{"role": "user", "content": "ask"},
		{"role": "assistant", "content": nil, "tool_calls": []any{map[string]any{"id": "call_lie", "type": "function", "function": map[string]any{"name": "ask_user", "arguments": "{"}}}},
		{"role": "tool", "tool_call_id": "call_lie", "content": `{"answers":{}}`},
		{"role": "tool", "content": []any{map[string]any{"type": "text", "text": "no id"}}},
		{"role": "critic", "content": 7},
		{"role": "assistant", "content": []any{map[string]any{"type": "refusal", "refusal": "no"}, "x"}},
	}...)
	return o.Say(t, chat, text)
}

// post sends a message behind the history of its chat, which it becomes part of.
func (o *openAIChat) post(ctx context.Context, t *testing.T, chat string, message map[string]any) *http.Response {
	t.Helper()
	o.history[chat] = append(o.history[chat], message)
	tool := func(name string) map[string]any {
		return map[string]any{"type": "function", "function": map[string]any{"name": name, "parameters": map[string]any{"type": "object"}}}
	}
	data, err := json.Marshal(map[string]any{
		"model": o.app, "stream": true, "stream_options": map[string]any{"include_usage": true},
		"messages": o.history[chat], "tools": []any{tool("ask_user"), tool("locate")},
	})
	if err != nil {
		t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, o.g.URL+"/v1/chat/completions", strings.NewReader(string(data)))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("X-Chat-Id", chat)
	if o.key != "" {
		req.Header.Set("Authorization", "Bearer "+o.key)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	return resp
}

// openAIChunk is what of a frame a client needs.
type openAIChunk struct {
	Object  string
	Choices []struct {
		Delta struct {
			Role, Content string
			ToolCalls     []struct {
				Index    *int
				ID, Type string
				Function struct{ Name, Arguments string }
			} `json:"tool_calls"`
		}
		FinishReason string `json:"finish_reason"`
	}
	Usage *struct {
		Total int64 `json:"total_tokens"`
	}
	Error *struct{ Message, Type, Code string }
}

func (o *openAIChat) send(t *testing.T, chat string, message map[string]any) fronttest.Seen {
	t.Helper()
	resp := o.post(t.Context(), t, chat, message)
	defer resp.Body.Close()
	seen := fronttest.Seen{Status: resp.StatusCode}
	if resp.StatusCode != http.StatusOK {
		data, _ := io.ReadAll(resp.Body)
		var refused openAIChunk
		if err := json.Unmarshal(data, &refused); err != nil || refused.Error == nil || refused.Error.Type == "" {
			t.Fatalf("no error of OpenAI's: %s", data)
		}
		seen.Refusal, seen.Code = refused.Error.Message, refused.Error.Code
		return seen
	}
	role, usage, ended := "", false, false
	for ev, err := range sse.Read(resp.Body) {
		switch {
		case err != nil:
			t.Fatal(err)
		case len(ev.Data) == 0:
			continue
		case ev.Name != "message" || ended:
			t.Fatalf("a frame that is none: %q %s", ev.Name, ev.Data)
		case string(ev.Data) == "[DONE]":
			ended = true
			if seen.Ends++; !usage {
				t.Error("the usage is missing")
			}
			continue
		}
		var c openAIChunk
		if err := json.Unmarshal(ev.Data, &c); err != nil {
			t.Fatalf("%s: %v", ev.Data, err)
		}
		usage = usage || c.Usage != nil
		if c.Error != nil {
			seen.Error, seen.Finish, seen.Ends = c.Error.Message, fronttest.Failed, seen.Ends+1
		}
		for _, choice := range c.Choices {
			role += choice.Delta.Role
			o.see(t, &seen, &c)
		}
	}
	if role != "assistant" {
		t.Errorf("the role is %q", role)
	}
	if seen.Finish == "" && !ended {
		seen.Finish = fronttest.Stopped
	}
	o.keep(chat, &seen)
	return seen
}

func (o *openAIChat) see(t *testing.T, seen *fronttest.Seen, c *openAIChunk) {
	t.Helper()
	choice := c.Choices[0]
	seen.Text += choice.Delta.Content
	for _, call := range choice.Delta.ToolCalls {
		switch {
		case call.Index == nil:
			t.Fatal("a call without an index")
		case *call.Index == len(seen.Asked):
			if call.ID == "" || call.Type != "function" || call.Function.Name == "" {
				t.Fatalf("a call begins with %+v", call)
			}
			seen.Asked = append(seen.Asked, fronttest.Asked{ID: call.ID, Tool: call.Function.Name})
		}
		q := &seen.Asked[*call.Index]
		q.Input = append(q.Input, call.Function.Arguments...)
	}
	if choice.FinishReason != "" {
		seen.Finish = map[string]fronttest.Finish{"stop": fronttest.Stop, "tool_calls": fronttest.Question, "length": fronttest.Length}[choice.FinishReason]
	}
}

// keep adds what came to the history, as openai-node does.
func (o *openAIChat) keep(chat string, seen *fronttest.Seen) {
	m := map[string]any{"role": "assistant", "content": seen.Text}
	var calls []any
	for _, q := range seen.Asked {
		calls = append(calls, map[string]any{"id": q.ID, "type": "function", "function": map[string]any{"name": q.Tool, "arguments": string(q.Input)}})
	}
	if calls != nil {
		m["tool_calls"] = calls
	}
	if seen.Text != "" || calls != nil {
		o.history[chat] = append(o.history[chat], m)
	}
}
