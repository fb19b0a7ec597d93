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

// These limit a request.
const (
	maxMessageID = 128  // bytes
	maxOutputs   = 1000 // calls with a result, in the last message
)

// regenerate is the trigger by which a client asks for another reply.
const regenerate = "regenerate-message"

// request is the relevant part of what a client sent: its chat, and its newest message.
type request struct {
	chat       string
	locale     string
	instructed front.Instructed
	said       *said
	reply      *reply
	tools      []front.Tool
}

// said is a message from the person. about is the id of the question that was in front of the
// person: the only one pending in the previous message, or "" if there are none or several.
// answered is the call in that message for which the client has sent a result, which may not have
// been an answer. before is the history, newest first. again says that another reply is wanted,
// or that the message was edited.
type said struct {
	id, text, about string
	answered        string // the last call there with a result
	behind          string // the id of the message before
	before          []front.Line
	again           bool
	parts           []front.Part // its files
}

// reply is the assistant's message as the client sends it back, with the results of its calls.
type reply struct {
	id      string          // "" if it cannot be sent again
	calls   map[string]bool // all that it shows, by id
	lines   []front.Line    // it, and the history before it
	outputs []output
}

// output is the result of a call.
type output struct {
	id     string // of the question: the call's, or the approval's own
	data   json.RawMessage
	failed bool   // the client could not run the call, or show the question
	why    string // of failed
}

// This is the JSON of useChat. Of the messages, only the newest is read.
type body struct {
	ID       *string           `json:"id"`
	Locale   json.RawMessage   `json:"locale"` // the only one of the page's own fields that is used
	Trigger  *string           `json:"trigger"`
	Edited   json.RawMessage   `json:"messageId"` // the person's message that was edited
	System   json.RawMessage   `json:"system"`    // assistant-ui's
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

// file has the fields of a part of type file.
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

// read reads a request. It reads the language even if it refuses the rest.
func read(data []byte) (r request, err error) {
	var b body
	if err := json.Unmarshal(data, &b); err != nil {
		return r, front.NotOfType(err, "")
	}
	_ = json.Unmarshal(b.Locale, &r.locale) // of another type: the page uses the field for something else
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
		return r, front.NotOfType(err, at)
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

// throughPerson returns the history up to the person's newest message, if there is one.
func throughPerson(messages []json.RawMessage) []json.RawMessage {
	for i := len(messages) - 1; i >= 0; i-- {
		var m message
		if json.Unmarshal(messages[i], &m) != nil || m.Role == nil || *m.Role != "assistant" {
			return messages[:i+1]
		}
	}
	return messages
}

// lines returns the end of a history, newest message first. The history may have any shape.
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

// textOf returns the text of a message, which may have any shape.
func textOf(parts []json.RawMessage) string {
	var texts []string
	for _, raw := range parts {
		if p, ok := typed(raw); ok && p.Type == "text" && p.Text != nil {
			texts = append(texts, *p.Text)
		}
	}
	return strings.Join(texts, "\n")
}

// instructs reads system, and messages of the role system.
func (r *request) instructs(b *body) {
	var system string
	_ = json.Unmarshal(b.System, &system) // a value of another type is the page's own
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

// readSaid reads the person's message: its text and files, without the page's own data.
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
			return nil, front.WrongType(place+".text", "string")
		}
	}
	s.text = textOf(m.Parts)
	return s, nil
}

// waiting returns the question that is pending in an assistant message, and the message's id;
// answered is the last question there with a result. The message may have any shape.
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

// readReply reads the results of the calls of an assistant message. It ignores calls that the
// gateway runs, and parts of other kinds, which are not for a client to decide.
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

// typed reads a part; false means that it has another shape.
func typed(raw json.RawMessage) (p part, ok bool) {
	return p, json.Unmarshal(raw, &p) == nil
}

func (p *part) isCall() bool {
	return strings.HasPrefix(p.Type, "tool-") || p.Type == "dynamic-tool"
}

// output returns a call's result from the client; false means that there is none, or that it is
// not for the client to give.
func (p *part) output() (output, bool) {
	switch {
	case p.State == "approval-responded" && p.Approval != nil && p.Approval.Approved != nil:
		data, _ := json.Marshal(map[string]any{"approved": *p.Approval.Approved, "reason": p.Approval.Reason})
		return output{id: p.Approval.ID, data: data}, true
	case p.ProviderExecuted:
		return output{}, false
	case p.State == "output-available":
		if len(p.Output) == 0 { // an undefined output is left out
			p.Output = json.RawMessage("null")
		}
		return output{id: p.ToolCallID, data: p.Output}, true
	case p.State == "output-error":
		return output{id: p.ToolCallID, failed: true, why: p.ErrorText}, true
	}
	return output{}, false
}

func missing(field string) error { return front.Invalid("missing_field", field, nil) }
