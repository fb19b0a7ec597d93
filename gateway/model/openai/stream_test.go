package openai_test

import (
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askgate/askgate/gateway/model"
	"github.com/askgate/askgate/gateway/model/modeltest"
	"github.com/askgate/askgate/gateway/model/modeltest/claims"
	"github.com/askgate/askgate/gateway/model/openai"
)

func overBody(b *claims.Body) *openai.Client {
	return openai.New(openai.Options{BaseURL: "http://x/v1", Model: "m", APIKey: "secret key", Transport: b})
}

func data(chunks ...string) string {
	return "data: " + strings.Join(chunks, "\n\ndata: ") + "\n\n"
}

func delta(d string) string {
	return `{"choices":[{"index":0,"delta":` + d + `,"finish_reason":null}]}`
}
func end(reason string) string {
	return `{"choices":[{"index":0,"delta":{},"finish_reason":` + reason + `}]}`
}
func frag(f string) string { return delta(`{"tool_calls":[` + f + `]}`) }

func TestStreams(t *testing.T) {
	hi := delta(`{"content":"Hi"}`)
	stop := end(`"stop"`)
	for name, c := range map[string]struct{ stream, want string }{
		"plain":               {data(hi, stop, "[DONE]"), `text="Hi" finish=stop`},
		"usage":               {data(hi, stop, `{"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":4}}`, "[DONE]"), `text="Hi" usage=3+4 finish=stop`},
		"usage counts up":     {data(`{"choices":[{"delta":{"content":"Hi"}}],"usage":{"prompt_tokens":3,"completion_tokens":1}}`, `{"choices":[{"delta":{},"finish_reason":"stop"}],"usage":{"prompt_tokens":3,"completion_tokens":2}}`, "[DONE]"), `text="Hi" usage=3+2 finish=stop`},
		"odd usage":           {data(hi, `{"choices":[],"usage":{"prompt_tokens":"x"}}`, `{"choices":[],"usage":{"prompt_tokens":1e300,"completion_tokens":-2}}`, "[DONE]"), `text="Hi" usage=1125899906842624+0 finish=stop`},
		"no DONE":             {data(hi, stop), `text="Hi" finish=stop`},
		"no finish":           {data(hi, "[DONE]"), `text="Hi" finish=stop`},
		"neither":             {data(hi), `text="Hi" error=cut/0`},
		"nothing":             {"\n\n", `text="" error=cut/0`},
		"mid-line":            {data(hi) + `data: {"choices":[{"del`, `text="Hi" error=cut/0`},
		"mid-line after end":  {data(hi, stop) + `data: {"cho`, `text="Hi" error=cut/0`},
		"no last newline":     {data(hi) + "data: " + stop, `text="Hi" finish=stop`},
		"DONE unfinished":     {data(hi, stop) + "data: [DONE]", `text="Hi" finish=stop`},
		"CRLF":                {strings.ReplaceAll(": hi\n\nevent: x\nid: 1\nretry: 3\n"+data(hi, stop, "[DONE]"), "\n", "\r\n"), `text="Hi" finish=stop`},
		"no space":            {strings.ReplaceAll(data(hi, stop, "[DONE]"), "data: ", "data:"), `text="Hi" finish=stop`},
		"no blank lines":      {strings.ReplaceAll(data(hi, hi, stop, "[DONE]"), "\n\n", "\n"), `text="HiHi" finish=stop`},
		"comments":            {":\n: PROCESSING\n\n" + strings.ReplaceAll(data(hi, stop, "[DONE]"), "data: ", ": c\n\n\n\ndata: "), `text="Hi" finish=stop`},
		"byte order mark":     {"\ufeff" + data(hi, stop), `text="Hi" finish=stop`},
		"several data lines":  {"data: {\"choices\":[{\"delta\":\ndata: {\"content\":\"Hi\"}}]}\n\n" + data(stop), `text="Hi" finish=stop`},
		"malformed":           {data(hi, `{"choices": secret`, stop, "[DONE]"), `text="Hi" error=cut/0`},
		"no chunk":            {data(hi, `"secret"`, stop, "[DONE]"), `text="Hi" error=cut/0`},
		"empty data":          {data(hi, "", stop, "[DONE]"), `text="Hi" finish=stop`},
		"unknown object":      {"event: ping\n" + data(`{"type":"ping"}`, hi, stop), `text="Hi" finish=stop`},
		"reasoning":           {data(delta(`{"reasoning_content":"hm"}`), delta(`{"reasoning":" so"}`), hi, stop), `text="Hi" thinking="hm so" finish=stop`},
		"reasoning twice":     {data(delta(`{"reasoning":"hm","reasoning_content":"hm"}`), stop), `text="" thinking="hm" finish=stop`},
		"parts":               {data(delta(`{"content":[{"type":"thinking","thinking":[{"type":"text","text":"hm"}]},{"type":"text","text":"Hi"}]}`), stop), `text="Hi" thinking="hm" finish=stop`},
		"refusal":             {data(delta(`{"refusal":"No."}`), stop), `text="No." finish=content_filter`},
		"escapes":             {data(delta(`{"content":"\u00fc\ud83d\ude00\ud83d\n\"\/"}`), stop), `text="ü😀` + "\ufffd" + `\n\"/" finish=stop`},
		"bad UTF-8":           {data(delta("{\"content\":\"a\xffb\"}"), stop), "text=\"a\ufffdb\" finish=stop"},
		"length":              {data(hi, end(`"length"`)), `text="Hi" finish=length`},
		"max_tokens":          {data(hi, end(`"max_tokens"`)), `text="Hi" finish=length`},
		"content_filter":      {data(hi, end(`"content_filter"`)), `text="Hi" finish=content_filter`},
		"unknown finish":      {data(hi, end(`"eos"`)), `text="Hi" finish=stop`},
		"tool_calls without":  {data(hi, end(`"tool_calls"`)), `text="Hi" finish=stop`},
		"empty finish":        {data(`{"choices":[{"delta":{"content":"Hi"},"finish_reason":""}]}`, stop), `text="Hi" finish=stop`},
		"text with finish":    {data(`{"choices":[{"delta":{"content":"Hi"},"finish_reason":"stop"}]}`), `text="Hi" finish=stop`},
		"other choices":       {data(`{"choices":[{"index":1,"delta":{"content":"no"}},{"index":0,"delta":{"content":"Hi"}}]}`, stop), `text="Hi" finish=stop`},
		"whole answer":        {`{"object":"chat.completion","choices":[{"message":{"role":"assistant","content":"Hi","tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}}]},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":1,"completion_tokens":2}}`, `text="Hi" call=a/f/{} usage=1+2 finish=tool_calls`},
		"whole, cut":          {`{"choices":[{"message":{"cont`, `text="" error=cut/0`},
		"whole, something":    {`{"hello":"secret"}`, `text="" error=model_error/0`},
		"whole error":         {`{"error":{"message":"secret","type":"rate_limit_error"}}`, `text="" error=model_rate_limited/0`},
		"web page":            {"<html>secret</html>", `text="" error=model_error/0`},
		"no stream at all":    {"secret", `text="" error=cut/0`},
		"error: rate":         {data(hi, `{"error":{"message":"secret","code":"rate_limit_exceeded"}}`), `text="Hi" error=model_rate_limited/0`},
		"error: number":       {data(`{"error":{"message":"secret","code":502},"choices":[{"delta":{"content":""},"finish_reason":"error"}]}`), `text="" error=model_unavailable/502`},
		"error: number text":  {data(`{"error":{"message":"secret","code":"429"}}`), `text="" error=model_rate_limited/429`},
		"error: overloaded":   {data(`{"error":{"type":"overloaded_error"}}`), `text="" error=model_unavailable/0`},
		"error: invalid":      {data(`{"error":{"type":"invalid_request_error"}}`), `text="" error=model_error/0`},
		"error: text":         {data(hi, `{"error":"secret"}`), `text="Hi" error=model_error/0`},
		"error: odd":          {data(`{"error":{"code":{"a":1},"type":7}}`), `text="" error=model_error/0`},
		"error: vLLM":         {data(`{"object":"error","message":"secret","type":"BadRequestError","code":400}`), `text="" error=model_error/400`},
		"error: bare line":    {data(hi) + `{"error":{"type":"server_error"}}` + "\n", `text="Hi" error=model_unavailable/0`},
		"fragments":           {data(frag(`{"index":0,"id":"a","type":"function","function":{"name":"f","arguments":""}}`), frag(`{"index":0,"function":{"arguments":"{\"x\""}}`), frag(`{"index":0,"function":{"arguments":":1}"}}`), end(`"tool_calls"`)), `text="" call=a/f/{"x":1} finish=tool_calls`},
		"interleaved":         {data(frag(`{"index":1,"id":"b","function":{"name":"g","arguments":"[1"}},{"index":0,"id":"a","function":{"name":"f","arguments":"{"}}`), frag(`{"index":1,"function":{"arguments":"]"}},{"index":0,"function":{"arguments":"}"}}`), end(`"tool_calls"`)), `text="" call=a/f/{} call=b/g/[1] finish=tool_calls`},
		"finish says stop":    {data(frag(`{"index":0,"id":"a","function":{"name":"f","arguments":"{}"}}`), stop), `text="" call=a/f/{} finish=tool_calls`},
		"length with calls":   {data(frag(`{"index":0,"id":"a","function":{"name":"f","arguments":"{\"x"}}`), end(`"length"`)), `text="" finish=length`},
		"no ids, no index":    {data(frag(`{"function":{"name":"f","arguments":"{\"a\":1}"}}`), frag(`{"function":{"name":"f","arguments":"{\"b\":2}"}}`), frag(`{"function":{"name":"g","arguments":"{}"}}`), end(`"tool_calls"`)), `text="" call=/f/{"a":1} call=/f/{"b":2} call=/g/{} finish=tool_calls`},
		"no index, by id":     {data(frag(`{"id":"a","function":{"name":"f","arguments":"{"}}`), frag(`{"id":"b","function":{"name":"f","arguments":"{"}}`), frag(`{"id":"a","function":{"arguments":"}"}}`), frag(`{"id":"b","function":{"arguments":"}"}}`), end(`"tool_calls"`)), `text="" call=a/f/{} call=b/f/{} finish=tool_calls`},
		"all index 0":         {data(frag(`{"index":0,"id":"a","function":{"name":"f","arguments":"{}"}}`), frag(`{"index":0,"id":"b","function":{"name":"f","arguments":"{}"}}`), stop), `text="" call=a/f/{} call=b/f/{} finish=tool_calls`},
		"index 0, no ids":     {data(frag(`{"index":0,"function":{"name":"f","arguments":"{}"}}`), frag(`{"index":0,"function":{"name":"f","arguments":"{}"}}`), stop), `text="" call=/f/{} call=/f/{} finish=tool_calls`},
		"repeated id":         {data(frag(`{"index":0,"id":"a","function":{"name":"f","arguments":"{}"}}`), frag(`{"index":1,"id":"a","function":{"name":"f","arguments":"{}"}}`), stop), `text="" call=a/f/{} call=a/f/{} finish=tool_calls`},
		"all repeated":        {data(frag(`{"index":0,"id":"a","function":{"name":"f","arguments":"{\"x\""}}`), frag(`{"index":0,"id":"a","function":{"name":"f","arguments":":{"}}`), frag(`{"index":0,"id":"a","function":{"name":"f","arguments":"}}"}}`), stop), `text="" call=a/f/{"x":{}} finish=tool_calls`},
		"name in pieces":      {data(frag(`{"index":0,"id":"a","function":{"name":"ask_"}}`), frag(`{"index":0,"function":{"name":"user","arguments":"{"}}`), frag(`{"index":0,"function":{"arguments":"}"}}`), stop), `text="" call=a/ask_user/{} finish=tool_calls`},
		"id comes later":      {data(frag(`{"index":0,"function":{"name":"f","arguments":"{"}}`), frag(`{"index":0,"id":"a","function":{"arguments":"}"}}`), stop), `text="" call=a/f/{} finish=tool_calls`},
		"arguments as object": {data(frag(`{"index":"0","id":"a","function":{"name":"f","arguments":{"x":[1]}}}`), stop), `text="" call=a/f/{"x":[1]} finish=tool_calls`},
		"odd fragment":        {data(frag(`{"index":-1,"id":7,"function":{"name":null,"arguments":5}}`), frag(`{}`), stop), `text="" finish=stop`},
		"function_call":       {data(delta(`{"function_call":{"name":"f","arguments":"{"}}`), delta(`{"function_call":{"arguments":"}"}}`), end(`"function_call"`)), `text="" call=/f/{} finish=tool_calls`},
		"text and call":       {data(hi, frag(`{"index":0,"id":"a","function":{"name":"f","arguments":"{}"}}`), end(`"tool_calls"`), "[DONE]"), `text="Hi" call=a/f/{} finish=tool_calls`},
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

func TestABrokenConnectionCutsUnlessTheAnswerIsComplete(t *testing.T) {
	hi := data(delta(`{"content":"Hi"}`))
	for stream, want := range map[string]string{
		hi:                         `text="Hi" error=cut/0`,
		hi + `data: {"cho`:         `text="Hi" error=cut/0`,
		hi + data(end(`"stop"`)):   `text="Hi" finish=stop`,
		`{"choices":[{"message"`:   `text="" error=cut/0`,
		strings.Repeat(": c\n", 9): `text="" error=cut/0`,
	} {
		if g := claims.Read(t, overBody(&claims.Body{Text: stream, Err: io.ErrUnexpectedEOF}), claims.Ask).String(); g != want {
			t.Errorf("%q: %s", stream, g)
		}
	}
}

func TestLimits(t *testing.T) {
	big := strings.Repeat("x", 5<<20)
	var stream strings.Builder
	stream.WriteString(data(frag(`{"index":0,"id":"a","function":{"name":"f","arguments":"\"é"}}`)))
	for range 3 {
		stream.WriteString(data(frag(`{"index":0,"function":{"arguments":"` + big + `"}}`)))
	}
	stream.WriteString(data(frag(`{"index":1,"id":"b","function":{"name":"g","arguments":"{}"}}`), end(`"tool_calls"`)))
	g := claims.Read(t, overBody(&claims.Body{Text: stream.String()}), claims.Ask)
	if len(g.Calls) != 2 || len(g.Calls[0].Arguments) < 10<<20 || len(g.Calls[0].Arguments) > 12<<20+8 || !strings.HasSuffix(g.Calls[0].Arguments, "…") || g.Calls[1].Arguments != "…" {
		t.Errorf("15 MiB of arguments: %d calls, %v", len(g.Calls), g.Err)
	}

	for n, want := range map[int]int{4096: 4096, 4097: 0} { // none is dropped silently
		stream.Reset()
		for i := range n {
			stream.WriteString(data(frag(fmt.Sprintf(`{"index":%d,"id":"c%d","function":{"name":"f","arguments":"{}"}}`, i, i))))
		}
		if g := claims.Read(t, overBody(&claims.Body{Text: stream.String() + data("[DONE]")}), claims.Ask); len(g.Calls) != want || (want == 0) != (g.Err != nil) {
			t.Errorf("%d of %d calls, %v", len(g.Calls), n, g.Err)
		}
	}

	ten := strings.Repeat("y", 10<<20)
	if g := claims.Read(t, overBody(&claims.Body{Text: data(delta(`{"content":"`+ten+`"}`), "[DONE]")}), claims.Ask); g.Text != ten {
		t.Errorf("a line of 10 MiB: %d bytes, %v", len(g.Text), g.Err)
	}
	for _, long := range []string{
		"data: " + strings.Repeat("z", 17<<20),
		`{"x":"` + strings.Repeat("z", 17<<20),
		strings.Repeat("data: "+big+"\n", 4),
	} {
		if g := claims.Read(t, overBody(&claims.Body{Text: long}), claims.Ask).String(); g != `text="" error=model_error/0` {
			t.Errorf("over the limit: %s", g)
		}
	}
}

func TestMoreIsSaidOnlyOfWhatIsThere(t *testing.T) {
	a, b := delta(`{"content":"a"}`), delta(`{"content":"b"}`)
	role := delta(`{"role":"assistant","content":""}`)
	synctest.Test(t, func(t *testing.T) {
		s := modeltest.NewMemory(t, modeltest.Response{
			modeltest.Raw(data(a, b)), modeltest.Delay(time.Second),
			modeltest.Raw(data(a, role)), modeltest.Delay(time.Second),
			modeltest.Raw(data(a) + "data: {"), modeltest.Delay(time.Second),
			modeltest.Raw("}\n\n" + data(end(`"stop"`), "[DONE]")),
		})
		c := openai.New(openai.Options{BaseURL: s.URL, Model: "m", Transport: s.Client().Transport})
		var log []string
		for d, err := range c.Stream(t.Context(), claims.Ask) {
			if err != nil {
				t.Fatal(err)
			}
			log = append(log, fmt.Sprintf("%s %v", d.Text, d.More))
		}
		// "" false after the role: the writer that was promised more may flush.
		want := "a true|b false|a true| false|a false| false"
		if got := strings.Join(log, "|"); got != want {
			t.Errorf("pieces %q, want %q", got, want)
		}
	})
}

func TestLeavingTheLoopCancelsTheRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := modeltest.NewMemory(t, modeltest.Response{modeltest.Text("a"), modeltest.Stall()})
		c := openai.New(openai.Options{BaseURL: s.URL, Model: "m", Transport: s.Client().Transport})
		for range c.Stream(t.Context(), claims.Ask) {
			break
		}
		synctest.Wait() // the bubble ends only when the server's handler has gone as well
	})
}

func FuzzStream(f *testing.F) {
	f.Add([]byte(data(delta(`{"content":"Hi"}`), end(`"stop"`), "[DONE]")), 0)
	f.Add([]byte("\xef\xbb\xbf: c\r\n\r\ndata:{\ndata:}\n\n"), 1)
	f.Add([]byte(`{"choices":[{"message":{"content":"x"}}]}`), 3)
	f.Add([]byte(data(frag(`{"index":0,"id":"a","function":{"name":"f","arguments":"{"}}`), frag(`{"id":"b"}`))), 5)
	f.Fuzz(func(t *testing.T, raw []byte, step int) {
		g := claims.Read(t, overBody(&claims.Body{Text: string(raw), Step: step % 64}), model.Request{})
		if again := claims.Read(t, overBody(&claims.Body{Text: string(raw)}), model.Request{}); again.String() != g.String() {
			t.Errorf("depends on how the bytes arrive:\n%s\n%s", again, g)
		}
		if len(g.Text)+len(g.Thinking) > 3*len(raw) {
			t.Errorf("%d bytes make %d", len(raw), len(g.Text))
		}
	})
}
