package anthropic_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/askgate/askgate/gateway/model"
	"github.com/askgate/askgate/gateway/model/anthropic"
	"github.com/askgate/askgate/gateway/model/modeltest/claims"
	"github.com/askgate/askgate/gateway/model/upstream"
	"github.com/askgate/askgate/tools"
)

func overBody(b *claims.Body) *anthropic.Client {
	return anthropic.New(anthropic.Options{BaseURL: "http://x", Model: "m", APIKey: "secret key", Transport: b})
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
	begin = `{"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","content":[],"stop_reason":null,"usage":{"input_tokens":25,"output_tokens":1}}}`
	ping  = `{"type":"ping"}`
	text0 = `{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`
	hi    = `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hi"}     }`
	end0  = `{"type":"content_block_stop","index":0}`
	stop  = `{"type":"message_stop"}`
)

func ended(reason string) string {
	return `{"type":"message_delta","delta":{"stop_reason":` + reason + `,"stop_sequence":null},"usage":{"output_tokens":15}}`
}

func use(index int, id, name, input string) string {
	return fmt.Sprintf(`{"type":"content_block_start","index":%d,"content_block":{"type":"tool_use","id":%q,"name":%q,"input":%s}}`, index, id, name, input)
}

func part(index int, json string) string {
	return fmt.Sprintf(`{"type":"content_block_delta","index":%d,"delta":{"type":"input_json_delta","partial_json":%q}}`, index, json)
}

func over(index int) string { return fmt.Sprintf(`{"type":"content_block_stop","index":%d}`, index) }

func fault(kind string) string {
	return `{"type":"error","error":{"type":"` + kind + `","message":"secret"},"request_id":"req_1"}`
}

func TestStreams(t *testing.T) {
	endTurn, toolUse := ended(`"end_turn"`), ended(`"tool_use"`)
	for name, c := range map[string]struct{ stream, want string }{
		"plain":                 {stream(begin, ping, text0, hi, end0, endTurn, stop), `text="Hi" usage=25+15 finish=stop`},
		"several pieces":        {stream(begin, text0, hi, ping, hi, hi, end0, endTurn, stop), `text="HiHiHi" usage=25+15 finish=stop`},
		"cache counts":          {stream(`{"type":"message_start","message":{"usage":{"input_tokens":3,"cache_creation_input_tokens":40,"cache_read_input_tokens":500,"output_tokens":1}}}`, text0, hi, end0, endTurn, stop), `text="Hi" usage=543+15 finish=stop`},
		"usage at the end":      {stream(begin, text0, hi, end0, `{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"input_tokens":30,"cache_read_input_tokens":2,"output_tokens":9}}`, stop), `text="Hi" usage=32+9 finish=stop`},
		"no usage":              {stream(`{"type":"message_start","message":{}}`, text0, hi, end0, `{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":null}`, stop), `text="Hi" usage=0+0 finish=stop`},
		"odd usage":             {stream(`{"type":"message_start","message":{"usage":{"input_tokens":1e300,"output_tokens":"x"}}}`, text0, hi, end0, `{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":-2}}`, stop), `text="Hi" usage=1125899906842624+0 finish=stop`},
		"no stop reason":        {stream(begin, text0, hi, end0, stop), `text="Hi" usage=25+1 finish=stop`},
		"no message_stop":       {stream(begin, text0, hi, end0, endTurn), `text="Hi" usage=25+15 finish=stop`},
		"neither":               {stream(begin, text0, hi, end0), `text="Hi" error=cut/0`},
		"begun":                 {stream(begin), `text="" error=cut/0`},
		"nothing":               {"\n\n", `text="" error=cut/0`},
		"mid-line":              {stream(begin, text0, hi) + `data: {"type":"content_bl`, `text="Hi" error=cut/0`},
		"mid-line after end":    {stream(begin, text0, hi, end0, endTurn) + `data: {"type":"messa`, `text="Hi" usage=25+15 finish=stop`},
		"no last newline":       {strings.TrimSpace(stream(begin, text0, hi, end0, endTurn, stop)), `text="Hi" usage=25+15 finish=stop`},
		"CRLF":                  {strings.ReplaceAll(": hi\n\nid: 1\n"+stream(begin, text0, hi, end0, endTurn, stop), "\n", "\r\n"), `text="Hi" usage=25+15 finish=stop`},
		"data lines alone":      {"data:" + strings.Join([]string{begin, text0, hi, end0, endTurn, stop}, "\ndata:") + "\n", `text="Hi" usage=25+15 finish=stop`},
		"after the end":         {stream(begin, text0, hi, end0, endTurn, stop, hi, fault("api_error")), `text="Hi" usage=25+15 finish=stop`},
		"malformed":             {stream(begin, text0, hi, `{"type": secret`, endTurn, stop), `text="Hi" error=cut/0`},
		"empty data":            {stream(begin, text0, hi) + "data: \n\n" + stream(end0, endTurn, stop), `text="Hi" usage=25+15 finish=stop`},
		"odd types":             {stream(begin, `{"type":"content_block_delta","index":"0","delta":{"type":"text_delta","text":["secret"]}}`, `{"type":7}`, `"secret"`, `[]`, `null`, text0, hi, end0, endTurn, stop), `text="Hi" usage=25+15 finish=stop`},
		"unknown event":         {stream(begin, `{"type":"weather","index":0,"delta":{"type":"text_delta","text":"secret"}}`, text0, hi, end0, endTurn, stop), `text="Hi" usage=25+15 finish=stop`},
		"unknown block":         {stream(begin, `{"type":"content_block_start","index":0,"content_block":{"type":"hologram","text":"secret"}}`, hi, end0, strings.ReplaceAll(text0, "0", "1"), strings.ReplaceAll(hi, "0", "1"), endTurn, stop), `text="Hi" usage=25+15 finish=stop`},
		"unknown delta":         {stream(begin, text0, `{"type":"content_block_delta","index":0,"delta":{"type":"citations_delta","citation":{}}}`, hi, end0, endTurn, stop), `text="Hi" usage=25+15 finish=stop`},
		"text at the start":     {stream(begin, `{"type":"content_block_start","index":0,"content_block":{"type":"text","text":"Oh. "}}`, hi, end0, endTurn, stop), `text="Oh. Hi" usage=25+15 finish=stop`},
		"no block at all":       {stream(hi, endTurn, stop), `text="Hi" usage=0+15 finish=stop`},
		"keys in other order":   {stream(begin, text0, `{"delta":{"text":"H\u00ef","type":"text_delta"},"index":0,"type":"content_block_delta"}`, end0, endTurn, stop), `text="Hï" usage=25+15 finish=stop`},
		"thinking":              {stream(begin, `{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}}`, `{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"hm"}}`, `{"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"secret"}}`, end0, `{"type":"content_block_start","index":1,"content_block":{"type":"redacted_thinking","data":"secret"}}`, over(1), text0, hi, endTurn, stop), `text="Hi" thinking="hm" usage=25+15 finish=stop`},
		"tool use":              {stream(begin, text0, hi, end0, use(1, "toolu_1", "f", "{}"), part(1, ""), part(1, `{"x"`), part(1, `: 1}`), over(1), toolUse, stop), `text="Hi" call=toolu_1/f/{"x": 1} usage=25+15 finish=tool_calls`},
		"parallel":              {stream(begin, use(0, "a", "f", "{}"), part(0, `{"x":1}`), over(0), use(1, "b", "g", "{}"), part(1, `{}`), over(1), toolUse, stop), `text="" call=a/f/{"x":1} call=b/g/{} usage=25+15 finish=tool_calls`},
		"interleaved":           {stream(begin, use(0, "a", "f", "{}"), use(1, "b", "g", "{}"), part(1, `{"y":`), part(0, `{"x":`), part(1, `2}`), part(0, `1}`), over(1), over(0), toolUse, stop), `text="" call=a/f/{"x":1} call=b/g/{"y":2} usage=25+15 finish=tool_calls`},
		"text with a call":      {stream(begin, use(0, "a", "f", "{}"), strings.ReplaceAll(text0, "0", "1"), part(0, `{"x":`), strings.ReplaceAll(hi, "0", "1"), part(0, `1}`), over(1), over(0), toolUse, stop), `text="Hi" call=a/f/{"x":1} usage=25+15 finish=tool_calls`},
		"all index 0":           {stream(begin, use(0, "a", "f", "{}"), part(0, `{"x":1}`), over(0), use(0, "b", "g", "{}"), part(0, `{"y":2}`), over(0), toolUse, stop), `text="" call=a/f/{"x":1} call=b/g/{"y":2} usage=25+15 finish=tool_calls`},
		"empty input":           {stream(begin, use(0, "a", "f", "{}"), part(0, ""), over(0), toolUse, stop), `text="" call=a/f/{} usage=25+15 finish=tool_calls`},
		"input at the start":    {stream(begin, use(0, "a", "f", `{"x":1}`), over(0), use(1, "b", "g", `"no"`), over(1), toolUse, stop), `text="" call=a/f/{"x":1} call=b/g/ usage=25+15 finish=tool_calls`},
		"input without a block": {stream(begin, use(0, "a", "f", "{}"), over(0), part(1, `{"x":1}`), use(2, "b", "g", "{}"), part(2, `{"y":2}`), over(2), toolUse, stop), `text="" call=a/f/` + tools.UnclearArguments + ` call=b/g/{"y":2} usage=25+15 finish=tool_calls`},
		"input behind the end":  {stream(begin, use(0, "a", "f", "{}"), over(0), part(0, `{"x":1}`), toolUse, stop), `text="" call=a/f/` + tools.UnclearArguments + ` usage=25+15 finish=tool_calls`},
		"two calls, one index":  {stream(begin, use(0, "a", "f", "{}"), use(0, "b", "g", "{}"), part(0, `{"x":1}`), over(0), toolUse, stop), `text="" call=a/f/` + tools.UnclearArguments + ` call=b/g/` + tools.UnclearArguments + ` usage=25+15 finish=tool_calls`},
		// SGLang's Messages API (sgl-project/sglang#39782, September 2026).
		"several inputs in a call": {stream(begin, use(0, "a", "f", "{}"), part(0, `{"x":1}`), part(0, `{"y":2}`), over(0), toolUse, stop), `text="" call=a/f/{"x":1}{"y":2} usage=25+15 finish=tool_calls`},
		"the server's tool":        {stream(begin, `{"type":"content_block_start","index":0,"content_block":{"type":"server_tool_use","id":"s","name":"web_search","input":{}}}`, part(0, `{"q":1}`), over(0), text0, hi, end0, endTurn, stop), `text="Hi" usage=25+15 finish=stop`},
		"stray fragment":           {stream(begin, part(3, `{"x":1}`), part(-1, `{`), use(0, "a", "f", "{}"), over(0), part(0, "late"), part(-1, "late"), toolUse, stop), `text="" call=a/f/` + tools.UnclearArguments + ` usage=25+15 finish=tool_calls`},
		"calls, end_turn":          {stream(begin, use(0, "a", "f", "{}"), over(0), endTurn, stop), `text="" call=a/f/{} usage=25+15 finish=tool_calls`},
		"tool_use without":         {stream(begin, text0, hi, end0, toolUse, stop), `text="Hi" usage=25+15 finish=stop`},
		"length with calls":        {stream(begin, use(0, "a", "f", "{}"), part(0, `{"x`), over(0), ended(`"max_tokens"`), stop), `text="" usage=25+15 finish=length`},
		"max_tokens":               {stream(begin, text0, hi, end0, ended(`"max_tokens"`), stop), `text="Hi" usage=25+15 finish=length`},
		"context window":           {stream(begin, text0, hi, end0, ended(`"model_context_window_exceeded"`), stop), `text="Hi" usage=25+15 finish=length`},
		"pause_turn":               {stream(begin, text0, hi, end0, ended(`"pause_turn"`), stop), `text="Hi" usage=25+15 finish=length`},
		"stop_sequence":            {stream(begin, text0, hi, end0, ended(`"stop_sequence"`), stop), `text="Hi" usage=25+15 finish=stop`},
		"refusal":                  {stream(begin, text0, hi, end0, ended(`"refusal"`), stop), `text="Hi" usage=25+15 finish=content_filter`},
		"unknown reason":           {stream(begin, text0, hi, end0, ended(`"tired"`), stop), `text="Hi" usage=25+15 error=model_error/0`},
		"unknown with call":        {stream(begin, use(0, "a", "f", "{}"), over(0), ended(`"tired"`), stop), `text="" usage=25+15 error=model_error/0`},
		"refusal with call":        {stream(begin, text0, hi, end0, use(1, "a", "f", "{}"), over(1), ended(`"refusal"`), stop), `text="Hi" usage=25+15 finish=content_filter`},
		"pause with call":          {stream(begin, text0, hi, end0, use(1, "a", "f", "{}"), over(1), ended(`"pause_turn"`), stop), `text="Hi" usage=25+15 finish=length`},
		"call left open":           {stream(begin, use(0, "a", "f", "{}"), part(0, `{"x":1}`), toolUse, stop), `text="" call=a/f/{"x":1} usage=25+15 finish=tool_calls`},
		"calls, no reason":         {stream(begin, use(0, "a", "f", "{}"), part(0, `{"x":1}`), over(0), stop), `text="" call=a/f/{"x":1} usage=25+1 finish=tool_calls`},
		"open, no reason":          {stream(begin, use(0, "a", "f", "{}"), part(0, `{"x":1}`), stop), `text="" usage=25+1 error=cut/0`},
		"broken, no reason":        {stream(begin, use(0, "a", "f", "{}"), part(0, `{"x"`), over(0), stop), `text="" usage=25+1 error=cut/0`},
		"calls, no end":            {stream(begin, use(0, "a", "f", "{}"), part(0, `{"x":1}`), over(0)), `text="" error=cut/0`},
		"null reason":              {stream(begin, text0, hi, end0, ended(`null`), endTurn, stop), `text="Hi" usage=25+15 finish=stop`},
		"error: overloaded":        {stream(begin, text0, hi, fault("overloaded_error")), `text="Hi" error=model_unavailable/529`},
		"error: rate":              {stream(begin, text0, hi, fault("rate_limit_error")), `text="Hi" error=model_rate_limited/429`},
		"error: api":               {stream(begin, text0, hi, fault("api_error"), stop), `text="Hi" error=model_unavailable/500`},
		"error: timeout":           {stream(begin, text0, hi, fault("timeout_error")), `text="Hi" error=model_unavailable/504`},
		"error: invalid":           {stream(fault("invalid_request_error")), `text="" error=model_error/400`},
		"error: unknown":           {stream(begin, fault("secret words")), `text="" error=model_error/0`},
		"error: odd":               {stream(begin, `{"type":"error","error":7}`), `text="" error=model_error/0`},
		"error: none":              {stream(begin, `{"type":"error"}`), `text="" error=model_error/0`},
		"error at the end":         {strings.TrimSpace(stream(begin, text0, hi, fault("api_error"))), `text="Hi" error=model_unavailable/500`},
		"stop unfinished":          {strings.TrimSpace(stream(begin, text0, hi, end0, stop)), `text="Hi" usage=25+1 finish=stop`},
		"error after reason":       {stream(begin, text0, hi, end0, endTurn, fault("api_error")), `text="Hi" error=model_unavailable/500`},
		"error as a whole":         {fault("overloaded_error"), `text="" error=model_unavailable/529`},
		"whole answer":             {`{"type":"message","content":[{"type":"text","text":"secret"}]}`, `text="" error=model_error/0`},
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

// Counts are the same for all providers: input includes what caches were read and written for,
// output includes the reasoning. The counts are those of anthropic-sdk-go v2.15.0,
// messageutil_test.go.
func TestUsage(t *testing.T) {
	const start = `{"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","content":[],"usage":{"input_tokens":10,"output_tokens":1,"cache_creation_input_tokens":2,"cache_read_input_tokens":3,"cache_creation":{"ephemeral_5m_input_tokens":2,"ephemeral_1h_input_tokens":0},"service_tier":"standard"}}}`
	end := func(usage string) string {
		return `{"type":"message_delta","delta":{"stop_reason":"end_turn","stop_sequence":null,"stop_details":null},"usage":` + usage + `}`
	}
	for usage, want := range map[string]model.Usage{
		`{"output_tokens":25}`: {InputTokens: 15, CachedInputTokens: 3, CacheWriteTokens: 2, OutputTokens: 25},
		`{"input_tokens":12,"output_tokens":99,"cache_creation_input_tokens":4,"cache_read_input_tokens":5,"server_tool_use":{"web_search_requests":2,"web_fetch_requests":1},"output_tokens_details":{"thinking_tokens":7}}`: {InputTokens: 21, CachedInputTokens: 5, CacheWriteTokens: 4, OutputTokens: 99, ReasoningTokens: 7},
		`{"output_tokens":5,"output_tokens_details":{"thinking_tokens":7}}`:                                                {InputTokens: 15, CachedInputTokens: 3, CacheWriteTokens: 2, OutputTokens: 5, ReasoningTokens: 5},
		`{"output_tokens":5,"output_tokens_details":null,"cache_read_input_tokens":null,"cache_creation_input_tokens":-1}`: {InputTokens: 13, CachedInputTokens: 3, OutputTokens: 5},
	} {
		if g := claims.Read(t, overBody(&claims.Body{Text: stream(start, text0, hi, end0, end(usage), stop)}), claims.Ask); g.Usage == nil || *g.Usage != want {
			t.Errorf("%s: %+v", usage, g.Usage)
		}
	}
}

// An unknown stop reason is a failure of the model, which may be retried; the operator's log names
// it if it is a single word.
func TestAnUnknownEndIsAFailure(t *testing.T) {
	for word, want := range map[string]string{"tired": "tired", "malformed_tool_use": "malformed_tool_use", "secret words": ""} {
		var e *model.Error
		g := claims.Read(t, overBody(&claims.Body{Text: stream(begin, text0, hi, end0, ended(`"`+word+`"`), stop)}), claims.Ask)
		if !errors.As(g.Err, &e) || !e.Failed || !e.Retryable() || e.Elsewhere() || want != "" && !strings.Contains(e.Detail, want) || g.Text != "Hi" || g.Made != nil {
			t.Errorf("%s: %s (%v)", word, g, g.Err)
		}
	}
}

// Operators learn what kind of content a model refused: stop_details of anthropic-sdk-go v2.15.0.
// Its explanation may quote the chat.
func TestWhyAModelRefuses(t *testing.T) {
	for category, want := range map[string]string{`"bio"`: "the model refused to answer: bio", `null`: "", `"secret words"`: ""} {
		notes := upstream.NewNotes(nil)
		details := `{"type":"message_delta","delta":{"stop_reason":"refusal","stop_sequence":null,"stop_details":{"type":"refusal","category":` + category + `,"explanation":"secret"}},"usage":{"output_tokens":5}}`
		c := anthropic.New(anthropic.Options{BaseURL: "http://x", Model: "m", Notes: notes, Transport: &claims.Body{Text: stream(begin, text0, hi, end0, details, stop)}})
		g := claims.Read(t, c, claims.Ask)
		_, refusals := notes.List()
		if g.Finish != model.FinishContentFilter || len(refusals) > 1 || (len(refusals) == 1) != (want != "") || want != "" && refusals[0].Reason != want {
			t.Errorf("%s: %s %+v", category, g, refusals)
		}
	}
}

func TestABrokenConnectionCutsUnlessTheAnswerIsComplete(t *testing.T) {
	for text, want := range map[string]string{
		stream(begin, text0, hi):                                   `text="Hi" error=cut/0`,
		stream(begin, text0, hi) + `data: {"ty`:                    `text="Hi" error=cut/0`,
		stream(begin, text0, hi, end0, ended(`"end_turn"`)):        `text="Hi" usage=25+15 finish=stop`,
		stream(begin, use(0, "a", "f", "{}"), part(0, `{"x":1}`)):  `text="" error=cut/0`,
		stream(begin, use(0, "a", "f", "{}"), over(0)) + "data: {": `text="" error=cut/0`,
	} {
		if g := claims.Read(t, overBody(&claims.Body{Text: text, Err: io.ErrUnexpectedEOF}), claims.Ask).String(); g != want {
			t.Errorf("%q: %s", text, g)
		}
	}
}

func TestAToolsOwnNameComesBack(t *testing.T) {
	long := strings.Repeat("n", 80)
	req := claims.Ask
	req.Tools = []model.Definition{{Name: "docs.search"}, {Name: "docs_search"}, {Name: long}}
	var told []string
	c := anthropic.New(anthropic.Options{BaseURL: "http://x", Model: "m", Transport: roundTrip(func(r *http.Request) string {
		var w struct{ Tools []struct{ Name string } }
		decode(t, r, &w)
		events := []string{begin}
		for i, tool := range w.Tools {
			told = append(told, tool.Name)
			events = append(events, use(i, fmt.Sprint("c", i), tool.Name, "{}"), over(i))
		}
		return stream(append(events, ended(`"tool_use"`), stop)...)
	})})
	g := claims.Read(t, c, req)
	if len(g.Calls) != 3 || g.Calls[0].Name != "docs.search" || g.Calls[1].Name != "docs_search" || g.Calls[2].Name != long {
		t.Errorf("%s for %q", g, told)
	}
	for _, name := range told {
		if len(name) > 64 || strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789_-") != "" {
			t.Errorf("the API refuses the name %q", name)
		}
	}
}

func TestLimits(t *testing.T) {
	big := strings.Repeat("x", 5<<20)
	text := stream(begin, use(0, "a", "f", "{}"), part(0, `{"é`), part(0, big), part(0, big), part(0, big), over(0), use(1, "b", "g", "{}"), part(1, "{}"), over(1), ended(`"tool_use"`), stop)
	g := claims.Read(t, overBody(&claims.Body{Text: text}), claims.Ask)
	if len(g.Calls) != 2 || len(g.Calls[0].Arguments) < 10<<20 || len(g.Calls[0].Arguments) > 12<<20+8 || !strings.HasSuffix(g.Calls[0].Arguments, "…") || g.Calls[1].Arguments != "…" {
		t.Errorf("15 MiB of arguments: %d calls, %v", len(g.Calls), g.Err)
	}
	for n, want := range map[int]int{4096: 4096, 4097: 0} { // none is dropped silently
		events := []string{begin}
		for i := range n {
			events = append(events, use(i, fmt.Sprint("c", i), strings.Repeat("n", 1000), "{}"), over(i))
		}
		g = claims.Read(t, overBody(&claims.Body{Text: stream(append(events, stop)...)}), claims.Ask)
		if len(g.Calls) != want || want > 0 && len(g.Calls[0].Name) > 300 || (want == 0) != (g.Err != nil) {
			t.Errorf("%d of %d calls, %v", len(g.Calls), n, g.Err)
		}
	}
	if g := claims.Read(t, overBody(&claims.Body{Text: "data: " + strings.Repeat("x", 17<<20)}), claims.Ask); g.String() != `text="" error=model_error/0` {
		t.Errorf("a line of 17 MiB: %s", g)
	}
}

// FuzzStream: whatever arrives, the answer ends once, with a reason or an error, and the pieces are
// the same however the bytes are split.
func FuzzStream(f *testing.F) {
	f.Add(stream(begin, ping, text0, hi, end0, use(1, "a", "f", `{"x":1}`), part(1, `{"x`), over(1), ended(`"tool_use"`), stop))
	f.Add(stream(begin, text0, hi, fault("overloaded_error")))
	f.Add(`{"type":"error","error":{"type":"api_error"}}`)
	f.Add(stream(begin, think(0), write(1), thought(0, "a"), words(1, "b"), sign(0, "s"), over(0), use(2, "t", "f", "{}"), over(1), ended(`"refusal"`)))
	f.Add("data: {\"type\":\"content_block_start\",\"index\":-1,\"content_block\":{\"type\":\"tool_use\"}}\ndata:")
	f.Fuzz(func(t *testing.T, text string) {
		text = strings.ReplaceAll(text, "secret", "") // which no error may quote
		whole, bytewise := claims.Read(t, overBody(&claims.Body{Text: text}), claims.Ask), claims.Read(t, overBody(&claims.Body{Text: text, Step: 1}), claims.Ask)
		if whole.String() != bytewise.String() {
			t.Errorf("at once %s\nby bytes %s", whole, bytewise)
		}
	})
}

func BenchmarkStream(b *testing.B) {
	// Reading only: the transport is a slice of bytes.
	const chunks = 10000
	chunk := stream(`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"twenty bytes of text"}}`)
	c := overBody(&claims.Body{Text: stream(begin, text0) + strings.Repeat(chunk, chunks) + stream(end0, ended(`"end_turn"`), stop)})
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
