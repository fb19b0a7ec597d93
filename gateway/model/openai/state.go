package openai

import (
	"bytes"
	"encoding/json"
	"slices"
	"unicode/utf8"

	"github.com/askgate/askgate/gateway/model"
	"github.com/askgate/askgate/gateway/model/upstream"
	"github.com/askgate/askgate/tools/arguments"
)

// state is what a maker gets back in addition to the message.
type state struct {
	Members members     `json:"message,omitzero"`
	Before  string      `json:"before,omitempty"` // text before the content: reasoning between tags
	Parts   []part      `json:"parts,omitempty"`  // parts of the content other than text
	Calls   []callState `json:"calls,omitempty"`  // of each call of the message; nil: the calls have no state
}

// members has the members of a message with state, by the names under which servers send and expect
// them (see modeltest/strict).
type members struct {
	ReasoningContent       json.RawMessage `json:"reasoning_content,omitempty"`
	Reasoning              json.RawMessage `json:"reasoning,omitempty"`
	ReasoningDetails       json.RawMessage `json:"reasoning_details,omitempty"`
	ThinkingBlocks         json.RawMessage `json:"thinking_blocks,omitempty"`
	ProviderSpecificFields json.RawMessage `json:"provider_specific_fields,omitempty"`
	ExtraContent           json.RawMessage `json:"extra_content,omitempty"`
}

// extras has the members of a call, and of its function, with state.
type extras struct {
	ProviderSpecificFields json.RawMessage `json:"provider_specific_fields,omitempty"`
	ExtraContent           json.RawMessage `json:"extra_content,omitempty"`
}

// callState is the state of one call.
type callState struct {
	extras
	Function  extras `json:"function,omitzero"`
	Arguments string `json:"arguments,omitempty"` // as the model wrote them, if their canonical form differs
}

// part is a part of the content; At is how many bytes of the text come before it.
type part struct {
	At   int             `json:"at"`
	Part json.RawMessage `json:"part"`
}

// Names of the fields of state, which are also their names in package adapt.
const (
	nameReasoningContent = "reasoning_content"
	nameReasoning        = "reasoning"
	nameDetails          = "reasoning_details"
	nameBlocks           = "thinking_blocks"
	nameSpecific         = "provider_specific_fields"
	nameExtra            = "extra_content"
	nameThinkingParts    = "content_thinking"
)

// stateOf decodes the state of a message, for its maker. It returns nil if there is none that matches
// the message.
func stateOf(m *model.Message) *state {
	if len(m.Made.State) == 0 {
		return nil
	}
	var s state
	if json.Unmarshal(m.Made.State, &s) != nil || len(s.Calls) > 0 && len(s.Calls) != len(m.ToolCalls) {
		return nil
	}
	at := 0
	for _, p := range s.Parts {
		if p.At < at || p.At > len(m.Content) || len(p.Part) == 0 || p.At < len(m.Content) && !utf8.RuneStart(m.Content[p.At]) {
			return nil
		}
		at = p.At
	}
	return &s
}

// made collects the state of an answer while it is read.
type made struct {
	reasoningContent, reasoning []byte
	has                         field   // which of these two were sent, even if empty
	others                      *others // nil: none was sent
	parts                       []placed
	size                        int // bytes of all state
}

// others are members that few servers send.
type others struct{ details, blocks, specific, extra joined }

// placed is a part of the content with its position.
type placed struct {
	at    int
	kind  string
	value joined
}

// fits counts n bytes, and reports whether they may be kept.
func (m *made) fits(n int) bool {
	m.size += n
	return m.size <= upstream.MaxState
}

// reasoned reports whether there was reasoning under a name of its own.
func (m *made) reasoned() bool { return len(m.reasoningContent)+len(m.reasoning) > 0 }

// reason takes a piece of reasoning with the name of f.
func (m *made) reason(f field, text []byte) {
	m.has |= f
	switch {
	case !m.fits(len(text)):
	case f == fieldReasoningContent:
		m.reasoningContent = append(m.reasoningContent, text...)
	case f == fieldReasoning:
		m.reasoning = append(m.reasoning, text...)
	}
}

// text takes a piece of reasoning with the name of f, as JSON.
func (m *made) text(f field, raw json.RawMessage) {
	if len(raw) > 0 && raw[0] == '"' {
		m.reason(f, []byte(plainText(raw)))
	}
}

// members takes pieces of members other than text.
func (m *made) members(pieces *members) {
	if len(pieces.ReasoningDetails)+len(pieces.ThinkingBlocks)+len(pieces.ProviderSpecificFields)+len(pieces.ExtraContent) == 0 {
		return
	}
	if m.others == nil {
		m.others = &others{}
	}
	m.member(&m.others.details, nameDetails, pieces.ReasoningDetails)
	m.member(&m.others.blocks, nameBlocks, pieces.ThinkingBlocks)
	m.member(&m.others.specific, nameSpecific, pieces.ProviderSpecificFields)
	m.member(&m.others.extra, nameExtra, pieces.ExtraContent)
}

// member takes a piece of a member other than text.
func (m *made) member(to *joined, name string, raw json.RawMessage) {
	if m.fits(len(raw)) {
		to.add(name, raw)
	}
}

// part takes a part of the content after at bytes of its text. Mistral sends reasoning in pieces of such
// parts.
func (m *made) part(kind string, raw json.RawMessage, at int) {
	if !m.fits(len(raw)) {
		return
	}
	if n := len(m.parts); n == 0 || m.parts[n-1].kind != kind || m.parts[n-1].at != at || kind != partThinking {
		m.parts = append(m.parts, placed{at: at, kind: kind})
	}
	m.parts[len(m.parts)-1].value.add("", raw)
}

// state returns all that goes back to the maker, or nil if the message contains everything.
func (m *made) state(before string, calls []callState) json.RawMessage {
	stateful := slices.ContainsFunc(calls, func(c callState) bool { return !c.none() })
	if m.size > upstream.MaxState || m.size == 0 && before == "" && !stateful && (m.has&^fieldContent == 0 || len(calls) == 0) {
		return nil
	}
	s := state{Before: before}
	if o := m.others; o != nil {
		s.Members = members{
			ReasoningDetails: o.details.value(), ThinkingBlocks: o.blocks.value(),
			ProviderSpecificFields: o.specific.value(), ExtraContent: o.extra.value(),
		}
	}
	// In a message with calls, even an empty reasoning goes back: Kimi sends and demands it.
	if len(m.reasoningContent) > 0 || m.has&fieldReasoningContent != 0 && len(calls) > 0 {
		s.Members.ReasoningContent = quoted(string(m.reasoningContent))
	}
	if len(m.reasoning) > 0 || m.has&fieldReasoning != 0 && len(calls) > 0 {
		s.Members.Reasoning = quoted(string(m.reasoning))
	}
	for i := range m.parts {
		s.Parts = append(s.Parts, part{m.parts[i].at, m.parts[i].value.value()})
	}
	if stateful {
		s.Calls = calls
	}
	raw, err := marshal(s)
	if raw = bytes.TrimSpace(raw); err != nil || string(raw) == "{}" {
		return nil
	}
	return raw
}

// release keeps the buffers for another answer.
func (m *made) release() {
	*m = made{reasoningContent: upstream.Keep(m.reasoningContent), reasoning: upstream.Keep(m.reasoning)}
}

func (e extras) none() bool { return e.ProviderSpecificFields == nil && e.ExtraContent == nil }

func (c callState) none() bool { return c.extras.none() && c.Function.none() && c.Arguments == "" }

// written returns arguments as the model wrote them, if they are an object that differs from its
// canonical form, or else "".
func written(raw string) string {
	if canonical, err := arguments.Canonical(raw); err == nil && canonical == raw || !upstream.IsObject(raw) {
		return ""
	}
	return raw
}

func firstByte(s string) byte {
	for i := range len(s) {
		if !blank(s[i]) {
			return s[i]
		}
	}
	return 0
}
