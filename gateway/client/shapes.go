package client

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tools/elicit"
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

// bodyFields are the fields of a call other than its questions.
var bodyFields = []string{"to", "askedBy", "chatId", "expiresIn", "withdrawWhenGone", "escalate", "idempotencyKey", "locale"}

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

// elicitation reads what an MCP server would ask its client's user.
func elicitation(shape map[string]json.RawMessage) (Asking, error) {
	var asked struct {
		Mode    string        `json:"mode"`
		Message string        `json:"message"`
		Schema  elicit.Schema `json:"requestedSchema"`
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
	questions, err := asked.Schema.Questions(asked.Message, "")
	if err != nil {
		return Asking{}, fmt.Errorf("the elicitation cannot be asked: %w", err)
	}
	for i, p := range asked.Schema.Properties {
		if questions[i]["id"] = p.Name; len(p.Default) > 0 && string(p.Default) != "null" {
			questions[i]["default"] = p.Default
		}
	}
	return arguments(map[string]any{"questions": questions})
}

func arguments(v map[string]any) (Asking, error) {
	data, err := json.Marshal(v)
	return Asking{Arguments: data}, err
}
