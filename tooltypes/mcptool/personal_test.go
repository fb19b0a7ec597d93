package mcptool_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tooltypes/mcptool"
)

// caller returns a caller with a token.
func caller(subject string) tools.Caller {
	return tools.Caller{Tenant: "acme", Subject: subject, App: "a", Chat: "c", Claims: map[string]string{"token": "token-of-" + subject}}
}

// bearer are options with the caller's token in a header.
func bearer(url string) mcptool.Options {
	return mcptool.Options{URL: url, Headers: map[string]string{"Authorization": "Bearer {caller.claims.token}", "X-Key": "k"}, Personal: []string{"Authorization"}}
}

// perCaller serves a server of its own to each Authorization, and counts the requests by it.
type perCaller struct {
	url string

	mu      sync.Mutex
	servers map[string]*mcp.Server
	seen    map[string]int
}

func servePerCaller(t testing.TB, old bool, made func(authorization string) *mcp.Server) *perCaller {
	t.Helper()
	p := &perCaller{servers: map[string]*mcp.Server{}, seen: map[string]int{}}
	handler := mcp.NewStreamableHTTPHandler(func(r *http.Request) *mcp.Server {
		p.mu.Lock()
		defer p.mu.Unlock()
		who := r.Header.Get("Authorization")
		if p.servers[who] == nil {
			p.servers[who] = made(who)
			if old {
				beforeStateless(p.servers[who])
			}
		}
		return p.servers[who]
	}, &mcp.StreamableHTTPOptions{Stateless: !old})
	p.url = listen(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.mu.Lock()
		p.seen[r.Header.Get("Authorization")]++
		p.mu.Unlock()
		handler.ServeHTTP(w, r)
	}))
	return p
}

// callers returns the Authorizations of all requests so far.
func (p *perCaller) callers() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	var list []string
	for who := range p.seen {
		list = append(list, who)
	}
	slices.Sort(list)
	return strings.Join(list, ", ")
}

// requests returns how many requests came with a caller's token.
func (p *perCaller) requests(who string) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.seen["Bearer token-of-"+who]
}

func (p *perCaller) server(who string) *mcp.Server {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.servers[who]
}

// ownTools offers "who", and to Alice "admin".
func ownTools(authorization string) *mcp.Server {
	list := map[string]mcp.ToolHandler{"who": says(strings.TrimPrefix(authorization, "Bearer token-of-"))}
	server := newServer(list)
	if authorization == "Bearer token-of-alice" {
		server.AddTool(&mcp.Tool{Name: "admin", InputSchema: nothing, Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true}}, says("done"))
	}
	return server
}

func (b *bench) sessions() int { return b.pool.Statuses()[0].Sessions }

func TestEachCallerHasTheirOwnHeadersAndTools(t *testing.T) {
	for _, old := range []bool{false, true} {
		p := servePerCaller(t, old, ownTools)
		b := use(t, bearer(p.url), func(p *mcptool.Pool) { p.Hasty(10*time.Millisecond, time.Second) })
		alice, bob := b.as(caller("alice")), b.as(caller("bob"))
		if b.names() != "" || p.callers() != "" {
			t.Fatalf("before a turn needs it, %q is offered, and %q called", b.names(), p.callers())
		}
		if got := alice.names() + "; " + bob.names(); got != "s__admin s__who; s__who" {
			t.Errorf("offered %s", got)
		}
		for who, of := range map[string]*bench{"alice": alice, "bob": bob} {
			if out := of.call(t, tools.Call{Name: "s__who"}); out.Result != who {
				t.Errorf("%s: %+v %v", who, out, out.Error)
			}
		}
		if admin := (tools.Call{Name: "s__admin"}); !alice.Repeatable(admin) || bob.Repeatable(admin) || b.Repeatable(admin) {
			t.Error("what Alice's server says of her tools holds for her alone, and it does not")
		}
		if out := bob.call(t, tools.Call{Name: "s__admin"}); out.Error == nil || out.Error.Code != tools.CodeNotAvailable {
			t.Errorf("Bob calls a tool of Alice's: %+v", out)
		}
		if out := b.call(t, tools.Call{Name: "s__who"}); out.Error == nil || out.Error.Code != tools.CodeToolFailed || !strings.Contains(out.Error.Message, "no caller") {
			t.Errorf("without a caller: %+v", out.Error)
		}
		for _, who := range []string{"alice", "bob"} { // pings have the header, too
			before := p.requests(who)
			eventually(t, who+"'s session is pinged", func() bool { return p.requests(who) > before })
		}
		b.Close()
		b.pool.Wait(t.Context())
		if got := p.callers(); got != "Bearer token-of-alice, Bearer token-of-bob" {
			t.Errorf("requests of %s", got)
		}
	}
}

// Callers share a session if the values in the headers are the same, and only then.
func TestSessionsAreKeptApartByTheValuesUsed(t *testing.T) {
	url := serve(t, newServer(map[string]mcp.ToolHandler{"a": says("a")}), false)
	for header, callers := range map[string]struct {
		list []tools.Caller
		want int
	}{
		"{caller.tenant}":                  {[]tools.Caller{caller("alice"), caller("bob")}, 1},
		"{caller.subject}@{caller.tenant}": {[]tools.Caller{caller("alice"), caller("bob"), {Tenant: "other", Subject: "bob"}}, 3},
		"{caller.tenant}{caller.subject}":  {[]tools.Caller{{Tenant: "a", Subject: "bc"}, {Tenant: "ab", Subject: "c"}}, 2}, // the same header
		"{chat.id}":                        {[]tools.Caller{{Subject: "a", Chat: "1"}, {Subject: "a", Chat: "2"}}, 2},
	} {
		b := use(t, mcptool.Options{URL: url, Headers: map[string]string{"X": header}, Personal: []string{"X"}})
		for _, who := range callers.list {
			if got := b.as(who).names(); got != "s__a" {
				t.Errorf("%s: offered %q", header, got)
			}
		}
		if n := b.sessions(); n != callers.want {
			t.Errorf("%s: %d sessions, want %d", header, n, callers.want)
		}
	}
}

// A caller for whom no header can be sent is offered nothing, and the server gets no request.
func TestCallersWithoutAHeader(t *testing.T) {
	p := servePerCaller(t, false, ownTools)
	b := use(t, bearer(p.url))
	for name, c := range map[string]struct {
		claims map[string]string
		want   string
	}{
		"missing":       {nil, "has no claim token that is"},
		"line ends":     {map[string]string{"token": "sesame\r\nX-Admin: 1"}, "header Authorization: the value cannot be sent"},
		"not ASCII":     {map[string]string{"token": "sesäme"}, "only printable ASCII"},
		"empty":         {map[string]string{"token": ""}, "has no claim token that is"},
		"very long":     {map[string]string{"token": strings.Repeat("sesame", 2000)}, "header Authorization would have 12007 bytes; the limit is 4096"},
		"spaces around": {map[string]string{"token": "sesame "}, "header Authorization: the value cannot be sent"},
	} {
		of := b.as(tools.Caller{Subject: "alice", Claims: c.claims})
		for range 3 {
			if got := of.names(); got != "" {
				t.Errorf("%s: offered %s", name, got)
			}
		}
		out := of.call(t, tools.Call{Name: "s__who"})
		if out.Error == nil || out.Error.Code != tools.CodeToolFailed || !strings.Contains(out.Error.Message, c.want) || strings.Contains(out.Error.Message+out.Error.Cause, "ses") {
			t.Errorf("%s: %+v", name, out.Error)
		}
		if _, err := of.Run(t.Context(), tools.Call{Name: "s__who"}); err == nil {
			t.Errorf("%s: it runs", name)
		}
	}
	if got := p.callers(); got != "" {
		t.Errorf("requests of %q", got)
	}
	log := b.log.String()
	if n := strings.Count(log, "mcp server is not offered to a caller"); n != 3 || strings.Contains(log, "ses") { // reasons
		t.Errorf("%d lines: %s", n, log)
	}
}

// A reload keeps the sessions of servers whose entries stay.
func TestSessionsStayAsLongAsAToolNeedsTheirServer(t *testing.T) {
	p := servePerCaller(t, true, ownTools)
	o := bearer(p.url)
	b := use(t, o)
	before := b.as(caller("alice"))
	before.names()
	o.ID, o.Timeout = "s", 20*time.Second
	after := &bench{family: b.offer(t, o), pool: b.pool, log: b.log}
	b.Close()
	before.Close() // the tool of a caller holds nothing
	if got := after.as(caller("alice")).names(); got != "s__admin s__who" || strings.Count(b.log.String(), "mcp server connected") != 1 {
		t.Errorf("offered %s, log %s", got, b.log)
	}
	after.Close()
	b.pool.Wait(t.Context())
	if n := len(b.pool.Statuses()); n != 0 {
		t.Errorf("%d servers", n)
	}
	if out := after.as(caller("bob")).call(t, tools.Call{Name: "s__who"}); out.Error == nil {
		t.Errorf("a closed server is connected to: %+v", out)
	}
}

func TestAServerThatChangesItsListForOneCaller(t *testing.T) {
	p := servePerCaller(t, true, ownTools)
	b := use(t, bearer(p.url))
	alice, bob := b.as(caller("alice")), b.as(caller("bob"))
	alice.names()
	bob.names()
	p.server("Bearer token-of-bob").AddTool(&mcp.Tool{Name: "extra", InputSchema: nothing}, says("extra"))
	eventually(t, "Bob has the tool", func() bool { return bob.names() == "s__extra s__who" })
	if got := alice.names(); got != "s__admin s__who" {
		t.Errorf("Alice is offered %s", got)
	}
}

// What a server asks one caller is not answered by another, even if the question got into their hands.
func TestQuestionsOfTwoCallers(t *testing.T) {
	var mu sync.Mutex
	got := map[string]string{}
	p := servePerCaller(t, true, func(who string) *mcp.Server {
		return newServer(map[string]mcp.ToolHandler{"a": func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			answer, err := r.Session.Elicit(ctx, form("For "+strings.TrimPrefix(who, "Bearer token-of-")+"?", `{"a":{"type":"string"}}`, "a"))
			if err != nil {
				return nil, err
			}
			mu.Lock()
			defer mu.Unlock()
			got[who] += fmt.Sprint(answer.Action, answer.Content["a"], ";")
			return text("done"), nil
		}})
	})
	o := bearer(p.url)
	o.Park = time.Minute
	b := use(t, o)
	alice, bob := b.as(caller("alice")), b.as(caller("bob"))
	hers, his := alice.call(t, call), bob.call(t, call)
	if hers.Question == nil || !strings.Contains(hers.Question.Parts[0].Question, "alice") || his.Question == nil || !strings.Contains(his.Question.Parts[0].Question, "bob") {
		t.Fatalf("asked %+v and %+v", hers, his)
	}
	if out := bob.answer(t, call, hers.Question, value(`"not mine"`)); out.Error == nil || out.Error.Code != tools.CodeInterrupted {
		t.Errorf("Bob answers Alice's question: %+v", out)
	}
	if out := alice.answer(t, call, hers.Question, value(`"mine"`)); out.Result != "done" {
		t.Errorf("%+v %v", out, out.Error)
	}
	// The tool without a caller can end the question, too.
	if out, err := b.Resume(t.Context(), call, *his.Question, tools.Closing{State: tools.StateSuperseded}); err != nil || !strings.Contains(out.Result, "superseded") {
		t.Errorf("%+v %v", out, err)
	}
	eventually(t, "both servers have their answers", func() bool {
		mu.Lock()
		defer mu.Unlock()
		return got["Bearer token-of-alice"] == "acceptmine;" && got["Bearer token-of-bob"] == "cancel<nil>;"
	})
}

// The answer of a caller that arrives at another node reaches the call of that caller.
func TestAnAnswerToAnotherNodeReachesTheCallOfItsCaller(t *testing.T) {
	p := servePerCaller(t, true, func(string) *mcp.Server { return inside(form("Sure?", `{"a":{"type":"integer"}}`, "a")) })
	between := &relay{left: map[string][]byte{}}
	o := bearer(p.url)
	o.Park = time.Minute
	join := func(p *mcptool.Pool) { p.Related(between) }
	holder, taker := use(t, o, join), use(t, o, join)
	asked := holder.as(caller("alice")).call(t, call)
	if asked.Question == nil {
		t.Fatalf("%+v %v", asked, asked.Error)
	}
	if out := taker.as(caller("alice")).answer(t, call, asked.Question, value(`3`)); out.Result != `accept{"a":3};` {
		t.Errorf("%+v %v", out, out.Error)
	}
	asked = holder.as(caller("bob")).call(t, call)
	if _, err := taker.Resume(t.Context(), call, *asked.Question, tools.Closing{State: tools.StateSuperseded}); err != nil {
		t.Error(err)
	}
	eventually(t, "the holder has taken the cancellation", func() bool {
		between.mu.Lock()
		defer between.mu.Unlock()
		return len(between.left) == 0
	})
}

func TestSoManyCallsOfACallerAreHeldOpen(t *testing.T) {
	p := servePerCaller(t, true, func(string) *mcp.Server { return inside(form("Well?", `{}`)) })
	o := bearer(p.url)
	o.Park = time.Minute
	b := use(t, o).as(caller("alice"))
	for range mcptool.MaxParkedOfCaller {
		if out := b.call(t, call); out.Question == nil {
			t.Fatalf("%+v %v", out, out.Error)
		}
	}
	if out := b.call(t, call); !strings.HasPrefix(out.Result, "cancelnull;\n[The server wanted to ask the user") {
		t.Errorf("one more: %+v %v", out, out.Error)
	}
}

// Headers with values of a caller go to no other server.
func TestHeadersOfCallersDoNotFollowARedirect(t *testing.T) {
	caught := servePerCaller(t, false, ownTools)
	url := listen(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, caught.url, http.StatusTemporaryRedirect)
	}))
	b := use(t, bearer(url)).as(caller("alice"))
	if out := b.call(t, tools.Call{Name: "s__who"}); out.Error == nil || strings.Contains(out.Error.Message, "token-of") {
		t.Errorf("%+v %v", out, out.Error)
	}
	if got := caught.callers(); got != "" {
		t.Errorf("the other server got %s", got)
	}
	if strings.Contains(b.log.String(), "token-of") {
		t.Errorf("log %s", b.log)
	}
}

// A caller's credentials are hidden from the model. Other values of theirs are what results are
// about, and are hidden in errors only.
func TestValuesOfACallerInWhatAServerSays(t *testing.T) {
	const echo = "alice@example.org has token-of-alice"
	p := servePerCaller(t, false, func(string) *mcp.Server {
		return newServer(map[string]mcp.ToolHandler{"ok": says(echo), "bad": func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			r := text(echo)
			r.IsError = true
			return r, nil
		}, "worse": func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return nil, fmt.Errorf("no: %s", echo)
		}})
	})
	o := bearer(p.url)
	o.Headers["X-User"], o.Personal = "{caller.subject}", []string{"Authorization", "X-User"}
	who := caller("alice")
	who.Subject = "alice@example.org"
	b := use(t, o).as(who)
	if out := b.call(t, tools.Call{Name: "s__ok"}); out.Result != "alice@example.org has [secret]" {
		t.Errorf("%+v %v", out, out.Error)
	}
	for _, name := range []string{"s__bad", "s__worse"} {
		if out := b.call(t, tools.Call{Name: name}); out.Error == nil || !strings.Contains(out.Error.Message, "[secret] has [secret]") {
			t.Errorf("%s: %+v", name, out.Error)
		}
	}
}
