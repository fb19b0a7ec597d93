package client

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/askgate/askgate/tools"
)

// Read reads questions in any form that programs have for them, each also inside of the call
// that carries it (tool_input, input, arguments, params):
//
//	{"question": ...}, {"questions": [...]}        AskGate's own, as a model or program sends it
//	{"questions": [{..., "multiSelect": ...}]}     AskUserQuestion of Claude Code
//	{"questions": [{"id", "header", ...}]}         request_user_input of Codex
//	{"message": ..., "requestedSchema": {...}}     an elicitation of MCP
//
// AskGate's own goes to the gateway as it is. The others are translated, and always take an
// answer in one's own words where their own programs do.
func Read(data []byte) (Asking, error) {
	shape, err := unwrap(data, maxWrapped)
	if err != nil {
		return Asking{}, err
	}
	has := func(name string) bool { return shape[name] != nil }
	switch {
	case has("requestedSchema"), has("message") && !has("question"):
		return elicitation(shape)
	case !has("question") && !has("questions") && !has("template"):
		return Asking{}, errors.New(`the JSON has no "question", "questions" or "requestedSchema": see askgate ask --help for what is read`)
	}
	if asking, foreign, err := agents(shape); foreign || err != nil {
		return asking, err
	}
	own, err := json.Marshal(shape)
	return Asking{Arguments: own}, err
}

const maxWrapped = 4

// unwrap finds the object with the question in the calls around it.
func unwrap(data []byte, deep int) (map[string]json.RawMessage, error) {
	var shape map[string]json.RawMessage
	if err := json.Unmarshal(data, &shape); err != nil {
		return nil, fmt.Errorf("no JSON object: %w", err)
	}
	for _, asks := range []string{"question", "questions", "template", "message", "requestedSchema"} {
		if shape[asks] != nil {
			return shape, nil
		}
	}
	for _, carrier := range []string{"tool_input", "input", "arguments", "params"} {
		inner := shape[carrier]
		var text string
		if json.Unmarshal(inner, &text) == nil && inner != nil { // JSON in a text
			inner = json.RawMessage(text)
		}
		if inner != nil && deep > 0 {
			return unwrap(inner, deep-1)
		}
	}
	return shape, nil
}

// agentQuestion is a question of Claude Code or Codex.
type agentQuestion struct {
	ID          string `json:"id"`
	Header      string `json:"header"`
	Question    string `json:"question"`
	MultiSelect *bool  `json:"multiSelect"`
	IsOther     *bool  `json:"isOther"`
	IsSecret    *bool  `json:"isSecret"`
	Options     []struct {
		Label       string `json:"label"`
		Description string `json:"description"`
		Preview     string `json:"preview"`
	} `json:"options"`
}

// bodyFields are the fields of a call that stand beside its questions.
var bodyFields = []string{"to", "askedBy", "chatId", "expiresIn", "idempotencyKey", "locale"}

// agents reads what Claude Code and Codex ask; foreign says that it is that. What they do not
// have tells AskGate's own questions from theirs.
func agents(shape map[string]json.RawMessage) (asking Asking, foreign bool, err error) {
	var raw []map[string]json.RawMessage
	if json.Unmarshal(shape["questions"], &raw) != nil {
		return asking, false, nil //nolint:nilerr // AskGate's own takes more shapes, and the gateway says what is wrong
	}
	has := func(names ...string) bool {
		return slices.ContainsFunc(raw, func(q map[string]json.RawMessage) bool {
			return slices.ContainsFunc(names, func(name string) bool { return q[name] != nil })
		})
	}
	others := maps.Clone(shape)
	maps.DeleteFunc(others, func(name string, _ json.RawMessage) bool { return name == "questions" || name == "autoResolutionMs" })
	switch {
	case has("input_type", "allow_other", "allow_skip", "validation", "context", "placeholder", "template", "format", "default", "when"):
		return asking, false, nil
	case has("multiSelect", "isOther", "isSecret"):
	case !has("id") || !has("header") || len(others) > 0:
		return asking, false, nil
	}
	maps.DeleteFunc(others, func(name string, _ json.RawMessage) bool { return !slices.Contains(bodyFields, name) })
	if asking.Arguments, err = json.Marshal(others); err != nil {
		return asking, true, err
	}
	var questions []agentQuestion
	if err := json.Unmarshal(shape["questions"], &questions); err != nil {
		return asking, true, fmt.Errorf("the questions are in no form that is known: %w", err)
	}
	for _, q := range questions {
		if q.IsSecret != nil && *q.IsSecret {
			return asking, true, errors.New("a question asks for a secret (isSecret), which would be stored and shown: have it entered where it belongs")
		}
		own := Question{ID: q.ID, Header: q.Header, Question: q.Question, InputType: tools.Text}
		if len(q.Options) > 0 {
			own.InputType, own.AllowOther = tools.Select, true
			if q.MultiSelect != nil && *q.MultiSelect {
				own.InputType = tools.Multiselect
			}
		}
		for _, o := range q.Options {
			own.Options = append(own.Options, Option{Label: o.Label, Description: o.Description, Preview: o.Preview})
		}
		asking.Questions = append(asking.Questions, own)
	}
	return asking, true, nil
}

// field is a property of a requested schema: flat, of primitive types.
type field struct {
	name        string
	Type        string       `json:"type"`
	Title       string       `json:"title"`
	Description string       `json:"description"`
	Format      string       `json:"format"`
	Pattern     string       `json:"pattern"`
	Enum        []string     `json:"enum"`
	EnumNames   []string     `json:"enumNames"`
	OneOf       []titled     `json:"oneOf"`
	AnyOf       []titled     `json:"anyOf"`
	MinLength   *json.Number `json:"minLength"`
	MaxLength   *json.Number `json:"maxLength"`
	Minimum     *json.Number `json:"minimum"`
	Maximum     *json.Number `json:"maximum"`
	MinItems    *json.Number `json:"minItems"`
	MaxItems    *json.Number `json:"maxItems"`
	Default     any          `json:"default"`
	Items       struct {
		Enum  []string `json:"enum"`
		AnyOf []titled `json:"anyOf"`
		OneOf []titled `json:"oneOf"`
	} `json:"items"`
}

type titled struct {
	Const string `json:"const"`
	Title string `json:"title"`
}

// fields are properties in the order in which they were sent.
type fields []field

// UnmarshalJSON implements json.Unmarshaler.
func (f *fields) UnmarshalJSON(data []byte) error {
	d := json.NewDecoder(bytes.NewReader(data))
	if begin, err := d.Token(); err != nil || begin != json.Delim('{') {
		return errors.New("properties are an object")
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return err
		}
		one := field{name: name.(string)}
		if err := d.Decode(&one); err != nil {
			return err
		}
		*f = append(*f, one)
	}
	return nil
}

// elicitation reads what an MCP server would ask its client's user.
func elicitation(shape map[string]json.RawMessage) (Asking, error) {
	var asked struct {
		Mode    string `json:"mode"`
		Message string `json:"message"`
		Schema  struct {
			Properties fields   `json:"properties"`
			Required   []string `json:"required"`
		} `json:"requestedSchema"`
	}
	whole, err := json.Marshal(shape)
	if err == nil {
		err = json.Unmarshal(whole, &asked)
	}
	switch {
	case err != nil:
		return Asking{}, fmt.Errorf("the elicitation is in no form that is known: %w", err)
	case asked.Mode == "url":
		return Asking{}, errors.New("an elicitation in url mode has nothing to answer: only form mode can be asked")
	case len(asked.Schema.Properties) == 0:
		return arguments(map[string]any{"question": asked.Message, "input_type": tools.Confirm})
	}
	var questions []map[string]any
	for i, f := range asked.Schema.Properties {
		q := f.question()
		if !slices.Contains(asked.Schema.Required, f.name) {
			q["allow_skip"] = true
		}
		switch {
		case asked.Message == "" || i > 0:
		case len(asked.Schema.Properties) == 1:
			q["question"], q["header"] = asked.Message, q["question"]
		case f.Description == "":
			q["context"] = asked.Message
		default:
			q["context"] = asked.Message + "\n" + f.Description
		}
		questions = append(questions, q)
	}
	return arguments(map[string]any{"questions": questions})
}

func arguments(v map[string]any) (Asking, error) {
	data, err := json.Marshal(v)
	return Asking{Arguments: data}, err
}

// question is the field as ask_user takes it; what does not fit, the gateway refuses.
func (f *field) question() map[string]any {
	q := map[string]any{"id": f.name, "question": cmp.Or(f.Title, f.name)}
	if f.Description != "" {
		q["context"] = f.Description
	}
	rules := map[string]any{}
	choices := slices.Concat(f.OneOf, f.AnyOf)
	switch f.Type {
	case "boolean":
		q["input_type"] = tools.Confirm
	case "number", "integer":
		q["input_type"] = tools.Number
		rules["integer"] = f.Type == "integer"
		bounds(rules, f.Minimum, f.Maximum)
	case "array":
		q["input_type"], choices = tools.Multiselect, slices.Concat(f.Items.OneOf, f.Items.AnyOf)
		f.Enum = f.Items.Enum
		if least := f.MinItems; least == nil || *least == "0" { // none of them is an answer too
			q["allow_skip"], f.MinItems = true, nil
		}
		bounds(rules, f.MinItems, f.MaxItems)
	case "string":
		q["input_type"] = tools.Text
		switch f.Format {
		case "date":
			q["input_type"] = tools.Date
		case tools.FormatEmail, tools.FormatURI:
			q["format"] = f.Format
		}
		bounds(rules, f.MinLength, f.MaxLength)
		if f.Pattern != "" {
			rules["pattern"] = whole(f.Pattern)
		}
	default:
		q["input_type"] = f.Type
	}
	for i, value := range f.Enum {
		one := titled{Const: value}
		if i < len(f.EnumNames) {
			one.Title = f.EnumNames[i]
		}
		choices = append(choices, one)
	}
	var options []Option
	for _, c := range choices {
		options = append(options, Option{Label: cmp.Or(c.Title, c.Const), Value: c.Const, Recommended: f.Default == c.Const})
	}
	if options != nil {
		q["options"] = options
		if q["input_type"] == tools.Text {
			q["input_type"] = tools.Select
		}
	}
	if len(rules) > 0 {
		q["validation"] = rules
	}
	if f.Default != nil {
		q["default"] = f.Default
	}
	return q
}

// whole is a pattern of JSON Schema, which looks for itself in a text, as one that matches all of it.
func whole(pattern string) string {
	if strings.HasPrefix(pattern, "^") && strings.HasSuffix(pattern, "$") && !strings.Contains(pattern, "|") {
		return pattern
	}
	return `[\s\S]*(?:` + pattern + `)[\s\S]*`
}

func bounds(rules map[string]any, least, most *json.Number) {
	if least != nil {
		rules["min"] = *least
	}
	if most != nil {
		rules["max"] = *most
	}
}
