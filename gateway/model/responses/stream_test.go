package responses_test

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/askgate/askgate/gateway/model"
	"github.com/askgate/askgate/gateway/model/modeltest/claims"
	"github.com/askgate/askgate/gateway/model/responses"
	"github.com/askgate/askgate/tools"
)

func overBody(b *claims.Body) *responses.Client {
	return responses.New(responses.Options{BaseURL: "http://x", Model: "m", APIKey: "secret key", MaxRetries: -1, Transport: b})
}

// stream writes events as the API does, each with its type in the event field and in the data.
func stream(events ...string) string {
	var b strings.Builder
	for _, e := range events {
		_, kind, _ := strings.Cut(e, `"type":"`)
		kind, _, _ = strings.Cut(kind, `"`)
		b.WriteString("event: " + kind + "\ndata: " + e + "\n\n")
	}
	return b.String()
}

const (
	created = `{"type":"response.created","response":{"id":"resp_1","object":"response","status":"in_progress","error":null,"incomplete_details":null,"instructions":"secret","output":[],"usage":null},"sequence_number":0}`
	began   = `{"type":"response.output_item.added","item":{"id":"msg_1","type":"message","status":"in_progress","content":[],"role":"assistant"},"output_index":0,"sequence_number":2}`
	hi      = `{"type":"response.output_text.delta","content_index":0,"delta":"Hi","item_id":"msg_1","logprobs":[],"obfuscation":"x","output_index":0,"sequence_number":4}`
	hiDone  = `{"type":"response.output_text.done","content_index":0,"item_id":"msg_1","logprobs":[],"output_index":0,"sequence_number":5,"text":"Hi"}`
	message = `{"type":"response.output_item.done","item":{"id":"msg_1","type":"message","status":"completed","content":[{"type":"output_text","annotations":[],"logprobs":[],"text":"Hi"}],"role":"assistant"},"output_index":0,"sequence_number":7}`
	refuse  = `{"type":"response.refusal.delta","content_index":0,"delta":"No.","item_id":"msg_1","output_index":0,"sequence_number":4}`
	usage   = `"usage":{"input_tokens":25,"input_tokens_details":{"cache_write_tokens":3,"cached_tokens":16},"output_tokens":15,"output_tokens_details":{"reasoning_tokens":9},"total_tokens":40}`
	over    = `{"type":"response.completed","response":{"id":"resp_1","object":"response","status":"completed","error":null,"incomplete_details":null,` + usage + `},"sequence_number":8}`
)

func incomplete(reason string) string {
	return `{"type":"response.incomplete","response":{"object":"response","status":"incomplete","error":null,"incomplete_details":` + reason + `,` + usage + `}}`
}

func failed(object string) string {
	return `{"type":"response.failed","response":{"object":"response","status":"failed","error":` + object + `,"instructions":"the prompt is too long: secret","usage":null}}`
}

func use(index int, id, name, arguments string) string {
	return fmt.Sprintf(`{"type":"response.output_item.done","item":{"id":"fc_%d","type":"function_call","status":"completed","arguments":%q,"call_id":%q,"name":%q},"output_index":%d}`, index, arguments, id, name, index)
}

func thinks(index, part int, text string) string {
	return fmt.Sprintf(`{"type":"response.reasoning_summary_text.delta","delta":%q,"output_index":%d,"summary_index":%d}`, text, index, part)
}

func says(index int, text string) string {
	return fmt.Sprintf(`{"type":"response.output_text.delta","delta":%q,"output_index":%d,"content_index":0}`, text, index)
}

func TestStreams(t *testing.T) {
	reasoned := `{"type":"response.output_item.done","item":{"id":"rs_1","type":"reasoning","encrypted_content":"gAAA","summary":[]},"output_index":0}`
	for name, c := range map[string]struct{ stream, want string }{
		"plain":               {stream(created, began, hi, hiDone, message, over), `text="Hi" usage=25+15 finish=stop`},
		"several pieces":      {stream(created, began, hi, hi, hi, message, over), `text="HiHiHi" usage=25+15 finish=stop`},
		"no items":            {stream(created, hi, over), `text="Hi" usage=25+15 finish=stop`},
		"no usage":            {stream(created, hi, message, `{"type":"response.completed","response":{"status":"completed","usage":null}}`), `text="Hi" finish=stop`},
		"odd usage":           {stream(hi, message, `{"type":"response.completed","response":{"status":"completed","usage":{"input_tokens":1e300,"output_tokens":-2,"output_tokens_details":7}}}`), `text="Hi" usage=1125899906842624+0 finish=stop`},
		"no response":         {stream(hi, message, `{"type":"response.completed"}`), `text="Hi" error=cut/0`},
		"text in the item":    {stream(created, began, message, over), `text="Hi" usage=25+15 finish=stop`},
		"no end":              {stream(created, began, hi, message), `text="Hi" error=cut/0`},
		"created":             {stream(created), `text="" error=cut/0`},
		"nothing":             {"\n\n", `text="" error=cut/0`},
		"mid-line":            {stream(created, hi) + `data: {"type":"response.comp`, `text="Hi" error=cut/0`},
		"no last newline":     {strings.TrimSpace(stream(created, hi, message, over)), `text="Hi" usage=25+15 finish=stop`},
		"CRLF":                {strings.ReplaceAll(": hi\n\nid: 1\n"+stream(created, hi, message, over), "\n", "\r\n"), `text="Hi" usage=25+15 finish=stop`},
		"data lines alone":    {"data:" + strings.Join([]string{created, hi, message, over}, "\ndata:") + "\n", `text="Hi" usage=25+15 finish=stop`},
		"DONE behind the end": {stream(created, hi, message, over) + "data: [DONE]\n\n", `text="Hi" usage=25+15 finish=stop`},
		"DONE without an end": {stream(created, hi, message) + "data: [DONE]\n\n", `text="Hi" error=cut/0`},
		"after the end":       {stream(created, hi, message, over, hi, failed(`{"code":"server_error"}`)), `text="Hi" usage=25+15 finish=stop`},
		"malformed":           {stream(created, hi, `{"type": secret`, over), `text="Hi" error=cut/0`},
		"empty data":          {stream(created, hi) + "data: \n\n" + stream(message, over), `text="Hi" usage=25+15 finish=stop`},
		"odd types":           {stream(`{"type":"response.output_text.delta","delta":["secret"]}`, `{"type":7}`, `"secret"`, `[]`, `null`, `{"type":"response.output_item.done","item":"secret"}`, `{"type":"response.output_item.done","item":null}`, hi, message, over), `text="Hi" usage=25+15 finish=stop`},
		"unknown events":      {stream(created, `{"type":"response.weather.delta","delta":"secret"}`, `{"type":"response.queued","response":{}}`, `{"type":"response.output_item.done","item":{"type":"hologram","text":"secret"},"output_index":3}`, hi, message, over), `text="Hi" usage=25+15 finish=stop`},
		"two messages":        {stream(says(0, "One."), says(0, " Still."), says(1, "Two."), over), `text="One. Still.\n\nTwo." usage=25+15 finish=stop`},
		"summary parts":       {stream(thinks(0, 0, "a"), thinks(0, 0, "b"), thinks(0, 1, "c"), thinks(2, 0, "d"), says(3, "Hi"), over), `text="Hi" thinking="ab\n\nc\n\nd" usage=25+15 finish=stop`},
		"reasoning text":      {stream(`{"type":"response.reasoning_text.delta","content_index":0,"delta":"hm","item_id":"rs_1","output_index":0,"sequence_number":3}`, reasoned, says(1, "Hi"), over), `text="Hi" thinking="hm" usage=25+15 finish=stop`},
		"calls":               {stream(created, reasoned, hi, message, use(1, "call_a", "f", `{"x": 1}`), use(2, "call_b", "g", ""), over), `text="Hi" call=call_a/f/{"x": 1} call=call_b/g/ usage=25+15 finish=tool_calls`},
		"calls out of order":  {stream(use(2, "b", "g", "{}"), use(1, "a", "f", "{}"), over), `text="" call=a/f/{} call=b/g/{} usage=25+15 finish=tool_calls`},
		"arguments as object": {stream(`{"type":"response.output_item.done","item":{"type":"function_call","arguments":{"x":1},"call_id":"a","name":"f"},"output_index":0}`, over), `text="" call=a/f/{"x":1} usage=25+15 finish=tool_calls`},
		// Complete arguments only in their own event (Wei-Shaw/sub2api#6629, September 2026).
		"arguments before the item": {stream(`{"type":"response.function_call_arguments.done","arguments":"{\"x\":1}","item_id":"fc_0","output_index":0}`, use(0, "a", "f", ""), use(1, "b", "g", ""), over), `text="" call=a/f/{"x":1} call=b/g/ usage=25+15 finish=tool_calls`},
		"arguments that are lost":   {stream(`{"type":"response.function_call_arguments.delta","delta":"{\"x","output_index":1}`, use(0, "a", "f", ""), use(1, "b", "g", ""), over), `text="" call=a/f/ call=b/g/` + tools.UnclearArguments + ` usage=25+15 finish=tool_calls`},
		"a call never finished":     {stream(`{"type":"response.output_item.added","item":{"type":"function_call","arguments":"","call_id":"a","name":"f"},"output_index":0}`, `{"type":"response.function_call_arguments.delta","delta":"{\"x","output_index":0}`, over), `text="" usage=25+15 finish=stop`},
		"items at the end only":     {stream(created, `{"type":"response.completed","response":{"status":"completed","output":[{"type":"reasoning","summary":[]},{"type":"message","content":[{"type":"output_text","text":"Hi"}]},{"type":"message","content":[{"type":"output_text","text":"Ho"}]},{"type":"function_call","call_id":"a","name":"f","arguments":"{}"}]}}`), `text="Hi\n\nHo" call=a/f/{} finish=tool_calls`},
		"max_output_tokens":         {stream(hi, message, use(1, "a", "f", `{"x`), incomplete(`{"reason":"max_output_tokens"}`)), `text="Hi" usage=25+15 finish=length`},
		"no reason":                 {stream(hi, incomplete(`null`)), `text="Hi" usage=25+15 finish=length`},
		"content_filter":            {stream(hi, use(1, "a", "f", `{}`), incomplete(`{"reason":"content_filter"}`)), `text="Hi" usage=25+15 finish=content_filter`},
		"Content-Filter":            {stream(hi, incomplete(`{"reason":"Content-Filter"}`)), `text="Hi" usage=25+15 finish=content_filter`},
		"steered":                   {stream(hi, incomplete(`{"reason":"steered"}`)), `text="Hi" usage=25+15 finish=length`},
		"unknown reason":            {stream(hi, incomplete(`{"reason":"tired"}`)), `text="Hi" error=model_error/0`},
		// Rapid-MLX#866, 2026-06-24
		"completed, incomplete":  {stream(hi, `{"type":"response.completed","response":{"status":"incomplete","incomplete_details":{"reason":"max_output_tokens"}}}`), `text="Hi" finish=length`},
		"completed, in_progress": {stream(hi, `{"type":"response.completed","response":{"status":"in_progress"}}`), `text="Hi" finish=stop`},
		"refusal":                {stream(created, refuse, `{"type":"response.output_item.done","item":{"type":"message","role":"assistant","content":[{"type":"refusal","refusal":"No."}]},"output_index":0}`, over), `text="No." usage=25+15 finish=content_filter`},
		"refusal with a call":    {stream(refuse, use(1, "a", "f", `{}`), over), `text="No." usage=25+15 finish=content_filter`},
		"failed":                 {stream(hi, failed(`{"code":"server_error","message":"secret"}`)), `text="Hi" error=model_unavailable/500`},
		"failed: rate":           {stream(hi, failed(`{"code":"rate_limit_exceeded","message":"secret"}`)), `text="Hi" error=model_rate_limited/429`},
		"failed: policy":         {stream(hi, failed(`{"code":"bio_policy","message":"secret"}`)), `text="Hi" error=model_error/400`},
		"failed: prompt":         {stream(failed(`{"code":"invalid_prompt","message":"secret"}`)), `text="" error=model_error/400`},
		"failed: image":          {stream(failed(`{"code":"image_too_large","message":"secret"}`)), `text="" error=model_error/400`},
		"failed: unknown":        {stream(hi, failed(`{"code":"tired"}`)), `text="Hi" error=model_error/0`},
		"failed: nothing":        {stream(hi, failed(`null`)), `text="Hi" error=model_error/0`},
		"cancelled":              {stream(hi, `{"type":"response.completed","response":{"status":"cancelled"}}`), `text="Hi" error=model_error/0`},
		// vercel/ai, fixtures openai-response-failed-only, openai-error and openai-error-null-code
		"failed: too long":         {stream(failed(`{"code":"rate_limit_exceeded","message":"Request too large for gpt-4o-mini in organization on tokens per min (TPM): Limit 30000, Requested 35364."}`)), `text="" error=context_too_long/429`},
		"error: quota":             {stream(created, `{"type":"error","sequence_number":2,"error":{"type":"insufficient_quota","code":"insufficient_quota","message":"You exceeded your current quota, please check your plan and billing details.","param":null}}`, failed(`{"code":"insufficient_quota"}`)), `text="" error=model_error/429`},
		"error: no code":           {stream(hi, `{"type":"error","error":{"type":"server_error","code":null,"message":"Sorry, something went wrong.","param":null},"sequence_number":2}`), `text="Hi" error=model_unavailable/500`},
		"error: as documented":     {stream(hi, `{"type":"error","code":"server_error","message":"secret","param":null,"sequence_number":1}`), `text="Hi" error=model_unavailable/500`},
		"error: context":           {stream(`{"type":"error","error":{"type":"invalid_request_error","code":"context_length_exceeded","message":"Your input exceeds the context window of this model. Please adjust your input and try again.","param":"input"}}`), `text="" error=context_too_long/400`},
		"error: odd":               {stream(hi, `{"type":"error","error":7}`), `text="Hi" error=model_error/0`},
		"error: without a type":    {stream(hi, `{"error":{"code":503,"message":"secret"}}`), `text="Hi" error=model_unavailable/503`},
		"error at the end":         {strings.TrimSpace(stream(hi, failed(`{"code":"server_error"}`))), `text="Hi" error=model_unavailable/500`},
		"error as a whole":         {`{"error":{"code":"server_error","message":"secret"}}`, `text="" error=model_unavailable/500`},
		"error of vLLM as a whole": {`{"object":"error","message":"secret","type":"BadRequestError","code":400}`, `text="" error=model_error/400`},
		"whole response":           {`{"object":"response","status":"completed","error":null,"output":[{"type":"message","content":[{"type":"output_text","text":"Hi"}]}],` + usage + `}`, `text="Hi" usage=25+15 finish=stop`},
		"whole failed response":    {`{"object":"response","status":"failed","error":{"code":"server_error","message":"secret"},"output":[]}`, `text="" error=model_unavailable/500`},
		"chat completion":          {`{"object":"chat.completion","choices":[{"message":{"content":"secret"}}]}`, `text="" error=model_error/0`},
		"web page":                 {"<html>secret</html>", `text="" error=model_error/0`},
		"no stream at all":         {"secret", `text="" error=cut/0`},
	} {
		t.Run(name, func(t *testing.T) {
			for _, step := range []int{0, 1, 7} {
				if g := claims.Read(t, overBody(&claims.Body{Text: c.stream, Step: step}), claims.Ask).String(); g != c.want {
					t.Errorf("in reads of %d:\n got %s\nwant %s", step, g, c.want)
				}
			}
		})
	}
}

func TestUsageCountsWhatTheServerCounts(t *testing.T) {
	g := claims.Read(t, overBody(&claims.Body{Text: stream(hi, message, over)}), claims.Ask)
	if want := (model.Usage{InputTokens: 25, CachedInputTokens: 16, CacheWriteTokens: 3, OutputTokens: 15, ReasoningTokens: 9}); *g.Usage != want {
		t.Errorf("%+v, want %+v", *g.Usage, want)
	}
}

func TestErrorsSayWhetherTheSameRequestMaySucceed(t *testing.T) {
	for object, want := range map[string]bool{
		`{"code":"server_error"}`: true, `{"code":"rate_limit_exceeded"}`: true, `{"code":"tired"}`: true, `null`: true,
		`{"code":"bio_policy"}`: false, `{"code":"invalid_prompt"}`: false, `{"code":"insufficient_quota","message":"You exceeded your current quota"}`: false,
	} {
		var e *model.Error
		if g := claims.Read(t, overBody(&claims.Body{Text: stream(hi, failed(object))}), claims.Ask); !errors.As(g.Err, &e) || e.Retryable() != want {
			t.Errorf("%s: %+v", object, e)
		}
	}
}

func TestABrokenConnectionCutsUnlessTheAnswerIsComplete(t *testing.T) {
	for text, want := range map[string]string{
		stream(created, hi):                          `text="Hi" error=cut/0`,
		stream(created, hi) + `data: {"ty`:           `text="Hi" error=cut/0`,
		stream(created, hi, message):                 `text="Hi" error=cut/0`,
		stream(created, hi, message, over):           `text="Hi" usage=25+15 finish=stop`,
		stream(created, use(0, "a", "f", `{"x":1}`)): `text="" error=cut/0`,
	} {
		if g := claims.Read(t, overBody(&claims.Body{Text: text, Err: io.ErrUnexpectedEOF}), claims.Ask).String(); g != want {
			t.Errorf("%q: %s", text, g)
		}
	}
}

func TestLimits(t *testing.T) {
	big := strings.Repeat("x", 5<<20)
	g := claims.Read(t, overBody(&claims.Body{Text: stream(use(0, "a", "f", `{"é`+big), use(1, "b", "f", big), use(2, "c", "f", big), use(3, "d", "f", "{}"), over)}), claims.Ask)
	if len(g.Calls) != 4 || len(g.Calls[2].Arguments) > 2<<20+8 || !strings.HasSuffix(g.Calls[2].Arguments, "…") || g.Calls[3].Arguments != "…" || g.State() != "" {
		t.Errorf("15 MiB of arguments: %d calls, %d bytes of state, %v", len(g.Calls), len(g.State()), g.Err)
	}
	for n, want := range map[int]int{4096: 4096, 4097: 0} { // none is dropped silently
		events := []string{created}
		for i := range n {
			events = append(events, use(i, fmt.Sprint("c", i), strings.Repeat("n", 1000), "{}"))
		}
		g = claims.Read(t, overBody(&claims.Body{Text: stream(append(events, over)...)}), claims.Ask)
		if len(g.Calls) != want || want > 0 && len(g.Calls[0].Name) > 300 || (want == 0) != (g.Err != nil) {
			t.Errorf("%d of %d calls, %v", len(g.Calls), n, g.Err)
		}
	}
	if g := claims.Read(t, overBody(&claims.Body{Text: "data: " + strings.Repeat("x", 17<<20)}), claims.Ask); g.String() != `text="" error=model_error/0` {
		t.Errorf("a line of 17 MiB: %s", g)
	}
}

// FuzzStream: whatever arrives, the answer ends once, with a reason or an error, the pieces are the
// same however the bytes are split, and the client can send the state.
func FuzzStream(f *testing.F) {
	f.Add(stream(created, began, hi, hiDone, message, use(1, "a", "f", `{"x": 1}`), over))
	f.Add(stream(created, hi, failed(`{"code":"server_error"}`)))
	f.Add(stream(thinks(0, 0, "a"), thinks(0, 1, "b"), `{"type":"response.output_item.done","item":{"id":"rs","type":"reasoning","encrypted_content":"g","summary":[]},"output_index":0}`, refuse, over))
	f.Add(stream(hi, incomplete(`{"reason":"max_output_tokens"}`)))
	f.Add(`{"error":{"type":"server_error"}}`)
	f.Add(`{"object":"response","status":"completed","output":[{"type":"message","content":[{"type":"output_text","text":"Hi"}]}]}`)
	f.Add("data: {\"type\":\"response.output_item.done\",\"output_index\":-1,\"item\":{\"type\":\"function_call\"}}\ndata:")
	f.Fuzz(func(t *testing.T, text string) {
		text = strings.ReplaceAll(text, "secret", "") // which no error may quote
		whole, bytewise := claims.Read(t, overBody(&claims.Body{Text: text}), claims.Ask), claims.Read(t, overBody(&claims.Body{Text: text, Step: 1}), claims.Ask)
		if whole.String() != bytewise.String() || whole.State() != bytewise.State() {
			t.Errorf("at once %s\nby bytes %s", whole, bytewise)
		}
		if whole.Made != nil {
			sendBack(t, whole)
		}
	})
}

func BenchmarkStream(b *testing.B) {
	// Reading only: the transport is a slice of bytes.
	const chunks = 10000
	c := overBody(&claims.Body{Text: stream(created, began) + strings.Repeat(stream(hi), chunks) + stream(message, over)})
	b.ReportAllocs()
	for b.Loop() {
		for _, err := range c.Stream(b.Context(), claims.Ask) {
			if err != nil {
				b.Fatal(err)
			}
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/chunks, "ns/chunk")
}
