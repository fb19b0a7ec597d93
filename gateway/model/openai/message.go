package openai

import (
	"encoding/base64"
	"encoding/json"

	"github.com/askgate/askgate/gateway/model"
	"github.com/askgate/askgate/tools"
)

// A message on the wire.
type (
	wireMessage struct {
		Role    model.Role `json:"role"`
		Content any        `json:"content"` // a *string, or a list of parts
		members
		ToolCalls  []wireCall `json:"tool_calls,omitempty"`
		ToolCallID string     `json:"tool_call_id,omitempty"`
	}
	wireCall struct {
		ID       string       `json:"id"`
		Type     string       `json:"type"`
		Function wireFunction `json:"function"`
		extras
	}
	wireFunction struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
		extras
	}
	// wirePart is a text, an image or a file.
	wirePart struct {
		Type     string     `json:"type"`
		Text     string     `json:"text,omitempty"`
		ImageURL *wireImage `json:"image_url,omitempty"`
		File     *wireFile  `json:"file,omitempty"`
		Document string     `json:"document_url,omitempty"` // Mistral's PDFs
	}
	wireImage struct {
		URL string `json:"url"`
	}
	wireFile struct {
		Name string `json:"filename"`
		Data string `json:"file_data"`
	}
)

// noSignature is accepted by Gemini in place of an unknown signature, on the first call of a step (see
// modeltest/strict).
var noSignature = json.RawMessage(`{"google":{"thought_signature":"skip_thought_signature_validator"}}`)

// between is an assistant's message between a tool's result and its files, for servers that demand one
// there.
var between = "I look at the files of the results."

// messages gives the system prompt and the history to add, one by one; w is valid only during a call.
func (e *encoder) messages(req *model.Request, add func(w *wireMessage)) {
	if req.System != "" {
		add(&wireMessage{Role: "system", Content: &req.System})
	}
	own := false // the calls of the following results are this server's
	var shown []any
	w := &wireMessage{}
	for i := range req.Messages {
		m := &req.Messages[i]
		*w = wireMessage{Role: m.Role, Content: &m.Content, ToolCalls: w.ToolCalls[:0]}
		switch m.Role {
		case model.RoleAssistant:
			if own = m.Made.By == e.c.maker; len(m.ToolCalls) == 0 && tools.Blank(m.Content) {
				continue // DeepSeek refuses an empty message (crush#3794) of a turn that was stopped while the model thought
			}
			e.assistant(w, m, own)
		case model.RoleTool:
			w.ToolCallID = wireID(m.ToolCallID, own)
			shown = append(shown, e.filesOf(m, w.ToolCallID)...)
		default:
			if files := e.files(m); len(files) > 0 {
				w.Content = append([]any{wirePart{Type: partText, Text: m.Content}}, files...)
			}
		}
		add(w)
		if last := i+1 == len(req.Messages) || req.Messages[i+1].Role != model.RoleTool; last && len(shown) > 0 {
			// Messages of tools can only have text, so a user's message after those of all the step's
			// tools has the files of their results.
			if e.c.host.Mistral { // which refuses a user's message after a tool's (mistral-vibe#578)
				add(&wireMessage{Role: model.RoleAssistant, Content: &between})
			}
			add(&wireMessage{Role: model.RoleUser, Content: shown})
			shown = nil
		}
	}
}

// assistant writes an assistant's message: for its maker in the original form, for other servers in a
// form that all of them accept.
func (e *encoder) assistant(w *wireMessage, m *model.Message, own bool) {
	var s *state
	if own && !e.set.Forgets() {
		s = stateOf(m)
	}
	if len(m.ToolCalls) > 0 && (m.Content == "" || !own && tools.Blank(m.Content)) {
		w.Content = nil // some servers refuse an empty text, others an absent key
	}
	for _, t := range m.ToolCalls {
		w.ToolCalls = append(w.ToolCalls, wireCall{ID: wireID(t.ID, own), Type: "function", Function: wireFunction{Name: t.Name, Arguments: t.Arguments}})
	}
	if s != nil {
		e.restore(w, m, s)
	}
	if len(w.ToolCalls) == 0 {
		return
	}
	if w.ReasoningContent == nil && e.set.Fills(nameReasoningContent) {
		w.ReasoningContent = json.RawMessage(`""`)
	}
	if first := &w.ToolCalls[0]; first.ExtraContent == nil && e.set.Fills(nameExtra) {
		first.ExtraContent = noSignature
	}
}

// restore adds state where the server had it.
func (e *encoder) restore(w *wireMessage, m *model.Message, s *state) {
	w.members = s.Members
	e.state(nameReasoningContent, &w.ReasoningContent)
	e.state(nameReasoning, &w.Reasoning)
	e.state(nameDetails, &w.ReasoningDetails)
	e.state(nameBlocks, &w.ThinkingBlocks)
	e.state(nameSpecific, &w.ProviderSpecificFields)
	e.state(nameExtra, &w.ExtraContent)
	for i := range s.Calls {
		from, to := &s.Calls[i], &w.ToolCalls[i]
		to.extras, to.Function.extras = from.extras, from.Function
		for _, x := range []*extras{&to.extras, &to.Function.extras} {
			e.state(nameSpecific, &x.ProviderSpecificFields)
			e.state(nameExtra, &x.ExtraContent)
		}
		if written(from.Arguments) != "" {
			to.Function.Arguments = from.Arguments
		}
	}
	text := s.Before + m.Content
	if text != m.Content {
		w.Content = &text
	}
	if len(s.Parts) > 0 && !e.set.Without(nameThinkingParts) {
		e.field(nameThinkingParts)
		w.Content = s.content(m.Content)
	}
}

// content returns the text with the parts in their places.
func (s *state) content(text string) (list []any) {
	from := 0
	add := func(until int) {
		if until > from {
			list = append(list, wirePart{Type: partText, Text: text[from:until]})
		}
		from = until
	}
	for _, p := range s.Parts {
		add(p.At)
		list = append(list, p.Part)
	}
	add(len(text))
	return list
}

// wireID returns the id of a call on the wire: the original one for its maker, or its WireID for any
// other server.
func wireID(id string, own bool) string {
	if own {
		return id
	}
	return model.WireID(id)
}

// filesOf returns the files of a tool's result, after a line that names their call.
func (e *encoder) filesOf(m *model.Message, id string) []any {
	list := e.files(m)
	if len(list) == 0 {
		return nil
	}
	what := "Images"
	if len(m.PDFs) > 0 {
		what = "Files"
	}
	return append([]any{wirePart{Type: partText, Text: "[" + what + " that belong to the result of the call " + id + ":]"}}, list...)
}

func (e *encoder) files(m *model.Message) (list []any) {
	for _, image := range m.Images {
		list = append(list, wirePart{Type: "image_url", ImageURL: &wireImage{dataURL(image.Media, image.Data)}})
	}
	for _, pdf := range m.PDFs {
		if e.c.host.Mistral {
			list = append(list, wirePart{Type: "document_url", Document: dataURL("application/pdf", pdf.Data)})
			continue
		}
		list = append(list, wirePart{Type: "file", File: &wireFile{pdf.Name, dataURL("application/pdf", pdf.Data)}})
	}
	return list
}

func dataURL(media string, data []byte) string {
	return "data:" + media + ";base64," + base64.StdEncoding.EncodeToString(data)
}
