package agui

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/front"
	"github.com/askgate/askgate/gateway/host"
	"github.com/askgate/askgate/gateway/store"
)

// These limit what is read of a request. A longer message id makes no key.
const (
	maxAnswers   = 200 // tool messages, and entries of resume
	maxMessageID = 200 // bytes
)

// input is the relevant part of a RunAgentInput.
type input struct {
	body        *front.Body // which has the files
	thread, run string
	versioned   bool         // it has a protocolVersion: the client knows what came with 1.0
	interrupts  bool         // forwardedProps says that the client supports interrupts
	asks        bool         // ask_user is a tool that the client has for the gateway's questions
	own         bool         // or it is a tool of the client's own
	demand      front.Demand // of ask_user, if asks
	tools       []front.Tool
	resume      []entry
	legacy      json.RawMessage // forwardedProps.command.resume; nil: not sent
	said        *said           // the newest message, if it is from the person; at is its place
	at          int
	outputs     []output // tool messages after the assistant's last message, the newest of each call
	earlier     bool     // if the newest is a message: there are tool messages before it, since the previous message
	behind      string   // the id of the assistant's last message before that
	instructed  front.Instructed
	history     history
	calls       map[string]bool // of the newest message that has calls
	lines       []front.Line    // the end of the history, newest first
}

// shows reports whether the newest calls in the client's history include the one with that id.
func (in *input) shows(call string) bool { return in.calls[call] }

// replies reports whether the request has something that may be an answer.
func (in *input) replies() bool {
	return len(in.resume) > 0 || in.legacy != nil || len(in.outputs) > 0
}

// said is a message from the person. id is "" if it has none that can be a key. before is the
// history, newest first.
type said struct {
	id, text string
	before   []front.Line
	parts    []front.Part // its files
	files    []host.File  // likewise, once they are read
}

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
	failed string // why the client's tool failed; "" if it did not
}

// body is a RunAgentInput as received. Only these fields are read.
type body struct {
	ThreadID        json.RawMessage   `json:"threadId"`
	RunID           json.RawMessage   `json:"runId"`
	ProtocolVersion json.RawMessage   `json:"protocolVersion"`
	Messages        json.RawMessage   `json:"messages"`
	Tools           []json.RawMessage `json:"tools"`
	Context         json.RawMessage   `json:"context"`
	Resume          json.RawMessage   `json:"resume"`
	ForwardedProps  json.RawMessage   `json:"forwardedProps"`
}

// read reads a request that is known to be well-formed JSON.
func read(data []byte) (*input, error) {
	var b body
	if err := json.Unmarshal(data, &b); err != nil {
		return nil, front.NotOfType(err, "")
	}
	in := &input{versioned: text(b.ProtocolVersion) != "", tools: brought(b.Tools)}
	in.offered(b.Tools)
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
		return nil, front.WrongType("messages", "array")
	}
	in.instructs(b.Context, messages)
	in.newest(messages)
	in.calls = newestCalls(messages)
	in.lines = lines(messages)
	if in.said != nil {
		in.said.before = lines(messages[:in.at])
	}
	in.history = newHistory(messages)
	in.forwarded(b.ForwardedProps)
	return in, in.entries(b.Resume)
}

func missing(field string) error { return front.Invalid("missing_field", field, nil) }

// offered finds ask_user among the client's tools; if there are several, the first counts.
func (in *input) offered(tools []json.RawMessage) {
	for _, raw := range tools {
		var t struct {
			Name       json.RawMessage `json:"name"`
			Parameters json.RawMessage `json:"parameters"`
		}
		if json.Unmarshal(raw, &t) == nil && text(t.Name) == front.AskUser {
			in.demand, in.asks = front.NewDemand(t.Parameters)
			in.own = !in.asks
			return
		}
	}
}

// takes reports whether the client can be asked a question by a call. A client that does not list
// the tool may still support the call.
func (in *input) takes(q front.Question) bool {
	return q.Class == front.Client || !in.own && in.demand.Takes(q.Input)
}

// newest reads the end of the history: a message from the person, and the tool messages since the
// assistant's last message. Messages that are older, of another role or malformed are the
// client's own.
func (in *input) newest(messages []json.RawMessage) {
	known := map[string]bool{}
	older := false
	for i, raw := range slices.Backward(messages) {
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
			if in.said == nil {
				return
			}
			if !older {
				older, in.behind = true, text(m.ID)
			}
		case "user":
			if older {
				return
			}
			if in.said == nil && len(known) == 0 {
				in.said, in.at = &said{id: text(m.ID), text: content(m.Content), parts: files(m.Content, fmt.Sprintf("messages[%d].content", i))}, i
				if len(in.said.id) > maxMessageID {
					in.said.id = ""
				}
			}
		case "tool":
			call := text(m.ToolCallID)
			if call == "" || known[call] || strings.HasPrefix(text(m.ID), resultID) { // it is the gateway's own
				continue
			}
			if known[call] = true; len(known) > maxAnswers {
				return
			}
			if older {
				in.earlier = true
				continue
			}
			in.outputs = append(in.outputs, output{call, content(m.Content), text(m.Error)})
		}
	}
}

// lines returns the end of a history, which may have any shape: what the person said, and the
// turns by which the assistant's messages are marked.
func lines(messages []json.RawMessage) (list []front.Line) {
	for _, raw := range slices.Backward(messages[max(0, len(messages)-4*store.MaxLines):]) {
		var m struct {
			ID      json.RawMessage `json:"id"`
			Role    json.RawMessage `json:"role"`
			Content json.RawMessage `json:"content"`
		}
		if json.Unmarshal(raw, &m) != nil || len(list) == store.MaxLines {
			continue
		}
		var l front.Line
		switch id := text(m.ID); text(m.Role) {
		case "user":
			if id == "" || len(id) > maxMessageID {
				continue
			}
			l.ClientID, l.Text = chat.ClientID(id), content(m.Content)
		case "assistant":
			if l.InTurn = marked(id); l.InTurn == nil {
				continue
			}
		default:
			continue
		}
		list = append(list, l)
	}
	return list
}

// instructs reads context, and the messages of the roles system and developer.
func (in *input) instructs(raw json.RawMessage, messages []json.RawMessage) {
	for i, raw := range messages {
		var m struct {
			Role    json.RawMessage `json:"role"`
			Content json.RawMessage `json:"content"`
		}
		if json.Unmarshal(raw, &m) == nil && (text(m.Role) == "system" || text(m.Role) == "developer") {
			in.instructed.Add("system", fmt.Sprintf("messages[%d]", i), content(m.Content))
		}
	}
	var context []struct {
		Description json.RawMessage `json:"description"`
		Value       json.RawMessage `json:"value"`
	}
	_ = json.Unmarshal(raw, &context) // a value of another type has no entries
	for i, c := range context {
		value := content(c.Value) // a text; some clients send other JSON
		if about := text(c.Description); about != "" && value != "" {
			value = about + ": " + value
		}
		in.instructed.Add("context", fmt.Sprintf("context[%d]", i), value)
	}
}

// newestCalls returns the ids of the calls in the newest message that has any.
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
		return front.WrongType("resume", "array")
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

// content returns the text of a message: a string, or the text parts of a list. Anything else is
// returned as JSON, since some clients send such results.
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

// files returns the parts of a message other than text: binary, which was used before 1.0, and
// parts with a source. place is the place of the content.
func files(raw json.RawMessage, place string) (parts []front.Part) {
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) != nil {
		return nil
	}
	for i, raw := range list {
		var p struct {
			Type     json.RawMessage `json:"type"`
			MimeType json.RawMessage `json:"mimeType"`
			Data     json.RawMessage `json:"data"`
			URL      json.RawMessage `json:"url"`
			Filename json.RawMessage `json:"filename"`
			Source   struct {
				Type     json.RawMessage `json:"type"`
				Value    json.RawMessage `json:"value"`
				MimeType json.RawMessage `json:"mimeType"`
			} `json:"source"`
			Metadata json.RawMessage `json:"metadata"`
		}
		_ = json.Unmarshal(raw, &p) // a value of another type counts as absent
		file := front.Part{Place: fmt.Sprintf("%s[%d]", place, i), Name: text(p.Filename), Type: text(p.MimeType)}
		switch text(p.Type) {
		case "", "text":
			continue
		case "binary":
			if file.Base64 = text(p.Data); file.Base64 == "" {
				file.Address = text(p.URL)
			}
		default:
			file.Type = text(p.Source.MimeType)
			var about struct{ Filename, Name json.RawMessage }
			_ = json.Unmarshal(p.Metadata, &about) // any JSON
			file.Name = cmp.Or(text(about.Filename), text(about.Name))
			switch text(p.Source.Type) {
			case "data":
				file.Base64 = text(p.Source.Value)
			case "url":
				file.Address = text(p.Source.Value)
			}
		}
		parts = append(parts, file)
	}
	return parts
}

// text returns the text of a JSON string, or "" for any other value.
func text(raw json.RawMessage) string {
	var s string
	_ = json.Unmarshal(raw, &s) // a value of another type is read as ""
	return s
}

func isNull(raw json.RawMessage) bool { return len(raw) == 0 || string(raw) == "null" }
