package upstream

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/askgate/askgate/gateway/model"
)

// message is a body as OpenAI writes it.
func message(text string) string {
	raw, _ := json.Marshal(text)
	return `{"error":{"message":` + string(raw) + `,"type":"invalid_request_error"}}`
}

// How servers phrase that a request is too long for them, and which figures they give.
func TestWhatServersSayAboutARequestThatIsTooLong(t *testing.T) {
	for name, c := range map[string]struct {
		status    int
		body      string
		got, most int64
	}{
		"OpenAI":              {400, message("This model's maximum context length is 4097 tokens. However, your messages resulted in 5012 tokens. Please reduce the length of the messages."), 5012, 4097},
		"OpenAI's code":       {400, `{"error":{"message":"x","type":"invalid_request_error","code":"context_length_exceeded"}}`, 0, 0},
		"OpenAI, configured":  {400, message("Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in 300001 tokens. Please reduce the length of the messages."), 300001, 272000},
		"OpenAI, window":      {400, message("Your input exceeds the context window of this model. Please adjust your input and try again."), 0, 0},
		"OpenAI's quota":      {429, message("Request too large for gpt-4o in organization org-1 on tokens per min (TPM): Limit 30000, Requested 40000."), 40000, 30000},
		"vLLM":                {400, `{"object":"error","message":"This model's maximum context length is 2048 tokens. However, you requested 2100 tokens (2050 in the messages, 50 in the completion). Please reduce the length of the messages or completion.","type":"BadRequestError","code":400}`, 2100, 2048},
		"vLLM, input":         {400, message("This model's maximum context length is 4096 tokens. However, your request has 5000 input tokens. Please reduce the length of the input messages."), 5000, 4096},
		"vLLM, decoder":       {400, message("The decoder prompt (length 5000) is longer than the maximum model length of 4096."), 5000, 4096},
		"vLLM, prompt":        {400, message("The prompt (total length 25938) is too long to fit into the model (context length 4096)."), 25938, 4096},
		"llama.cpp":           {400, `{"error":{"code":400,"message":"the request exceeds the available context size, try increasing it","type":"exceed_context_size_error","n_prompt_tokens":5000,"n_ctx":4096}}`, 5000, 4096},
		"llama.cpp, newer":    {400, message("request (5000 tokens) exceeds the available context size (4096 tokens), try increasing it"), 5000, 4096},
		"Ollama":              {400, message("prompt too long; exceeded max context length by 123 tokens"), 0, 0},
		"LM Studio":           {400, `{"error":"The number of tokens to keep from the initial prompt is greater than the context length. Try to load the model with a larger context length, or provide a shorter input"}`, 0, 0},
		"LM Studio, figures":  {400, `{"error":"Trying to keep the first 5000 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens, which is not enough."}`, 5000, 4096},
		"Anthropic":           {400, `{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 210000 tokens > 200000 maximum"}}`, 210000, 200000},
		"Anthropic, escaped":  {400, `{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 210000 tokens \u003e 200000 maximum"}}`, 210000, 200000},
		"Anthropic, answer":   {400, message("input length and `max_tokens` exceed context limit: 195000 + 8192 > 200000, decrease input length or `max_tokens` and try again"), 195000, 191808},
		"Anthropic, bytes":    {413, `{"type":"error","error":{"type":"request_too_large","message":"Request exceeds the maximum size"}}`, 0, 0},
		"a proxy":             {413, "<html>413 Request Entity Too Large</html>", 0, 0},
		"Gemini":              {400, `[{"error":{"code":400,"message":"The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).","status":"INVALID_ARGUMENT"}}]`, 1200000, 1048576},
		"Mistral":             {400, `{"object":"error","message":"Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length","type":"invalid_request_prompt","code":"3051"}`, 40000, 32768},
		"xAI":                 {400, `{"code":"x","error":"This model's maximum prompt length is 131072 but the request contains 537812 tokens."}`, 537812, 131072},
		"Groq":                {400, message("Please reduce the length of the messages or completion."), 0, 0},
		"Groq's quota":        {413, message("Request too large for model `m` in organization `o` on tokens per minute (TPM): Limit 6000, Requested 7134, please reduce your message size and try again."), 7134, 6000},
		"OpenRouter":          {400, message("This endpoint's maximum context length is 131072 tokens. However, you requested about 150000 tokens (149000 of text input, 1000 in the output)."), 150000, 131072},
		"GitHub":              {413, `{"error":{"code":"tokens_limit_reached","message":"Request body too large for gpt-4o model. Max size: 8000 tokens."}}`, 0, 0},
		"Copilot":             {400, message("prompt token count of 130,000 exceeds the limit of 128,000"), 130000, 128000},
		"Kimi":                {400, message("Your request exceeded model token limit: 262144 (requested: 291351)"), 291351, 262144},
		"SGLang":              {400, message("Requested token count exceeds the model's maximum context length of 4096 tokens. You requested a total of 5000 tokens."), 5000, 4096},
		"Together":            {422, message("The input (140000 tokens) is longer than the model's context length (131072 tokens)."), 140000, 131072},
		"TGI":                 {422, `{"error":"Input validation error: ` + "`inputs`" + ` must have less than 1024 tokens. Given: 2000","error_type":"validation"}`, 2000, 1024},
		"Cohere":              {400, `{"message":"too many tokens: total number of tokens in the prompt cannot exceed 4081 - received 5000."}`, 5000, 4081},
		"Bedrock":             {400, message("Input is too long for requested model."), 0, 0},
		"LiteLLM":             {400, message("litellm.BadRequestError: litellm.ContextWindowExceededError: OpenAIException - ..."), 0, 0},
		"MiniMax":             {400, message("invalid params, context window exceeds limit"), 0, 0},
		"apostrophes":         {400, message("The user's request exceeds the model's context length"), 0, 0},
		"no sense":            {400, message("prompt is too long: 5 tokens > 200000 maximum"), 0, 0},
		"far too large":       {400, message("prompt is too long: 99999999999999999999999 tokens > 200000 maximum"), 0, 0},
		"within the stream":   {0, message("prompt is too long: 210000 tokens > 200000 maximum"), 210000, 200000},
		"an old server's 500": {500, message("the request exceeds the available context size. try increasing the context size"), 0, 0},
	} {
		e := &model.Error{Kind: KindOf(c.status), Status: c.status}
		if c.status != 0 {
			e = statusError(c.status, http.Header{}, []byte(c.body), Reason([]byte(c.body), nil, nil))
		} else {
			classify(e, []byte(c.body))
		}
		if e.Kind != model.KindTooLong || e.Tokens != c.got || e.MaxTokens != c.most || e.Retryable() || e.Elsewhere() {
			t.Errorf("%s: %+v", name, e)
		}
	}
}

func TestOtherRefusalsAreNotAboutTheLength(t *testing.T) {
	for _, c := range []struct {
		status int
		body   string
		fault  model.Fault
	}{
		{429, message("Rate limit reached: too many tokens per minute"), ""},
		{429, message("Too many tokens, please wait before trying again."), ""},
		{400, message("max_tokens is too large: 100000. This model supports at most 16384 completion tokens."), ""},
		{401, message("Incorrect API key provided: sk-12***89. maximum context length"), model.FaultKey},
		{403, message("no"), model.FaultKey},
		{400, `[{"error":{"code":400,"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT"}}]`, model.FaultKey},
		{404, message("The model `gpt-9` does not exist or you do not have access to it."), model.FaultModel},
		{400, `{"error":{"message":"Model Not Exist","type":"invalid_request_error"}}`, model.FaultModel},
		{400, `{"object":"error","message":"Invalid model: x","code":"1500"}`, model.FaultModel},
		{400, message("gpt-9 is not a valid model ID"), model.FaultModel},
		{400, message("Invalid 'messages[3].content': unsupported: 'my prompt is too long, help'"), ""},
		{400, message("Your credit balance is too low to access the API."), model.FaultFunds},
		{402, message("Insufficient Balance"), model.FaultFunds},
		{429, `{"error":{"message":"You exceeded your current quota, please check your plan and billing details.","code":"insufficient_quota"}}`, model.FaultFunds},
		{503, message("unavailable"), ""},
		{400, "", ""},
		// Tools, flags and settings: those of modeltest/strict (26 November 2026).
		{400, message("registry.ollama.ai/library/x does not support tools"), model.FaultTools},
		{404, message("No endpoints found that support tool use. To learn more about provider routing, visit: https://openrouter.ai/docs"), model.FaultTools},
		{400, `{"object":"error","message":"\"auto\" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set","type":"BadRequestError","param":null,"code":400}`, model.FaultFlag},
		{500, `{"error":{"code":500,"message":"tools param requires --jinja flag","type":"server_error"}}`, model.FaultFlag},
		{400, `{"error":{"message":"Unsupported parameter: 'logprobs' is not supported with this model.","type":"invalid_request_error","param":"logprobs","code":"unsupported_parameter"}}`, model.FaultParameter},
		{422, `{"detail":[{"type":"extra_forbidden","loc":["body","seed"],"msg":"Extra inputs are not permitted"}]}`, model.FaultParameter},
		{400, message("invalid temperature: only 1 is allowed for this model"), model.FaultParameter},
		{404, `{"error":{"message":"no","param":"top_p","code":"404"}}`, model.FaultParameter},
		{400, `{"error":{"message":"Unknown parameter: 'messages[1].x'.","param":"messages[1].x","code":"unknown_parameter"}}`, ""},
		{400, message("Invalid schema for function 'x'"), ""},
		{307, "", model.FaultModel},
		{405, message("Method Not Allowed"), model.FaultModel},
	} {
		e := statusError(c.status, http.Header{}, []byte(c.body), Reason([]byte(c.body), nil, nil))
		if e.Kind == model.KindTooLong || e.Fault != c.fault || c.fault != "" && (e.Retryable() || e.Elsewhere() || e.Kind != model.KindError) {
			t.Errorf("%d %s: %+v", c.status, c.body, e)
		}
	}
}

// The server's words about a key or a model are shown to operators: on one line, short, and without
// the key. Other words may be the user's.
func TestServersWordsForOperators(t *testing.T) {
	s := New(Options{Secret: "sk-0123456789abcdef"})
	for _, c := range []struct {
		status     int
		said, want string
	}{
		{401, "Incorrect API key\nprovided: sk-0123456789abcdef.", `: "Incorrect API key provided: [key]."; check the key (apiKey)`},
		{404, "model 'qwen9' not found, try pulling it first", `: "model 'qwen9' not found, try pulling it first"; check baseUrl and model`},
		{404, strings.Repeat("x", 300), `: "` + strings.Repeat("x", 200) + `…"; check baseUrl and model`},
		{400, "You wrote: my secret", ""},
		{400, "prompt is too long: my secret", ": the request is too long for the model"},
	} {
		e := s.hide(statusError(c.status, http.Header{}, []byte(message(c.said)), s.reason([]byte(message(c.said)), nil)))
		if got := strings.SplitN(e.Error(), "type=invalid_request_error", 2)[1]; got != c.want {
			t.Errorf("%q: %s", c.said, got)
		}
	}
}

func FuzzRefusal(f *testing.F) {
	f.Add(400, message("prompt is too long: 210000 tokens > 200000 maximum"))
	f.Add(413, `[{"error":{"message":["a",{"b":"(1 tokens) (2 tokens)"}]}}]`)
	f.Add(404, `{"error":"x"}`)
	f.Fuzz(func(t *testing.T, status int, body string) {
		e := statusError(status, http.Header{}, []byte(body), Reason([]byte(body), nil, nil))
		if e.Tokens < 0 || e.MaxTokens < 0 || e.Tokens > 0 && e.Tokens <= e.MaxTokens {
			t.Errorf("%+v", e)
		}
		if strings.ContainsAny(e.Error(), "\n\r") {
			t.Errorf("%q", e.Error())
		}
	})
}
