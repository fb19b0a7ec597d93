package openai

import (
	"encoding/json"
	"slices"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/front"
	"github.com/askgate/askgate/gateway/host"
)

// bothFields are the fields of both APIs that are ignored, with their defaults: the app chooses
// what they would choose.
var bothFields = []front.Field{
	{Name: "temperature", Default: "1"},
	{Name: "top_p", Default: "1"},
	{Name: "tool_choice", Default: `"auto" "none"`},
	{Name: "parallel_tool_calls", Default: "true"},
	{Name: "metadata"},
	{Name: "service_tier", Default: `"auto" "default"`},
	{Name: "safety_identifier"},
	{Name: "prompt_cache_key"},
	{Name: "prompt_cache_options"},
	{Name: "prompt_cache_retention"},
	front.OtherTools(toolName),
}

var chatFields = append([]front.Field{
	front.SystemIn("messages"),
	front.HistoryIn("messages"),
	{Name: "audio"},
	{Name: "frequency_penalty", Default: "0"},
	{Name: "function_call", Default: `"auto" "none"`},
	{Name: "functions"},
	{Name: "logit_bias"},
	{Name: "max_completion_tokens"},
	{Name: "max_tokens"},
	{Name: "moderation"},
	{Name: "prediction"},
	{Name: "presence_penalty", Default: "0"},
	{Name: "reasoning_effort"},
	{Name: "seed"},
	{Name: "stop"},
	{Name: "store"},
	{Name: "verbosity", Default: `"medium"`},
	{Name: "web_search_options"},
}, bothFields...)

var responseFields = append([]front.Field{
	front.SystemIn("input"),
	front.HistoryIn("input"),
	{Name: "instructions"},
	{Name: "background"},
	{Name: "context_management"},
	{Name: "include"},
	{Name: "max_output_tokens"},
	{Name: "max_tool_calls"},
	{Name: "moderation"},
	{Name: "prompt"},
	{Name: "reasoning"},
	{Name: "text", Asks: func(text json.RawMessage) bool {
		format := front.Field{Default: `"medium"`}
		var of struct{ Verbosity json.RawMessage }
		return json.Unmarshal(text, &of) == nil && of.Verbosity != nil && format.Differs(of.Verbosity)
	}},
	{Name: "truncation", Default: `"disabled"`},
}, bothFields...)

// cannot is a field that no response honours, and without which its client would misread the
// response.
type cannot struct {
	field  string
	in     string // the member of the body, if it is not the field
	detail string // the id of the text that explains this
	asks   func(value json.RawMessage) bool
}

var chatCannot = []cannot{
	{field: "n", detail: "openai_n", asks: beyond("1")},
	{field: "logprobs", detail: "openai_logprobs", asks: beyond("")},
	{field: "top_logprobs", detail: "openai_logprobs", asks: beyond("0")},
	{field: "response_format", detail: "openai_format", asks: noText},
	{field: "modalities", detail: "openai_audio", asks: lists("audio")},
}

var responseCannot = []cannot{
	{field: "top_logprobs", detail: "openai_logprobs", asks: beyond("0")},
	{field: "include", detail: "openai_logprobs", asks: lists("message.output_text.logprobs")},
	{field: "text.format", in: "text", detail: "openai_format", asks: func(text json.RawMessage) bool {
		var of struct{ Format json.RawMessage }
		return json.Unmarshal(text, &of) == nil && noText(of.Format)
	}},
	{field: "modalities", detail: "openai_audio", asks: lists("audio")},
}

func beyond(def string) func(json.RawMessage) bool {
	f := front.Field{Default: def}
	return f.Differs
}

// noText reports whether a format is other than text.
func noText(format json.RawMessage) bool {
	if front.Empty(format) {
		return false
	}
	var f struct{ Type any }
	return json.Unmarshal(format, &f) != nil || f.Type != "text"
}

// lists reports whether a value is a list with that entry.
func lists(entry string) func(json.RawMessage) bool {
	return func(value json.RawMessage) bool {
		var list []any
		return json.Unmarshal(value, &list) == nil && slices.Contains(list, any(entry))
	}
}

// settings reports what of a body is not used, and refuses what would have to be.
func settings(c *host.Request, body []byte, fields []front.Field, cannots []cannot) error {
	var members map[string]json.RawMessage
	if json.Unmarshal(body, &members) != nil {
		return nil //nolint:nilerr // the reader of the body refuses it
	}
	front.Ignored(c.Header(), members, fields)
	for _, no := range cannots {
		in := no.in
		if in == "" {
			in = no.field
		}
		if value, ok := members[in]; ok && no.asks(value) {
			return front.Invalid(no.detail, no.field, nil)
		}
	}
	return nil
}

// toolName returns the name of a tool in a request.
func toolName(tool json.RawMessage) string {
	for _, t := range brought([]json.RawMessage{tool}, nil) {
		return t.Name
	}
	return ""
}

// enter enters the app that a model names.
func enter(c *host.Request, model string) error {
	refused := c.Enter(model)
	if refused == nil || c.Problem(refused).Code != chat.CodeNotFound {
		return refused
	}
	params := host.AppsInstead(model, c.Apps())
	params["Field"] = "model"
	return &chat.Error{Code: chat.CodeModelNotFound, Detail: "no_app", Params: params}
}
