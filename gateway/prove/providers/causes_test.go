package providers_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/askgate/askgate/gateway/model/modeltest/strict"
)

// An error of a server, a key or an account is reported as such, to people as a class, and to the
// operator in the server's words. The bodies are those that the real servers send; without a named
// source, they are those of modeltest/strict.
func TestCausesAreTold(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		kind   *strict.Kind
		status int
		body   string
		hint   string // "" for none of those that name a cause
		says   string // is in the log
	}{
		"vllm without its flags": {strict.VLLM, 400, `{"error":{"message":"\"auto\" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set","type":"BadRequestError","param":null,"code":400}}`, "model_flag", "--enable-auto-tool-choice"},
		// LLMKube#126, 27 January 2026.
		"llama.cpp without its flag": {strict.LlamaCpp, 500, `{"error":{"code":500,"message":"tools param requires --jinja flag","type":"server_error"}}`, "model_flag", "requires --jinja flag"},
		"llama.cpp, context":         {strict.LlamaCpp, 400, `{"error":{"code":400,"message":"the request exceeds the available context size, try increasing it","type":"exceed_context_size_error","n_prompt_tokens":9000,"n_ctx":4096}}`, "model_context", ""},
		"ollama, no tools":           {strict.Ollama, 400, `{"error":{"message":"registry.ollama.ai/library/gemma:2b does not support tools","type":"api_error","param":null,"code":null}}`, "model_tools", "does not support tools"},
		"openrouter, no tools":       {strict.OpenRouter, 404, `{"error":{"message":"No endpoints found that support tool use. To learn more about provider routing, visit: https://openrouter.ai/docs/provider-routing","code":404}}`, "model_tools", "No endpoints found that support tool use"},
		"openai, no funds":           {strict.OpenAI41, 429, `{"error":{"message":"You exceeded your current quota, please check your plan and billing details.","type":"insufficient_quota","param":null,"code":"insufficient_quota"}}`, "model_funds", "insufficient_quota"},
		"openai, no model":           {strict.Responses56, 404, `{"error":{"message":"The model 'gpt-9' does not exist or you do not have access to it.","type":"invalid_request_error","param":null,"code":"model_not_found"}}`, "model_name", ""},
		"azure, no deployment":       {strict.AzureResponses, 404, `{"error":{"code":"DeploymentNotFound","message":"The API deployment for this resource does not exist."}}`, "model_name", "DeploymentNotFound"},
		"azure, key":                 {strict.Azure, 401, `{"error":{"code":"401","message":"Access denied due to invalid subscription key or wrong API endpoint."}}`, "model_key", "Access denied"},
		"anthropic, key":             {strict.Claude, 401, `{"type":"error","error":{"type":"authentication_error","message":"invalid x-api-key"},"request_id":"req_1"}`, "model_key", "invalid x-api-key"},
		"anthropic, context":         {strict.Claude, 400, `{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 210000 tokens > 200000 maximum"},"request_id":"req_1"}`, "model_context", ""},
		"gemini, key":                {strict.Gemini3, 400, `{"error":{"code":400,"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"API_KEY_INVALID","domain":"googleapis.com"}]}}`, "model_key", "API key not valid"},
		"compatible, in a list":      {strict.GeminiChat, 400, `[{"error":{"code":400,"message":"Request contains an invalid argument.","status":"INVALID_ARGUMENT"}}]`, "model_request", "Request contains an invalid argument"},
		"mistral, detail":            {strict.Mistral, 422, `{"detail":[{"type":"missing","loc":["body","messages",0,"user","content"],"msg":"Field required"}]}`, "model_request", "Field required"},
		// Errors with a success status.
		"minimax, in a 200":     {strict.MiniMax, 200, `{"base_resp":{"status_code":1004,"status_msg":"login fail: Please carry the API secret key"}}`, "", "login fail"},
		"xai, in a 200":         {strict.XAI, 200, `{"code":"The service is currently unavailable","error":"Service temporarily unavailable."}`, "", "temporarily unavailable"},
		"openrouter, a chunk":   {strict.OpenRouter, 200, ": OPENROUTER PROCESSING\n\ndata: {\"id\":\"gen-1\",\"error\":{\"code\":502,\"message\":\"Provider disconnected\"},\"choices\":[{\"index\":0,\"delta\":{\"content\":\"\"},\"finish_reason\":\"error\"}]}\n\n", "", "Provider disconnected"},
		"anthropic, an event":   {strict.Claude, 200, "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"api_error\",\"message\":\"Internal server error\"}}\n\n", "", "Internal server error"},
		"responses, an event":   {strict.Responses56, 200, "event: error\ndata: {\"type\":\"error\",\"sequence_number\":0,\"code\":\"server_error\",\"message\":\"The server had an error\",\"param\":null}\n\n", "", "The server had an error"},
		"gemini, in a stream":   {strict.Gemini3, 200, "data: {\"error\":{\"code\":500,\"message\":\"An internal error has occurred.\",\"status\":\"INTERNAL\"}}\r\n\r\n", "", "An internal error has occurred"},
		"a page in place of it": {strict.OpenAI41, 200, "<!DOCTYPE html><html><body>Please log in</body></html>", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			refuses := strict.Answer{Status: c.status, Body: c.body}
			s := strict.New(t, c.kind, refuses, refuses, refuses)
			h := open(t, s)
			got := h.says("Hi")
			if got.failure == "" || got.text != "" {
				t.Fatalf("events %s, text %q: no error is reported", got.events, got.text)
			}
			if c.hint != "" && !strings.Contains(got.failure, "hint."+c.hint+`"`) {
				t.Errorf("people see %s, want %s", got.failure, c.hint)
			}
			if strings.Contains(got.failure, strict.Key) || c.says != "" && strings.Contains(got.failure, c.says) {
				t.Errorf("people see the server's words: %s", got.failure)
			}
			if !strings.Contains(h.log.String(), c.says) {
				t.Errorf("the log does not contain %q: %s", c.says, h.log)
			}
		})
		if c.status >= http.StatusBadRequest && c.status < http.StatusInternalServerError && c.status != http.StatusTooManyRequests {
			t.Run(name+", and no fallback", func(t *testing.T) {
				t.Parallel()
				refuses := strict.Answer{Status: c.status, Body: c.body}
				s, other := strict.New(t, c.kind, refuses, refuses, refuses), strict.New(t, strict.OpenAI41)
				h := open(t, s, entry{name: "other", server: other})
				h.says("Hi")
				if n := len(other.Requests()); n > 0 {
					t.Errorf("%d requests to the fallback", n)
				}
			})
		}
	}
}
