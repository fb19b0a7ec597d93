package aisdk

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/front"
)

// What a request may have at most.
const (
	maxMessageID = 128  // bytes
	maxOutputs   = 1000 // calls with a result, in the last message
)

// request is what counts of what a client sent: its chat, and its newest message.
type request struct {
	chat   string
	locale string
	said   *said
	reply  *reply
}

// said is a message of the person's. about is the question that they had before them, by
// its id: the only one that waits in the message before. "": there is none, or several.
type said struct{ id, text, about string }

// reply is the assistant's message as the client sends it back, with what came of its calls.
type reply struct {
	id      string          // "" where it is none that can be repeated
	calls   map[string]bool // all that it shows, by id
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
	Messages []json.RawMessage `json:"messages"`
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
	case b.Trigger != nil && *b.Trigger == "regenerate-message":
		return r, &chat.Error{Code: chat.CodeNothingToResume, Detail: "no_regenerate"}
	case b.Trigger != nil && *b.Trigger != "submit-message":
		return r, front.Invalid("unknown_value", "trigger", nil)
	}
	r.chat = *b.ID
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
			r.said.about = waiting(b.Messages[last-1])
		}
	case *m.Role == "assistant":
		r.reply, err = readReply(&m, at)
	default:
		err = front.Invalid("unknown_value", at+".role", nil)
	}
	return r, err
}

// readSaid reads the person's message: its text, without what the page keeps beside it. A
// file is refused, for what a person sent must not be lost without a word.
func readSaid(m *message, at string) (*said, error) {
	if *m.ID == "" || len(*m.ID) > maxMessageID {
		return nil, front.Invalid("idempotency_key", at+".id", map[string]any{"Max": maxMessageID})
	}
	var texts []string
	for i, raw := range m.Parts {
		place := fmt.Sprintf("%s.parts[%d]", at, i)
		p, ok := typed(raw)
		switch {
		case ok && p.Type == "file":
			return nil, front.Invalid("no_files", place, nil)
		case !ok || p.Type != "text":
			continue
		case p.Text == nil:
			return nil, front.Invalid("wrong_type", place+".text", nil)
		}
		texts = append(texts, *p.Text)
	}
	return &said{id: *m.ID, text: strings.Join(texts, "\n")}, nil
}

// waiting is the question that waits in an assistant message, of which nothing is required.
func waiting(raw json.RawMessage) string {
	var m struct {
		Role  string            `json:"role"`
		Parts []json.RawMessage `json:"parts"`
	}
	if json.Unmarshal(raw, &m) != nil || m.Role != "assistant" {
		return ""
	}
	found := ""
	for _, raw := range m.Parts {
		p, ok := typed(raw)
		id := ""
		switch {
		case !ok || !p.isCall():
		case p.State == "input-available" && !p.ProviderExecuted:
			id = p.ToolCallID
		case p.State == "approval-requested" && p.Approval != nil:
			id = p.Approval.ID
		}
		if id != "" && found != "" {
			return ""
		}
		found += id
	}
	return found
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

// typed is a part; false: it is none, or none of ours.
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

// wrongType names the field that cannot be read; JSON itself was checked before.
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
