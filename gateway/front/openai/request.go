package openai

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/askgate/askgate/gateway/front"
)

// request is what counts of a request for a completion.
type request struct {
	model         string
	stream, usage bool
	tools         names
	said          history
	outputs       []result // behind the last that the assistant said
	message       *string  // the newest of the user's, likewise
}

// result is what a client's tool came to.
type result struct{ call, text string }

// history is a conversation as a client tells it. Lines of one side that follow one
// another are one, and the first is the user's.
type history []line

// line is what one side said: texts of the user's, or one of the assistant's with the ids
// of its calls. White space does not count.
type line struct {
	user  bool
	texts []string
	calls []string
}

// wire is a request as it comes. What no app lets its clients choose is not read.
type wire struct {
	Model         json.RawMessage   `json:"model"`
	Messages      []json.RawMessage `json:"messages"`
	Stream        bool              `json:"stream"`
	StreamOptions struct {
		IncludeUsage bool `json:"include_usage"`
	} `json:"stream_options"`
	N          *int              `json:"n"`
	Tools      []json.RawMessage `json:"tools"`
	ToolChoice json.RawMessage   `json:"tool_choice"`
}

type wireMessage struct {
	Role       string          `json:"role"`
	Content    json.RawMessage `json:"content"`
	ToolCallID string          `json:"tool_call_id"`
	ToolCalls  []struct {
		ID string `json:"id"`
	} `json:"tool_calls"`
}

// read reads a request. Messages of a shape that it does not know do not count, but for the
// last.
func read(data []byte) (*request, error) {
	var w wire
	if err := json.Unmarshal(data, &w); err != nil {
		return nil, wrongType(err)
	}
	r := &request{stream: w.Stream, usage: w.StreamOptions.IncludeUsage, tools: offered(w.Tools, w.ToolChoice)}
	switch {
	case json.Unmarshal(w.Model, &r.model) != nil || r.model == "":
		return nil, front.Invalid("openai_missing", "model", nil)
	case len(w.Messages) == 0:
		return nil, front.Invalid("openai_missing", "messages", nil)
	case w.N != nil && *w.N != 1:
		return nil, front.Invalid("openai_n", "n", nil)
	}
	for _, data := range w.Messages {
		var m wireMessage
		if json.Unmarshal(data, &m) == nil {
			r.add(&m)
		}
	}
	r.outputs = lastOf(r.outputs)
	r.said.trim()
	if r.message == nil && len(r.outputs) == 0 {
		return nil, front.Invalid("openai_last", "messages", nil)
	}
	return r, nil
}

func (r *request) add(m *wireMessage) {
	text := contentText(m.Content)
	switch m.Role {
	case "user":
		r.message = &text
		r.said.add(line{user: true, texts: []string{squeeze(text)}})
	case "tool":
		r.outputs = append(r.outputs, result{m.ToolCallID, text})
	case "assistant":
		l := line{texts: []string{squeeze(text)}}
		for _, c := range m.ToolCalls {
			l.calls = append(l.calls, c.ID)
		}
		if l.texts[0] == "" && l.calls == nil {
			return // what clients keep of an answer that failed
		}
		r.message, r.outputs = nil, nil
		r.said.add(l)
	}
}

func (h *history) add(l line) {
	if len(*h) == 0 || (*h)[len(*h)-1].user != l.user {
		*h = append(*h, l)
		return
	}
	last := &(*h)[len(*h)-1]
	last.calls = l.calls // of what was said before, nothing is open
	last.texts = append(last.texts, l.texts...)
}

// trim makes one text of what an assistant says in several messages, once: there may be
// many. It drops what one says first: greetings are the client's own.
func (h *history) trim() {
	for i := range *h {
		if l := &(*h)[i]; !l.user && len(l.texts) > 1 {
			l.texts = []string{joined(" ", l.texts...)}
		}
	}
	if len(*h) > 0 && !(*h)[0].user {
		*h = (*h)[1:]
	}
}

// answer is the last line of the assistant's, nil where there is none.
func (h history) answer() *line {
	for i := len(h) - 1; i >= 0; i-- {
		if !h[i].user {
			return &h[i]
		}
	}
	return nil
}

// contentText is the text of a message's content: a string, or parts of which those that
// are text count.
func contentText(data json.RawMessage) string {
	var s string
	if data = bytes.TrimSpace(data); len(data) == 0 || data[0] == '"' {
		_ = json.Unmarshal(data, &s) // else ""
		return s
	}
	var parts []json.RawMessage
	if json.Unmarshal(data, &parts) != nil {
		return ""
	}
	var texts []string
	for _, one := range parts {
		var p struct{ Type, Text string }
		if json.Unmarshal(one, &p) == nil && strings.HasSuffix(p.Type, "text") && p.Text != "" {
			texts = append(texts, p.Text)
		}
	}
	return strings.Join(texts, "\n")
}

// offered are the names of the functions that a request offers, in the shapes of Chat
// Completions and of Responses; none where its choice is not to call any.
func offered(tools []json.RawMessage, choice json.RawMessage) names {
	n := names{}
	if string(choice) == `"none"` {
		return n
	}
	for _, data := range tools {
		var t struct {
			Name     string `json:"name"`
			Function struct {
				Name string `json:"name"`
			} `json:"function"`
		}
		if json.Unmarshal(data, &t) == nil {
			n[t.Name], n[t.Function.Name] = true, true
		}
	}
	delete(n, "")
	return n
}

// lastOf is of each call the last result: one that was refused stays in some clients'
// history.
func lastOf(all []result) []result {
	seen := map[string]bool{}
	var last []result
	for _, r := range slices.Backward(all) {
		if !seen[r.call] {
			seen[r.call], last = true, append(last, r)
		}
	}
	slices.Reverse(last)
	return last
}

// wrongType refuses a body whose JSON is not a request's.
func wrongType(err error) error {
	var field string
	if wrong, ok := err.(*json.UnmarshalTypeError); ok { //nolint:errorlint // the decoder wraps nothing
		field = wrong.Field
	}
	if field == "" {
		return front.Invalid("malformed_json", "", nil)
	}
	return front.Invalid("wrong_type", field, nil)
}
