package weave

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

// interrupted reports whether the client is asked by an interrupt: it sends no message while that
// is open.
func (th *thread) interrupted() bool { return th.over == agUI && th.resumes }

// resuming turns a body of AG-UI into one of a client that supports interrupts, and adds what it
// has answered since the last response.
func (th *thread) resuming(body object) {
	if th.at%2 == 0 {
		body["protocolVersion"] = "1.0"
	} else {
		body["forwardedProps"] = object{"interrupts": true}
	}
	body["tools"] = []any{}
	last := th.shows[len(th.shows)-1]
	if last.role != "result" {
		return
	}
	payload := last.output
	if payload == nil {
		payload, _ = json.Marshal(object{"error": last.text}) // it encodes
	}
	body["resume"] = []any{object{"interruptId": last.id, "status": "resolved", "payload": payload}}
}

// whole returns the response that a stream of an OpenAI front amounts to, as it is without a
// stream.
func whole(t *testing.T, o over, stream []byte) []byte {
	t.Helper()
	var w streamed
	for line := range bytes.Lines(stream) {
		if data, ok := bytes.CutPrefix(bytes.TrimSpace(line), []byte("data: ")); ok && string(data) != "[DONE]" {
			if o == chat {
				w.chunk(t, data)
			} else {
				w.event(t, data)
			}
		}
	}
	if o == chat {
		data, err := json.Marshal(object{"choices": []any{object{"message": object{"content": w.text.String(), "tool_calls": w.calls}}}})
		must(t, err)
		return data
	}
	if w.response == nil {
		t.Fatalf("the stream has no end: %s", stream)
	}
	if told := w.text.String(); !strings.Contains(string(w.response), mustJSON(t, told)) {
		t.Fatalf("the stream contains %q, and its end %s", told, w.response)
	}
	return w.response
}

// streamed is the content of a stream.
type streamed struct {
	text     strings.Builder
	calls    []streamedCall
	response json.RawMessage
}

type streamedCall struct {
	ID       string `json:"id"`
	Function struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	} `json:"function"`
}

// chunk reads a chunk of Chat Completions.
func (w *streamed) chunk(t *testing.T, data []byte) {
	t.Helper()
	var c struct {
		Choices []struct {
			Delta struct {
				Content   string
				ToolCalls []struct {
					Index int
					streamedCall
				} `json:"tool_calls"`
			}
		}
	}
	must(t, json.Unmarshal(data, &c))
	for _, choice := range c.Choices {
		w.text.WriteString(choice.Delta.Content)
		for _, d := range choice.Delta.ToolCalls {
			if d.Index == len(w.calls) {
				w.calls = append(w.calls, streamedCall{})
			}
			to := &w.calls[d.Index]
			to.ID += d.ID
			to.Function.Name += d.Function.Name
			to.Function.Arguments += d.Function.Arguments
		}
	}
}

// event reads an event of Responses.
func (w *streamed) event(t *testing.T, data []byte) {
	t.Helper()
	var e struct {
		Type, Delta string
		Response    json.RawMessage
	}
	must(t, json.Unmarshal(data, &e))
	switch e.Type {
	case "response.output_text.delta":
		w.text.WriteString(e.Delta)
	case "response.completed", "response.incomplete", "response.failed":
		w.response = e.Response
	}
}

func mustJSON(t *testing.T, text string) string {
	t.Helper()
	data, err := json.Marshal(text)
	must(t, err)
	return string(bytes.Trim(data, `"`))
}
