package mcp_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/front"
	"github.com/askgate/askgate/gateway/front/mcp"
	"github.com/askgate/askgate/gateway/host"
	"github.com/askgate/askgate/gateway/turn"
	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tools/askuser"
)

// versions lists the versions that the front supports.
var versions = []string{"2025-06-18", "2025-11-25", "2026-07-28"}

// desk replaces the gateway behind the front: one caller's questions, in memory.
type desk struct {
	url    string
	app    config.App
	offer  front.Offer
	ask    *askuser.Tool
	panics bool

	mu     sync.Mutex
	asked  []front.Asking
	ids    []string // of asked
	said   []string
	stored map[string]*chat.Clarification
	closed map[string]chan struct{}
	waits  chan time.Duration // for each call that waits, as it begins to
	taken  chan struct{}      // for each response of a client's, once the front is done with it
	ahead  atomic.Int64       // the clock, as a time.Duration
}

func newDesk(t *testing.T) *desk {
	t.Helper()
	d := &desk{
		app: config.App{ID: "work"}, stored: map[string]*chat.Clarification{}, closed: map[string]chan struct{}{}, waits: make(chan time.Duration, 100), taken: make(chan struct{}, 100),
		ask: askuser.New(askuser.Limits{MaxFile: 1000}, nil),
	}
	d.offer.Name = "ask_user"
	d.offer.Description, d.offer.Parameters = d.ask.Definition()
	f := &mcp.Front{Version: "test"}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c := &call{desk: d, w: w, r: r}
		route := f.Routes()[0]
		if r.Method != route.Method {
			w.WriteHeader(http.StatusMethodNotAllowed)
			return
		}
		data, err := io.ReadAll(r.Body)
		if err == nil {
			c.body = data
			err = f.Take(c, data)
		}
		if !bytes.Contains(c.body, []byte(`"method"`)) {
			d.taken <- struct{}{}
		}
		if err != nil {
			p := c.Problem(err)
			contentType, body := f.Refuse(w.Header(), p)
			w.Header().Set("Content-Type", contentType)
			w.WriteHeader(p.Status)
			_, _ = w.Write(body)
		}
	}))
	t.Cleanup(s.Close)
	d.url = s.URL
	return d
}

// answer answers a question, as its person would elsewhere.
func (d *desk) answer(t *testing.T, id string, a tools.Answer) {
	t.Helper()
	if _, err := d.close(turn.Answer{ClarificationID: id, Answer: a}, chat.ChannelAPI); err != nil {
		t.Fatal(err)
	}
}

func (d *desk) close(a turn.Answer, via chat.Channel) (chat.Clarification, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	c := d.stored[a.ClarificationID]
	if c.State != tools.StatePending {
		return *c, &chat.Error{Code: chat.CodeAlreadyAnswered}
	}
	checked, err := d.ask.Check(c.Question, a.Answer)
	if err != nil {
		return *c, err
	}
	c.State, c.Answer, c.AnsweredBy = checked.Outcome(), &checked, &chat.By{Subject: "alice", Channel: via}
	close(d.closed[c.ID])
	return *c, nil
}

// only returns the one question that was asked.
func (d *desk) only(t *testing.T) *chat.Clarification {
	t.Helper()
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.stored) != 1 {
		t.Fatalf("%d questions", len(d.stored))
	}
	for _, c := range d.stored {
		return c
	}
	return nil
}

// call is a request to the desk.
type call struct {
	*desk
	w    http.ResponseWriter
	r    *http.Request
	body []byte
}

func (c *call) HTTP() *http.Request    { return c.r }
func (c *call) Now() time.Time         { return time.Now().Add(time.Duration(c.ahead.Load())) }
func (c *call) Header() http.Header    { return c.w.Header() }
func (c *call) Admit() error           { return nil }
func (c *call) App() *config.App       { return &c.app }
func (c *call) Offer() front.Offer     { return c.offer }
func (c *call) Library(h http.Handler) { h.ServeHTTP(&flushed{ResponseWriter: c.w}, c.r) }

func (c *call) Send(status int, contentType string, body []byte) error {
	c.w.WriteHeader(status)
	_, err := c.w.Write(body)
	return err
}

func (c *call) WithdrawWhenGone(after []byte) (d time.Duration, err error) {
	var text string
	if err = json.Unmarshal(after, &text); err == nil {
		d, err = tools.ParseDuration(text)
	}
	if err != nil {
		return 0, &chat.Error{Code: chat.CodeInvalidRequest}
	}
	return d, nil
}

func (c *call) Escalate(steps []byte) (list []tools.Escalation, err error) {
	var all []struct {
		After string
		To    struct{ Role string }
	}
	if err := json.Unmarshal(steps, &all); err != nil {
		return nil, &chat.Error{Code: chat.CodeInvalidRequest}
	}
	for _, s := range all {
		after, err := tools.ParseDuration(s.After)
		if err != nil {
			return nil, err
		}
		list = append(list, tools.Escalation{After: after, Role: s.To.Role})
	}
	return list, nil
}

func (c *call) Whom(to []byte) (t host.Whom, err error) {
	var role struct{ Role string }
	if json.Unmarshal(to, &t.Subject) != nil && json.Unmarshal(to, &role) != nil {
		return t, &chat.Error{Code: chat.CodeInvalidRequest}
	}
	t.Role = role.Role
	return t, nil
}

func (c *call) Ask(q front.Asking) (chat.Clarification, error) {
	if c.panics {
		panic("broken")
	}
	out, err := c.ask.Run(context.Background(), tools.Call{Arguments: q.Arguments, Language: "en"})
	if err != nil {
		return chat.Clarification{}, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for i, before := range c.asked {
		if q.Session != "" && reflect.DeepEqual(before, q) && c.stored[c.ids[i]].State == tools.StatePending {
			return *c.stored[c.ids[i]], nil
		}
	}
	id := chat.NewID("clr")
	c.ids = append(c.ids, id)
	c.asked = append(c.asked, q)
	c.closed[id] = make(chan struct{})
	c.stored[id] = &chat.Clarification{
		ID: id, State: tools.StatePending, Question: *out.Question,
		Ref: chat.Ref{Subject: "alice", App: "work", ChatID: "ask-1"}, Asker: "alice",
	}
	return *c.stored[id], nil
}

func (c *call) Asked(id string, wait time.Duration) (chat.Clarification, error) {
	c.mu.Lock()
	closed, ok := c.closed[id]
	c.mu.Unlock()
	if !ok {
		return chat.Clarification{}, &chat.Error{Code: chat.CodeNotFound}
	}
	if wait > 0 {
		c.waits <- wait
		select { // nothing in these tests takes that long
		case <-closed:
		case <-c.r.Context().Done():
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return *c.stored[id], nil
}

func (c *call) Reply(a turn.Answer) (chat.Clarification, error) { return c.close(a, chat.ChannelForm) }

func (c *call) Say(_ host.Whom, by tools.Asker, text string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.said = append(c.said, by.Name+": "+text)
	return nil
}

func (c *call) Result(of *chat.Clarification) (string, error) {
	out, err := c.ask.Resume(context.Background(), tools.Call{}, of.Question, tools.Closing{State: of.State, Answer: of.Answer})
	return out.Result, err
}

func (c *call) Problem(err error) host.Problem {
	if _, ok := errors.AsType[*tools.AnswerError](err); ok {
		return host.Problem{Status: 422, Code: chat.CodeInvalidAnswer, Message: "That is not an answer."}
	}
	p := host.Problem{Status: 400, Code: chat.CodeOf(err), Message: "No: " + string(chat.CodeOf(err))}
	if p.Code == chat.CodeInternal {
		p.Message = "internal"
	}
	return p
}

func (c *call) Sealed(data []byte) (string, error) { return "sealed:" + string(data), nil }

func (c *call) Unsealed(text string) ([]byte, bool) {
	data, ok := strings.CutPrefix(text, "sealed:")
	return []byte(data), ok
}

// flushed sends each write at once.
type flushed struct {
	http.ResponseWriter
	mu    sync.Mutex
	begun bool
}

func (f *flushed) WriteHeader(status int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.begin(status)
}

func (f *flushed) begin(status int) {
	if !f.begun {
		f.begun = true
		f.ResponseWriter.WriteHeader(status)
	}
}

func (f *flushed) Write(p []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.begin(http.StatusOK)
	n, err := f.ResponseWriter.Write(p)
	f.ResponseWriter.(http.Flusher).Flush()
	return n, err
}

// connect returns a client of the SDK's that speaks that version.
func connect(t *testing.T, url, version string, opts *sdk.ClientOptions) *sdk.ClientSession {
	t.Helper()
	return connectAs(t, url, version, "claude-code", opts)
}

func connectAs(t *testing.T, url, version, name string, opts *sdk.ClientOptions) *sdk.ClientSession {
	t.Helper()
	client := sdk.NewClient(&sdk.Implementation{Name: name, Version: "2.1"}, opts)
	session, err := client.Connect(t.Context(), &sdk.StreamableClientTransport{Endpoint: url}, &sdk.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = session.Close() })
	return session
}

// got is a result of the tools that ask.
type got struct {
	Status          string
	ClarificationID string
	Answers         map[string]any
	Text            string
	Note            string
}

func read(t *testing.T, res *sdk.CallToolResult) (g got) {
	t.Helper()
	if res.IsError || len(res.Content) == 0 {
		t.Fatalf("%+v", text(res))
	}
	structured, err := json.Marshal(res.StructuredContent)
	if err != nil {
		t.Fatal(err)
	}
	for _, data := range []string{text(res), string(structured)} { // both contain the same
		g = got{}
		if err := json.Unmarshal([]byte(data), &g); err != nil {
			t.Fatalf("%s: %v", data, err)
		}
	}
	return g
}

func text(res *sdk.CallToolResult) string {
	if len(res.Content) == 0 {
		return ""
	}
	return res.Content[0].(*sdk.TextContent).Text
}

func callTool(t *testing.T, s *sdk.ClientSession, name string, arguments any) *sdk.CallToolResult {
	t.Helper()
	res, err := s.CallTool(t.Context(), &sdk.CallToolParams{Name: name, Arguments: arguments})
	if err != nil {
		t.Fatal(err)
	}
	return res
}
