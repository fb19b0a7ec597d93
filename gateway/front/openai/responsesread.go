package openai

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/front"
)

// response is the relevant part of a request for a response. The rest, and all of the input that
// is not new, is ignored.
type response struct {
	requested
	ephemeral    bool                // "store": false
	previous     string              // the id of a response, "" for none
	conversation string              // the client's id of the chat, "" for none
	answers      []answered          // what came since, or at the end, oldest first
	failed       *chat.Clarification // of commands: the first with a result that was not an answer
}

// answered is a client's answer to a pending call.
type answered struct {
	call string
	data []byte // JSON
}

// responseBody has the fields that are read. Their types are checked one by one, since a client
// may send anything in all others.
type responseBody struct {
	Model        json.RawMessage `json:"model"`
	Input        json.RawMessage `json:"input"`
	Stream       json.RawMessage `json:"stream"`
	Store        json.RawMessage `json:"store"`
	Previous     json.RawMessage `json:"previous_response_id"`
	Conversation json.RawMessage `json:"conversation"`
	Tools        json.RawMessage `json:"tools"`
	Instructions json.RawMessage `json:"instructions"`
	ToolChoice   json.RawMessage `json:"tool_choice"`
}

// inputItem is one item of the input.
type inputItem struct {
	ID       string          `json:"id"`
	Type     string          `json:"type"`
	Role     string          `json:"role"`
	Content  json.RawMessage `json:"content"`
	CallID   string          `json:"call_id"`
	Output   json.RawMessage `json:"output"`
	Approval string          `json:"approval_request_id"`
	Approve  *bool           `json:"approve"`
	Reason   json.RawMessage `json:"reason"`
}

// readResponse reads a request. It is a pure function of the body, which is JSON.
func readResponse(body []byte) (*response, error) {
	var b responseBody
	if json.Unmarshal(body, &b) != nil {
		return nil, front.Invalid("malformed_json", "", nil)
	}
	r := &response{requested: requested{place: "input", tools: functions(b.Tools)}}
	var list []json.RawMessage
	_ = json.Unmarshal(b.Tools, &list) // of another type: none
	r.brought = brought(list, b.ToolChoice)
	var err error
	if r.model, err = optionalText(b.Model, "model"); err != nil {
		return nil, err
	}
	if r.model == "" {
		return nil, front.Invalid("missing_field", "model", nil)
	}
	if r.previous, err = optionalText(b.Previous, "previous_response_id"); err != nil {
		return nil, err
	}
	if r.conversation, err = conversation(b.Conversation); err != nil {
		return nil, err
	}
	if r.stream, err = optionalBool(b.Stream, "stream", false); err != nil {
		return nil, err
	}
	stored, err := optionalBool(b.Store, "store", true)
	if err != nil {
		return nil, err
	}
	r.ephemeral = !stored
	instructions, err := optionalText(b.Instructions, "")
	if err == nil { // a value of another type is ignored, like all unused fields
		r.instructed.Add("instructions", "instructions", instructions)
	}
	r.instructs(b.Input)
	return r, r.read(b.Input)
}

// read finds what is new in the input: what follows the model's newest words.
func (r *response) read(input json.RawMessage) error {
	if isNull(input) {
		return front.Invalid("responses_input", "input", nil)
	}
	var whole string
	if json.Unmarshal(input, &whole) == nil {
		r.message = &whole
		r.said.add(line{user: true, texts: []string{squeeze(whole)}})
		r.said, r.opening = r.said.clean(r.message)
		return nil
	}
	var items []json.RawMessage
	if json.Unmarshal(input, &items) != nil {
		return front.Invalid("responses_input", "input", nil)
	}
	known := make([]inputItem, 0, len(items))
	places := make([]int, 0, len(items)) // of each in the input
	for n, raw := range items {
		var i inputItem
		if json.Unmarshal(raw, &i) == nil { // an item of another shape is skipped
			known, places = append(known, i), append(places, n)
			r.tell(&i)
		}
	}
	defer func() { r.said, r.opening = r.said.clean(r.message) }()
	for n, i := range slices.Backward(known) {
		switch {
		case i.Type == "function_call_output" && i.CallID != "":
			r.answers = append(r.answers, answered{i.CallID, partsOf(i.Output)})
		case i.Type == "mcp_approval_response" && i.Approval != "" && i.Approve != nil:
			reason, _ := optionalText(i.Reason, "")
			data, _ := json.Marshal(map[string]any{"approved": *i.Approve, "reason": reason})
			r.answers = append(r.answers, answered{i.Approval, data})
		case (i.Type == "" || i.Type == "message") && i.Role == "user":
			if r.message != nil {
				continue // an older one of several
			}
			if len(r.answers) > 0 {
				slices.Reverse(r.answers) // they came after it
				return nil
			}
			text, ok := textOf(i.Content)
			r.parts = partsOfMessage(i.Content, fmt.Sprintf("input[%d].content", places[n]))
			if !ok && len(r.parts) == 0 {
				return front.Invalid("responses_text", "input", nil)
			}
			r.message = &text
		case (i.Type == "" || i.Type == "message") && i.Role == "assistant", i.refers():
			return r.new()
		}
	}
	return r.new()
}

// refers reports whether an item refers to a text of the assistant.
func (i *inputItem) refers() bool {
	return i.Type == "item_reference" && strings.HasPrefix(i.ID, messageItem.id)
}

// instructs reads the messages of the roles system and developer.
func (r *response) instructs(input json.RawMessage) {
	var items []inputItem
	_ = json.Unmarshal(input, &items) // another input has none
	for i := range items {
		if item := &items[i]; item.Role == "system" || item.Role == "developer" {
			text, _ := textOf(item.Content)
			r.instructed.Add("system", fmt.Sprintf("input[%d]", i), text)
		}
	}
}

// tell adds an item to the history.
func (r *response) tell(i *inputItem) {
	add := func(user bool, text string, calls ...string) {
		l := line{user: user, texts: []string{squeeze(text)}, calls: calls}
		for _, call := range calls {
			l.mentions = append(l.mentions, mention{call: call})
		}
		if _, fence, ok := readItemID(i.ID); ok && !user && text == "" && calls == nil {
			l.mentions = append(l.mentions, mention{run: fence})
		}
		if user || text != "" || l.mentions != nil {
			r.said.add(l)
		}
	}
	ids := []string{i.ID, i.CallID, i.Approval}
	switch i.Type {
	case "", "message":
		text, _ := textOf(i.Content)
		if i.Role == "user" || i.Role == "assistant" {
			add(i.Role == "user", text)
		}
	case "item_reference":
		switch {
		case i.refers():
			add(false, "")
		case strings.HasPrefix(i.ID, callItem), strings.HasPrefix(i.ID, questionID):
			add(false, "", i.ID)
		}
	case "function_call":
		add(false, "", i.CallID)
	case "mcp_approval_request":
		add(false, "", i.ID)
	case "function_call_output", "mcp_approval_response":
		r.said.result()
	}
	for _, id := range ids {
		if id != "" {
			r.ids = append(r.ids, id)
		}
	}
}

// new refuses an input in which nothing is new.
func (r *response) new() error {
	slices.Reverse(r.answers)
	if r.message == nil && len(r.answers) == 0 {
		return front.Invalid("nothing_new", "input", nil)
	}
	return nil
}

// partsOf returns the output of a call as an answer: parts of text become one text.
func partsOf(data json.RawMessage) []byte {
	if bytes.HasPrefix(bytes.TrimSpace(data), []byte("[")) {
		if text, ok := textOf(data); ok {
			data, _ = json.Marshal(text)
		}
	}
	if len(data) == 0 {
		return []byte("null")
	}
	return data
}

// textOf returns the text of a message: a string, or the parts with text.
func textOf(content json.RawMessage) (text string, ok bool) {
	if json.Unmarshal(content, &text) == nil {
		return text, !isNull(content)
	}
	var parts []json.RawMessage
	if json.Unmarshal(content, &parts) != nil {
		return "", false
	}
	var texts []string
	for _, raw := range parts {
		var p struct {
			Type string  `json:"type"`
			Text *string `json:"text"`
		}
		if json.Unmarshal(raw, &p) == nil && p.Text != nil && (p.Type == "input_text" || p.Type == "output_text" || p.Type == "text") {
			texts = append(texts, *p.Text)
		}
	}
	return strings.Join(texts, "\n"), len(texts) > 0
}

// conversation returns the id of a conversation, given alone or in an object.
func conversation(data json.RawMessage) (string, error) {
	const field = "conversation"
	var object struct {
		ID json.RawMessage `json:"id"`
	}
	if bytes.HasPrefix(bytes.TrimSpace(data), []byte("{")) {
		if json.Unmarshal(data, &object) != nil || isNull(object.ID) {
			return "", front.WrongType(field+".id", "string")
		}
		data = object.ID
	}
	return optionalText(data, field)
}

func optionalText(data json.RawMessage, field string) (s string, err error) {
	if !isNull(data) && json.Unmarshal(data, &s) != nil {
		return "", front.WrongType(field, "string")
	}
	return s, nil
}

func optionalBool(data json.RawMessage, field string, otherwise bool) (bool, error) {
	v := otherwise
	if !isNull(data) && json.Unmarshal(data, &v) != nil {
		return false, front.WrongType(field, "boolean")
	}
	return v, nil
}

func isNull(data json.RawMessage) bool { return len(data) == 0 || string(data) == "null" }
