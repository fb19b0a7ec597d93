package mcptool_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tooltypes/mcptool"
)

func TestOfferedNamesAreThoseThatModelsTake(t *testing.T) {
	server := newServer(map[string]mcp.ToolHandler{
		"plain": says("plain"), "a.b/c": says("dots"), "a_b_c": says("taken"), strings.Repeat("x", 100): says("long"),
	})
	b := use(t, mcptool.Options{URL: serve(t, server, false)})
	if got := b.listed(t); got != "s__a_b_c s__plain s__"+strings.Repeat("x", 52)+"_"+got[len(got)-8:] {
		t.Fatalf("offered %s", got)
	}
	for _, d := range b.members(t) {
		if len(d.Name) > 64 {
			t.Errorf("%s has %d characters", d.Name, len(d.Name))
		}
		if out := b.call(t, tools.Call{Name: d.Name}); out.Result == "" {
			t.Errorf("%s: %+v", d.Name, out.Error)
		}
	}
	if out := b.call(t, tools.Call{Name: "s__a_b_c"}); out.Result != "dots" { // the first in order
		t.Errorf("%+v", out)
	}
	if !strings.Contains(b.log.String(), "tool of mcp server left out") {
		t.Errorf("the log has no entry: %s", b.log)
	}
}

// What decides about a tool's calls is configured by the server's name for it. A tool that is not
// named must not pass for one that is, only because models cannot be told both names.
func TestAToolDoesNotHaveTheApprovalOfAnother(t *testing.T) {
	server := newServer(map[string]mcp.ToolHandler{"a.b": says("dots"), "a_b": says("named"), "c.d": says("other")})
	b := use(t, mcptool.Options{URL: serve(t, server, false), Approvals: []string{"a_b", "c_d"}})
	if got := b.listed(t); got != "s__a_b" {
		t.Fatalf("offered %s", got)
	}
	if out := b.call(t, tools.Call{Name: "s__a_b"}); out.Result != "named" {
		t.Errorf("%+v", out)
	}
}

func TestOnlyNamedToolsAreTaken(t *testing.T) {
	server := newServer(map[string]mcp.ToolHandler{"a": says("a"), "b": says("b"), "c": says("c")})
	b := use(t, mcptool.Options{URL: serve(t, server, false), Tools: []string{"c", "a", "gone"}})
	if got := b.listed(t); got != "s__a s__c" {
		t.Errorf("offered %s", got)
	}
	if out := b.call(t, tools.Call{Name: "s__b"}); out.Error == nil || out.Error.Code != tools.CodeNotAvailable {
		t.Errorf("%+v", out)
	}
}

// raw is a server that responds to tools/list and tools/call with the given texts, as no SDK would.
func raw(t *testing.T, list, result string) string {
	t.Helper()
	return listen(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var request struct {
			ID     json.RawMessage
			Method string
		}
		if r.Method != http.MethodPost || json.NewDecoder(r.Body).Decode(&request) != nil {
			w.WriteHeader(http.StatusMethodNotAllowed)
			return
		}
		answer := ""
		switch request.Method {
		case "initialize":
			answer = `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"x","version":"1"}}`
		case "tools/list":
			answer = list
		case "tools/call":
			answer = result
		case "server/discover":
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		if answer == "" {
			w.WriteHeader(http.StatusAccepted)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, request.ID, answer)
	}))
}

func TestToolsThatCannotBeOfferedAreLeftOut(t *testing.T) {
	deep := strings.Repeat(`{"properties":{"a":`, 40) + "{}" + strings.Repeat("}}", 40)
	bomb := `{"type":"object","$defs":{"a":{}`
	for i := range 40 {
		bomb += fmt.Sprintf(`,"x%d":{"allOf":[{"$ref":"#/$defs/x%d"},{"$ref":"#/$defs/x%d"}]}`, i, i+1, i+1)
	}
	bomb += `,"x40":{}},"properties":{"a":{"$ref":"#/$defs/x0"}}}`
	for name, schema := range map[string]string{
		"a list":       `[]`,
		"a string":     `{"type":"string"}`,
		"no schema":    `{"type":"object","properties":{"a":{"type":"strnig"}}}`,
		"a file":       `{"type":"object","properties":{"a":{"$ref":"file:///etc/passwd"}}}`,
		"an address":   `{"type":"object","properties":{"a":{"$ref":"http://169.254.169.254/"}}}`,
		"deep":         deep,
		"long":         `{"type":"object","description":"` + strings.Repeat("x", 40<<10) + `"}`,
		"exponential":  bomb,
		"a bad regexp": `{"type":"object","properties":{"a":{"pattern":"("}}}`,
	} {
		list := `{"tools":[{"name":"good","inputSchema":{"type":"object"}},{"name":"bad","inputSchema":` + schema + `}]}`
		b := use(t, mcptool.Options{URL: raw(t, list, `{}`)})
		if got := b.listed(t); got != "s__good" {
			t.Errorf("%s: offered %q, log %s", name, got, b.log)
		}
	}
}

// Handwritten servers follow the protocol in spirit rather than to the letter.
func TestServersOfFewWords(t *testing.T) {
	b := use(t, mcptool.Options{URL: listen(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var request struct {
			ID     json.RawMessage
			Method string
		}
		_ = json.NewDecoder(r.Body).Decode(&request)
		answer := map[string]string{
			"initialize": `"result":{"protocolVersion":"2024-11-05","capabilities":{},"serverInfo":{"name":"x","version":"1"}}`,
			"tools/list": `"result":{"tools":[{"name":"t"}]}`,
			"tools/call": `"result":{"content":[{"type":"text","text":"done"}]}`,
		}[request.Method]
		switch {
		case r.Method != http.MethodPost:
			w.WriteHeader(http.StatusNotFound)
			return
		case request.ID == nil:
			w.WriteHeader(http.StatusOK)
			return
		case answer == "":
			answer = `"error":{"code":-32601,"message":"unknown method"}`
		}
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,%s}`, request.ID, answer)
	}))})
	if got := b.listed(t); got != "s__t" {
		t.Fatalf("offered %s, log %s", got, b.log)
	}
	if out := b.call(t, tools.Call{Name: "s__t"}); out.Result != "done" {
		t.Errorf("%+v %v", out, out.Error)
	}
}

func TestServerWithoutTools(t *testing.T) {
	b := use(t, mcptool.Options{URL: serve(t, newServer(nil), false)})
	if got := b.listed(t); got != "" {
		t.Errorf("offered %s", got)
	}
}

func TestAsManyToolsAsModelsTake(t *testing.T) {
	var list []string
	for i := range 5000 {
		list = append(list, fmt.Sprintf(`{"name":"t%04d","description":"\u202e\u0000%s","inputSchema":{"type":"object"}}`, i, strings.Repeat("ä", 300)))
	}
	b := use(t, mcptool.Options{URL: raw(t, `{"tools":[`+strings.Join(list, ",")+`]}`, `{}`)})
	members := b.members(t)
	if len(members) != 128 || members[0].Name != "s__t0000" || strings.ContainsAny(members[0].Description, "\u202e\x00") {
		t.Errorf("%d tools, the first %.60q", len(members), members[0].Description)
	}
	if !strings.Contains(b.log.String(), "too many tools") {
		t.Error("the log has no entry")
	}
}

func TestResults(t *testing.T) {
	for name, c := range map[string]struct{ result, want string }{
		"text":        {`{"content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}`, "a\nb"},
		"structured":  {`{"content":[],"structuredContent":{"n":1}}`, `{"n":1}`},
		"both":        {`{"content":[{"type":"text","text":"a"}],"structuredContent":{"n":1}}`, "a"},
		"picture":     {`{"content":[{"type":"image","mimeType":"image/png","data":"aGFsbG8="}]}`, "[image image/png, 5 bytes: for the user to see, not for you]"},
		"both unread": {`{"content":[{"type":"resource_link","name":"n","uri":"file:///x"}],"structuredContent":{"n":1}}`, "[link: n file:///x]\n{\"n\":1}"},
		"link":        {`{"content":[{"type":"resource_link","name":"n","uri":"file:///x"}]}`, "[link: n file:///x]"},
		"resource":    {`{"content":[{"type":"resource","resource":{"uri":"x:y","text":"inside"}}]}`, "inside"},
		"nothing":     {`{"content":[]}`, "(no content)"},
		"error":       {`{"content":[{"type":"text","text":"no such page"}],"isError":true}`, "TOOL_FAILED no such page"},
		"not UTF-8":   {`{"content":[{"type":"text","text":"a` + "\xff" + `b"}]}`, "a\ufffdb"},
		"the secret":  {`{"content":[{"type":"text","text":"token hunter2hunter2!"}]}`, "token [secret]!"},
		"long":        {`{"content":[{"type":"text","text":"` + strings.Repeat("x", 100<<10) + `"}]}`, strings.Repeat("x", 64<<10)},
		"no result":   {`7`, "TOOL_FAILED The server of this tool cannot be reached, or did not answer properly. Try again later, or go on without it."},
		"ten million": {`{"content":[{"type":"text","text":"` + strings.Repeat("x", 10<<20) + `"}]}`, "TOOL_FAILED The server of this tool cannot be reached, or did not answer properly. Try again later, or go on without it."},
	} {
		url := raw(t, `{"tools":[{"name":"t","inputSchema":{"type":"object"}}]}`, c.result)
		b := use(t, mcptool.Options{URL: url, Headers: map[string]string{"Authorization": "Bearer hunter2hunter2"}, Secrets: []string{"Bearer hunter2hunter2"}})
		out := b.call(t, tools.Call{Name: "s__t"})
		got := out.Result
		if out.Error != nil {
			got = out.Error.Code + " " + out.Error.Message
		}
		if got != c.want {
			t.Errorf("%s: %.200q, want %.200q", name, got, c.want)
		}
		if strings.Contains(b.log.String(), "hunter2") {
			t.Errorf("%s: the log contains the secret", name)
		}
	}
}

func TestHeadersAreSentAndTheProtocolsOwnStay(t *testing.T) {
	server := newServer(map[string]mcp.ToolHandler{"who": func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return text(r.Extra.Header.Get("X-Team") + " " + r.Extra.Header.Get("Content-Type")), nil
	}})
	b := use(t, mcptool.Options{URL: serve(t, server, false), Headers: map[string]string{"X-Team": "red", "Content-Type": "text/plain"}})
	if out := b.call(t, tools.Call{Name: "s__who"}); out.Result != "red application/json" {
		t.Errorf("%+v", out)
	}
}

func TestListsFollowTheServer(t *testing.T) {
	for _, old := range []bool{false, true} {
		server := newServer(map[string]mcp.ToolHandler{"a": says("a")})
		b := use(t, mcptool.Options{URL: serve(t, server, old)})
		if got := b.listed(t); got != "s__a" {
			t.Fatalf("old %v: offered %s", old, got)
		}
		server.AddTool(&mcp.Tool{Name: "b", InputSchema: nothing}, says("b"))
		server.RemoveTools("a")
		eventually(t, "b is offered in place of a", func() bool { return b.names() == "s__b" })
		if out := b.call(t, tools.Call{Name: "s__a"}); out.Error == nil || out.Error.Code != tools.CodeNotAvailable {
			t.Errorf("old %v: %+v", old, out)
		}
	}
}

func TestServerThatIsDownIsWaitedForOnceAndComesBack(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	l.Close()
	b := use(t, mcptool.Options{URL: "http://" + address})
	if got := b.names(); got != "" {
		t.Errorf("offered %s", got)
	}
	if out := b.call(t, tools.Call{Name: "s__a"}); out.Error == nil || out.Error.Code != tools.CodeToolFailed {
		t.Errorf("%+v", out)
	}
	if s := b.pool.Statuses(); len(s) != 1 || s[0].Up {
		t.Errorf("%+v", s)
	}
	if l, err = net.Listen("tcp", address); err != nil {
		t.Fatal(err)
	}
	up := httptest.NewUnstartedServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server {
		return newServer(map[string]mcp.ToolHandler{"a": says("back")})
	}, &mcp.StreamableHTTPOptions{Stateless: true}))
	up.Listener = l
	up.Start()
	t.Cleanup(func() { up.CloseClientConnections(); up.Close() })
	eventually(t, "the call reaches it", func() bool { return b.call(t, tools.Call{Name: "s__a"}).Result == "back" })
	if s := b.pool.Statuses(); s[0].Up != true || s[0].Tools != 1 {
		t.Errorf("%+v", s)
	}
}

func TestSlowServerHoldsUpNobodyForLong(t *testing.T) {
	t.Parallel()
	hang := make(chan struct{})
	url := listen(t, http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-hang }))
	t.Cleanup(func() { close(hang) })
	b := use(t, mcptool.Options{Timeout: 300 * time.Millisecond, URL: url})
	if got := b.names(); got != "" { // waits for the first attempt at most
		t.Errorf("offered %s", got)
	}
	if out := b.call(t, tools.Call{Name: "s__a"}); out.Error == nil {
		t.Errorf("%+v", out)
	}
}

func TestSlowCallEndsInTime(t *testing.T) {
	t.Parallel()
	ended := make(chan struct{})
	server := newServer(map[string]mcp.ToolHandler{"slow": func(ctx context.Context, _ *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		<-ctx.Done()
		close(ended)
		return nil, ctx.Err()
	}})
	b := use(t, mcptool.Options{URL: serve(t, server, true), Timeout: 500 * time.Millisecond})
	b.members(t)
	if out := b.call(t, tools.Call{Name: "s__slow"}); out.Error == nil || out.Error.Code != tools.CodeToolTimeout {
		t.Errorf("%+v", out)
	}
	<-ended // the server learns of it
}

func TestServersLeadNowhereElse(t *testing.T) {
	var reached atomic.Bool
	elsewhere := listen(t, http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached.Store(true) }))
	for _, target := range []string{elsewhere, "http://169.254.169.254/latest/meta-data/"} {
		b := use(t, mcptool.Options{URL: listen(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, target, http.StatusTemporaryRedirect)
		}))})
		if got := b.names(); got != "" {
			t.Errorf("offered %s", got)
		}
	}
	if reached.Load() {
		t.Error("a redirect was followed to another host")
	}
}

func TestForgottenSessionIsBegunAgain(t *testing.T) {
	t.Parallel()
	server := newServer(map[string]mcp.ToolHandler{"a": says("a")})
	b := use(t, mcptool.Options{URL: serve(t, server, true)})
	if out := b.call(t, tools.Call{Name: "s__a"}); out.Result != "a" {
		t.Fatalf("%+v", out)
	}
	for session := range server.Sessions() {
		session.Close()
	}
	eventually(t, "a call goes through", func() bool { return b.call(t, tools.Call{Name: "s__a"}).Result == "a" })
}

func TestServersAreSharedAndEndWithTheirLastUser(t *testing.T) {
	server := newServer(map[string]mcp.ToolHandler{"a": says("a")})
	o := mcptool.Options{URL: serve(t, server, true)}
	b := use(t, o)
	b.members(t)
	o.ID, o.Timeout = "s", 20*time.Second
	again, err := b.pool.Tool(o, asking())
	if err != nil {
		t.Fatal(err)
	}
	o.Timeout = 21 * time.Second
	other, err := b.pool.Tool(o, asking())
	if err != nil {
		t.Fatal(err)
	}
	(&bench{family: other, pool: b.pool, log: b.log}).members(t) // the session of a server that is left while it is connected is forgotten
	if n := len(b.pool.Statuses()); n != 2 {
		t.Errorf("%d servers", n)
	}
	b.Close()
	b.Close() // once counts
	other.Close()
	if out := (&bench{family: again, pool: b.pool, log: b.log}).call(t, tools.Call{Name: "s__a"}); out.Result != "a" {
		t.Errorf("%+v", out)
	}
	again.Close()
	b.pool.Wait(t.Context())
	if n := len(b.pool.Statuses()); n != 0 {
		t.Errorf("%d servers are left", n)
	}
	eventually(t, "the sessions have ended", func() bool {
		for range server.Sessions() {
			return false
		}
		return true
	})
	if out := b.call(t, tools.Call{Name: "s__a"}); out.Error == nil || out.Error.Code != tools.CodeToolFailed {
		t.Errorf("a closed tool: %+v", out)
	}
}

func TestArgumentsAreCheckedBeforeTheServerSeesThem(t *testing.T) {
	server := mcp.NewServer(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	server.AddTool(&mcp.Tool{Name: "a", Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true}, InputSchema: map[string]any{
		"type": "object", "properties": map[string]any{"n": map[string]any{"type": "integer"}}, "required": []string{"n"},
	}}, func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return text(string(r.Params.Arguments)), nil
	})
	server.AddTool(&mcp.Tool{Name: "b", InputSchema: nothing}, says("b"))
	b := use(t, mcptool.Options{URL: serve(t, server, false)})
	b.members(t)
	if out := b.call(t, tools.Call{Name: "s__a", Arguments: `{"n":"x"}`}); out.Error == nil || out.Error.Code != tools.CodeInvalidArguments {
		t.Errorf("%+v", out)
	}
	if out := b.call(t, tools.Call{Name: "s__a", Arguments: `{"z":1.50,"n":12345678901234567890,"a":[1e2]}`}); out.Result != `{"z":1.50,"n":12345678901234567890,"a":[1e2]}` {
		t.Errorf("%+v", out)
	}
	// The server reads exactly what was checked, whichever of two it would take.
	if out := b.call(t, tools.Call{Name: "s__a", Arguments: `{"n":"unchecked","n":1}`}); out.Error == nil || out.Error.Code != tools.CodeInvalidArguments {
		t.Errorf("%+v", out)
	}
	if !b.Repeatable(tools.Call{Name: "s__a"}) || b.Repeatable(tools.Call{Name: "s__b"}) || b.Repeatable(tools.Call{Name: "s__c"}) {
		t.Error("only a tool that the server declares read-only may run again after a crash")
	}
}

func TestWhatTheServerRefusesIsTold(t *testing.T) {
	server := newServer(map[string]mcp.ToolHandler{"a": func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return nil, errors.New("the flux is\u202e missing")
	}})
	b := use(t, mcptool.Options{URL: serve(t, server, false)})
	b.members(t)
	if out := b.call(t, tools.Call{Name: "s__a"}); out.Error == nil || !strings.Contains(out.Error.Message, "the flux is missing") || out.Error.Cause != "" {
		t.Errorf("%+v", out.Error)
	}
}
