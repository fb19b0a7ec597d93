package agui

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/askgate/askgate/gateway/front"
)

// What of a request is read at most. A message id that is longer makes no key.
const (
	maxAnswers   = 200 // tool messages, and entries of resume
	maxMessageID = 200 // bytes
)

// input is what counts of a RunAgentInput.
type input struct {
	thread, run string
	versioned   bool // it has a protocolVersion: the client knows what came with 1.0
	interrupts  bool // forwardedProps says that the client knows interrupts
	asks        bool // ask_user is a tool of the client's
	resume      []entry
	legacy      json.RawMessage // forwardedProps.command.resume; nil: there is none
	said        *said           // the newest message, where it is the person's
	outputs     []output        // tool messages after the assistant's last, the newest of each call
	history     history
	calls       map[string]bool // of the newest message that has any
}

// shows says that the newest calls in the client's history have the one with that id.
func (in *input) shows(call string) bool { return in.calls[call] }

// replies says that it has something that may be an answer.
func (in *input) replies() bool {
	return len(in.resume) > 0 || in.legacy != nil || len(in.outputs) > 0
}

// said is a message of the person's; id is "" where it has none that can be a key.
type said struct{ id, text string }

// entry is the answer to an interrupt.
type entry struct {
	id        string
	cancelled bool
	payload   json.RawMessage
}

// output is a tool message.
type output struct {
	call   string
	text   string
	failed string // why the client's tool failed, "" where it did not
}

// body is a RunAgentInput as it comes. Only what is named here is looked at.
type body struct {
	ThreadID        json.RawMessage   `json:"threadId"`
	RunID           json.RawMessage   `json:"runId"`
	ProtocolVersion json.RawMessage   `json:"protocolVersion"`
	Messages        json.RawMessage   `json:"messages"`
	Tools           []json.RawMessage `json:"tools"`
	Resume          json.RawMessage   `json:"resume"`
	ForwardedProps  json.RawMessage   `json:"forwardedProps"`
}

// read reads a request whose JSON is known to be well-formed.
func read(data []byte) (*input, error) {
	var b body
	if err := json.Unmarshal(data, &b); err != nil {
		field := ""
		if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
			field = wrong.Field
		}
		return nil, front.Invalid("wrong_type", field, nil)
	}
	in := &input{versioned: text(b.ProtocolVersion) != "", asks: slices.ContainsFunc(b.Tools, isAskUser)}
	for _, must := range []struct {
		field string
		raw   json.RawMessage
		into  *string
	}{{"threadId", b.ThreadID, &in.thread}, {"runId", b.RunID, &in.run}} {
		if *must.into = text(must.raw); *must.into == "" {
			return nil, missing(must.field)
		}
		if len(*must.into) > front.MaxChatID {
			return nil, front.Invalid("client_chat_id", must.field, map[string]any{"Max": front.MaxChatID})
		}
	}
	var messages []json.RawMessage
	if isNull(b.Messages) {
		return nil, missing("messages")
	}
	if json.Unmarshal(b.Messages, &messages) != nil {
		return nil, front.Invalid("wrong_type", "messages", nil)
	}
	in.newest(messages)
	in.calls = newestCalls(messages)
	in.history = newHistory(messages)
	in.forwarded(b.ForwardedProps)
	return in, in.entries(b.Resume)
}

func missing(field string) error { return front.Invalid("missing_field", field, nil) }

func isAskUser(tool json.RawMessage) bool {
	var t struct {
		Name json.RawMessage `json:"name"`
	}
	return json.Unmarshal(tool, &t) == nil && text(t.Name) == front.AskUser
}

// newest reads the end of the history: a message of the person's, and tool messages since
// the assistant's last. What is older, of another role or of no shape at all, is the
// client's own.
func (in *input) newest(messages []json.RawMessage) {
	known := map[string]bool{}
	for _, raw := range slices.Backward(messages) {
		var m struct {
			ID         json.RawMessage `json:"id"`
			Role       json.RawMessage `json:"role"`
			Content    json.RawMessage `json:"content"`
			ToolCallID json.RawMessage `json:"toolCallId"`
			Error      json.RawMessage `json:"error"`
		}
		if json.Unmarshal(raw, &m) != nil {
			continue
		}
		switch text(m.Role) {
		case "assistant":
			return
		case "user":
			if in.said == nil && len(known) == 0 {
				in.said = &said{id: text(m.ID), text: content(m.Content)}
				if len(in.said.id) > maxMessageID {
					in.said.id = ""
				}
			}
		case "tool":
			call := text(m.ToolCallID)
			if call == "" || known[call] || strings.HasPrefix(text(m.ID), resultID) { // that is the gateway's own
				continue
			}
			if known[call] = true; len(known) > maxAnswers {
				return
			}
			in.outputs = append(in.outputs, output{call, content(m.Content), text(m.Error)})
		}
	}
}

// newestCalls are the ids of the calls in the newest message that has any.
func newestCalls(messages []json.RawMessage) map[string]bool {
	calls := map[string]bool{}
	for _, raw := range slices.Backward(messages) {
		var m struct {
			Calls []struct {
				ID json.RawMessage `json:"id"`
			} `json:"toolCalls"`
		}
		if json.Unmarshal(raw, &m) != nil || len(m.Calls) == 0 {
			continue
		}
		for _, c := range m.Calls {
			calls[text(c.ID)] = true
		}
		break
	}
	return calls
}

// forwarded reads what CopilotKit forwards.
func (in *input) forwarded(raw json.RawMessage) {
	var props, command map[string]json.RawMessage
	if json.Unmarshal(raw, &props) != nil {
		return
	}
	in.interrupts = !isNull(props["interrupts"]) && string(props["interrupts"]) != "false"
	if json.Unmarshal(props["command"], &command) == nil && !isNull(command["resume"]) {
		in.legacy = command["resume"]
	}
}

// entries reads resume.
func (in *input) entries(raw json.RawMessage) error {
	if isNull(raw) {
		return nil
	}
	var list []struct {
		InterruptID json.RawMessage `json:"interruptId"`
		Status      json.RawMessage `json:"status"`
		Payload     json.RawMessage `json:"payload"`
	}
	if json.Unmarshal(raw, &list) != nil {
		return front.Invalid("wrong_type", "resume", nil)
	}
	if len(list) > maxAnswers {
		return front.Invalid("entries", "resume", map[string]any{"Max": maxAnswers})
	}
	for i, e := range list {
		read := entry{id: text(e.InterruptID), payload: e.Payload}
		if read.id == "" {
			return missing(fmt.Sprintf("resume[%d].interruptId", i))
		}
		switch text(e.Status) {
		case "cancelled":
			read.cancelled = true
		case "resolved":
		case "":
			return missing(fmt.Sprintf("resume[%d].status", i))
		default:
			return front.Invalid("unknown_value", fmt.Sprintf("resume[%d].status", i), nil)
		}
		if isNull(read.payload) {
			read.payload = json.RawMessage("null")
		}
		in.resume = append(in.resume, read)
	}
	return nil
}

// content is the text of a message: a string, or the text parts of a list. Anything else,
// as some clients send results, is its JSON.
func content(raw json.RawMessage) string {
	if isNull(raw) {
		return ""
	}
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	var parts []struct {
		Type json.RawMessage `json:"type"`
		Text json.RawMessage `json:"text"`
	}
	if json.Unmarshal(raw, &parts) != nil {
		return string(raw)
	}
	var texts []string
	for _, p := range parts {
		if text(p.Type) == "text" {
			texts = append(texts, text(p.Text))
		}
	}
	return strings.Join(texts, "\n")
}

// text is a JSON string's text; "" where it is none.
func text(raw json.RawMessage) string {
	var s string
	_ = json.Unmarshal(raw, &s) // another type is no text
	return s
}

func isNull(raw json.RawMessage) bool { return len(raw) == 0 || string(raw) == "null" }
