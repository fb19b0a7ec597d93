package mcptool_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tooltypes/mcptool"
)

// told is the progress that a call reports.
type told struct {
	mu   sync.Mutex
	list []string
}

func (o *told) report(p tools.Progress) {
	o.mu.Lock()
	defer o.mu.Unlock()
	text := fmt.Sprint(p.Progress)
	if p.Total != nil {
		text += fmt.Sprint("/", *p.Total)
	}
	if p.Message != "" {
		text += " " + p.Message
	}
	o.list = append(o.list, text)
}

func (o *told) said() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return strings.Join(o.list, ", ")
}

// counting is a tool that counts up to n, and is done.
func counting(n int) mcp.ToolHandler {
	return func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		for i := range n {
			err := r.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{
				ProgressToken: r.Params.GetProgressToken(), Progress: float64(i + 1), Total: float64(n), Message: "step",
			})
			if err != nil {
				return nil, err
			}
		}
		return text("done"), nil
	}
}

// Servers made with the SDK, of both protocols, and a program: all progress arrives, in order, and
// before the call's end.
func TestProgressOfServersMadeWithTheSDK(t *testing.T) {
	const n = 50
	for name, b := range map[string]*bench{
		"2026-07-28": use(t, mcptool.Options{URL: serve(t, newServer(map[string]mcp.ToolHandler{"count": counting(n)}), false)}),
		"2025-11-25": use(t, mcptool.Options{URL: serve(t, newServer(map[string]mcp.ToolHandler{"count": counting(n)}), true)}),
		"parked":     use(t, mcptool.Options{URL: serve(t, newServer(map[string]mcp.ToolHandler{"count": counting(n)}), true), Park: time.Minute}),
		"program":    stdio(t),
	} {
		var o told
		out := b.call(t, tools.Call{Name: "s__count", Report: o.report})
		got := strings.Split(o.said(), ", ")
		if out.Result != "done" || len(got) != n || got[0] != "1/50 step" || got[n-1] != "50/50 step" {
			t.Errorf("%s: %+v, reported %d: %v", name, out, len(got), got)
		}
		if out := b.call(t, tools.Call{Name: "s__count"}); out.Result != "done" { // no listener
			t.Errorf("%s: %+v", name, out)
		}
	}
}

// wire is a server of protocol 2025-11-25 that sends lines of an event stream for a call, in which
// TOKEN is the request's and RESULT its response.
func wire(t *testing.T, lines func(token string) []string) string {
	t.Helper()
	return listen(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var request struct {
			ID     json.RawMessage
			Method string
			Params struct {
				Meta struct {
					Token string `json:"progressToken"`
				} `json:"_meta"`
			}
		}
		if r.Method != http.MethodPost || json.NewDecoder(r.Body).Decode(&request) != nil {
			w.WriteHeader(http.StatusMethodNotAllowed)
			return
		}
		result := func(of string) string { return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, request.ID, of) }
		w.Header().Set("Content-Type", "application/json")
		switch request.Method {
		case "initialize":
			io.WriteString(w, result(`{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"x","version":"1"}}`))
		case "tools/list":
			io.WriteString(w, result(`{"tools":[{"name":"a","inputSchema":{"type":"object"}}]}`))
		case "tools/call":
			w.Header().Set("Content-Type", "text/event-stream")
			for _, line := range lines(request.Params.Meta.Token) {
				line = strings.ReplaceAll(strings.ReplaceAll(line, "TOKEN", request.Params.Meta.Token), "RESULT", result(`{"content":[{"type":"text","text":"done"}]}`))
				io.WriteString(w, line+"\n")
			}
		case "server/discover":
			w.WriteHeader(http.StatusBadRequest)
		default:
			w.WriteHeader(http.StatusAccepted)
		}
	}))
}

const wireResult = "event: message\ndata: RESULT\n"

func progressed(params string) string {
	return "event: message\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":" + params + "}\n"
}

// Messages that servers were reported to send, and the specification's rules for them
// (modelcontextprotocol.io/specification/2025-11-25/basic/utilities/progress, and
// .../2026-07-28/basic/patterns/progress: tokens are those of active requests, values rise).
func TestProgressAsServersSendIt(t *testing.T) {
	for name, c := range map[string]struct {
		lines []string
		want  string
	}{
		// The specification's own example.
		"whole": {[]string{progressed(`{"progressToken":"TOKEN","progress":50,"total":100,"message":"Reticulating splines..."}`), wireResult}, "50/100 Reticulating splines..."},
		// twentyhq/twenty #24559, 2026-08-21: a token that the server made up, with the first event of each call.
		"its own token": {[]string{progressed(`{"progressToken":"tool-call-4","progress":0,"total":1}`), wireResult}, ""},
		// kaeawc/auto-mobile #6118, 2026-09-04, the same; tokens may be numbers.
		"a number as token": {[]string{progressed(`{"progressToken":3,"progress":1}`), wireResult}, ""},
		// anthropics/claude-code #47765, 2026-04-14, and Engine-Room-Games/after-effects-mcp #82,
		// 2026-08-31: after the response.
		"late": {[]string{wireResult, progressed(`{"progressToken":"TOKEN","progress":1,"total":1}`)}, ""},
		// sweetrb/apple-photos-mcp #58, 2026-07-30: the last one, right before the response, is lost by clients that queue it.
		"right before the end": {[]string{progressed(`{"progressToken":"TOKEN","progress":1,"total":2}`), progressed(`{"progressToken":"TOKEN","progress":2,"total":2}`), wireResult}, "1/2, 2/2"},
		// shaun0927/openchrome #954, 2026-05-12: the same value again, while nothing was found.
		"does not rise": {[]string{progressed(`{"progressToken":"TOKEN","progress":1}`), progressed(`{"progressToken":"TOKEN","progress":1,"message":"same"}`), progressed(`{"progressToken":"TOKEN","progress":0.5}`), progressed(`{"progressToken":"TOKEN","progress":1.5}`), wireResult}, "1, 1.5"},
		// PHP's json_encode escapes slashes.
		"an escaped slash": {[]string{`data: {"jsonrpc":"2.0","method":"notifications\/progress","params":{"progressToken":"TOKEN","progress":1}}` + "\n", wireResult}, "1"},
		// Streams that can be resumed number their events.
		"with ids":    {[]string{"id: 1_0\n" + progressed(`{"progressToken":"TOKEN","progress":1}`), "id: 1_1\n" + wireResult}, "1"},
		"no number":   {[]string{progressed(`{"progressToken":"TOKEN","progress":"1"}`), progressed(`{"progressToken":"TOKEN"}`), progressed(`{"progressToken":"TOKEN","progress":null}`), wireResult}, ""},
		"beyond all":  {[]string{progressed(`{"progressToken":"TOKEN","progress":1e999}`), wireResult}, ""},
		"bad parts":   {[]string{progressed(`{"progressToken":"TOKEN","progress":1,"total":"10","message":7}`), progressed(`{"progressToken":"TOKEN","progress":2,"total":1e999,"message":{}}`), wireResult}, "1, 2"},
		"too large":   {[]string{progressed(`{"progressToken":"TOKEN","progress":1,"message":"` + strings.Repeat("x", 64<<10) + `"}`), progressed(`{"progressToken":"TOKEN","progress":2}`), wireResult}, "2"},
		"in one line": {[]string{progressed(`{"progressToken":"TOKEN","progress":1,"message":"  a\r\nevent: done\u2028b\tc  "}`), wireResult}, "1 a event: done b c"},
		"not hidden":  {[]string{progressed(`{"progressToken":"TOKEN","progress":1,"message":"\u202eevil\u200b \u0007\ud83d\ude00"}`), wireResult}, `1 \u202eevil\u200b \u0007😀`},
		"long":        {[]string{progressed(`{"progressToken":"TOKEN","progress":1,"message":"` + strings.Repeat("é", 600) + `"}`), wireResult}, "1 " + strings.Repeat("é", 499) + "…"},
		"a secret":    {[]string{progressed(`{"progressToken":"TOKEN","progress":1,"message":"with hunter2hunter2"}`), wireResult}, "1 with [secret]"},
	} {
		t.Run(name, func(t *testing.T) {
			b := use(t, mcptool.Options{URL: wire(t, func(string) []string { return c.lines }), Secrets: []string{"hunter2hunter2"}})
			var o told
			if out := b.call(t, tools.Call{Name: "s__a", Report: o.report}); out.Result != "done" || o.said() != c.want {
				t.Errorf("%+v, reported %q, want %q", out, o.said(), c.want)
			}
		})
	}
}

// A token belongs to one request: another call's token, and that of a call that is over, match
// nothing.
func TestTokensAreNewForEachRequest(t *testing.T) {
	var tokens []string
	b := use(t, mcptool.Options{URL: wire(t, func(token string) []string {
		lines := []string{progressed(`{"progressToken":"TOKEN","progress":1}`)}
		for i, old := range tokens {
			lines = append(lines, progressed(fmt.Sprintf(`{"progressToken":%q,"progress":%d}`, old, i+2)))
		}
		tokens = append(tokens, token)
		return append(lines, wireResult)
	})})
	var of [3]told
	for i := range of {
		if out := b.call(t, tools.Call{Name: "s__a", Report: of[i].report}); out.Result != "done" {
			t.Errorf("%+v", out)
		}
	}
	for i := range of {
		if got := of[i].said(); got != "1" {
			t.Errorf("for call %d, %s is reported", i, got)
		}
	}
	if slices.Sort(tokens); len(slices.Compact(tokens)) != 3 || len(tokens[0]) < 20 {
		t.Errorf("tokens %q", tokens)
	}
}

// A call that a server sheds and accepts later has a request for each attempt, and so does one that
// asks.
func TestProgressOfACallOfSeveralRequests(t *testing.T) {
	var tokens []any
	b := use(t, mcptool.Options{URL: serve(t, newServer(map[string]mcp.ToolHandler{"a": func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		tokens = append(tokens, r.Params.GetProgressToken())
		err := r.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: r.Params.GetProgressToken(), Progress: float64(len(tokens))})
		switch {
		case err != nil:
			return nil, err
		case len(tokens) == 1:
			return &mcp.CallToolResult{InputRequests: mcp.InputRequestMap{}, RequestState: "busy"}, nil
		case len(tokens) == 2:
			return &mcp.CallToolResult{InputRequests: one(form("Well?", `{}`))}, nil
		}
		return text("done"), nil
	}}), false)})
	var before, after told
	c := tools.Call{Name: "s__a", Report: before.report}
	out := b.call(t, c)
	if out.Question == nil || before.said() != "1, 2" {
		t.Fatalf("%+v %v, reported %s", out, out.Error, before.said())
	}
	c.Report = after.report
	if out := b.answer(t, c, out.Question, value(`true`)); out.Result != "done" || before.said() != "1, 2" || after.said() != "3" {
		t.Errorf("%+v, reported %s and then %s", out, before.said(), after.said())
	}
	if len(tokens) != 3 || tokens[0] == tokens[1] || tokens[1] == tokens[2] {
		t.Errorf("tokens %v", tokens)
	}
}

// Progress of a parked call is reported to the run that continues it.
func TestProgressOfAParkedCall(t *testing.T) {
	b := use(t, mcptool.Options{Park: time.Minute, URL: serve(t, newServer(map[string]mcp.ToolHandler{"a": func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		tell := func(n float64) {
			_ = r.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: r.Params.GetProgressToken(), Progress: n})
		}
		tell(2)
		_, err := r.Session.Elicit(ctx, form("Well?", `{}`))
		tell(1) // does not rise
		tell(3)
		return text("done"), err
	}}), true)})
	var before, after told
	c := tools.Call{Name: "s__a", Report: before.report}
	out := b.call(t, c)
	if out.Question == nil {
		t.Fatalf("%+v %v", out, out.Error)
	}
	c.Report = after.report
	if out := b.answer(t, c, out.Question, value(`true`)); out.Result != "done" || before.said() != "2" || after.said() != "3" {
		t.Errorf("%+v, reported %s and then %s", out, before.said(), after.said())
	}
}

// Progress does not prolong a call: a call that only reports progress ends when its time is over.
func TestProgressDoesNotProlongACall(t *testing.T) {
	over := make(chan struct{})
	defer close(over)
	b := use(t, mcptool.Options{Timeout: time.Second, URL: serve(t, newServer(map[string]mcp.ToolHandler{"a": func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		for i := 1; ; i++ {
			_ = r.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: r.Params.GetProgressToken(), Progress: float64(i)})
			select {
			case <-over:
				return text("done"), nil
			case <-ctx.Done():
				return nil, ctx.Err()
			case <-time.After(10 * time.Millisecond):
			}
		}
	}}), false)})
	b.members(t)
	var o told
	if out := b.call(t, tools.Call{Name: "s__a", Report: o.report}); out.Error == nil || out.Error.Code != tools.CodeToolTimeout || o.said() == "" {
		t.Errorf("%+v, told %s", out, o.said())
	}
}

// A long call may send more progress than the size limit of a response: progress does not count,
// nor do the lines around messages. What is passed on still counts.
func TestProgressDoesNotCountAsTheResponse(t *testing.T) {
	const most = 4 << 20 // docs/tools/mcp.md
	long := strings.Repeat("x", 60<<10)
	for name, c := range map[string]struct {
		line  string // sent until there is more than the limit
		fails bool
	}{
		"progress":   {line: progressed(`{"progressToken":"TOKEN","progress":1,"message":"` + long + `"}`)},
		"a comment":  {line: ": " + long + "\n"},
		"other news": {line: `data: {"jsonrpc":"2.0","method":"notifications/message","params":{"level":"debug","data":"` + long + `"}}` + "\n", fails: true},
	} {
		b := use(t, mcptool.Options{URL: wire(t, func(string) []string {
			return append(slices.Repeat([]string{c.line}, most/len(long)+1), wireResult)
		})})
		if out := b.call(t, tools.Call{Name: "s__a"}); (out.Result == "done") == c.fails {
			t.Errorf("%s: %q, %+v", name, out.Result, out.Error)
		}
	}
}

// Progress that a server sends without end is read as fast as it is handled, and nothing is
// buffered.
func TestAFloodOfProgressIsTakenInAsItComes(t *testing.T) {
	b := stdio(t)
	n, last := 0, 0.
	out := b.call(t, tools.Call{Name: "s__flood", Report: func(p tools.Progress) { n++; last = p.Progress }})
	if out.Result != "done" || n != floods || last != floods {
		t.Errorf("%+v, reported %d, up to %v", out.Error, n, last)
	}
}

const floods = 20_000

// flood bypasses the SDK, which is slow.
func flood(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	var all bytes.Buffer
	for i := range floods {
		fmt.Fprintf(&all, `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%q,"progress":%d,"message":"step"}}`+"\n", r.Params.GetProgressToken(), i+1)
	}
	_, err := os.Stdout.Write(all.Bytes())
	return text("done"), err
}

func FuzzProgress(f *testing.F) {
	for _, s := range []string{
		`{"progressToken":"TOKEN","progress":1,"total":2,"message":"m"}`, `{"progressToken":"TOKEN","progress":1e999}`, `{"progressToken":7,"progress":-0}`,
		`{"progressToken":"TOKEN","progress":1,"message":"\u202e\ud800"}`, `[]`, `null`, ``, `{"progressToken":"TOKEN","PROGRESS":3,"progress":2}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, params []byte) {
		mcptool.Progressed(params, "TOKEN", func(p tools.Progress) {
			if raw, err := json.Marshal(p); err != nil || strings.ContainsAny(p.Message, "\n\r\u2028\u2029\u0085") || len([]rune(p.Message)) > 500 {
				t.Errorf("%s %v", raw, err)
			}
		})
	})
}
