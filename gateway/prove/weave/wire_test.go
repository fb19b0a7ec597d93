package weave

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
)

// over is the protocol of a client.
type over string

const (
	chat      over = "chat"      // Chat Completions
	responses over = "responses" // the whole input
	behind    over = "behind"    // Responses with previous_response_id
	uiMessage over = "ai-sdk"
	agUI      over = "ag-ui"
	native    over = "native"
)

var all = []over{chat, responses, behind, uiMessage, agUI, native}

func (o over) openAI() bool { return o == chat || o == responses || o == behind }

// shown is a message as a client shows it.
type shown struct {
	role, id, text string // user, assistant, or result (of the preceding call)
	response       string // the chat that it came in
	calls          []call
	output         json.RawMessage // for a result; nil: it failed, with text as the reason
	before         lines           // for a user's: what the client showed before
	kind           kind            // likewise
}

// kind is the purpose of a user's message.
type kind int

const (
	said  kind = iota
	typed      // it answered a question
	part       // of a form
)

// call is a question as a client received it.
type call struct {
	id, name, arguments string
	approval            bool // in the format's own way
}

// reply is the result that a client reads from a response.
type reply struct {
	status                   int
	code, chat               string
	text, id, response, body string
	calls                    []call
}

var toolOf = object{"type": "object"}

// request returns the thread as its client sends it: path and body.
func (th *thread) request() (path string, body object) {
	switch th.over {
	case chat:
		body = object{"model": "work", "messages": th.completions()}
		if th.calls {
			body["tools"] = []any{object{"type": "function", "function": object{"name": "ask_user", "parameters": toolOf}}}
		}
		body["stream"] = th.streams
		return "/v1/chat/completions", body
	case responses, behind:
		body = object{"model": "work", "input": th.items()}
		if th.calls {
			body["tools"] = []any{object{"type": "function", "name": "ask_user", "parameters": toolOf}}
		}
		if previous := th.previous(); th.over == behind && previous != "" {
			body["previous_response_id"] = previous
		}
		body["stream"] = th.streams
		return "/v1/responses", body
	case uiMessage:
		body = object{"id": th.name, "messages": th.parts(), "trigger": "submit-message"}
		if th.again {
			body["trigger"] = "regenerate-message"
		}
		if th.edited != "" {
			body["messageId"] = th.edited
		}
		return "/v1/apps/work/ai-sdk", body
	case agUI:
		body = object{"threadId": th.name, "runId": "r", "state": object{}, "context": []any{}, "forwardedProps": object{}, "messages": th.agMessages()}
		if th.resumes {
			th.resuming(body)
		} else {
			body["tools"] = []any{object{"name": "ask_user", "description": "Asks.", "parameters": toolOf}}
		}
		return "/v1/apps/work/ag-ui", body
	}
	panic(th.over)
}

// recent returns the messages to send: all, or the new ones.
func (th *thread) recent() []shown {
	if !th.short {
		return th.shows
	}
	for i := len(th.shows) - 1; i >= 0; i-- {
		if th.shows[i].role == "assistant" {
			return th.shows[i+1:]
		}
	}
	return th.shows
}

func (th *thread) completions() (list []any) {
	for _, m := range th.recent() {
		switch m.role {
		case "user":
			list = append(list, object{"role": "user", "content": m.text})
		case "result":
			text := string(m.output)
			if m.output == nil {
				text = m.text
			}
			list = append(list, object{"role": "tool", "tool_call_id": m.id, "content": text})
		default:
			o := object{"role": "assistant", "content": m.text}
			var made []any
			for _, c := range m.calls {
				made = append(made, object{"id": c.id, "type": "function", "function": object{"name": c.name, "arguments": c.arguments}})
			}
			if made != nil {
				o["tool_calls"] = made
			}
			list = append(list, o)
		}
	}
	return list
}

// previous is the response that the newest messages follow.
func (th *thread) previous() string {
	for i := len(th.shows) - 1; i >= 0; i-- {
		if th.shows[i].role == "assistant" {
			return th.shows[i].response
		}
	}
	return ""
}

func (th *thread) items() (list []any) {
	messages := th.recent()
	if th.over == behind && th.previous() != "" {
		short := *th
		short.short = true
		messages = short.recent()
	}
	for _, m := range messages {
		switch m.role {
		case "user":
			list = append(list, object{"type": "message", "role": "user", "content": m.text})
		case "result":
			if m.calls[0].approval && m.output != nil {
				list = append(list, object{"type": "mcp_approval_response", "approval_request_id": m.id, "approve": bytes.Contains(m.output, []byte("true"))})
				continue
			}
			text := string(m.output)
			if m.output == nil {
				text = m.text
			}
			list = append(list, object{"type": "function_call_output", "call_id": m.id, "output": text})
		default:
			if m.text != "" {
				list = append(list, object{"type": "message", "role": "assistant", "content": []any{object{"type": "output_text", "text": m.text}}})
			}
			for _, c := range m.calls {
				if c.approval {
					list = append(list, object{"type": "mcp_approval_request", "id": c.id, "name": c.name, "arguments": c.arguments, "server_label": "work"})
				} else {
					list = append(list, object{"type": "function_call", "call_id": c.id, "name": c.name, "arguments": c.arguments})
				}
			}
		}
	}
	return list
}

func (th *thread) parts() (list []any) {
	var last object // the assistant's
	put := func(parts ...any) { last["parts"] = append(last["parts"].([]any), parts...) }
	for _, m := range th.recent() {
		switch m.role {
		case "user":
			last = nil
			list = append(list, object{"id": m.id, "role": "user", "parts": []any{object{"type": "text", "text": m.text}}})
		case "assistant":
			if last == nil || last["id"] != m.id {
				last = object{"id": m.id, "role": "assistant", "parts": []any{}}
				list = append(list, last)
			}
			put(object{"type": "step-start"})
			if m.text != "" {
				put(object{"type": "text", "text": m.text, "state": "done"})
			}
			for _, c := range m.calls {
				put(object{"type": "tool-" + c.name, "toolCallId": c.id, "state": "input-available", "input": object{}})
			}
		case "result":
			for _, p := range last["parts"].([]any) {
				if p := p.(object); p["toolCallId"] == m.id {
					if p["state"], p["output"] = "output-available", m.output; m.output == nil {
						p["state"], p["errorText"] = "output-error", m.text
						delete(p, "output")
					}
				}
			}
		}
	}
	return list
}

func (th *thread) agMessages() (list []any) {
	for _, m := range th.recent() {
		o := object{"id": m.id, "role": m.role, "content": m.text}
		switch m.role {
		case "assistant":
			var made []any
			for _, c := range m.calls {
				made = append(made, object{"id": c.id, "type": "function", "function": object{"name": c.name, "arguments": c.arguments}})
			}
			if made != nil {
				o["toolCalls"] = made
			}
		case "result":
			if th.resumes { // that is in resume, or was
				continue
			}
			o["role"], o["toolCallId"], o["id"] = "tool", m.id, "result-"+m.id
			if o["content"] = string(m.output); m.output == nil {
				o["content"], o["error"] = "", m.text
			}
		}
		list = append(list, o)
	}
	return list
}

// read reads a response.
func (o over) read(t *testing.T, got did) reply {
	t.Helper()
	r := reply{status: got.status, chat: got.header.Get("X-Chat-Id"), code: got.header.Get("X-Error-Code"), body: string(got.body)}
	if got.status != http.StatusOK {
		var refused struct {
			Code  string
			Error struct{ Code string }
		}
		_ = json.Unmarshal(got.body, &refused) // the AI SDK's is a text
		r.code += refused.Code + refused.Error.Code
		return r
	}
	if o.openAI() && strings.HasPrefix(got.header.Get("Content-Type"), "text/event-stream") {
		got.body = whole(t, o, got.body)
	}
	switch o {
	case chat:
		var c struct {
			Choices []struct {
				Message struct {
					Content   string
					ToolCalls []struct {
						ID       string
						Function struct{ Name, Arguments string }
					} `json:"tool_calls"`
				}
			}
		}
		must(t, json.Unmarshal(got.body, &c))
		r.text = c.Choices[0].Message.Content
		for _, made := range c.Choices[0].Message.ToolCalls {
			r.calls = append(r.calls, call{id: made.ID, name: made.Function.Name, arguments: made.Function.Arguments})
		}
	case responses, behind:
		var c struct {
			ID     string
			Output []struct {
				Type, ID, Name, Arguments string
				CallID                    string `json:"call_id"`
				Content                   []struct{ Text string }
			}
		}
		must(t, json.Unmarshal(got.body, &c))
		r.response = c.ID
		for _, item := range c.Output {
			switch item.Type {
			case "message":
				for _, p := range item.Content {
					r.text += p.Text
				}
			case "function_call":
				r.calls = append(r.calls, call{id: item.CallID, name: item.Name, arguments: item.Arguments})
			case "mcp_approval_request":
				r.calls = append(r.calls, call{id: item.ID, name: item.Name, arguments: item.Arguments, approval: true})
			}
		}
	case native:
		var c struct {
			ChatID, Text  string
			Clarification *struct{ ClarificationID, ToolName, Kind string }
		}
		must(t, json.Unmarshal(got.body, &c))
		r.chat, r.text = c.ChatID, c.Text
		if c.Clarification != nil {
			r.calls = []call{{id: c.Clarification.ClarificationID}}
		}
	default:
		r.events(t, got.body)
	}
	return r
}

// events reads a stream of the AI SDK or of AG-UI.
func (r *reply) events(t *testing.T, body []byte) {
	t.Helper()
	for line := range strings.Lines(string(body)) {
		data, ok := strings.CutPrefix(strings.TrimSpace(line), "data: ")
		if !ok || data == "[DONE]" {
			continue
		}
		var e struct {
			Type, MessageID, ParentMessageID, Delta, ToolCallID, ToolName, ToolCallName string
			Code, ErrorText                                                             string
			Outcome                                                                     struct{ Interrupts []struct{ ID string } }
		}
		must(t, json.Unmarshal([]byte(data), &e))
		switch e.Type {
		case "start", "TEXT_MESSAGE_START":
			r.id = e.MessageID
		case "text-delta", "TEXT_MESSAGE_CONTENT":
			r.text += e.Delta
		case "tool-input-available", "TOOL_CALL_START":
			if name := e.ToolName + e.ToolCallName; name == "ask_user" {
				r.calls = append(r.calls, call{id: e.ToolCallID, name: name, arguments: "{}"})
			}
			if r.id == "" {
				r.id = e.ParentMessageID
			}
		case "RUN_FINISHED":
			if e.Outcome.Interrupts != nil {
				r.calls = nil
			}
			for _, i := range e.Outcome.Interrupts {
				r.calls = append(r.calls, call{id: i.ID})
			}
		case "error", "RUN_ERROR":
			r.code = e.Code + e.ErrorText
		}
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
