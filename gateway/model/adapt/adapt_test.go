package adapt_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/askgate/askgate/gateway/model"
	"github.com/askgate/askgate/gateway/model/adapt"
	"github.com/askgate/askgate/gateway/model/upstream"
)

// all lists the fields of a request that has everything.
var all = strings.Fields("temperature top_p reasoning_effort max_tokens stream_options parallel_tool_calls prompt_cache_key include strict cache_control" +
	" thinking thinking_display reasoning_split reasoning_summary reasoning_content reasoning reasoning_details thinking_blocks provider_specific_fields" +
	" extra_content content_thinking phase")

// refusal is a failure with that status and body, as a client reads it.
func refusal(status int, body string) *upstream.Failure {
	w := upstream.ErrorIn([]byte(body))
	if w == nil {
		w = &upstream.ServerError{}
	}
	return &upstream.Failure{Err: upstream.Failed(upstream.KindOf(status), status, w, []byte(body))}
}

// openAI is a body as OpenAI and many others write it.
func openAI(text, param, code string) string {
	raw, _ := json.Marshal(map[string]any{"error": map[string]any{"message": text, "type": "invalid_request_error", "param": orNull(param), "code": orNull(code)}})
	return string(raw)
}

func orNull(s string) any {
	if s == "" {
		return nil
	}
	return s
}

// anthropic is a body as Anthropic writes it.
func anthropic(text string) string {
	raw, _ := json.Marshal(map[string]any{"type": "error", "error": map[string]any{"type": "invalid_request_error", "message": text}, "request_id": "req_1"})
	return string(raw)
}

// gemini is a body of Gemini's compatible address, and a native one in a list.
func gemini(text, field string) string {
	violations := []any{}
	if field != "" {
		violations = append(violations, map[string]any{"@type": "type.googleapis.com/google.rpc.BadRequest", "fieldViolations": []any{map[string]any{"field": field, "description": text}}})
	}
	raw, _ := json.Marshal([]any{map[string]any{"error": map[string]any{"code": 400, "message": text, "status": "INVALID_ARGUMENT", "details": violations}}})
	return string(raw)
}

// mistral is a body as Mistral writes it.
func mistral(loc string) string {
	return `{"object":"error","message":{"detail":[{"type":"extra_forbidden","loc":` + loc + `,"msg":"Extra inputs are not permitted","input":"x"}]},"type":"invalid_request_error","param":null,"code":null}`
}

// describe lists the changes of a set: a word for each.
func describe(s *adapt.Set, tools []string) string {
	var words []string
	for _, f := range append([]string{"api"}, all...) {
		if v, is := s.Value(f); is {
			words = append(words, f+"="+string(v))
		}
		if s.Without(f) {
			words = append(words, "-"+f)
		}
		if s.Fills(f) {
			words = append(words, "+"+f)
		}
	}
	for _, t := range tools {
		if s.LeavesOut(t) {
			words = append(words, "-tool:"+t)
		}
	}
	if s.Forgets() {
		words = append(words, "forgets")
	}
	return strings.Join(words, " ")
}

var offered = []string{"ask_user", "get_weather", "book"}

// Recorded responses of servers, and the resulting change of the request. The letters are those of
// the servers that modeltest/strict plays (26 November 2026), each with its source.
func TestWhatARefusalChanges(t *testing.T) {
	for name, c := range map[string]struct {
		status int
		body   string
		want   string
	}{
		// A1, OpenAI Chat Completions
		"9router#560":              {400, openAI("Unsupported value: 'temperature' does not support 0.16 with this model. Only the default (1) value is supported.", "temperature", "unsupported_value"), "-temperature"},
		"the same without param":   {400, openAI("Unsupported value: 'temperature' does not support 0.16 with this model. Only the default (1) value is supported.", "", ""), "-temperature"},
		"bolna#1019":               {400, openAI("Unsupported parameter: 'top_p' is not supported with this model.", "top_p", "unsupported_parameter"), "-top_p"},
		"9router#846":              {400, openAI("Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.", "max_tokens", "unsupported_parameter"), "-max_tokens"},
		"pipecat#4043":             {400, openAI("Function tools with reasoning_effort are not supported for gpt-5.4 in /v1/chat/completions. Please use /v1/responses instead.", "reasoning_effort", ""), "-reasoning_effort"},
		"litellm#34569":            {400, openAI("Function tools with reasoning_effort are not supported for gpt-5.6 in /v1/chat/completions. To use function tools, use /v1/responses or set reasoning_effort to 'none'.", "reasoning_effort", ""), `reasoning_effort="none"`},
		"genkit#6303":              {400, openAI("Unsupported value: 'reasoning_effort' does not support 'minimal' with this model. Supported values are: 'low', 'medium', 'high', and 'xhigh'.", "reasoning_effort", "unsupported_value"), `reasoning_effort="low"`},
		"livekit#7169":             {400, openAI("Unsupported value: 'reasoning.effort' does not support 'max' with this model. Supported values are: 'none', 'low', 'medium', and 'high'.", "reasoning.effort", "unsupported_value"), `reasoning_effort="high"`},
		"tools missing":            {400, openAI("Invalid value for 'parallel_tool_calls': 'parallel_tool_calls' is only allowed when 'tools' are specified.", "parallel_tool_calls", ""), "-parallel_tool_calls"},
		"cache key":                {400, openAI("Unknown parameter: 'prompt_cache_key'.", "prompt_cache_key", "unknown_parameter"), "-prompt_cache_key"},
		"an old server":            {400, openAI("Unrecognized request argument supplied: prompt_cache_key", "", ""), "-prompt_cache_key"},
		"eca 0.160.3":              {400, openAI("Unknown parameter: 'reasoning'.", "reasoning", "unknown_parameter"), "-reasoning"},
		"a limit, OpenAI":          {400, openAI("max_tokens is too large: 100000. This model supports at most 16384 completion tokens, whereas you provided 100000.", "max_tokens", "invalid_value"), "max_tokens=16384"},
		"a tool's name":            {400, openAI("Invalid 'tools[1].function.name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.", "tools[1].function.name", "invalid_value"), "-tool:get_weather"},
		"a tool's schema":          {400, openAI("Invalid schema for function 'book': In context=('properties', 'a'), array schema missing items.", "tools[2].function.parameters", "invalid_function_parameters"), "-tool:book"},
		"a tool by its name alone": {400, openAI("Invalid schema for function 'book': In context=('properties', 'a'), array schema missing items.", "", ""), "-tool:book"},
		// A2, Responses
		"codex#8119":      {400, openAI("The encrypted content gAAA... could not be verified. Reason: Encrypted content could not be decrypted or parsed.", "", "invalid_encrypted_content"), "forgets"},
		"mastra#8738":     {400, openAI("Item 'fc_68' of type 'function_call' was provided without its required 'reasoning' item: 'rs_68'.", "input", ""), "forgets"},
		"laravel/ai#1052": {400, openAI("Item 'rs_68' of type 'reasoning' was provided without its required following item.", "input", ""), "forgets"},
		"copilot-sdk#615": {404, openAI("Item with id 'rs_68' not found. Items are not persisted when `store` is set to false. Try again with `store` set to true, or remove this item from your input.", "input", ""), "forgets"},
		"include":         {400, openAI("Encrypted content is not supported with this model.", "include", ""), "-include"},
		"summary":         {400, openAI("Your organization must be verified to generate reasoning summaries.", "reasoning.summary", "unsupported_value"), "-reasoning_summary"},
		"phase":           {400, openAI("Unknown parameter: 'input[2].phase'.", "input[2].phase", "unknown_parameter"), "-phase"},
		"least":           {400, openAI("Invalid 'max_output_tokens': integer below minimum value. Expected a value >= 16, but got 1 instead.", "max_output_tokens", "integer_below_min_value"), "max_tokens=16"},
		"strict":          {400, openAI("Unknown parameter: 'tools[0].strict'.", "tools[0].strict", "unknown_parameter"), "-strict"},
		// A4, Anthropic
		"prefix, opencode#48637":   {400, anthropic("messages.1.content.0: Invalid `signature` in `thinking` block. The block is bound to a different conversation. Remove the block, or set `thinking.block_binding.prefix_mismatch_behavior` to \"drop_block\". The `system` prompt differs from the one this block was created with."), "forgets"},
		"signature":                {400, anthropic("messages.1.content.0: Invalid `signature` in `thinking` block"), "forgets"},
		"no signature":             {400, anthropic("messages.1.content.0.thinking.signature: Field required"), "forgets"},
		"opencode#3077":            {400, anthropic("messages.1.content.0.type: Expected `thinking` or `redacted_thinking`, but found `tool_use`. When `thinking` is enabled, a final `assistant` message must start with a thinking block (preceeding the lastmost set of `tool_use` and `tool_result` blocks)."), "+thinking"},
		"enabled":                  {400, anthropic("\"thinking.type.enabled\" is not supported for this model. Use \"thinking.type.adaptive\" and \"output_config.effort\" to control thinking behavior."), `thinking={"type":"adaptive"}`},
		"adaptive":                 {400, anthropic("adaptive thinking is not supported on this model"), `thinking={"type":"enabled"}`},
		"disabled":                 {400, anthropic("\"thinking.type.disabled\" is not supported for this model."), "-thinking"},
		"deprecated":               {400, anthropic("`temperature` is deprecated for this model."), "-temperature"},
		"both":                     {400, anthropic("`temperature` and `top_p` cannot both be specified for this model. Please use only one."), "-temperature"},
		"effort":                   {400, anthropic("This model does not support the effort parameter."), "-reasoning_effort"},
		"effort's values":          {400, anthropic("output_config.effort: Input should be 'low', 'medium' or 'high'"), `reasoning_effort="medium"`},
		"limit":                    {400, anthropic("max_tokens: 100000 > 64000, which is the maximum allowed number of output tokens for claude-sonnet-4-5"), "max_tokens=64000"},
		"display":                  {400, anthropic("thinking.adaptive.display: Extra inputs are not permitted"), "-thinking_display"},
		"cache":                    {400, anthropic("tools.0.custom.cache_control: Extra inputs are not permitted"), "-cache_control"},
		"a fifth mark":             {400, anthropic("A maximum of 4 blocks with cache_control may be provided. Found 5."), "-cache_control"},
		"notion-mcp-server#341":    {400, anthropic("tools.2.custom.input_schema: input_schema does not support oneOf, allOf, or anyOf at the top level"), "-tool:book"},
		"DeepSeek-V3#1376":         {400, openAI("The content[].thinking in the thinking mode must be passed back to the API", "", "invalid_request_error"), "+thinking"},
		"an altered block":         {400, anthropic("messages.3.content.1: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified."), "forgets"},
		"a tool's name, Anthropic": {400, anthropic("tools.1.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'"), "-tool:get_weather"},
		// A6, Gemini
		"gemini, signature":      {400, gemini("Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly. Additional data, function call `default_api:book`, position 2.", ""), "+extra_content"},
		"gemini, corrupted":      {400, gemini("Corrupted thought signature.", ""), "forgets"},
		"gemini, invalid":        {400, gemini("Invalid thought signature.", ""), "forgets"},
		"gemini, not valid":      {400, gemini("Thought signature is not valid", ""), "forgets"},
		"free-claude-code#542":   {400, gemini("Invalid JSON payload received. Unknown name \"reasoning\": Cannot find field.", "reasoning"), "-reasoning"},
		"openswarm#24":           {400, gemini("Invalid JSON payload received. Unknown name \"additionalProperties\" at 'tools[0].function_declarations[2].parameters': Cannot find field.", "tools[0].function_declarations[2].parameters"), "-tool:book"},
		"the same, text alone":   {400, gemini("Invalid JSON payload received. Unknown name \"additionalProperties\" at 'tools[0].function_declarations[1].parameters': Cannot find field.", ""), "-tool:get_weather"},
		"strict at Gemini":       {400, gemini("Invalid JSON payload received. Unknown name \"strict\" at 'tools[0].function_declarations[1]': Cannot find field.", "tools[0].function_declarations[1]"), "-strict"},
		"gemini's level":         {400, gemini("Invalid value at 'generation_config.thinking_config.thinking_level'", "generation_config.thinking_config.thinking_level"), "-reasoning_effort"},
		"extra_content":          {400, gemini("Invalid JSON payload received. Unknown name \"extra_content\" at 'messages[1].tool_calls[0]': Cannot find field.", "messages[1].tool_calls[0]"), "-extra_content"},
		"gemini's exclusive one": {400, gemini("Unable to submit request because it has a maxOutputTokens value of 100000 but the supported range is from 1 (inclusive) to 65537 (exclusive). Update the value and try again.", ""), "max_tokens=65536"},
		// A7, Mistral
		"crush#1590":    {422, mistral(`["body","messages",31,"assistant","reasoning_content"]`), "-reasoning_content"},
		"eca#231":       {422, mistral(`["body","max_completion_tokens"]`), "-max_tokens"},
		"bare":          {422, `{"detail":[{"type":"extra_forbidden","loc":["body","parallel_tool_calls"],"msg":"Extra inputs are not permitted"}]}`, "-parallel_tool_calls"},
		"any-llm":       {400, `{"object":"error","message":"reasoning_effort low is not supported for this model, supported values: [high, none]","type":"invalid_request_error","code":"3051"}`, `reasoning_effort="high"`},
		"stream_option": {422, mistral(`["body","stream_options"]`), "-stream_options"},
		// A8, A9
		"crush#2696":    {400, openAI("The reasoning_content in the thinking mode must be passed back to the API", "", "invalid_request_error"), "+reasoning_content"},
		"vscode#318809": {400, openAI("thinking is enabled but reasoning_content is missing in assistant tool call message at index 4", "", ""), "+reasoning_content"},
		"nanobot#4967":  {400, openAI("invalid temperature: only 1 is allowed for this model", "", ""), "-temperature"},
		"DeepSeek":      {400, openAI("Invalid max_tokens value, the valid range of max_tokens is [1, 8192]", "", "invalid_request_error"), "max_tokens=8192"},
		// A11
		"xAI, argument":       {400, `{"code":"Client specified an invalid argument","error":"Argument not supported on this model: reasoningEffort"}`, "-reasoning_effort"},
		"LinguaGacha#771":     {400, `{"code":"Client specified an invalid argument","error":"Model grok-4.20-0309-non-reasoning does not support parameter reasoningEffort."}`, "-reasoning_effort"},
		"jan#8136":            {400, openAI("'messages.1' : for 'role:assistant' the following must be satisfied[('messages.1' : property 'reasoning_content' is unsupported)]", "", ""), "-reasoning_content"},
		"Groq":                {400, openAI("`max_tokens` must be less than or equal to `8192`, the maximum value for `max_tokens` is less than the `context_window` for this model", "", ""), "max_tokens=8192"},
		"Groq's model's call": {400, openAI("tool call validation failed: parameters for tool get_weather did not match schema", "", "tool_use_failed"), ""},
		// A12
		"drop_params":         {400, `{"error":{"message":"litellm.UnsupportedParamsError: openai does not support parameters: ['temperature'], for model=gpt-5. To drop these, set ` + "`litellm.drop_params=True`" + `","type":null,"param":null,"code":"400"}}`, "-temperature"},
		"through OpenRouter":  {400, `{"error":{"message":"Provider returned error","code":400,"metadata":{"raw":"{\"error\":{\"message\":\"Unsupported parameter: 'top_p' is not supported with this model.\",\"type\":\"invalid_request_error\",\"param\":\"top_p\",\"code\":\"unsupported_parameter\"}}","provider_name":"OpenAI"}}}`, "-top_p"},
		"through LiteLLM":     {400, `{"error":{"message":"litellm.BadRequestError: AnthropicException - {\"type\":\"error\",\"error\":{\"type\":\"invalid_request_error\",\"message\":\"messages.1.content.0: Invalid ` + "`signature` in `thinking`" + ` block\"}}","type":null,"param":null,"code":"400"}}`, "forgets"},
		"404 of a proxy":      {404, openAI("litellm.NotFoundError: model does not support parameter top_p", "", "404"), "-top_p"},
		"vLLM, object: error": {400, `{"object":"error","message":"[{'type': 'extra_forbidden', 'loc': ('body', 'cache_control'), 'msg': 'Extra inputs are not permitted'}]","type":"BadRequestError","param":null,"code":400}`, "-cache_control"},
		// A13
		"llama.cpp":     {500, `{"error":{"code":500,"message":"Unsupported param: stream_options","type":"server_error"}}`, "-stream_options"},
		"a failing 500": {500, openAI("The server had an error while processing stream_options: unexpected", "", ""), ""},
		// Refusals that name nothing of ours, and responses that are not refusals
		"no field":           {400, gemini("Request contains an invalid argument.", ""), ""},
		"the model":          {404, openAI("The model `gpt-9` does not exist or you do not have access to it.", "model", "model_not_found"), ""},
		"messages":           {400, openAI("An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'.", "messages.[3].role", ""), ""},
		"tool_choice":        {400, openAI("Thinking mode does not support this tool_choice", "", ""), ""},
		"no tools at all":    {400, openAI("registry.ollama.ai/library/x does not support tools", "", ""), ""},
		"another parameter":  {400, openAI("Unsupported parameter: 'logprobs' is not supported with this model.", "logprobs", "unsupported_parameter"), ""},
		"store":              {400, openAI("Unsupported parameter: 'store' is not supported.", "store", "unsupported_parameter"), ""},
		"key":                {401, openAI("temperature is not supported", "temperature", "unsupported_parameter"), ""},
		"rate limit":         {429, openAI("max_tokens too large for your quota", "max_tokens", ""), ""},
		"nothing":            {400, "", ""},
		"a page":             {400, "<html>temperature</html>", ""},
		"too long":           {400, anthropic("input length and `max_tokens` exceed context limit: 195000 + 8192 > 200000, decrease input length or `max_tokens` and try again"), ""},
		"no refusal":         {400, openAI("Something about temperature went wrong", "", ""), ""},
		"prose":              {400, openAI("Unknown error while thinking; the reasoning phase was strict", "", ""), ""},
		"a tool out of list": {400, openAI("bad schema", "tools[9].function.parameters", ""), ""},
	} {
		n := adapt.NewLearned(nil).Begin()
		again := n.Refused(refusal(c.status, c.body), adapt.Sent{Fields: all, Tools: offered, Keep: "ask_user"})
		if got := describe(n.Set(), offered); got != c.want || again != (c.want != "") {
			t.Errorf("%s: %q, want %q (again: %v)", name, got, c.want, again)
		}
	}
}

// Each kind of change is tried once, six requests are sent in total, and what helped is remembered
// and reported once.
func TestWhatHelpedIsRemembered(t *testing.T) {
	var told []string
	notes := upstream.NewNotes(func(a upstream.Adaptation) { told = append(told, a.What+": "+a.Detail) })
	l := adapt.NewLearned(notes)
	sent := adapt.Sent{Fields: all, Tools: offered, Keep: "ask_user"}
	refusals := []string{
		openAI("Unsupported parameter: 'temperature' is not supported with this model.", "temperature", "unsupported_parameter"),
		openAI("Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.", "max_tokens", "unsupported_parameter"),
		openAI("max_completion_tokens is too large: 9. This model supports at most 8 completion tokens, whereas you provided 9.", "max_completion_tokens", "invalid_value"),
		openAI("Invalid schema for function 'book': bad", "tools[2].function.parameters", "invalid_function_parameters"),
		openAI("The encrypted content gAAA could not be verified.", "", "invalid_encrypted_content"),
	}
	first, second := l.Begin(), l.Begin()
	for _, body := range refusals {
		if !first.Refused(refusal(400, body), sent) {
			t.Fatalf("not sent again: %s", body)
		}
		if body != refusals[4] {
			second.Refused(refusal(400, body), sent)
		}
	}
	if got := describe(first.Set(), offered); got != "-temperature max_tokens=8 -max_tokens -tool:book forgets" {
		t.Errorf("%q", got)
	}
	if first.Refused(refusal(400, openAI("Unknown parameter: 'top_p'.", "top_p", "unknown_parameter")), sent) {
		t.Error("a seventh request")
	}
	if l.Begin().Set() != nil || len(told) > 0 {
		t.Error("remembered before the server took it")
	}
	first.Accepted()
	first.Accepted()
	second.Accepted() // has learned the same
	if got := describe(l.Begin().Set(), offered); got != "-temperature max_tokens=8 -max_tokens -tool:book" {
		t.Errorf("remembered: %q", got)
	}
	want := "temperature: temperature is left out|max_tokens: the limit of the answer is sent under its other name|max_tokens: max_tokens is sent as 8|tool: the tool book is left out"
	if got := strings.Join(told, "|"); got != want {
		t.Errorf("told: %s", got)
	}
	if listed, _ := notes.List(); len(listed) != 4 {
		t.Errorf("%+v", listed)
	}
}

// A server that keeps refusing the same request does not get it again and again.
func TestEachFieldIsChangedOnce(t *testing.T) {
	for _, body := range []string{
		openAI("Unsupported parameter: 'temperature' is not supported with this model.", "temperature", "unsupported_parameter"),
		openAI("Unsupported value: 'reasoning_effort' does not support 'low' with this model. Supported values are: 'high'.", "reasoning_effort", "unsupported_value"),
		openAI("The reasoning_content in the thinking mode must be passed back to the API", "", ""),
		openAI("x", "", "invalid_encrypted_content"),
		anthropic("tools.2.custom.input_schema: input_schema does not support oneOf"),
	} {
		n := adapt.NewLearned(nil).Begin()
		sent := adapt.Sent{Fields: all, Tools: offered}
		if !n.Refused(refusal(400, body), sent) || n.Refused(refusal(400, body), sent) {
			t.Errorf("%s", body)
		}
	}
}

// A request is changed only in fields that it has, except for what the server requires.
func TestWhatWasNotSentIsNotChanged(t *testing.T) {
	n := adapt.NewLearned(nil).Begin()
	if n.Refused(refusal(400, openAI("Unsupported parameter: 'temperature'.", "temperature", "unsupported_parameter")), adapt.Sent{Fields: []string{"top_p"}}) {
		t.Error(describe(n.Set(), nil))
	}
	if n.Refused(refusal(400, openAI("Unsupported parameter: 'temperature' and 'top_p'.", "temperature", "")), adapt.Sent{Fields: []string{"top_p"}}) {
		t.Error("a field next to the one that is named: ", describe(n.Set(), nil))
	}
}

// The API is changed where the client supports that, and the effort where it does not.
func TestToolsBesideReasoning(t *testing.T) {
	const text = "Function tools with reasoning_effort are not supported for gpt-5.6 in /v1/chat/completions. To use function tools, use /v1/responses or set reasoning_effort to 'none'."
	for _, c := range []struct {
		fields []string
		want   string
	}{
		{[]string{"api", "reasoning_effort"}, `api="responses" -api`},
		{nil, `reasoning_effort="none"`},
	} {
		n := adapt.NewLearned(nil).Begin()
		n.Refused(refusal(400, openAI(text, "reasoning_effort", "")), adapt.Sent{Fields: c.fields, Tools: offered})
		if got := describe(n.Set(), offered); got != c.want {
			t.Errorf("%v: %q", c.fields, got)
		}
	}
	// Where neither helps, the error names what does.
	n, f := adapt.NewLearned(nil).Begin(), refusal(400, openAI("Please use /v1/responses instead.", "", ""))
	if n.Refused(f, adapt.Sent{Fields: []string{"temperature"}}) || !strings.Contains(f.Err.Detail, `set "api" of the model to "responses"`) {
		t.Errorf("%s, %+v", describe(n.Set(), nil), f.Err)
	}
}

// What an admin configured is not changed, and the error says where it is configured.
func TestWhatTheAdminWroteIsNotChanged(t *testing.T) {
	for _, c := range []struct{ body, refused, key string }{
		{`{"temperature":0.3}`, openAI("Unsupported value: 'temperature' does not support 0.3 with this model.", "temperature", "unsupported_value"), "temperature"},
		{`{"temperature":0.3}`, openAI("invalid temperature: only 1 is allowed for this model", "", ""), "temperature"},
		{`{"thinking":{"type":"enabled","budget_tokens":2000}}`, anthropic("\"thinking.type.enabled\" is not supported for this model."), "thinking"},
		{`{"generationConfig":{"topP":1}}`, gemini("bad", "generation_config.top_p"), "generationConfig"},
		{`{"min_p":1}`, openAI("Unsupported parameter: 'min_p' is not supported.", "", ""), "min_p"},
		{`{"reasoning_effort":"low"}`, openAI("Function tools with reasoning_effort are not supported in /v1/chat/completions; use /v1/responses or set reasoning_effort to 'none'.", "reasoning_effort", ""), "reasoning_effort"},
	} {
		var body map[string]json.RawMessage
		if err := json.Unmarshal([]byte(c.body), &body); err != nil {
			t.Fatal(err)
		}
		n, f := adapt.NewLearned(nil).Begin(), refusal(400, c.refused)
		if n.Refused(f, adapt.Sent{Fields: all, Body: body}) || n.Set() != nil {
			t.Errorf("%s: %s", c.body, describe(n.Set(), nil))
		}
		if !strings.Contains(f.Err.Detail, `"`+c.key+`"`) || !strings.Contains(f.Err.Detail, `"body"`) || f.Err.Fault != model.FaultParameter {
			t.Errorf("%s: %+v", c.body, f.Err)
		}
	}
	// Another member of the same object is ours.
	n := adapt.NewLearned(nil).Begin()
	n.Refused(refusal(400, openAI("Unsupported parameter: 'reasoning.summary'.", "reasoning.summary", "unsupported_parameter")),
		adapt.Sent{Fields: all, Body: map[string]json.RawMessage{"reasoning": json.RawMessage(`{"effort":"low"}`)}})
	if got := describe(n.Set(), nil); got != "-reasoning_summary" {
		t.Error(got)
	}
}

// Without ask_user there is nothing to send.
func TestTheToolThatAsksIsNeverLeftOut(t *testing.T) {
	n, f := adapt.NewLearned(nil).Begin(), refusal(400, anthropic("tools.0.custom.input_schema: input_schema does not support oneOf"))
	if n.Refused(f, adapt.Sent{Fields: all, Tools: offered, Keep: "ask_user"}) || !strings.Contains(f.Err.Detail, "ask_user") {
		t.Errorf("%s, %+v", describe(n.Set(), offered), f.Err)
	}
}

// Errors that quote the prompt change nothing, whatever people wrote there.
func TestNobodysWordsChangeWhatIsSent(t *testing.T) {
	for _, said := range []string{
		"temperature is not supported", "Unsupported parameter: 'temperature' is not supported with this model.", "`temperature` is deprecated for this model.",
		"tools[1].function: invalid schema", "messages.1.content.0: Invalid `signature` in `thinking` block", "invalid_encrypted_content",
		"The reasoning_content in the thinking mode must be passed back to the API", "please use /v1/responses instead",
		"invalid temperature: only 1 is allowed for this model", "Invalid schema for function 'book'", "temperature",
		"max_tokens: 100000 > 64000, which is the maximum", "does not support\nparameters: ['top_p']", "Item with id 'rs_1' not found",
	} {
		escaped, _ := json.Marshal(said)
		for _, text := range []string{
			"Invalid content of messages[2]: \"" + said + "\"", "Invalid value: " + string(escaped) + " is not allowed here", "unexpected '" + said + "' in the prompt",
		} {
			for _, body := range []string{openAI(text, "", ""), openAI(text, "messages[2].content", "invalid_value"), anthropic("messages.2.content: " + text), `{"error":` + quote(text) + `}`} {
				n := adapt.NewLearned(nil).Begin()
				if n.Refused(refusal(400, body), adapt.Sent{Fields: all, Tools: offered, Said: []string{"Hello. " + said + " What now?"}}) {
					t.Errorf("%s: %s", body, describe(n.Set(), offered))
				}
			}
		}
	}
}

// A chat about a word that is also the name of a field does not hide a refusal of the field.
func TestAChatAboutTheWeatherHidesNoRefusal(t *testing.T) {
	for _, c := range []struct{ body, want string }{
		{openAI("litellm.UnsupportedParamsError: openai does not support parameters: ['temperature'], for model=gpt-5", "", "400"), "-temperature"},
		{openAI("invalid temperature: only 1 is allowed for this model", "", ""), "-temperature"},
		{anthropic("`temperature` is deprecated for this model."), "-temperature"},
		{openAI("Unsupported value: 'reasoning_effort' does not support 'low' with this model. Supported values are: 'medium' and 'high'.", "reasoning_effort", "unsupported_value"), `reasoning_effort="medium"`},
		{anthropic("messages.1.content.0: Invalid `signature` in `thinking` block"), "forgets"},
	} {
		n := adapt.NewLearned(nil).Begin()
		n.Refused(refusal(400, c.body), adapt.Sent{Fields: all, Tools: offered, Said: []string{"What's the temperature in Paris?", `{"temperature":12,"signature":"low, medium, high"}`, "thinking"}})
		if got := describe(n.Set(), offered); got != c.want {
			t.Errorf("%s: %q", c.body, got)
		}
	}
}

func quote(s string) string {
	raw, _ := json.Marshal(s)
	return string(raw)
}

// Whatever a server responds, reading it ends, changes only what was sent, and does so in time.
func FuzzRefused(f *testing.F) {
	f.Add(400, openAI("Unsupported parameter: 'temperature'.", "temperature", ""), "hello")
	f.Add(422, mistral(`["body","messages",31,"assistant","reasoning_content"]`), "x")
	f.Add(400, gemini("Unknown name \"strict\" at 'tools[0].function_declarations[1]'", "tools[0].function_declarations[1]"), "strict")
	f.Add(500, `{"error":{"code":500,"message":"tools[0] [1, 5] max_tokens > 3"}}`, "")
	f.Fuzz(func(t *testing.T, status int, body, said string) {
		n := adapt.NewLearned(nil).Begin()
		sent := adapt.Sent{Fields: []string{"temperature", "max_tokens"}, Tools: offered, Keep: "ask_user", Said: []string{said}}
		for range adapt.MaxRequests - 1 {
			n.Refused(refusal(status, body), sent)
		}
		if n.Refused(refusal(status, body), sent) {
			t.Error("too many requests")
		}
		for _, field := range all {
			if n.Set().Without(field) && field != "temperature" && field != "max_tokens" || n.Set().LeavesOut("ask_user") {
				t.Errorf("%s is left out", field)
			}
		}
	})
}

// TestAFieldGoesWhereNoValueHelps: a model that accepts neither kind of thinking is asked without,
// and failures that are not refusals do not use up the requests.
func TestAFieldGoesWhereNoValueHelps(t *testing.T) {
	n := adapt.NewLearned(nil).Begin()
	for range adapt.MaxRequests {
		if n.Refused(refusal(503, `{"error":{"message":"overloaded"}}`), adapt.Sent{Fields: all}) {
			t.Fatal("a busy server counts as a refusal")
		}
	}
	for i, want := range []string{`thinking={"type":"adaptive"}`, "-thinking"} {
		if !n.Refused(refusal(400, anthropic("\"thinking.type.enabled\" is not supported for this model.")), adapt.Sent{Fields: all}) {
			t.Fatalf("after %d refusals, nothing is tried", i+1)
		}
		if got := describe(n.Set(), nil); got != want {
			t.Errorf("after %d refusals: %s, want %s", i+1, got, want)
		}
	}
}

// TestAnEffortIsChangedAndThenOff: gpt-5.6 refuses "max" at Chat Completions, and then, together
// with tools, every effort but none (litellm#34569, 2026-07-24; livekit/agents#7169, 2026-09-08).
func TestAnEffortIsChangedAndThenOff(t *testing.T) {
	n, sent := adapt.NewLearned(nil).Begin(), adapt.Sent{Fields: []string{"reasoning_effort"}, Effort: "max"}
	tools := refusal(400, openAI("Function tools with reasoning_effort are not supported for gpt-5.6 in /v1/chat/completions. To use function tools, use /v1/responses or set reasoning_effort to 'none'.", "reasoning_effort", ""))
	for _, step := range []struct {
		refused *upstream.Failure
		want    string
	}{
		{refusal(400, openAI("Unsupported value: 'reasoning_effort' does not support 'max' with this model. Supported values are: 'none', 'low', 'medium', 'high', and 'xhigh'.", "reasoning_effort", "unsupported_value")), `reasoning_effort="xhigh"`},
		{tools, `reasoning_effort="none"`},
	} {
		if !n.Refused(step.refused, sent) {
			t.Fatalf("nothing is tried for %s", step.want)
		}
		if got := describe(n.Set(), nil); got != step.want {
			t.Errorf("got %s, want %s", got, step.want)
		}
	}
	if n.Refused(tools, sent) {
		t.Error("none is tried twice")
	}
	if !strings.Contains(tools.Err.Detail, `set "api" of the model to "responses"`) {
		t.Errorf("the hint for operators is missing: %s", tools.Err.Detail)
	}
}
