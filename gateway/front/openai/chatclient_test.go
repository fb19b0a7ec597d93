package openai_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/askgate/askgate/gateway/front/fronttest"
)

// said is a message of a request.
type said map[string]any

func user(text string) said      { return said{"role": "user", "content": text} }
func assistant(text string) said { return said{"role": "assistant", "content": text} }

// client talks to a gateway without streaming, as openai-python does, and keeps the history.
type client struct {
	t       *testing.T
	g       *fronttest.Gateway
	app     string
	headers map[string]string
	tools   []string
	history []said
}

func newClient(t *testing.T, g *fronttest.Gateway, headers ...string) *client {
	c := &client{t: t, g: g, app: fronttest.App, headers: map[string]string{}}
	for i := 0; i+1 < len(headers); i += 2 {
		c.headers[headers[i]] = headers[i+1]
	}
	return c
}

// reply is a response.
type reply struct {
	status  int
	chat    string // X-Chat-Id
	header  http.Header
	text    string
	finish  string
	calls   []toolCall
	usage   int64
	code    string
	refusal string
	param   string
}

type toolCall struct {
	ID, Type string
	Function struct{ Name, Arguments string }
}

func (c *client) say(text string) reply { c.t.Helper(); return c.send(user(text)) }

// send sends a message after the history, and adds it and the answer to the history.
func (c *client) send(m ...said) reply {
	c.t.Helper()
	c.history = append(c.history, m...)
	r := c.post(map[string]any{"messages": c.history})
	if r.status == http.StatusOK {
		next := assistant(r.text)
		if len(r.calls) > 0 {
			next["tool_calls"] = r.calls
		}
		c.history = append(c.history, next)
	}
	return r
}

// post sends a body, with model and tools.
func (c *client) post(body map[string]any) reply {
	c.t.Helper()
	body["model"] = c.app
	for _, name := range c.tools {
		list, _ := body["tools"].([]any)
		body["tools"] = append(list, map[string]any{"type": "function", "function": map[string]any{"name": name}})
	}
	data, err := json.Marshal(body)
	if err != nil {
		c.t.Fatal(err)
	}
	return c.raw("POST", "/v1/chat/completions", data)
}

func (c *client) raw(method, path string, data []byte) reply {
	c.t.Helper()
	req, err := http.NewRequestWithContext(c.t.Context(), method, c.g.URL+path, bytes.NewReader(data))
	if err != nil {
		c.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	for k, v := range c.headers {
		req.Header.Set(k, v)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		c.t.Fatal(err)
	}
	defer resp.Body.Close()
	out, _ := io.ReadAll(resp.Body)
	var v struct {
		Object  string
		Choices []struct {
			Message struct {
				Role, Content string
				ToolCalls     []toolCall `json:"tool_calls"`
			}
			FinishReason string `json:"finish_reason"`
		}
		Usage struct {
			Total int64 `json:"total_tokens"`
		}
		Error struct{ Message, Type, Code, Param string }
	}
	if err := json.Unmarshal(out, &v); err != nil {
		c.t.Fatalf("%s: %v", out, err)
	}
	r := reply{status: resp.StatusCode, header: resp.Header, chat: resp.Header.Get("X-Chat-Id"), usage: v.Usage.Total, code: v.Error.Code, refusal: v.Error.Message, param: v.Error.Param}
	if len(v.Choices) == 1 {
		r.text, r.finish, r.calls = v.Choices[0].Message.Content, v.Choices[0].FinishReason, v.Choices[0].Message.ToolCalls
	}
	return r
}

// has fails unless a reply is a text with the words.
func (r reply) has(t *testing.T, finish string, words ...string) {
	t.Helper()
	if r.status != 200 || r.finish != finish {
		t.Errorf("status %d, finish %q, want %q: %+v", r.status, r.finish, finish, r)
	}
	for _, w := range words {
		if !strings.Contains(r.text, w) {
			t.Errorf("%q is not in %q", w, r.text)
		}
	}
}
