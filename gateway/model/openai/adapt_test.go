package openai_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/askgate/askgate/gateway/model"
	"github.com/askgate/askgate/gateway/model/modeltest/claims"
	"github.com/askgate/askgate/gateway/model/openai"
	"github.com/askgate/askgate/gateway/model/upstream"
)

var good = data(delta(`{"content":"Hi"}`), end(`"stop"`), "[DONE]")

// A part that a server refuses is left out: the request is sent again without it, and later
// requests omit it from the start. The refusals are those that the servers send (see
// modeltest/strict).
func TestWhatIsRefusedIsLeftOut(t *testing.T) {
	half := 0.5
	tools := []model.Definition{{Name: "ask_user", Parameters: json.RawMessage(`{"type":"object","properties":{}}`)}, {Name: "clock", Parameters: json.RawMessage(`{"type":"object","properties":{}}`)}}
	reasoned := answered(t, data(delta(`{"reasoning_content":"hm"}`), frag(plainCall), end(`"tool_calls"`)))
	foreign := slices.Clone(reasoned)
	foreign[0].Made = model.Made{}
	for name, c := range map[string]struct {
		o              openai.Options
		history        []model.Message
		refusal        string
		before, behind string // in the requests before and after the refusal: what only they contain
	}{
		// A1: 9router#560, #846
		"temperature": {openai.Options{Temperature: &half}, nil, `400 {"error":{"message":"Unsupported value: 'temperature' does not support 0.5 with this model. Only the default (1) value is supported.","type":"invalid_request_error","param":"temperature","code":"unsupported_value"}}`, `"temperature":`, ``},
		"max_tokens":  {openai.Options{MaxTokens: 5}, nil, `400 {"error":{"message":"Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.","type":"invalid_request_error","param":"max_tokens","code":"unsupported_parameter"}}`, `"max_tokens":5`, `"max_completion_tokens":5`},
		"effort":      {openai.Options{Effort: "max"}, nil, `400 {"error":{"message":"Unsupported value: 'max' is not supported with this model. Supported values are: 'low', 'medium', 'high', and 'xhigh'.","type":"invalid_request_error","param":"reasoning_effort","code":"unsupported_value"}}`, `"reasoning_effort":"max"`, `"reasoning_effort":"xhigh"`},
		// A1: litellm#34569, with "api": "chat"
		"effort with tools": {openai.Options{}, nil, `400 {"error":{"message":"Function tools with reasoning_effort are not supported for gpt-5.6-luna in /v1/chat/completions. To use function tools, use /v1/responses or set reasoning_effort to 'none'.","type":"invalid_request_error","param":"reasoning_effort","code":null}}`, ``, `"reasoning_effort":"none"`},
		// A7: crush#1590
		"Mistral": {openai.Options{}, reasoned, `422 {"object":"error","message":{"detail":[{"type":"extra_forbidden","loc":["body","messages",1,"assistant","reasoning_content"],"msg":"Extra inputs are not permitted","input":"hm"}]},"type":"invalid_request_error","param":null,"code":null}`, `"reasoning_content":"hm"`, ``},
		// A11: jan#8136
		"Groq": {openai.Options{}, reasoned, `400 {"error":{"message":"'messages.1' : for 'role:assistant' the following must be satisfied[('messages.1' : property 'reasoning_content' is unsupported)]","type":"invalid_request_error"}}`, `"reasoning_content":"hm"`, ``},
		// A8: crush#2696
		"DeepSeek": {openai.Options{}, foreign, `400 {"error":{"message":"The reasoning_content in the thinking mode must be passed back to the API","type":"invalid_request_error","param":null,"code":"invalid_request_error"}}`, ``, `"reasoning_content":""`},
		// A9: vscode#318809
		"Kimi": {openai.Options{}, foreign, `400 {"error":{"message":"thinking is enabled but reasoning_content is missing in assistant tool call message at index 1","type":"invalid_request_error"}}`, ``, `"reasoning_content":""`},
		// A6, the compatible address
		"Gemini": {openai.Options{}, foreign, `400 [{"error":{"code":400,"message":"Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly. Additional data, function call ` + "`default_api:f`" + `, position 2.","status":"INVALID_ARGUMENT"}}]`, ``, `"extra_content":{"google":{"thought_signature":"skip_thought_signature_validator"}}`},
		// A4: notion-mcp-server#341, through a proxy
		"a tool": {openai.Options{}, nil, `400 {"error":{"message":"Invalid schema for function 'clock': schema must be of type object.","type":"invalid_request_error","param":"tools[1].function.parameters","code":"invalid_function_parameters"}}`, `"name":"clock"`, ``},
	} {
		t.Run(name, func(t *testing.T) {
			s := &scripted{answers: []string{c.refusal, good, good}}
			var learnt []string
			c.o.BaseURL, c.o.Model, c.o.Transport = "http://x/v1", "m", s
			c.o.Notes = upstream.NewNotes(func(a upstream.Adaptation) { learnt = append(learnt, a.What) })
			client := openai.New(c.o)
			req := model.Request{Messages: append(claims.Ask.Messages[:1:1], c.history...), Tools: tools}
			for range 2 {
				if g := claims.Read(t, client, req); g.Text != "Hi" {
					t.Fatalf("%s, error %v, after %d requests", g, g.Err, len(s.sent))
				}
			}
			if len(s.sent) != 3 || len(learnt) != 1 {
				t.Fatalf("%d requests, learnt %q", len(s.sent), learnt)
			}
			for i, body := range s.sent {
				if has := c.before != "" && strings.Contains(body, c.before); has != (i == 0 && c.before != "") {
					t.Errorf("request %d: %s", i, body)
				}
				if has := c.behind != "" && strings.Contains(body, c.behind); has != (i > 0 && c.behind != "") {
					t.Errorf("request %d: %s", i, body)
				}
			}
		})
	}
}

// State that the server itself refuses is left out of that request, and the caller is notified.
func TestRefusedStateIsForgotten(t *testing.T) {
	history := answered(t, data(frag(`{"index":0,"id":"a","function":{"name":"f","arguments":"{}"},"extra_content":{"google":{"thought_signature":"Ci"}}}`), end(`"stop"`)))
	s := &scripted{answers: []string{`400 [{"error":{"code":400,"message":"Thought signature is not valid.","status":"INVALID_ARGUMENT"}}]`, good, good}} // opencode-antigravity#368
	client := s.client("m")
	for _, want := range []bool{true, false} {
		forgot := false
		for d, err := range client.Stream(t.Context(), model.Request{Messages: append(claims.Ask.Messages[:1:1], history...)}) {
			if err != nil {
				t.Fatal(err)
			}
			forgot = forgot || d.Forgot
		}
		if forgot != want {
			t.Errorf("forgot: %v", forgot)
		}
	}
	for i, want := range []bool{true, false, true} { // the chat forgets its own state, not what is known about the server
		if strings.Contains(s.sent[i], "thought_signature") != want || !strings.Contains(s.sent[i], `"id":"a"`) {
			t.Errorf("request %d: %s", i, s.sent[i])
		}
	}
}

// A gateway without ask_user is useless: the request fails, and gives that reason.
func TestAskUserIsNeverLeftOut(t *testing.T) {
	s := &scripted{answers: []string{`400 {"error":{"message":"Invalid schema for function 'ask_user': x","type":"invalid_request_error","param":"tools[0].function.parameters","code":"invalid_function_parameters"}}`, good}}
	g := claims.Read(t, s.client("m"), model.Request{Messages: claims.Ask.Messages, Tools: []model.Definition{{Name: "ask_user"}}})
	if g.Err == nil || len(s.sent) != 1 || !strings.Contains(g.Err.Error(), "ask_user") {
		t.Errorf("%s after %d requests: %v", g, len(s.sent), g.Err)
	}
}

// A refusal within the stream, as MiniMax and OpenRouter send it, is treated like one with a
// status.
func TestARefusalWithinTheStreamIsRead(t *testing.T) {
	half := 0.5
	for _, refusal := range []string{
		`{"base_resp":{"status_code":2013,"status_msg":"invalid params, temperature is not supported"}}`,
		data(`{"error":{"message":"Unsupported parameter: 'temperature' is not supported with this model.","code":400,"param":"temperature"},"choices":[{"index":0,"delta":{"content":""},"finish_reason":"error"}]}`),
	} {
		s := &scripted{answers: []string{refusal, good}}
		g := claims.Read(t, openai.New(openai.Options{BaseURL: "http://x/v1", Model: "m", Transport: s, Temperature: &half}), claims.Ask)
		if g.Text != "Hi" || len(s.sent) != 2 || !strings.Contains(s.sent[0], "temperature") || strings.Contains(s.sent[1], "temperature") {
			t.Errorf("%s after %d requests: %v", g, len(s.sent), g.Err)
		}
	}
}
