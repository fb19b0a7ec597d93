package gemini_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/askgate/askgate/gateway/model"
	"github.com/askgate/askgate/gateway/model/gemini"
	"github.com/askgate/askgate/gateway/model/modeltest/claims"
	"github.com/askgate/askgate/gateway/model/upstream"
)

// decoded is the result that a client reads from a body, however it is split into reads.
func decoded(t testing.TB, text string) claims.Got {
	t.Helper()
	var g claims.Got
	for i, step := range []int{0, 1, 7} {
		c := gemini.New(gemini.Options{BaseURL: "https://example.com/v1beta", Model: "gemini-3-pro", Transport: &claims.Body{Text: text, Step: step}})
		one := claims.Read(t, c, claims.Ask)
		if i > 0 && one.String() != g.String() {
			t.Errorf("in reads of %d bytes: %s, not %s", step, one, g)
		}
		g = one
	}
	return g
}

// events is a stream of chunks.
func events(chunks ...string) string {
	return "data: " + strings.Join(chunks, "\r\n\r\ndata: ") + "\r\n\r\n"
}

// said is a chunk with these parts; finish may be "".
func said(finish string, parts ...string) string {
	end := ""
	if finish != "" {
		end = `,"finishReason": "` + finish + `"`
	}
	return `{"candidates": [{"content": {"parts": [` + strings.Join(parts, ",") + `],"role": "model"}` + end + `,"index": 0}],"usageMetadata": {"promptTokenCount": 7,"candidatesTokenCount": 2,"thoughtsTokenCount": 5,"totalTokenCount": 14},"modelVersion": "gemini-3.7-flash","responseId": "r"}`
}

// Shapes of real streams, with other texts and shorter signatures. Source: vercel/ai,
// packages/google/src/__fixtures__, the files that are named.
func TestRecordedStreams(t *testing.T) {
	for name, c := range map[string]struct {
		stream                string
		text, thinking, state string
		calls                 []model.ToolCall
		finish                model.FinishReason
		usage                 model.Usage
	}{
		"a signature on an empty text: google-stream-gemini-3.7-flash-2026-09-16.chunks.txt": {
			stream: events(`{"candidates": [{"content": {"parts": [{"text": "fixture ok"}],"role": "model"},"index": 0}],"usageMetadata": {"promptTokenCount": 7,"candidatesTokenCount": 2,"totalTokenCount": 103,"promptTokensDetails": [{"modality": "TEXT","tokenCount": 7}],"thoughtsTokenCount": 94,"serviceTier": "standard"},"modelVersion": "gemini-3.7-flash","responseId": "WQ"}`,
				`{"candidates": [{"content": {"parts": [{"text": "","thoughtSignature": "EqkE+gQ=="}],"role": "model"},"finishReason": "STOP","index": 0}],"usageMetadata": {"promptTokenCount": 7,"candidatesTokenCount": 2,"totalTokenCount": 103,"promptTokensDetails": [{"modality": "TEXT","tokenCount": 7}],"thoughtsTokenCount": 94,"serviceTier": "standard"},"modelVersion": "gemini-3.7-flash","responseId": "WQ"}`),
			text: "fixture ok", state: `[10,{"text": "","thoughtSignature": "EqkE+gQ=="}]`, finish: model.FinishStop,
			usage: model.Usage{InputTokens: 7, OutputTokens: 96, ReasoningTokens: 94},
		},
		"a call with an id, the finish in a chunk of its own: google-recursive-tool-call.chunks.txt": {
			stream: events(`{"candidates":[{"content":{"parts":[{"functionCall":{"name":"search","args":{"condition":{"or":[{"term":"x"},{"term":"y"}]}},"id":"call_345658"},"thoughtSignature":"c2ln"}],"role":"model"},"index":0}],"usageMetadata":{"promptTokenCount":694,"candidatesTokenCount":26,"totalTokenCount":925,"thoughtsTokenCount":205},"modelVersion":"gemini-3.7-flash"}`,
				`{"candidates":[{"content":{"parts":[{"text":""}],"role":"model"},"finishReason":"STOP","index":0}],"usageMetadata":{"promptTokenCount":694,"candidatesTokenCount":26,"totalTokenCount":925,"thoughtsTokenCount":205},"modelVersion":"gemini-3.7-flash"}`),
			calls:  []model.ToolCall{{ID: "call_345658", Name: "search", Arguments: `{"condition":{"or":[{"term":"x"},{"term":"y"}]}}`}},
			state:  `[{"functionCall":{"name":"search","args":{"condition":{"or":[{"term":"x"},{"term":"y"}]}},"id":"call_345658"},"thoughtSignature":"c2ln"}]`,
			finish: model.FinishToolCalls, usage: model.Usage{InputTokens: 694, OutputTokens: 231, ReasoningTokens: 205},
		},
		"a thought, a call without args, role before parts: google-stream-no-args-tool-call.chunks.txt": {
			stream: events(`{"candidates":[{"content":{"role":"model","parts":[{"text":"**Processing**\n\n","thought":true}]}}],"usageMetadata":{"trafficType":"X"},"modelVersion":"gemini-3-flash-preview"}`,
				`{"candidates":[{"content":{"role":"model","parts":[{"functionCall":{"name":"read_theme"},"thoughtSignature":"AY89"}]}}],"usageMetadata":{"trafficType":"X"},"modelVersion":"gemini-3-flash-preview"}`,
				`{"candidates":[{"content":{"role":"model","parts":[{"text":""}]},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":249,"candidatesTokenCount":58,"totalTokenCount":490,"thoughtsTokenCount":183},"modelVersion":"gemini-3-flash-preview"}`),
			thinking: "**Processing**\n\n", calls: []model.ToolCall{{Name: "read_theme"}},
			state:  `[{"text":"**Processing**\n\n","thought":true},{"functionCall":{"name":"read_theme"},"thoughtSignature":"AY89"}]`,
			finish: model.FinishToolCalls, usage: model.Usage{InputTokens: 249, OutputTokens: 241, ReasoningTokens: 183},
		},
		"a blocked prompt has no candidate: issue-19758-prompt-block.chunks.txt": {
			stream: events(`{"promptFeedback":{"blockReason":"PROHIBITED_CONTENT"},"usageMetadata":{"promptTokenCount":9,"totalTokenCount":9,"promptTokensDetails":[{"modality":"TEXT","tokenCount":9}],"serviceTier":"standard"},"modelVersion":"gemini-3.7-flash","responseId":"EX"}`),
			finish: model.FinishContentFilter, usage: model.Usage{InputTokens: 9},
		},
		"tokens of the server's own tools, and cached ones: google-tool-use-usage.json": {
			stream: events(`{"candidates":[{"content":{"parts":[{"text":""}],"role":"model"},"finishReason":"STOP","index":0}],"usageMetadata":{"promptTokenCount":55,"candidatesTokenCount":51,"totalTokenCount":251,"toolUsePromptTokenCount":89,"thoughtsTokenCount":56,"cachedContentTokenCount":40}}`),
			finish: model.FinishStop, usage: model.Usage{InputTokens: 144, CachedInputTokens: 40, OutputTokens: 107, ReasoningTokens: 56},
		},
	} {
		g := decoded(t, c.stream)
		if g.Err != nil || g.Text != c.text || g.Thinking != c.thinking || !slices.Equal(g.Calls, c.calls) || string(g.Made.State) != c.state || g.Finish != c.finish || *g.Usage != c.usage {
			t.Errorf("%s: %s, usage %+v, want state %s", name, g, g.Usage, c.state)
		}
	}
}

// Texts are joined, and so are thoughts, but never with a part that is signed; what a message
// contains itself is not in its state.
func TestState(t *testing.T) {
	for name, c := range map[string]struct {
		parts []string
		want  string
	}{
		"text":                 {[]string{`{"text":"a "}`, `{"text":"b"}`}, ``},
		"thoughts and text":    {[]string{`{"text":"t","thought":true}`, `{"text":"u","thought":true}`, `{"text":"a"}`, `{"text":"bü"}`}, `[{"text":"tu","thought":true},4]`},
		"a signed text":        {[]string{`{"text":"a"}`, `{"text":"b"}`, `{"text":"c","thoughtSignature":"s<>&"}`, `{"text":"d"}`}, `[2,{"text":"c","thoughtSignature":"s<>&"},1]`},
		"a signed thought":     {[]string{`{"text":"t","thought":true,"thoughtSignature":"s"}`, `{"text":"a"}`}, `[{"text":"t","thought":true,"thoughtSignature":"s"},1]`},
		"a plain call":         {[]string{`{"functionCall":{"id":"i","name":"f","args":{"a":1.0}}}`}, ``},
		"text and a call":      {[]string{`{"text":"a"}`, `{"functionCall":{"id":"i","name":"f","args":{}}}`}, ``},
		"a call and text":      {[]string{`{"functionCall":{"id":"i","name":"f","args":{}}}`, `{"text":"a"}`}, `[{"functionCall":{"id":"i","name":"f","args":{}}},1]`},
		"a call without an id": {[]string{`{"functionCall":{"name":"f","args":{}}}`}, `[{"functionCall":{"name":"f","args":{}}}]`},
		"unknown members":      {[]string{`{"functionCall":{"id":"i","name":"f","args":{},"new":[1, 2]}}`}, `[{"functionCall":{"id":"i","name":"f","args":{},"new":[1, 2]}}]`},
		"white space in args":  {[]string{`{"functionCall":{"id":"i","name":"f","args":{ "a" : "\u00e9" }}}`}, `[{"functionCall":{"id":"i","name":"f","args":{ "a" : "\u00e9" }}}]`},
		"white space around":   {[]string{`{"functionCall": { "id": "i","name": "f","args": {}}}`}, ``},
		"an unknown part":      {[]string{`{"executableCode":{"code":"1"}}`, `{"text":"a"}`}, `[{"executableCode":{"code":"1"}},1]`},
		"a late signature":     {[]string{`{"functionCall":{"id":"i","name":"f","args":{}}}`, `{"thoughtSignature":"s"}`}, `[{"functionCall":{"id":"i","name":"f","args":{}},"thoughtSignature":"s"}]`},
		"a bare signature":     {[]string{`{"text":"a"}`, `{"thoughtSignature":"s"}`}, `[1,{"text":"","thoughtSignature":"s"}]`},
	} {
		chunks := []string{}
		for _, p := range c.parts {
			chunks = append(chunks, said("", p))
		}
		apart, together := decoded(t, events(append(chunks, said("STOP"))...)), decoded(t, events(said("STOP", c.parts...)))
		if apart.String() != together.String() {
			t.Errorf("%s: in chunks %s, in one %s", name, apart, together)
		}
		if string(apart.Made.State) != c.want {
			t.Errorf("%s: state %s, want %s", name, apart.Made.State, c.want)
		}
	}
}

func TestFinishReasons(t *testing.T) {
	call := `{"functionCall":{"id":"i","name":"f","args":{}}}`
	for word, want := range map[string]model.FinishReason{
		"STOP": model.FinishStop, "MAX_TOKENS": model.FinishLength, "CONTINUATION": model.FinishLength,
		"SAFETY": model.FinishContentFilter, "RECITATION": model.FinishContentFilter, "LANGUAGE": model.FinishContentFilter, "BLOCKLIST": model.FinishContentFilter,
		"PROHIBITED_CONTENT": model.FinishContentFilter, "SPII": model.FinishContentFilter, "IMAGE_SAFETY": model.FinishContentFilter,
	} {
		g := decoded(t, events(said("", `{"text":"a"}`), said(word)))
		if g.Finish != want || g.Text != "a" {
			t.Errorf("%s: %s, want %s", word, g, want)
		}
		if g = decoded(t, events(said("", call), said(word))); word != "STOP" && (len(g.Calls) > 0 || g.Made.State != nil || g.Finish != want) {
			t.Errorf("%s with a call: %s", word, g)
		} else if word == "STOP" && (len(g.Calls) != 1 || g.Finish != model.FinishToolCalls) {
			t.Errorf("%s with a call: %s", word, g)
		}
	}
	for _, word := range []string{"OTHER", "UNEXPECTED_TOOL_CALL", "TOO_MANY_TOOL_CALLS", "FINISH_REASON_UNSPECIFIED", "A_WORD_OF_2027", "MALFORMED_FUNCTION_CALL"} {
		g := decoded(t, events(said("", `{"text":"a"}`, call), said(word)))
		e, is := errors.AsType[*model.Error](g.Err)
		if !is || !e.Failed || !e.Retryable() || e.Kind != model.KindError || !strings.Contains(e.Detail, word) || g.Text != "a" || len(g.Calls) > 0 || g.Usage == nil {
			t.Errorf("%s: %s", word, g)
		}
	}
	if g := decoded(t, events(said("", `{"text":"a"}`, call), said("not a word"))); !strings.Contains(fmt.Sprint(g.Err), "failed") || strings.Contains(g.Err.Error(), "not a") {
		t.Errorf("a reason of several words: %v", g.Err)
	}
}

func TestAStreamWithoutAFinishReasonIsCut(t *testing.T) {
	for name, text := range map[string]string{
		"text":        events(said("", `{"text":"a"}`)),
		"a call":      events(said("", `{"text":"a"}`, `{"functionCall":{"name":"f","args":{}}}`)),
		"half a line": events(said("", `{"text":"a"}`)) + `data: {"candidates": [{"content": {"parts": [{"text": "b`,
		"no JSON":     events(said("", `{"text":"a"}`), `{"candidates": [}`, said("STOP")),
	} {
		g := decoded(t, text)
		if e, is := errors.AsType[*model.Error](g.Err); !is || e.Kind != model.KindCut || g.Text != "a" {
			t.Errorf("%s: %s", name, g)
		}
	}
	g := claims.Read(t, gemini.New(gemini.Options{Model: "m", Transport: &claims.Body{Text: events(said("STOP", `{"text":"a"}`)), Err: errors.New("reset")}}), claims.Ask)
	if g.Err != nil || g.Text != "a" {
		t.Errorf("broken behind the finish reason: %s", g)
	}
}

func TestErrorsInAStream(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		kind model.ErrorKind
		want string
	}{
		"an error":        {events(said("", `{"text":"a"}`), `{"error":{"code":503,"message":"secret is overloaded","status":"UNAVAILABLE"}}`), model.KindUnavailable, "code=503"},
		"nothing but it":  {events(`{"error":{"code":400,"message":"secret","status":"INVALID_ARGUMENT"}}`), model.KindError, "code=400"},
		"no stream":       {`{"error":{"code":500,"message":"secret"}}`, model.KindUnavailable, "code=500"},
		"a list":          {`[{"error":{"code":429,"message":"secret"}}]`, model.KindRateLimited, "code=429"},
		"an array answer": {`[` + said("STOP", `{"text":"a"}`) + `]`, model.KindError, "not an event stream"},
		"a page":          {`<html>secret</html>`, model.KindError, "check baseUrl"},
		"too long":        {events(`{"error":{"code":400,"message":"The input token count (1200000) exceeds the maximum number of tokens allowed (1048576)."}}`), model.KindTooLong, "too long"},
		"too many calls":  {events(said("STOP", strings.Repeat(`{"functionCall":{"name":"f"}},`, upstream.MaxCalls+1)+`{"text":"a"}`)), model.KindError, "tool calls"},
	} {
		g := claims.Read(t, gemini.New(gemini.Options{Model: "m", Transport: &claims.Body{Text: c.text}}), claims.Ask)
		if e, is := errors.AsType[*model.Error](g.Err); !is || e.Kind != c.kind || !strings.Contains(e.Error(), c.want) {
			t.Errorf("%s: %s", name, g)
		}
	}
}

func FuzzStream(f *testing.F) {
	f.Add([]byte(events(said("", `{"text":"a"}`), said("STOP", `{"functionCall":{"name":"f","args":{"a":1}},"thoughtSignature":"s"}`))))
	f.Add([]byte(events(said("", `{"text":"a","thought":true}`, `{"thoughtSignature":"s"}`), `{"promptFeedback":{"blockReason":"SAFETY"}}`)))
	f.Add([]byte(events(`{"candidates":[{"content":{"parts":[{"text":5,"thought":"x"},null,7,{"functionCall":{"args":[]}},{"functionCall":null}]},"finishReason":5}]}`, `{"error":5}`)))
	f.Fuzz(func(t *testing.T, raw []byte) {
		c := gemini.New(gemini.Options{Model: "m", Transport: &claims.Body{Text: string(raw), Step: 5}})
		g := claims.Read(t, c, model.Request{})
		if g.Err != nil || g.Made.State == nil {
			return
		}
		// State that a server handed out can be written into the next request.
		history := []model.Message{{Role: model.RoleUser, Content: "u"}, {Role: model.RoleAssistant, Content: g.Text, ToolCalls: g.Calls, Made: *g.Made}}
		c = gemini.New(gemini.Options{Model: "m", Transport: &claims.Body{Text: events(said("STOP"))}})
		if g := claims.Read(t, c, model.Request{Messages: history}); g.Err != nil {
			t.Errorf("%v", g.Err)
		}
	})
}
