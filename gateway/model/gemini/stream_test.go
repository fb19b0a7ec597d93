package gemini_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/askgate/askgate/gateway/model"
	"github.com/askgate/askgate/gateway/model/gemini"
	"github.com/askgate/askgate/gateway/model/upstream"
)

var ask = model.Request{Messages: []model.Message{{Role: model.RoleUser, Content: "secret words"}}}

// body is a transport that answers with a fixed body, in reads of some bytes.
type body struct {
	text string
	step int
	err  error // after the text; nil: io.EOF
}

func (b *body) RoundTrip(*http.Request) (*http.Response, error) {
	r := *b
	return &http.Response{StatusCode: 200, Body: &r}, nil
}

func (b *body) Read(p []byte) (int, error) {
	if b.text == "" {
		if b.err != nil {
			return 0, b.err
		}
		return 0, io.EOF
	}
	n := len(p)
	if b.step > 0 {
		n = min(n, b.step)
	}
	n = copy(p[:n], b.text)
	b.text = b.text[n:]
	return n, nil
}

func (b *body) Close() error { return nil }

// got is a whole answer.
type got struct {
	text, thinking string
	calls          []model.ToolCall
	finish         model.FinishReason
	usage          *model.Usage
	made           *model.Made
	forgot         bool
	err            error
}

func (g got) String() string {
	s := fmt.Sprintf("%q thinking %q calls %v %s %v", g.text, g.thinking, g.calls, g.finish, g.err)
	if g.made != nil {
		s += " state " + string(g.made.State)
	}
	return s
}

func read(t testing.TB, c *gemini.Client, req model.Request) got {
	t.Helper()
	var g got
	more := false
	for d, err := range c.Stream(t.Context(), req) {
		if g.err != nil || g.finish != "" {
			t.Errorf("a piece after the end: %+v %v", d, err)
		}
		g.text += string(d.Text)
		g.thinking += string(d.Thinking)
		g.calls = append(g.calls, d.ToolCalls...)
		if d.Usage != nil {
			g.usage = d.Usage
		}
		g.made, g.forgot = d.Made, d.Forgot
		g.finish, g.err, more = d.Finish, err, d.More
	}
	if more {
		t.Error("the last piece promises more")
	}
	if (g.err == nil) == (g.finish == "") {
		t.Errorf("finish %q with error %v", g.finish, g.err)
	}
	if (g.made == nil) != (g.finish == "") {
		t.Errorf("finish %q, made %v", g.finish, g.made)
	}
	if g.err != nil && strings.Contains(g.err.Error(), "secret") {
		t.Errorf("the error tells secrets: %v", g.err)
	}
	return g
}

// decoded is what a client makes of a body, however it is cut into reads.
func decoded(t testing.TB, text string) got {
	t.Helper()
	var g got
	for i, step := range []int{0, 1, 7} {
		c := gemini.New(gemini.Options{BaseURL: "https://example.com/v1beta", Model: "gemini-3-pro", Transport: &body{text: text, step: step}})
		one := read(t, c, ask)
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
			text: "fixture ok", state: `[10,{"text":"","thoughtSignature":"EqkE+gQ=="}]`, finish: model.FinishStop,
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
		if g.err != nil || g.text != c.text || g.thinking != c.thinking || !slices.Equal(g.calls, c.calls) || string(g.made.State) != c.state || g.finish != c.finish || *g.usage != c.usage {
			t.Errorf("%s: %s, usage %+v, want state %s", name, g, g.usage, c.state)
		}
	}
}

// Texts are joined, and thoughts, but never with a part that is signed; what a message says itself
// is not in its state.
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
		"members nobody knows": {[]string{`{"functionCall":{"id":"i","name":"f","args":{},"new":[1, 2]}}`}, `[{"functionCall":{"id":"i","name":"f","args":{},"new":[1,2]}}]`},
		"a part nobody knows":  {[]string{`{"executableCode":{"code":"1"}}`, `{"text":"a"}`}, `[{"executableCode":{"code":"1"}},1]`},
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
		if string(apart.made.State) != c.want {
			t.Errorf("%s: state %s, want %s", name, apart.made.State, c.want)
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
		if g.finish != want || g.text != "a" {
			t.Errorf("%s: %s, want %s", word, g, want)
		}
		if g = decoded(t, events(said("", call), said(word))); word != "STOP" && (len(g.calls) > 0 || g.made.State != nil || g.finish != want) {
			t.Errorf("%s with a call: %s", word, g)
		} else if word == "STOP" && (len(g.calls) != 1 || g.finish != model.FinishToolCalls) {
			t.Errorf("%s with a call: %s", word, g)
		}
	}
	for _, word := range []string{"OTHER", "UNEXPECTED_TOOL_CALL", "TOO_MANY_TOOL_CALLS", "FINISH_REASON_UNSPECIFIED", "A_WORD_OF_2027", "MALFORMED_FUNCTION_CALL"} {
		g := decoded(t, events(said("", `{"text":"a"}`, call), said(word)))
		e, is := errors.AsType[*model.Error](g.err)
		if !is || !e.Failed || !e.Retryable() || e.Kind != model.KindError || !strings.Contains(e.Detail, word) || g.text != "a" || len(g.calls) > 0 || g.usage == nil {
			t.Errorf("%s: %s", word, g)
		}
	}
	if g := decoded(t, events(said("", `{"text":"a"}`, call), said("not a word"))); !strings.Contains(fmt.Sprint(g.err), "failed") || strings.Contains(g.err.Error(), "not a") {
		t.Errorf("a reason of several words: %v", g.err)
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
		if e, is := errors.AsType[*model.Error](g.err); !is || e.Kind != model.KindCut || g.text != "a" {
			t.Errorf("%s: %s", name, g)
		}
	}
	g := read(t, gemini.New(gemini.Options{Model: "m", Transport: &body{text: events(said("STOP", `{"text":"a"}`)), err: errors.New("reset")}}), ask)
	if g.err != nil || g.text != "a" {
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
		g := read(t, gemini.New(gemini.Options{Model: "m", Transport: &body{text: c.text}}), ask)
		if e, is := errors.AsType[*model.Error](g.err); !is || e.Kind != c.kind || !strings.Contains(e.Error(), c.want) {
			t.Errorf("%s: %s", name, g)
		}
	}
}

func FuzzStream(f *testing.F) {
	f.Add([]byte(events(said("", `{"text":"a"}`), said("STOP", `{"functionCall":{"name":"f","args":{"a":1}},"thoughtSignature":"s"}`))))
	f.Add([]byte(events(said("", `{"text":"a","thought":true}`, `{"thoughtSignature":"s"}`), `{"promptFeedback":{"blockReason":"SAFETY"}}`)))
	f.Add([]byte(events(`{"candidates":[{"content":{"parts":[{"text":5,"thought":"x"},null,7,{"functionCall":{"args":[]}},{"functionCall":null}]},"finishReason":5}]}`, `{"error":5}`)))
	f.Fuzz(func(t *testing.T, raw []byte) {
		c := gemini.New(gemini.Options{Model: "m", Transport: &body{text: string(raw), step: 5}})
		g := read(t, c, model.Request{})
		if g.err != nil || g.made.State == nil {
			return
		}
		// What a server handed out goes back in a request that can be written.
		history := []model.Message{{Role: model.RoleUser, Content: "u"}, {Role: model.RoleAssistant, Content: g.text, ToolCalls: g.calls, Made: *g.made}}
		c = gemini.New(gemini.Options{Model: "m", Transport: &body{text: events(said("STOP"))}})
		if g := read(t, c, model.Request{Messages: history}); g.err != nil {
			t.Errorf("%v", g.err)
		}
	})
}
