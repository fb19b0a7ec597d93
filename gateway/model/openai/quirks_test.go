package openai_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/askgate/askgate/gateway/model"
	"github.com/askgate/askgate/gateway/model/modeltest/claims"
)

// streams runs streams, in reads of several sizes, and compares the results.
func streams(t *testing.T, cases map[string]struct{ stream, want string }) {
	t.Helper()
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			for _, step := range []int{0, 1, 7} {
				if g := claims.Read(t, overBody(&claims.Body{Text: c.stream, Step: step}), claims.Ask).String(); g != c.want {
					t.Errorf("in reads of %d:\n got %s\nwant %s", step, g, c.want)
				}
			}
		})
	}
}

func text(pieces ...string) string {
	var s string
	for _, p := range pieces {
		s += data(delta(`{"content":"` + p + `"}`))
	}
	return s
}

// Reasoning between tags at the very beginning of a text is reasoning.
func TestThinkTags(t *testing.T) {
	stop := data(end(`"stop"`))
	streams(t, map[string]struct{ stream, want string }{
		"one chunk":          {text(`<think>hm</think>Hi`) + stop, `text="Hi" thinking="hm" finish=stop`},
		"Qwen3":              {text(`<think>`, `\n`, `hm`, ` so`, `\n`, `</think>`, `\n\n`, `Hi`, `!`) + stop, `text="Hi!" thinking="hm so\n" finish=stop`},
		"Qwen3, no thinking": {text(`<think>`, `\n\n`, `</think>`, `\n\n`, `Hi`) + stop, `text="Hi" finish=stop`},
		"each byte":          {text(strings.Split(`<think>a<b</thin</think> Hi </think>`, "")...) + stop, `text="Hi </think>" thinking="a<b</thin" finish=stop`},
		"white space first":  {text(`\n `, ` <thi`, `nk>hm</think>Hi`) + stop, `text="Hi" thinking="hm" finish=stop`},
		"thought":            {text(`<thought>hm</thought>Hi`) + stop, `text="Hi" thinking="hm" finish=stop`},
		"thinking":           {text(`<think`, `ing>hm</think></thinking>Hi`) + stop, `text="Hi" thinking="hm</think>" finish=stop`},
		"Seed":               {text(`<seed:think>hm</seed:think>Hi`) + stop, `text="Hi" thinking="hm" finish=stop`},
		"within a text":      {text(`Hi <think>`, `hm</think>`) + stop, `text="Hi <think>hm</think>" finish=stop`},
		"another tag":        {text(`<th`, `ree>`, `<think>x</think>`) + stop, `text="<three><think>x</think>" finish=stop`},
		"only a beginning":   {text(`<th`) + stop, `text="<th" finish=stop`},
		"only white space":   {text(` `, `\n`) + stop, `text=" \n" finish=stop`},
		"white space stays":  {text(` `, `\n`, `Hi`) + stop, `text=" \nHi" finish=stop`},
		"much white space":   {text(strings.Repeat(" ", 300), `<think>`) + stop, `text="` + strings.Repeat(" ", 300) + `<think>" finish=stop`},
		"never closed":       {text(` <think>`, `hm`, `</th`) + stop, `text=" <think>hm</th" thinking="hm" finish=stop`},
		"cut in it":          {text(`<think>`, `hm`) + data(end(`"length"`)), `text="<think>hm" thinking="hm" finish=length`},
		"broken in it":       {text(`<think>`, `hm`), `text="" thinking="hm" error=cut/0`},
		"a call behind":      {text(`<think>hm</think>\n`) + data(frag(plainCall), end(`"tool_calls"`)), `text="" thinking="hm" call=a/f/{} finish=tool_calls`},
		"not streamed":       {`{"choices":[{"message":{"content":"<think>hm</think>\n\nHi"},"finish_reason":"stop"}]}`, `text="Hi" thinking="hm" finish=stop`},
		// MiniMax: the same text twice, separately and between tags (vellum-assistant#34556, June
		// 2026).
		"told apart, too": {data(delta(`{"content":"<think>hm","reasoning_content":"hm"}`), delta(`{"content":"</think>Hi"}`)) + stop, `text="Hi" thinking="hm" finish=stop`},
	})
}

// Calls are passed on only after a good end, or, without an end reason, if the stream itself ended
// well and the calls are complete.
func TestEnds(t *testing.T) {
	hi, call, half := delta(`{"content":"Hi"}`), frag(plainCall), frag(`{"index":0,"id":"a","function":{"name":"f","arguments":"{\"x"}}`)
	cases := map[string]struct{ stream, want string }{
		"no word, whole":        {data(hi, call, "[DONE]"), `text="Hi" call=a/f/{} finish=tool_calls`},
		"no word, no end":       {data(hi, call), `text="Hi" error=cut/0`},
		"no word, half":         {data(hi, half, "[DONE]"), `text="Hi" error=cut/0`},
		"no word, no arguments": {data(hi, frag(`{"index":0,"id":"a","function":{"name":"f","arguments":""}}`), "[DONE]"), `text="Hi" call=a/f/ finish=tool_calls`},
		"calls without one":     {data(hi, end(`"tool_calls"`), "[DONE]"), `text="Hi" finish=stop`},
		"a refusal and a call":  {data(delta(`{"refusal":"No."}`), call, end(`"tool_calls"`)), `text="No." finish=content_filter`},
	}
	for word, want := range map[string]string{
		"stop": "call=a/f/{} finish=tool_calls", "eos_token": "call=a/f/{} finish=tool_calls", "function_call": "call=a/f/{} finish=tool_calls", "STOP": "call=a/f/{} finish=tool_calls",
		"length": "finish=length", "model_length": "finish=length", "MAX_TOKENS": "finish=length", "model_context_window_exceeded": "finish=length", "pause_turn": "finish=length",
		"content-filter": "finish=content_filter", "sensitive": "finish=content_filter", "PROHIBITED_CONTENT": "finish=content_filter", "recitation": "finish=content_filter",
		"error": "error=model_error/0", "insufficient_system_resource": "error=model_error/0", "network_error": "error=model_error/0", "malformed_function_call": "error=model_error/0", "abort": "error=model_error/0", "whatever": "error=model_error/0",
	} {
		cases[word] = struct{ stream, want string }{data(hi, call, end(`"`+word+`"`), "[DONE]"), `text="Hi" ` + want}
	}
	streams(t, cases)

	for word, told := range map[string]bool{"whatever_1": true, "secret words of a person": false} {
		g := claims.Read(t, overBody(&claims.Body{Text: data(hi, end(`"`+word+`"`), `{"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":4}}`, "[DONE]")}), claims.Ask)
		var e *model.Error
		if !errors.As(g.Err, &e) || !e.Failed || !e.Retryable() || strings.Contains(e.Detail, word) != told {
			t.Errorf("%s: %v", word, g.Err)
		}
		if g.Usage == nil || g.Usage.OutputTokens != 4 {
			t.Errorf("%s: the usage is not reported", word)
		}
	}
}

// Calls as servers send them (see modeltest/strict).
func TestOddCalls(t *testing.T) {
	called := end(`"tool_calls"`)
	streams(t, map[string]struct{ stream, want string }{
		"indexes from 1": {data(frag(`{"index":1,"id":"a","function":{"name":"f","arguments":"{}"}}`), frag(`{"index":2,"id":"b","function":{"name":"g","arguments":"{}"}}`), called), `text="" call=a/f/{} call=b/g/{} finish=tool_calls`},
		// DeepSeek V4 flash (agno#8880, 2026): the head of the second call under the first one's
		// index.
		"head at 0, tail at 1": {data(frag(`{"index":0,"id":"a","type":"function","function":{"name":"f","arguments":""}}`), frag(`{"index":0,"function":{"arguments":"{\"x\":"}}`), frag(`{"index":0,"function":{"arguments":"1}"}}`),
			frag(`{"index":0,"id":"b","type":"function","function":{"name":"g","arguments":""}}`), frag(`{"index":1,"function":{"arguments":"{\"y\""}}`), frag(`{"index":1,"function":{"arguments":":2}"}}`), called), `text="" call=a/f/{"x":1} call=b/g/{"y":2} finish=tool_calls`},
		"two whole calls in a delta": {data(frag(`{"index":0,"id":"a","function":{"name":"f","arguments":"{}"}},{"index":1,"id":"b","function":{"name":"f","arguments":"{}"}}`), called), `text="" call=a/f/{} call=b/f/{} finish=tool_calls`},
		// Qwen: the id is empty and the name null after the first delta (DashScope).
		"Qwen": {data(frag(`{"index":0,"id":"a","type":"function","function":{"name":"f","arguments":"{\"x\""}}`), frag(`{"index":0,"id":"","type":"function","function":{"name":null,"arguments":": 1}"}}`), frag(`{"index":0,"id":"","type":"function","function":{"name":"","arguments":null}}`), called), `text="" call=a/f/{"x": 1} finish=tool_calls`},
		// LiteLLM in front of Anthropic, Envoy: {} and then the real ones (litellm#4537).
		"{} first":              {data(frag(`{"index":0,"id":"a","function":{"name":"f","arguments":"{}"}}`), frag(`{"index":0,"function":{"arguments":"{\"x\""}}`), frag(`{"index":0,"function":{"arguments":":1}"}}`), called), `text="" call=a/f/{"x":1} finish=tool_calls`},
		"{} first, id repeated": {data(frag(`{"index":0,"id":"a","function":{"name":"f","arguments":"{}"}}`), frag(`{"index":0,"id":"a","function":{"name":"f","arguments":"{\"x\":1}"}}`), called), `text="" call=a/f/{"x":1} finish=tool_calls`},
		"in the finish chunk":   {data(`{"choices":[{"index":0,"delta":{"tool_calls":[` + plainCall + `]},"finish_reason":"tool_calls"}]}`), `text="" call=a/f/{} finish=tool_calls`},
		"null and none":         {data(frag(`{"index":0,"id":"a","function":{"name":"f","arguments":null}}`), frag(`{"index":1,"id":"b","function":{"name":"g"}}`), called), `text="" call=a/f/ call=b/g/ finish=tool_calls`},
		"twice encoded":         {data(frag(`{"index":0,"id":"a","function":{"name":"f","arguments":"\"{\\\"x\\\":1}\""}}`), called), `text="" call=a/f/"{\"x\":1}" finish=tool_calls`},
	})
}

// Chunks that are not part of the answer, and reasoning under any name.
func TestOddChunks(t *testing.T) {
	hi, stop := delta(`{"content":"Hi"}`), end(`"stop"`)
	streams(t, map[string]struct{ stream, want string }{
		// Azure: filters first, offsets in between (AI SDK, azure).
		"Azure":                  {data(`{"choices":[],"created":0,"id":"","model":"","object":"","prompt_filter_results":[{"prompt_index":0,"content_filter_results":{"hate":{"filtered":false,"severity":"safe"}}}]}`, hi, `{"choices":[{"content_filter_offsets":{"check_offset":1,"start_offset":1,"end_offset":2},"content_filter_results":{},"finish_reason":null,"index":0}]}`, stop, "[DONE]"), `text="Hi" finish=stop`},
		"DONE twice":             {data(hi, stop, "[DONE]", "[DONE]"), `text="Hi" finish=stop`},
		"event lines":            {"event: chunk\n" + data(hi) + "event: chunk\n" + data(stop), `text="Hi" finish=stop`},
		"thinking":               {data(delta(`{"thinking":"hm"}`), hi, stop), `text="Hi" thinking="hm" finish=stop`},
		"reasoning is null":      {data(delta(`{"content":"Hi","reasoning_content":null,"reasoning":null,"reasoning_details":[],"provider_specific_fields":{}}`), stop), `text="Hi" finish=stop`},
		"reasoning with content": {data(delta(`{"reasoning_content":"h"}`), delta(`{"reasoning_content":"m","content":"Hi"}`), stop), `text="Hi" thinking="hm" finish=stop`},
		"details alone":          {data(delta(`{"reasoning_details":[{"type":"reasoning.text","text":"h","index":0}]}`), delta(`{"reasoning_details":[{"type":"reasoning.text","text":"m","index":0}]}`), hi, stop), `text="Hi" thinking="hm" finish=stop`},
		"details that grow":      {data(delta(`{"reasoning_details":[{"text":"The"}]}`), delta(`{"reasoning_details":[{"text":"The user"}]}`), delta(`{"reasoning_details":[{"text":"The user asks"}]}`), hi, stop), `text="Hi" thinking="The user asks" finish=stop`},
		"details as well":        {data(delta(`{"reasoning":"hm","reasoning_details":[{"type":"reasoning.text","text":"hm","index":0}]}`), hi, stop), `text="Hi" thinking="hm" finish=stop`},
		"finish stop, calls":     {data(frag(plainCall), stop), `text="" call=a/f/{} finish=tool_calls`},
		"MiniMax: an error":      {data(`{"base_resp":{"status_code":1004,"status_msg":"login fail: secret"}}`), `text="" error=model_error/401`},
		"MiniMax: no error":      {data(`{"choices":[{"index":0,"delta":{"content":"Hi"}}],"base_resp":{"status_code":0,"status_msg":""}}`, stop), `text="Hi" finish=stop`},
		"MiniMax: whole":         {`{"choices":null,"base_resp":{"status_code":2013,"status_msg":"invalid params, secret"}}`, `text="" error=model_error/400`},
		"MiniMax: too often":     {data(`{"base_resp":{"status_code":1002,"status_msg":"rate limit"}}`), `text="" error=model_rate_limited/429`},
		"MiniMax: unknown":       {data(`{"base_resp":{"status_code":9999,"status_msg":"secret"}}`), `text="" error=model_error/0`},
		"xAI: an error":          {data(hi, `{"code":"The service is currently unavailable","error":"secret"}`), `text="Hi" error=model_unavailable/0`},
		"OpenRouter: an error":   {": OPENROUTER PROCESSING\n\n" + data(hi, `{"id":"gen-1","error":{"code":502,"message":"secret"},"choices":[{"index":0,"delta":{"content":""},"finish_reason":"error"}]}`), `text="Hi" error=model_unavailable/502`},
	})
}

// Tokens are counted the same way, whatever the columns of a server mean. Each usage is the one
// that its server sends (see modeltest/strict).
func TestUsage(t *testing.T) {
	for name, c := range map[string]struct {
		chunks string
		want   model.Usage
	}{
		"OpenAI":                      {`{"choices":[],"usage":{"prompt_tokens":100,"completion_tokens":50,"total_tokens":150,"prompt_tokens_details":{"cached_tokens":60,"cache_write_tokens":30,"audio_tokens":0},"completion_tokens_details":{"reasoning_tokens":20,"audio_tokens":0}}}`, model.Usage{InputTokens: 100, CachedInputTokens: 60, CacheWriteTokens: 30, OutputTokens: 50, ReasoningTokens: 20}},
		"DeepSeek":                    {`{"choices":[],"usage":{"prompt_tokens":100,"completion_tokens":50,"total_tokens":150,"prompt_cache_hit_tokens":64,"prompt_cache_miss_tokens":36,"completion_tokens_details":{"reasoning_tokens":20}}}`, model.Usage{InputTokens: 100, CachedInputTokens: 64, OutputTokens: 50, ReasoningTokens: 20}},
		"Kimi":                        {`{"choices":[{"index":0,"delta":{},"finish_reason":"stop","usage":{"prompt_tokens":100,"completion_tokens":50,"total_tokens":150,"cached_tokens":64}}]}`, model.Usage{InputTokens: 100, CachedInputTokens: 64, OutputTokens: 50}},
		"Groq":                        {`{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"x_groq":{"id":"req_1","usage":{"queue_time":0.1,"prompt_tokens":100,"completion_tokens":50,"total_tokens":150,"prompt_tokens_details":{"cached_tokens":64}}}}`, model.Usage{InputTokens: 100, CachedInputTokens: 64, OutputTokens: 50}},
		"xAI":                         {`{"choices":[],"usage":{"prompt_tokens":100,"completion_tokens":50,"total_tokens":170,"prompt_tokens_details":{"cached_tokens":64},"completion_tokens_details":{"reasoning_tokens":20}}}`, model.Usage{InputTokens: 100, CachedInputTokens: 64, OutputTokens: 70, ReasoningTokens: 20}},
		"xAI, cached apart":           {`{"choices":[],"usage":{"prompt_tokens":36,"completion_tokens":50,"total_tokens":170,"prompt_tokens_details":{"cached_tokens":64},"completion_tokens_details":{"reasoning_tokens":20}}}`, model.Usage{InputTokens: 100, CachedInputTokens: 64, OutputTokens: 70, ReasoningTokens: 20}},
		"cached apart, no total":      {`{"choices":[],"usage":{"prompt_tokens":36,"completion_tokens":50,"prompt_tokens_details":{"cached_tokens":64}}}`, model.Usage{InputTokens: 100, CachedInputTokens: 64, OutputTokens: 50}},
		"Qwen":                        {`{"choices":[],"usage":{"prompt_tokens":100,"completion_tokens":50,"total_tokens":150,"prompt_tokens_details":{"cached_tokens":60,"cache_creation_input_tokens":30,"cache_type":"ephemeral"}}}`, model.Usage{InputTokens: 100, CachedInputTokens: 60, CacheWriteTokens: 30, OutputTokens: 50}},
		"Mistral":                     {`{"choices":[{"index":0,"delta":{"content":""},"finish_reason":"stop"}],"usage":{"prompt_tokens":100,"completion_tokens":50,"total_tokens":150,"num_cached_tokens":64}}`, model.Usage{InputTokens: 100, CachedInputTokens: 64, OutputTokens: 50}},
		"Mistral, details":            {`{"choices":[],"usage":{"prompt_tokens":100,"completion_tokens":50,"total_tokens":150,"prompt_token_details":{"cached_tokens":64}}}`, model.Usage{InputTokens: 100, CachedInputTokens: 64, OutputTokens: 50}},
		"LiteLLM":                     {`{"choices":[],"usage":{"prompt_tokens":100,"completion_tokens":50,"total_tokens":150,"cache_creation_input_tokens":30,"cache_read_input_tokens":60}}`, model.Usage{InputTokens: 100, CachedInputTokens: 60, CacheWriteTokens: 30, OutputTokens: 50}},
		"Gemini's compatible address": {`{"choices":[],"usage":{"prompt_tokens":100,"completion_tokens":50,"total_tokens":240}}`, model.Usage{InputTokens: 100, OutputTokens: 140, ReasoningTokens: 90}},
		"growing":                     {`{"choices":[],"usage":{"prompt_tokens":100,"completion_tokens":1,"total_tokens":101}}` + "\n\ndata: " + `{"choices":[],"usage":{"prompt_tokens":100,"completion_tokens":2,"total_tokens":102}}` + "\n\ndata: " + `{"choices":[],"usage":{"prompt_tokens":0,"completion_tokens":0}}`, model.Usage{InputTokens: 100, OutputTokens: 2}},
		"more of it than all":         {`{"choices":[],"usage":{"prompt_tokens":1,"completion_tokens":2,"reasoning_tokens":9,"cache_creation_input_tokens":9}}`, model.Usage{InputTokens: 1, CacheWriteTokens: 1, OutputTokens: 2, ReasoningTokens: 2}},
	} {
		g := claims.Read(t, overBody(&claims.Body{Text: data(delta(`{"content":"Hi"}`), c.chunks, "[DONE]")}), claims.Ask)
		if g.Usage == nil || *g.Usage != c.want {
			t.Errorf("%s: %+v, want %+v", name, g.Usage, c.want)
		}
	}
}
