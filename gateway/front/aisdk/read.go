package aisdk

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/front"
	"github.com/askgate/askgate/gateway/store"
)

// What a request may have at most.
const (
	maxMessageID = 128  // bytes
	maxOutputs   = 1000 // calls with a result, in the last message
)

// regenerate is the trigger of a wish for another reply.
const regenerate = "regenerate-message"

// request is what counts of what a client sent: its chat, and its newest message.
type request struct {
	chat       string
	locale     string
	instructed front.Instructed
	said       *said
	reply      *reply
	tools      []front.Tool
}

// said is a message of the person's. about is the question that they had before them, by
// its id: the only one that waits in the message before. "": none waits, or several do. answered
// is the call of which the client has sent there what came of it, which may have been no answer. before is
// the history, the newest first; again says that another reply is wanted, or that it was edited.
type said struct {
	id, text, about string
	answered        string // the call of which something came last, likewise
	behind          string // the id of that message
	before          []front.Line
	again           bool
	parts           []front.Part // its files
}

// reply is the assistant's message as the client sends it back, with what came of its calls.
type reply struct {
	id      string          // "" where it cannot be sent again
	calls   map[string]bool // all that it shows, by id
	lines   []front.Line    // it, and the history before it
	outputs []output
}

// output is what came of a call.
type output struct {
	id     string // of the question: the call's, or the approval's own
	data   json.RawMessage
	failed bool   // the client could not run the call, or show the question
	why    string // of failed
}

// The JSON of useChat. Of the messages, only the newest is read.
type body struct {
	ID       *string           `json:"id"`
	Locale   json.RawMessage   `json:"locale"` // of the page's own fields, the only one that counts
	Trigger  *string           `json:"trigger"`
	Edited   json.RawMessage   `json:"messageId"` // of a message of the person's: that they edited
	System   json.RawMessage   `json:"system"`    // that of assistant-ui
	Messages []json.RawMessage `json:"messages"`
	Tools    json.RawMessage   `json:"tools"`
}

type message struct {
	ID    *string           `json:"id"`
	Role  *string           `json:"role"`
	Parts []json.RawMessage `json:"parts"`
}

type part struct {
	Type             string          `json:"type"`
	Text             *string         `json:"text"`
	ToolCallID       string          `json:"toolCallId"`
	State            string          `json:"state"`
	Output           json.RawMessage `json:"output"`
	ErrorText        string          `json:"errorText"`
	ProviderExecuted bool            `json:"providerExecuted"`
	Approval         *approval       `json:"approval"`
	file
}

// file is what a part of type file has.
type file struct {
	MediaType string `json:"mediaType"`
	Filename  string `json:"filename"`
	URL       string `json:"url"`
}

type approval struct {
	ID       string `json:"id"`
	Approved *bool  `json:"approved"`
	Reason   string `json:"reason"`
}

// read reads a request. Its language is read even where the rest is refused.
func read(data []byte) (r request, err error) {
	var b body
	if err := json.Unmarshal(data, &b); err != nil {
		return r, wrongType(err, "")
	}
	_ = json.Unmarshal(b.Locale, &r.locale) // of another type: the page means something else by it
	switch {
	case b.ID == nil:
		return r, missing("id")
	case len(b.Messages) == 0:
		return r, missing("messages")
	case b.Trigger != nil && *b.Trigger != "submit-message" && *b.Trigger != regenerate:
		return r, front.Invalid("unknown_value", "trigger", nil)
	}
	r.chat, r.tools = *b.ID, brought(b.Tools)
	r.instructs(&b)
	again := b.Trigger != nil && *b.Trigger == regenerate
	if again {
		b.Messages = throughPerson(b.Messages)
	}
	last := len(b.Messages) - 1
	at := fmt.Sprintf("messages[%d]", last)
	var m message
	if err := json.Unmarshal(b.Messages[last], &m); err != nil {
		return r, wrongType(err, at)
	}
	switch {
	case m.ID == nil:
		return r, missing(at + ".id")
	case m.Role == nil:
		return r, missing(at + ".role")
	case *m.Role == "user":
		r.said, err = readSaid(&m, at)
		if err == nil && last > 0 {
			r.said.about, r.said.behind, r.said.answered = waiting(b.Messages[last-1])
			r.said.before = lines(b.Messages[:last])
		}
		if err == nil {
			var edited string
			_ = json.Unmarshal(b.Edited, &edited) // of another type: none
			r.said.again = again || edited == r.said.id
		}
	case *m.Role == "assistant":
		if r.reply, err = readReply(&m, at); err == nil {
			r.reply.lines = lines(b.Messages)
		}
	default:
		err = front.Invalid("unknown_value", at+".role", nil)
	}
	return r, err
}

// throughPerson is the history up to the person's newest message, where it has one.
func throughPerson(messages []json.RawMessage) []json.RawMessage {
	for i := len(messages) - 1; i >= 0; i-- {
		var m message
		if json.Unmarshal(messages[i], &m) != nil || m.Role == nil || *m.Role != "assistant" {
			return messages[:i+1]
		}
	}
	return messages
}

// lines is the end of a history, the newest message first, of which nothing is required.
func lines(messages []json.RawMessage) (list []front.Line) {
	for _, raw := range slices.Backward(messages[max(0, len(messages)-store.MaxLines):]) {
		var m message
		if json.Unmarshal(raw, &m) != nil || m.ID == nil || m.Role == nil || len(*m.ID) > maxMessageID {
			continue
		}
		var l front.Line
		if l.TurnID, _, _ = strings.Cut(*m.ID, "."); *m.Role == "user" {
			l.TurnID, l.ClientID, l.Text = "", chat.ClientID(*m.ID), textOf(m.Parts)
		}
		list = append(list, l)
	}
	return list
}

// textOf is the text of a message that may be of any shape.
func textOf(parts []json.RawMessage) string {
	var texts []string
	for _, raw := range parts {
		if p, ok := typed(raw); ok && p.Type == "text" && p.Text != nil {
			texts = append(texts, *p.Text)
		}
	}
	return strings.Join(texts, "\n")
}

// instructs reads system, and messages of that role.
func (r *request) instructs(b *body) {
	var system string
	_ = json.Unmarshal(b.System, &system) // of another type it is the page's own
	r.instructed.Add("system", "system", system)
	for i, raw := range b.Messages {
		var m message
		if json.Unmarshal(raw, &m) != nil || m.Role == nil || *m.Role != "system" {
			continue
		}
		for _, raw := range m.Parts {
			if p, ok := typed(raw); ok && p.Type == "text" && p.Text != nil {
				r.instructed.Add("system", fmt.Sprintf("messages[%d]", i), *p.Text)
			}
		}
	}
}

// readSaid reads the person's message: its text and files, without what the page keeps beside it.
func readSaid(m *message, at string) (*said, error) {
	if *m.ID == "" || len(*m.ID) > maxMessageID {
		return nil, front.Invalid("idempotency_key", at+".id", map[string]any{"Max": maxMessageID})
	}
	s := &said{id: *m.ID}
	for i, raw := range m.Parts {
		place := fmt.Sprintf("%s.parts[%d]", at, i)
		p, ok := typed(raw)
		switch {
		case ok && p.Type == "file":
			s.parts = append(s.parts, front.Part{Place: place, Name: p.Filename, Type: p.MediaType, Address: p.URL})
			continue
		case !ok || p.Type != "text":
			continue
		case p.Text == nil:
			return nil, front.Invalid("wrong_type", place+".text", nil)
		}
	}
	s.text = textOf(m.Parts)
	return s, nil
}

// waiting is the question that waits in an assistant message, of which nothing is required, and
// the message's id; answered is the last question there of which something came.
func waiting(raw json.RawMessage) (found, id, answered string) {
	var m struct {
		ID    string            `json:"id"`
		Role  string            `json:"role"`
		Parts []json.RawMessage `json:"parts"`
	}
	if json.Unmarshal(raw, &m) != nil || m.Role != "assistant" {
		return "", "", ""
	}
	several := false
	for _, raw := range m.Parts {
		p, ok := typed(raw)
		id := ""
		switch {
		case !ok || !p.isCall():
		case p.State == "input-available" && !p.ProviderExecuted:
			id = p.ToolCallID
		case p.State == "approval-requested" && p.Approval != nil:
			id = p.Approval.ID
		default:
			if o, ok := p.output(); ok {
				answered = o.id
			}
		}
		several = several || id != "" && found != ""
		if found == "" {
			found = id
		}
	}
	if several {
		return "", m.ID, answered
	}
	return found, m.ID, answered
}

// readReply reads what came of the calls of an assistant message. Calls that the gateway
// runs, and parts of other kinds, are nothing that a client decides.
func readReply(m *message, at string) (*reply, error) {
	r := &reply{calls: map[string]bool{}}
	if len(*m.ID) <= maxMessageID {
		r.id = *m.ID
	}
	for _, raw := range m.Parts {
		p, ok := typed(raw)
		if !ok || !p.isCall() {
			continue
		}
		r.calls[p.ToolCallID] = true
		if o, ok := p.output(); ok {
			r.outputs = append(r.outputs, o)
		}
		if len(r.outputs) > maxOutputs {
			return nil, front.Invalid("entries", at+".parts", map[string]any{"Max": maxOutputs})
		}
	}
	return r, nil
}

// typed reads a part; false: it has another shape.
func typed(raw json.RawMessage) (p part, ok bool) {
	return p, json.Unmarshal(raw, &p) == nil
}

func (p *part) isCall() bool {
	return strings.HasPrefix(p.Type, "tool-") || p.Type == "dynamic-tool"
}

// output is what the client says of a call; false: nothing, or it is not its to say.
func (p *part) output() (output, bool) {
	switch {
	case p.State == "approval-responded" && p.Approval != nil && p.Approval.Approved != nil:
		data, _ := json.Marshal(map[string]any{"approved": *p.Approval.Approved, "reason": p.Approval.Reason})
		return output{id: p.Approval.ID, data: data}, true
	case p.ProviderExecuted:
		return output{}, false
	case p.State == "output-available":
		if len(p.Output) == 0 { // an undefined one is left out
			p.Output = json.RawMessage("null")
		}
		return output{id: p.ToolCallID, data: p.Output}, true
	case p.State == "output-error":
		return output{id: p.ToolCallID, failed: true, why: p.ErrorText}, true
	}
	return output{}, false
}

func missing(field string) error { return front.Invalid("missing_field", field, nil) }

// wrongType names the field that cannot be read. That the body is JSON was checked before.
func wrongType(err error, at string) error {
	field := at
	if t, ok := err.(*json.UnmarshalTypeError); ok { //nolint:errorlint // json returns it as it is
		field = strings.Trim(at+"."+t.Field, ".")
	}
	if field == "" {
		return front.Invalid("malformed_json", "", nil)
	}
	return front.Invalid("wrong_type", field, nil)
}
