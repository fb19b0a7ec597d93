package api_test

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/model"
	"github.com/askgate/askgate/gateway/prove/testdb"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/gateway/stream"
	"github.com/askgate/askgate/gateway/turn"
)

// obeying is a model that calls the tool that the newest message names, and then repeats its result.
type obeying struct{}

func (obeying) Stream(_ context.Context, req model.Request) iter.Seq2[model.Delta, error] {
	return func(yield func(model.Delta, error) bool) {
		last := req.Messages[len(req.Messages)-1]
		if last.Role == model.RoleUser {
			name, arguments, _ := strings.Cut(last.Content, " ")
			yield(model.Delta{ToolCalls: []model.ToolCall{{ID: fmt.Sprintf("call_%d", len(req.Messages)), Name: name, Arguments: arguments}}, Finish: model.FinishToolCalls}, nil)
			return
		}
		_ = yield(model.Delta{Text: []byte("got " + last.Content)}, nil) && yield(model.Delta{Finish: model.FinishStop}, nil)
	}
}

// backend is a server that tools call. It keeps what it was sent.
type backend struct {
	*httptest.Server
	mu  sync.Mutex
	got []string
}

func newBackend(t testing.TB) *backend {
	b := &backend{}
	b.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.got = append(b.got, r.URL.String())
		_, _ = w.Write([]byte(`[{"n": "one"}, {"n": "two"}]`))
	}))
	t.Cleanup(b.Close)
	return b
}

// take returns what was sent since the last time.
func (b *backend) take() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	got := strings.Join(b.got, " ")
	b.got = nil
	return got
}

// personalServer is a gateway with tokens, whose tools send who calls to the backend: orders at once,
// refund once a holder of finance has approved it, and the list of options of a template.
func personalServer(t *testing.T, k signer, b *backend, db store.Store) *server {
	t.Helper()
	f := withTokens(k.file(t), `, "tenant": "acme", "claims": {"roles": "roles"}`)
	f["gateway.json"] = strings.Replace(f["gateway.json"], `"mode"`, `"session": {"secret": "0123456789abcdef0123456789abcdef"}, "roles": {"robots": {"mayAsk": ["*"]}}, "mode"`, 1)
	f["apps/plain.json"] = strings.Replace(plainApp, `"ask_user"`, `"ask_user", "orders", "refund"`, 1)
	at := b.URL + "/%s/{caller.tenant}/{caller.subject}/{chat.id}?email={caller.claims.email}&number={caller.claims.employee.number}"
	entry := `{"id": %q, "name": "n", "description": "d", "type": "http", "unfounded": "allow", "parameters": {"type": "object", "properties": {"caller": {"type": "string"}}}, "http": {"url": %q, "allowPrivate": true}%s}`
	f["tools.json"] = `[{"id": "ask_user", "type": "ask_user", "templates": {"pick": {"question": "Which?",
			"optionsFrom": {"tool": "list", "label": "/n", "value": "/n"}, "fallback": "text"}}},
		` + fmt.Sprintf(entry, "orders", fmt.Sprintf(at, "orders"), "") + "," + fmt.Sprintf(entry, "list", fmt.Sprintf(at, "list"), "") + "," +
		fmt.Sprintf(entry, "refund", fmt.Sprintf(at, "refund"), `, "needsApproval": {"by": {"role": "finance"}}`) + `]`
	return realServer(t, f, func(o *turn.Options) {
		setup := *o.Setup()
		setup.Models = map[string]model.Model{"default": obeying{}}
		o.Store, o.Setup, o.Node = db, func() *turn.Setup { return &setup }, chat.NewID("node")
		o.Hub, o.Shared = stream.NewPartial(), true
	})
}

// by is the header of a person's token.
func (k signer) by(t testing.TB, subject string, claims map[string]any) []string {
	all := map[string]any{"sub": subject, "email": subject + "@acme.example", "employee": map[string]any{"number": json.RawMessage(`12345678901234567890.10`)}}
	for name, value := range claims {
		all[name] = value
	}
	return []string{"Authorization", "Bearer " + k.token(t, all)}
}

// want compares what was sent with the values of a person and a chat, followed by the model's own.
func (b *backend) want(t *testing.T, what, tool, subject, chatID string, models ...string) {
	t.Helper()
	want := fmt.Sprintf("/%s/acme/%s/%s?email=%s&number=12345678901234567890.10", tool, subject, chatID, url.QueryEscape(subject+"@acme.example")) + strings.Join(models, "")
	if got := b.take(); got != want {
		t.Errorf("%s, the server was sent %q, want %q", what, got, want)
	}
}

// A tool is called for the person whose token came with the message: not for who approves, on another
// node, and whatever the model or the request say.
func TestToolsAreCalledForWhoAsks(t *testing.T) {
	k, b, db := newSigner(t), newBackend(t), testdb.Open(t)
	one, two := personalServer(t, k, b, db), personalServer(t, k, b, db)
	alice := k.by(t, "alice", nil)
	bob := k.by(t, "bob", map[string]any{"roles": "finance"})
	post := func(s *server, chatID, body string, headers ...string) string {
		t.Helper()
		r := s.post(chatID, body, headers...)
		if r.StatusCode != 200 {
			t.Fatalf("%d: %s", r.StatusCode, r.body)
		}
		return string(r.body)
	}
	post(one, "c1", `{"message": "orders {\"caller\": \"{caller.claims.email}\"}"}`, append(alice, "X-Caller-Subject", "eve", "X-Askgate-Claims", "email=eve")...)
	b.want(t, "with her message", "orders", "alice", "c1", "&caller="+url.QueryEscape("{caller.claims.email}"))

	post(one, "c1", `{"message": "refund {}"}`, alice...)
	var waits struct {
		Items []struct{ ClarificationID string }
	}
	two.call("GET", "/v1/clarifications", "", bob...).decode(t, 200, &waits)
	if len(waits.Items) != 1 || b.take() != "" {
		t.Fatalf("for bob: %+v", waits)
	}
	two.call("POST", "/v1/clarifications/"+waits.Items[0].ClarificationID+"/answer", `{"value": true}`, bob...).decode(t, 200, &struct{}{})
	for range 100 { // the turn goes on in the background
		if r := two.call("GET", "/v1/apps/plain/chats/c1", "", alice...); strings.Contains(string(r.body), `"idle"`) {
			break
		}
	}
	b.want(t, "once bob has approved", "refund", "alice", "c1")
}

// A claim that is missing, or too large, fails the call by its name, before anything is sent.
func TestAClaimThatIsMissingFailsTheCall(t *testing.T) {
	k, b := newSigner(t), newBackend(t)
	s := personalServer(t, k, b, testdb.Open(t))
	long := strings.Repeat("x", 1025)
	for name, email := range map[string]any{"none": nil, "a list": []string{"a"}, "true": true, "long": long} {
		r := s.post("c-"+strings.ReplaceAll(name, " ", ""), `{"message": "orders {}"}`, k.by(t, "alice", map[string]any{"email": email})...)
		if text := string(r.body); !strings.Contains(text, "TOOL_FAILED") || !strings.Contains(text, "no claim email") || b.take() != "" {
			t.Errorf("%s: %s", name, text)
		}
	}
	if log := s.log.String(); strings.Count(log, "too large") != 1 || strings.Contains(log, long) {
		t.Errorf("the log: %s", log)
	}
}

// A page's session has the claims of the token that it was given for.
func TestASessionHasTheClaimsOfItsToken(t *testing.T) {
	k, b := newSigner(t), newBackend(t)
	s := personalServer(t, k, b, testdb.Open(t))
	signed := s.call("POST", "/v1/session", "", k.by(t, "alice", nil)...)
	cookies := signed.Cookies()
	if len(cookies) != 1 || strings.Contains(cookies[0].Value, "acme.example") {
		t.Fatalf("%d: %s, %v", signed.StatusCode, signed.body, cookies)
	}
	s.post("c1", `{"message": "orders {}"}`, "Cookie", cookies[0].Name+"="+cookies[0].Value)
	b.want(t, "with her cookie", "orders", "alice", "c1")

	// What does not fit into a cookie is missing.
	large := s.call("POST", "/v1/session", "", k.by(t, "alice", map[string]any{"email": strings.Repeat("x", 1020), "employee": map[string]any{"number": strings.Repeat("y", 1020)}})...)
	if large.StatusCode != 204 {
		t.Fatalf("%d: %s", large.StatusCode, large.body)
	}
	cookie := large.Cookies()[0]
	if r := s.post("c2", `{"message": "orders {}"}`, "Cookie", cookie.Name+"="+cookie.Value); !strings.Contains(string(r.body), "no claim employee.number") || b.take() != "" {
		t.Errorf("%s", r.body)
	}
}

// The options of a program's question are those of its asker, also while the person who is asked
// searches and answers.
func TestOptionsAreListedForWhoAsks(t *testing.T) {
	k, b, db := newSigner(t), newBackend(t), testdb.Open(t)
	ci, alice := k.by(t, "ci", map[string]any{"roles": "robots"}), k.by(t, "alice", nil)
	asked := personalServer(t, k, b, db).call("POST", "/v1/apps/plain/clarifications", `{"template": "pick", "chatId": "c1", "to": "alice"}`, ci...)
	var c struct{ ClarificationID string }
	if err := json.Unmarshal(asked.body, &c); err != nil || c.ClarificationID == "" {
		t.Fatalf("%d: %s", asked.StatusCode, asked.body)
	}
	b.want(t, "for the question", "list", "ci", "c1")
	head, _, err := db.Conversation(t.Context(), chat.Ref{Tenant: "acme", Subject: "alice", App: "plain", ChatID: "c1"})
	if err != nil {
		t.Fatal(err)
	}
	kept := func() string {
		t.Helper()
		claims, err := db.Caller(t.Context(), head.ID, c.ClarificationID)
		if err != nil || strings.Contains(claims, "acme") {
			t.Fatalf("%q, %v", claims, err)
		}
		return claims
	}
	if kept() == "" {
		t.Error("nothing is kept while the question waits")
	}
	at := "/v1/clarifications/" + c.ClarificationID // each on a node that holds no list yet
	if r := personalServer(t, k, b, db).call("GET", at+"/options?q=tw", "", alice...); !strings.Contains(string(r.body), "two") {
		t.Errorf("%d: %s", r.StatusCode, r.body)
	}
	b.want(t, "for a search", "list", "ci", "c1")
	if r := personalServer(t, k, b, db).call("POST", at+"/answer", `{"value": "two"}`, alice...); r.StatusCode != 200 {
		t.Errorf("%d: %s", r.StatusCode, r.body)
	}
	b.want(t, "for the answer", "list", "ci", "c1")
	if kept() != "" {
		t.Error("the claims outlive the question")
	}
}
