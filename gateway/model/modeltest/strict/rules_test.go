package strict_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/askgate/askgate/gateway/model/modeltest/strict"
)

// The requests are written by hand, without any client of the gateway.

type object = map[string]any

type sent struct {
	path, query string
	header      http.Header
	body        object
}

const tool = `{"name": "lookup", "description": "Looks up.", "parameters": {"type": "object", "properties": {"q": {"type": "string"}}, "required": ["q"]}}`

// bases are requests that each server of an API accepts: a chat with an answered call of another
// model.
var bases = map[string]string{
	"chat": `{"model": "M", "stream": true, "messages": [
		{"role": "system", "content": "Be brief."},
		{"role": "user", "content": "Look."},
		{"role": "assistant", "content": "", "tool_calls": [{"id": "A1b2C3d4E", "type": "function", "function": {"name": "lookup", "arguments": "{\"q\":\"x\"}"}}]},
		{"role": "tool", "tool_call_id": "A1b2C3d4E", "content": "found"},
		{"role": "assistant", "content": "Found."},
		{"role": "user", "content": "Again."}],
		"tools": [{"type": "function", "function": ` + tool + `}]}`,
	"responses": `{"model": "M", "stream": true, "store": false, "include": ["reasoning.encrypted_content"], "instructions": "Be brief.", "input": [
		{"role": "user", "content": "Look."},
		{"type": "function_call", "call_id": "A1b2C3d4E", "name": "lookup", "arguments": "{\"q\":\"x\"}"},
		{"type": "function_call_output", "call_id": "A1b2C3d4E", "output": "found"},
		{"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Found."}]},
		{"role": "user", "content": [{"type": "input_text", "text": "Again."}]}],
		"tools": [{"type": "function", "strict": false, ` + tool[1:] + `]}`,
	"messages": `{"model": "M", "stream": true, "max_tokens": 4000, "system": [{"type": "text", "text": "Be brief."}], "messages": [
		{"role": "user", "content": "Look."},
		{"role": "assistant", "content": [{"type": "tool_use", "id": "A1b2C3d4E", "name": "lookup", "input": {"q": "x"}}]},
		{"role": "user", "content": [{"type": "tool_result", "tool_use_id": "A1b2C3d4E", "content": "found"}]},
		{"role": "assistant", "content": [{"type": "text", "text": "Found."}]},
		{"role": "user", "content": "Again."}],
		"tools": [` + strings.Replace(tool, "parameters", "input_schema", 1) + `]}`,
	"gemini": `{"systemInstruction": {"parts": [{"text": "Be brief."}]}, "contents": [
		{"role": "user", "parts": [{"text": "Look."}]},
		{"role": "model", "parts": [{"functionCall": {"id": "A1b2C3d4E", "name": "lookup", "args": {"q": "x"}}}]},
		{"role": "user", "parts": [{"functionResponse": {"id": "A1b2C3d4E", "name": "lookup", "response": {"output": "found"}}}]},
		{"role": "model", "parts": [{"text": "Found."}]},
		{"role": "user", "parts": [{"text": "Again."}]}],
		"tools": [{"functionDeclarations": [` + tool + `]}]}`,
}

func wire(k *strict.Kind) string {
	switch {
	case k.Provider == "anthropic":
		return "messages"
	case k.Provider == "gemini":
		return "gemini"
	}
	return k.API
}

// base returns a request that this server accepts.
func base(t *testing.T, k *strict.Kind) sent {
	t.Helper()
	s := sent{header: http.Header{}}
	d := json.NewDecoder(strings.NewReader(bases[wire(k)]))
	d.UseNumber()
	if err := d.Decode(&s.body); err != nil {
		t.Fatal(err)
	}
	switch wire(k) {
	case "gemini":
		s.path, s.query = "/models/"+k.Model+":streamGenerateContent", "alt=sse"
		s.header.Set("X-Goog-Api-Key", strict.Key)
		return s
	case "messages":
		s.path = "/v1/messages"
		s.header.Set("X-Api-Key", strict.Key)
		s.header.Set("Anthropic-Version", "2023-06-01")
	case "responses":
		s.path = "/responses"
		s.header.Set("Authorization", "Bearer "+strict.Key)
	default:
		s.path = "/chat/completions"
		s.header.Set("Authorization", "Bearer "+strict.Key)
	}
	s.body["model"] = k.Model
	switch k.Name {
	case "openai gpt-5.6":
		s.body["reasoning_effort"] = "none"
	case "openai gpt-6-astra":
		delete(s.body, "tools")
	case "deepseek", "kimi":
		set(s.body, "messages.2.reasoning_content", "")
	}
	return s
}

// set puts a value at a path of members and indexes; nil removes it, and an index after the end
// appends it.
func set(v any, path string, value any) any {
	head, rest, more := strings.Cut(path, ".")
	switch v := v.(type) {
	case object:
		switch {
		case more:
			v[head] = set(v[head], rest, value)
		case value == nil:
			delete(v, head)
		default:
			v[head] = value
		}
		return v
	case []any:
		n, _ := strconv.Atoi(head)
		switch {
		case n == len(v):
			return append(v, value)
		case more:
			v[n] = set(v[n], rest, value)
		case value == nil:
			return append(v[:n:n], v[n+1:]...)
		default:
			v[n] = value
		}
		return v
	}
	return set(object{}, path, value)
}

func text(s string) any {
	var v any
	if err := json.Unmarshal([]byte(s), &v); err != nil {
		panic(err)
	}
	return v
}

// post sends a request, and returns the server's response.
func post(t *testing.T, s *strict.Server, r sent) (int, string) {
	t.Helper()
	raw, err := json.Marshal(r.body)
	if err != nil {
		t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+r.path+"?"+r.query, bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	req.Header = r.header
	answer, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, string(body)
}

// breach is a change of a request that breaks a rule, and the server's response.
type breach struct {
	change func(r *sent)
	says   string
}

func at(path string, value any, says string) breach {
	return breach{func(r *sent) { set(r.body, path, value) }, says}
}

func head(name, value, says string) breach {
	return breach{func(r *sent) { r.header.Set(name, value) }, says}
}

// breaches maps each rule to those of it: of an API, or of one server ("name: rule").
var breaches = map[string]map[string]breach{
	"chat": {
		"address":          {func(r *sent) { r.path = "/completions" }, "Invalid URL"},
		"key":              head("Authorization", "Bearer wrong", "Incorrect API key"),
		"model":            at("model", "another", "does not exist"),
		"stream":           at("stream", false, "stream"),
		"fields":           at("reasoning", text(`{"effort":"low"}`), "reasoning"),
		"members":          at("messages.4.reasoning_content", "x", "reasoning_content"),
		"roles":            at("messages.0.role", "developer", "developer"),
		"content":          at("messages.1.content", nil, "content"),
		"empty assistant":  at("messages.4.content", "", "content or tool_calls must be set"),
		"arguments":        at("messages.2.tool_calls.0.function.arguments", "{", "JSON"),
		"ids":              at("messages.2.tool_calls.0.id", "", "id"),
		"order":            at("messages.3", text(`{"role":"user","content":"no"}`), "tool"),
		"last message":     at("messages.6", text(`{"role":"assistant","content":"I"}`), "last role"),
		"empty tools":      at("tools", []any{}, "tools"),
		"tool_choice":      at("tool_choice", "required", "tool"),
		"tool name":        at("tools.0.function.name", "a.b", "pattern"),
		"schema":           at("tools.0.function.parameters", text(`{"anyOf":[{"type":"object"}]}`), "object"),
		"strict schema":    at("tools.0.function.strict", true, "additionalProperties"),
		"system first":     at("messages.4", text(`{"role":"system","content":"x"}`), "System message must be at the beginning"),
		"max_tokens":       at("max_tokens", 100, "max_completion_tokens"),
		"temperature":      at("temperature", 0.5, "temperature"),
		"top_p":            at("top_p", 0.5, "top_p"),
		"effort":           at("reasoning_effort", "minimal", "minimal"),
		"reasoning_effort": at("reasoning_effort", "low", "reasoningEffort"),
		"user message": {func(r *sent) {
			set(r.body, "messages", text(`[{"role":"tool","content":"x","tool_call_id":"A1b2C3d4E"}]`))
		}, "illegal"},
		"strict":              at("tools.0.function.cache_control", object{}, "cache_control"),
		"user behind tool":    at("messages.4", text(`{"role":"user","content":"x"}`), "Unexpected role 'user' after role 'tool'"),
		"calls without tools": at("tools", nil, "tools="),
		"alternation":         at("messages.6", text(`{"role":"user","content":"x"}`), "must alternate"),
		"state is missing":    at("messages.2.reasoning_content", nil, "reasoning_content"),

		"glm: user message": {func(r *sent) {
			set(r.body, "messages", text(`[{"role":"assistant","content":"","tool_calls":[{"id":"A1b2C3d4E","type":"function","function":{"name":"lookup","arguments":"{}"}}]},{"role":"tool","content":"x","tool_call_id":"A1b2C3d4E"}]`))
		}, "1210"},
		"minimax: order":                      at("messages.3", text(`{"role":"user","content":"no"}`), "(2013)"),
		"mistral: ids":                        at("messages.2.tool_calls.0.id", "call_abcdefgh", "must be a-z, A-Z, 0-9, with a length of 9"),
		"mistral: fields":                     at("max_completion_tokens", 5, `"loc":["body","max_completion_tokens"]`),
		"mistral: members":                    at("messages.4.reasoning_content", "x", `"loc":["body","messages",4,"assistant","reasoning_content"]`),
		"groq: fields":                        at("store", false, "property 'store' is unsupported"),
		"groq: members":                       at("messages.4.reasoning_content", "x", "property 'reasoning_content' is unsupported"),
		"kimi: schema":                        at("tools.0.function.parameters.properties.q", text(`{"type":"string","anyOf":[{"type":"string"}]}`), "moonshot flavored json schema"),
		"gemini compatible: schema":           at("tools.0.function.parameters.additionalProperties", false, `Unknown name \"additionalProperties\" at 'tools[0].function_declarations[0].parameters'`),
		"gemini compatible: fields":           at("reasoning", object{}, `[{"error":{"code":400,"message":"Invalid JSON payload received. Unknown name \"reasoning\"`),
		"openrouter: state is changed":        at("messages.4.reasoning_details", text(`[{"type":"reasoning.text","text":"x","signature":"eHg=","index":0}]`), `"message":"Provider returned error"`),
		"litellm: state is changed":           at("messages.4.thinking_blocks", text(`[{"type":"thinking","thinking":"x","signature":"eHg="}]`), "AnthropicException"),
		"litellm gemini: state is changed":    at("messages.2.tool_calls.0.provider_specific_fields", text(`{"thought_signature":"eHg="}`), "Thought signature is not valid"),
		"gemini compatible: state is changed": at("messages.2.tool_calls.0.extra_content", text(`{"google":{"thought_signature":"eHg="}}`), "Thought signature is not valid"),
		"gemini compatible: state is missing": {func(r *sent) {
			m := r.body["messages"].([]any)
			r.body["messages"] = m[:4]
		}, "Function call is missing a thought_signature in functionCall parts"},
		"openai gpt-4.1: effort":               at("reasoning_effort", "low", "Unrecognized request argument supplied: reasoning_effort"),
		"openai gpt-5.4: tools with reasoning": at("reasoning_effort", "low", "Please use /v1/responses instead."),
		"openai gpt-5.6: tools with reasoning": at("reasoning_effort", nil, "set reasoning_effort to 'none'"),
		"openai gpt-5.6: temperature": {func(r *sent) {
			set(r.body, "temperature", 0.5)
			set(r.body, "reasoning_effort", "low")
		}, "Only the default (1) value is supported"},
		"openai gpt-5.6: top_p": {func(r *sent) {
			set(r.body, "top_p", 0.5)
			set(r.body, "reasoning_effort", "low")
		}, "Only the default (1) value is supported"},
		"openai gpt-6-astra: tools with reasoning": at("tools", text(`[{"type":"function","function":`+tool+`}]`), "/v1/responses"),
		"openai gpt-6-astra: tool name":            at("tools", text(`[{"type":"function","function":{"name":"a b"}}]`), "pattern"),
		"openai gpt-6-astra: schema":               at("tools", text(`[{"type":"function","function":{"name":"a","parameters":{"type":"array"}}}]`), "got 'type"),
		"openai gpt-6-astra: strict schema":        at("tools", text(`[{"type":"function","function":{"name":"a","strict":true,"parameters":{"type":"object"}}}]`), "additionalProperties"),
	},
	"responses": {
		"address":           {func(r *sent) { r.path = "/chat/completions" }, "Invalid URL"},
		"key":               head("Authorization", "Bearer wrong", "Incorrect API key"),
		"model":             at("model", "another", "does not exist"),
		"stream":            at("stream", false, "stream"),
		"fields":            at("reasoning_effort", "low", `"param":"reasoning_effort"`),
		"include":           at("include.0", "reasoning.text", "include[0]"),
		"items":             at("input.1.call_id", nil, "Missing required parameter: 'input[1].call_id'"),
		"item content":      at("input.3.content.0.type", "input_text", "Supported values are: 'output_text'"),
		"flat tools":        at("tools.0", text(`{"type":"function","function":{"name":"lookup"}}`), "Missing required parameter: 'tools[0].name'"),
		"tool name":         at("tools.0.name", "a.b", "pattern"),
		"schema":            at("tools.0.parameters.oneOf", []any{}, "at the top level"),
		"strict schema":     at("tools.0.strict", nil, "'additionalProperties' is required to be supplied and to be false"),
		"call and output":   at("input.2", nil, "No tool output found for function call A1b2C3d4E"),
		"item ids":          at("input.5", text(`{"type":"reasoning","id":"rs_1","summary":[]}`), "not found"),
		"encrypted content": at("input.3", text(`{"type":"reasoning","summary":[],"encrypted_content":"gAAAAforeign"}`), `"code":"invalid_encrypted_content"`),
		"follower":          at("input.3", text(`{"type":"reasoning","summary":[]}`), "without its required following item"),
		"temperature":       at("temperature", 0.5, "Only the default (1)"),
		"top_p":             at("top_p", 0.5, "Only the default (1)"),
		"effort":            at("reasoning", text(`{"effort":"minimal"}`), `"param":"reasoning.effort"`),
		"max_output_tokens": at("max_output_tokens", 5, "Expected a value >= 16"),
	},
	"messages": {
		"address":                 {func(r *sent) { r.path = "/messages" }, "not_found_error"},
		"key":                     head("X-Api-Key", "wrong", "authentication_error"),
		"model":                   at("model", "another", "not_found_error"),
		"stream":                  at("stream", false, "stream"),
		"version":                 head("Anthropic-Version", "", "anthropic-version: header is required"),
		"fields":                  at("reasoning", object{}, "reasoning: Extra inputs are not permitted"),
		"max_tokens":              at("max_tokens", 900000, "which is the maximum allowed number of output tokens"),
		"thinking":                at("thinking", text(`{"type":"adaptive","block_binding":{}}`), "block_binding: Extra inputs"),
		"effort":                  at("output_config", text(`{"effort":"minimal"}`), "output_config.effort"),
		"sampling":                at("temperature", 0.5, "`temperature` is deprecated for this model."),
		"tool_choice":             at("tool_choice", text(`{"type":"any"}`), "tool_choice"),
		"roles":                   at("messages.1.role", "system", "role 'system' is not supported on this model"),
		"blocks":                  at("messages.3.content.0.text", "", "text content blocks must be non-empty"),
		"tool names":              at("tools.0.name", "a.b", "tools.0.custom.name"),
		"schema":                  at("tools.0.input_schema.anyOf", []any{object{}}, "does not support oneOf, allOf, or anyOf at the top level"),
		"ids":                     at("messages.1.content.0.id", "functions.x:0", "tool_use.id: String should match pattern"),
		"order":                   at("messages.2.content", text(`[{"type":"text","text":"x"},{"type":"tool_result","tool_use_id":"A1b2C3d4E"}]`), "without `tool_result` blocks immediately after"),
		"cache_control":           at("messages.4.content", text(`[{"type":"text","text":"1","cache_control":{"type":"ephemeral"}},{"type":"text","text":"2","cache_control":{"type":"ephemeral"}},{"type":"text","text":"3","cache_control":{"type":"ephemeral"}},{"type":"text","text":"4","cache_control":{"type":"ephemeral"}},{"type":"text","text":"5","cache_control":{"type":"ephemeral"}}]`), "A maximum of 4 blocks"),
		"signatures":              at("messages.3.content.0", text(`{"type":"thinking","thinking":"x","signature":"eHg="}`), "Invalid `signature` in `thinking` block"),
		"claude budget: thinking": at("thinking", text(`{"type":"enabled","budget_tokens":4000}`), "`max_tokens` must be greater than `thinking.budget_tokens`"),
		"claude budget: effort":   at("output_config", text(`{"effort":"high"}`), "does not support the effort parameter"),
		"claude budget: sampling": {func(r *sent) {
			set(r.body, "temperature", 0.5)
			set(r.body, "thinking", text(`{"type":"enabled","budget_tokens":1024}`))
		}, "may only be set to 1 when thinking is enabled"},
		"claude budget: thinking comes first": {func(r *sent) {
			set(r.body, "messages.4", nil)
			set(r.body, "messages.3", nil)
			set(r.body, "thinking", text(`{"type":"enabled","budget_tokens":1024}`))
		}, "Expected `thinking` or `redacted_thinking`, but found `tool_use`"},
	},
	"gemini": {
		"address":    {func(r *sent) { r.query = "" }, "NOT_FOUND"},
		"key":        {func(r *sent) { r.query += "&key=" + strict.Key }, "UNAUTHENTICATED"},
		"fields":     at("generationConfig", text(`{"max_tokens":5}`), `Unknown name \"max_tokens\" at 'generation_config'`),
		"thinking":   at("generationConfig", text(`{"thinkingConfig":{"thinkingLevel":"minimal"}}`), "Thinking level"),
		"tool names": at("tools.0.functionDeclarations.0.name", "1x", "Invalid function name"),
		"schema":     at("tools.0.functionDeclarations.0.parameters.properties.q.const", "x", `Unknown name \"const\"`),
		"parts":      at("contents.2.parts.0.functionResponse.response", "found", "function_response.response"),
		"order":      at("contents.2.parts.1", text(`{"functionResponse":{"name":"lookup","response":{}}}`), "number of function response parts"),
		"signatures": at("contents.1.parts.0.thoughtSignature", "eHg=", "Thought signature is not valid."),
	},
}

// ruled returns how a request breaks a rule of a server.
func ruled(k *strict.Kind, rule string) (breach, bool) {
	of := breaches[wire(k)]
	if b, ok := of[k.Name+": "+rule]; ok {
		return b, true
	}
	b, ok := of[rule]
	return b, ok
}

func TestEachRuleRefusesTheRequestThatBreaksItAndNoOther(t *testing.T) {
	for _, k := range strict.Servers() {
		t.Run(k.Name, func(t *testing.T) {
			s := strict.New(t, k, strict.Say("Fine."))
			if status, body := post(t, s, base(t, k)); status != http.StatusOK {
				t.Fatalf("the request that meets all rules: status %d, %s", status, body)
			}
			if f := s.Flaws(); len(f) > 0 {
				t.Errorf("the request that meets all rules has flaws: %q", f)
			}
			for _, rule := range k.Rules() {
				if rule.Source == "" || rule.Date == "" {
					t.Errorf("%s: no source, or no date", rule.Name)
				}
				b, ok := ruled(k, rule.Name)
				if !ok {
					if rule.Name != "prefix" && !(rule.Name == "thinking comes first" && k != strict.ClaudeBudget) { // has its own test
						t.Errorf("%s: no request breaks it", rule.Name)
					}
					continue
				}
				s := strict.New(t, k)
				r := base(t, k)
				b.change(&r)
				status, body := post(t, s, r)
				refusals := s.Refusals()
				if len(refusals) != 1 || refusals[0].Rule != rule.Name || status < 400 {
					t.Errorf("%s: status %d, refusals %+v", rule.Name, status, refusals)
					continue
				}
				if !strings.Contains(body, b.says) {
					t.Errorf("%s: the server responds %s, want %q", rule.Name, body, b.says)
				}
			}
		})
	}
}
