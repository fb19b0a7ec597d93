package api_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askgate/askgate/gateway/api"
	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/tools"
)

// permissionHook is the input that Claude Code sends to a hook before it runs a command.
const permissionHook = `{"session_id": "s1", "cwd": "/home/me/shop", "hook_event_name": "PermissionRequest", "tool_name": "Bash", "tool_input": {"command": "npm test"},
	"permission_suggestions": [{"type": "setMode", "mode": "acceptEdits", "destination": "session"}]}`

// withdrawing is an engine that records what was withdrawn.
type withdrawing struct {
	*fakeEngine
	sync.Mutex
	ids []string
}

func (e *withdrawing) Withdraw(ctx context.Context, id string, _ chat.Actor) error {
	e.Lock()
	defer e.Unlock()
	e.ids = append(e.ids, id)
	return ctx.Err()
}

func (e *withdrawing) withdrawn() string {
	e.Lock()
	defer e.Unlock()
	return strings.Join(e.ids, " ")
}

// endsAfter is an inbox in which a question is answered after a given time.
type endsAfter struct {
	fakeInbox
	c     chat.Clarification
	after time.Time
}

func (f endsAfter) Ended(ctx context.Context, _ string) (chat.Clarification, error) {
	select {
	case <-ctx.Done():
		pending := f.c
		pending.State, pending.Answer = tools.StatePending, nil
		return pending, nil
	case <-time.After(time.Until(f.after)):
		return f.c, nil
	}
}

// pieces is a response that records when each part was written.
type pieces struct {
	*httptest.ResponseRecorder
	began  time.Time
	stamps []string
}

func (p *pieces) Write(data []byte) (int, error) {
	if len(data) > 0 {
		p.stamps = append(p.stamps, fmt.Sprintf("%v %.20q", time.Since(p.began), data))
	}
	return p.ResponseRecorder.Write(data)
}

func (p *pieces) WriteHeader(status int) {
	p.stamps = append(p.stamps, fmt.Sprintf("%v %d", time.Since(p.began), status))
	p.ResponseRecorder.WriteHeader(status)
}

// TestAHookIsAnAddress: its headers come at once, white space keeps the connection open, and the
// answer is the command's output.
func TestAHookIsAnAddress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		engine := &withdrawing{fakeEngine: &fakeEngine{}}
		options := []tools.Option{{Label: "Yes", Value: "yes"}, {Label: "No", Value: "no"}, {Label: "Always", Value: "yes-1"}}
		answered := chat.Clarification{
			ID: "clr_1", Ref: chat.Ref{Tenant: "acme", Subject: "alice", App: "plain", ChatID: "c"}, Asker: "ci", State: tools.StateAnswered,
			Question: tools.Question{Kind: tools.KindQuestion, Parts: []tools.Part{{ID: "q1", Question: "Q", InputType: tools.Select, Options: options}}},
			Answer:   &tools.Answer{Value: json.RawMessage(`"yes-1"`)},
		}
		a, _, _ := newAPI(t, askFiles, func(o *api.Options) {
			o.Engine, o.Inbox = engine, endsAfter{c: answered, after: time.Now().Add(40 * time.Second)}
		})
		w := &pieces{ResponseRecorder: httptest.NewRecorder(), began: time.Now()}
		r := httptest.NewRequest(http.MethodPost, "/v1/hooks/claude-code?app=plain&to=alice&expiresIn=2h&title=T", strings.NewReader(permissionHook))
		r.Header.Set("Authorization", "Bearer ag_ci")
		r.Header.Set("Content-Type", "application/json")
		a.Handler().ServeHTTP(w, r)
		if want := []string{`0s 200`, `15s " "`, `30s " "`, `40s "{\"hookSpecificOutput"`}; !slices.Equal(w.stamps, want) {
			t.Errorf("%q", w.stamps)
		}
		want := `{"hookSpecificOutput":{"decision":{"behavior":"allow","updatedPermissions":[{"type":"setMode","mode":"acceptEdits","destination":"session"}]},"hookEventName":"PermissionRequest"}}`
		if got := strings.TrimSpace(w.Body.String()); got != want || w.Header().Get("Content-Type") != "application/json" {
			t.Errorf("%s, %v", got, w.Header())
		}
		q := engine.onlyAsked(t)
		if q.Question.Details != "npm test" || q.By.Name != "claude-code" || q.By.Title != "T" || q.Ref.Subject != "alice" || q.Question.Parts[0].Question != "Allow Bash: npm test" || q.ExpiresAt.IsZero() || !strings.HasPrefix(q.Key, "claude-code/") {
			t.Errorf("%+v", q)
		}
		if ids := engine.withdrawn(); ids != "" {
			t.Errorf("withdrawn: %s", ids)
		}
	})
}

// TestACallerOfAHookThatGoesAwayWithdraws: its question is withdrawn, and so it is when the gateway
// shuts down.
func TestACallerOfAHookThatGoesAwayWithdraws(t *testing.T) {
	for name, drains := range map[string]bool{"gone": false, "drained": true} {
		engine, waits := &withdrawing{fakeEngine: &fakeEngine{}}, fakeInbox{make(chan struct{}, 1)}
		s := newServer(t, askFiles, func(o *api.Options) { o.Engine, o.Inbox = engine, waits })
		ctx, leave := context.WithCancel(t.Context())
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.URL+"/v1/hooks/claude-code?app=plain", strings.NewReader(permissionHook))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer ag_ci")
		req.Header.Set("Content-Type", "application/json")
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		<-waits.waited
		if drains {
			s.api.Drain()
			if data, err := io.ReadAll(resp.Body); err != nil || strings.TrimSpace(string(data)) != "{}" {
				t.Errorf("%s: %s, %v", name, data, err)
			}
		}
		leave()
		resp.Body.Close()
		s.Close() // waits for the handler
		if ids := engine.withdrawn(); ids != "clr_1" {
			t.Errorf("%s: withdrawn: %q", name, ids)
		}
	}
}

// TestAHookThatAsksNothing: gets its response at once; a question that has ended is withdrawn; and
// refusals are those of the call that asks.
func TestAHookThatAsksNothing(t *testing.T) {
	engine := &withdrawing{fakeEngine: &fakeEngine{}}
	s := newServer(t, askFiles, func(o *api.Options) {
		o.Engine, o.Store = engine, fakeStore{pending: []chat.Clarification{{ID: "clr_7"}, {ID: "clr_8"}}}
	})
	call := func(query, body string) reply {
		return s.call("POST", "/v1/hooks/claude-code"+query, body, bearerOf("ag_ci")...)
	}
	for body, want := range map[string]string{
		`{"session_id": "s1", "hook_event_name": "Notification"}`: "",
		`{"session_id": "s1", "hook_event_name": "PermissionRequest", "tool_name": "Bash", "tool_input": {"command": "` + strings.Repeat("x", 300_000) + `"}}`:            "",
		`{"session_id": "s1", "hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_response": {"x": 1}, "tool_use_id": "toolu"}`: "clr_7 clr_8",
		`{"session_id": "s1", "hook_event_name": "Stop"}`: "clr_7 clr_8",
	} {
		engine.ids = nil
		if r := call("?app=plain", body); r.StatusCode != 200 || strings.TrimSpace(string(r.body)) != "{}" || engine.withdrawn() != want {
			t.Errorf("%.100s: %d %s, withdrawn %q", body, r.StatusCode, r.body, engine.withdrawn())
		}
	}
	call("?app=plain", `{`).wantProblem(t, 400, "invalid_request")
	call("?app=nosuch", permissionHook).wantProblem(t, 404, "not_found")
	call("?app=plain&to=bob", permissionHook).wantProblem(t, 403, "forbidden")
	call("?app=plain&to=", permissionHook).wantProblem(t, 400, "invalid_request")
	call("?app=plain&as=AskGate", permissionHook).wantProblem(t, 400, "invalid_request")
	call("?app=plain&expiresIn=soon", permissionHook).wantProblem(t, 422, "invalid_clarification")
	s.call("POST", "/v1/hooks/claude-code?app=plain", permissionHook).wantProblem(t, 401, "unauthenticated")
	call("?app=plain", `{"x": "`+strings.Repeat("x", 1<<20)+`"}`).wantProblem(t, 413, "too_large")
}

// TestDetailsAreReadFirst: with a yes-or-no question, and by a link without other choices.
func TestDetailsAreReadFirst(t *testing.T) {
	engine := &fakeEngine{}
	s := newServer(t, askFiles, withEngine(engine))
	post := func(body string) reply {
		return s.call("POST", "/v1/apps/plain/clarifications", body, bearerOf("ag_ci")...)
	}
	for body, field := range map[string]string{
		`{"question": "Q", "details": "d"}`: "details",
		`{"question": "Q", "input_type": "select", "options": ["yes", "maybe"], "details": "d"}`:         "details",
		`{"questions": [{"question": "Q", "input_type": "confirm"}, {"question": "R"}], "details": "d"}`: "details",
		`{"question": "Q", "input_type": "confirm", "details": 5}`:                                       "details",
	} {
		if p := post(body).wantProblem(t, 400, "invalid_request"); p.Field != field {
			t.Errorf("%s: %s", body, p.Field)
		}
	}
	if p := post(`{"question": "Q", "input_type": "confirm", "details": "`+strings.Repeat("x", 256<<10+1)+`"}`).wantProblem(t, 413, "too_large"); p.Field != "details" {
		t.Errorf("%+v", p)
	}
	if r := post(`{"question": "Q", "input_type": "confirm", "details": "rm \u202e\u0001\n"}`); r.StatusCode != 201 || !strings.Contains(string(r.body), `"details":"rm ⟨U+202E⟩⟨U+0001⟩\n"`) {
		t.Errorf("%d %s", r.StatusCode, r.body)
	}
	if q := engine.onlyAsked(t); q.Question.Details != "rm ⟨U+202E⟩⟨U+0001⟩\n" {
		t.Errorf("%q", q.Question.Details)
	}
}
