package openai

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/askgate/askgate/gateway/model"
	"github.com/askgate/askgate/gateway/model/adapt"
	"github.com/askgate/askgate/gateway/model/toolschema"
	"github.com/askgate/askgate/gateway/model/upstream"
)

// The request on the wire. The model and the messages come first, so that two requests of a chat begin
// with the same bytes.
type (
	// wireRequest has all that follows the messages.
	wireRequest struct {
		Tools               []wireTool     `json:"tools,omitempty"`
		Temperature         any            `json:"temperature,omitempty"`
		MaxTokens           any            `json:"max_tokens,omitempty"`
		MaxCompletionTokens any            `json:"max_completion_tokens,omitempty"`
		ReasoningEffort     any            `json:"reasoning_effort,omitempty"`
		ReasoningSplit      any            `json:"reasoning_split,omitempty"`
		PromptCacheKey      any            `json:"prompt_cache_key,omitempty"`
		Stream              bool           `json:"stream"`
		StreamOptions       *streamOptions `json:"stream_options,omitempty"`
	}
	streamOptions struct {
		IncludeUsage bool `json:"include_usage"`
	}
	wireTool struct {
		Type     string         `json:"type"`
		Function wireDefinition `json:"function"`
	}
	wireDefinition struct {
		Name        string          `json:"name"`
		Description string          `json:"description,omitempty"`
		Parameters  json.RawMessage `json:"parameters,omitempty"`
	}
)

// Fields that a refusal may change, by their names in package adapt.
const (
	fieldTemperature = "temperature"
	fieldMaxTokens   = "max_tokens"
	fieldEffort      = "reasoning_effort"
	fieldSplit       = "reasoning_split"
	fieldCacheKey    = "prompt_cache_key"
	fieldUsage       = "stream_options"
	fieldAPI         = "api"
)

// encoder writes one request.
type encoder struct {
	c    *Client
	set  *adapt.Set
	sent adapt.Sent
}

// encode writes the body of a request, and describes the fields that may be refused.
func (c *Client) encode(req *model.Request, set *adapt.Set) ([]byte, adapt.Sent, error) {
	e := encoder{c: c, set: set, sent: adapt.Sent{Body: c.settings.Body, Effort: c.settings.Effort}}
	body, err := e.beginning(req)
	if err != nil {
		return nil, e.sent, unwritable(err)
	}
	w := wireRequest{Stream: true}
	if err := e.tools(&w, req.Tools); err != nil {
		return nil, e.sent, err
	}
	e.parameters(&w, req)
	if c.leaves.Load() {
		e.field(fieldAPI)
	}
	rest, err := marshal(w)
	if err == nil {
		body, err = upstream.Merge(append(append(body, ','), rest[1:]...), c.settings.Body)
	}
	if err != nil {
		return nil, e.sent, unwritable(err)
	}
	return body, e.sent, nil
}

func unwritable(err error) error {
	return &model.Error{Kind: model.KindError, Detail: "the request cannot be written as JSON", Err: err}
}

// parameters writes all fields except messages and tools, each only if there is a reason to send it.
func (e *encoder) parameters(w *wireRequest, req *model.Request) {
	s := &e.c.settings
	if t := req.Temperature; t != nil {
		w.Temperature = e.parameter(fieldTemperature, *t)
	} else if s.Temperature != nil {
		w.Temperature = e.parameter(fieldTemperature, *s.Temperature)
	}
	if s.MaxTokens > 0 {
		limit := &w.MaxTokens
		if e.c.host.OpenAI != e.set.Without(fieldMaxTokens) { // if one name is refused, the other is sent
			limit = &w.MaxCompletionTokens
		}
		*limit = s.MaxTokens
		if v, ok := e.set.Value(fieldMaxTokens); ok {
			*limit = v
		}
		e.field(fieldMaxTokens)
	}
	if _, demanded := e.set.Value(fieldEffort); demanded || s.Effort != "" {
		w.ReasoningEffort = e.parameter(fieldEffort, s.Effort)
	}
	if e.c.host.MiniMax {
		w.ReasoningSplit = e.parameter(fieldSplit, true)
	}
	if e.c.host.OpenAI && s.Cache && req.CacheKey != "" {
		w.PromptCacheKey = e.parameter(fieldCacheKey, req.CacheKey)
	}
	if !e.set.Without(fieldUsage) {
		w.StreamOptions = &streamOptions{IncludeUsage: true}
		e.field(fieldUsage)
	}
}

// parameter returns the value of a field that the server accepts, or nil to leave the field out.
func (e *encoder) parameter(name string, own any) any {
	if e.set.Without(name) {
		return nil
	}
	e.field(name)
	if v, ok := e.set.Value(name); ok {
		return v
	}
	return own
}

// field notes that the request has a field that may be changed.
func (e *encoder) field(name string) {
	if !slices.Contains(e.sent.Fields, name) {
		e.sent.Fields = append(e.sent.Fields, name)
	}
}

// state removes a field of state that the server has refused, and otherwise notes that it is sent.
func (e *encoder) state(name string, raw *json.RawMessage) {
	switch {
	case *raw == nil:
	case e.set.Without(name):
		*raw = nil
	default:
		e.field(name)
	}
}

func (e *encoder) tools(w *wireRequest, list []model.Definition) error {
	dialect := toolschema.Common
	if e.c.host.Gemini {
		dialect = toolschema.Gemini
	}
	offered, err := e.c.learned.Offer(list, dialect, nil, e.set, &e.sent)
	for _, d := range offered {
		w.Tools = append(w.Tools, wireTool{Type: "function", Function: wireDefinition{d.Name, d.Description, d.Parameters}})
	}
	return err
}

func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false) // escaping only makes the text longer
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}
