package api_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/askgate/askgate/gateway/api"
	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/gateway/stream"
	"github.com/askgate/askgate/gateway/turn"
)

func TestAListHasAMostEntries(t *testing.T) {
	s := newServer(t, nil, nil)
	for field, entry := range map[string]string{"answer.values": `"a"`, "answer.answers": `{}`} {
		name := strings.TrimPrefix(field, "answer.")
		body := func(n int) string {
			return `{"answer":{"` + name + `":[` + strings.TrimSuffix(strings.Repeat(entry+",", n), ",") + `]}}`
		}
		if r := s.post("c", body(1000)); r.StatusCode != http.StatusOK {
			t.Errorf("%s with 1,000 entries: %d %s", field, r.StatusCode, r.body)
		}
		if p := s.post("c", body(70_000)).wantProblem(t, 400, "invalid_request"); p.Field != field {
			t.Errorf("%s with 70,000 entries: field %q", field, p.Field)
		}
	}
}

func TestAFileThatDidNotChangeIsNotSentAgain(t *testing.T) {
	s := newServer(t, nil, func(o *api.Options) {
		o.Page = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNotModified) })
	})
	if r := s.call("GET", "/assets/askgate.js", ""); r.StatusCode != http.StatusNotModified {
		t.Errorf("status %d", r.StatusCode)
	}
}

func TestOpenViewsOfAPrincipalAreLimited(t *testing.T) {
	s := newServer(t, keyed(`"limits": {"streams": 2, "concurrentTurns": 1}`), nil)
	events := "/v1/apps/plain/chats/c/events"
	for range 2 {
		res := s.open("GET", events, "", "Authorization", "Bearer alice")
		defer res.Body.Close()
		if res.StatusCode != 200 {
			t.Fatal(res.Status)
		}
	}
	r := s.call("GET", "/v1/apps/plain/chats/other/events", "", "Authorization", "Bearer alice")
	if p := r.wantProblem(t, 429, "rate_limited"); p.Scope != "streams" || r.Header.Get("Retry-After") == "" {
		t.Errorf("%+v %v", p, r.Header)
	}
	other := s.open("GET", events, "", "Authorization", "Bearer bob")
	defer other.Body.Close()
	if other.StatusCode != 200 {
		t.Errorf("another principal: %s", other.Status)
	}
	if r := s.post("c", `{"message":"hi"}`, "Authorization", "Bearer alice"); r.StatusCode != 200 {
		t.Errorf("a message: %d %s", r.StatusCode, r.body)
	}
}

func TestReadsOfAPrincipalAreLimited(t *testing.T) {
	s := newServer(t, keyed(`"limits": {"requestsPerMinute": 1}`), nil)
	for i, path := range []string{"/v1/apps", "/v1/session", "/v1/apps", "/v1/session", "/v1/apps/plain/chats/c", "/v1/clarifications"} {
		r := s.call("GET", path, "", "Authorization", "Bearer alice")
		if i < 5 {
			if r.StatusCode != 200 {
				t.Errorf("%s: %d", path, r.StatusCode)
			}
			continue
		}
		if p := r.wantProblem(t, 429, "rate_limited"); p.Scope != "reads" {
			t.Errorf("scope %q", p.Scope)
		}
	}
	if r := s.call("GET", "/v1/apps", "", "Authorization", "Bearer bob"); r.StatusCode != 200 {
		t.Errorf("another principal: %d", r.StatusCode)
	}
	if r := s.post("c", `{"message":"hi"}`, "Authorization", "Bearer alice"); r.StatusCode != 200 {
		t.Errorf("sending a message is not limited as a read: %d", r.StatusCode)
	}
}

// TestEveryCallOfAnAddressCounts: guessing keys is limited, on whichever route.
func TestEveryCallOfAnAddressCounts(t *testing.T) {
	for _, c := range []struct{ method, path string }{
		{"POST", "/v1/session"}, {"GET", "/v1/session"}, {"DELETE", "/v1/session"}, {"GET", "/assets/askgate.js"}, {"GET", "/"},
		{"GET", "/nowhere"}, {"PUT", "/v1/apps"}, {"GET", "/v1/apps"}, {"GET", "/metrics"}, {"GET", "/page/texts"},
	} {
		s := newServer(t, keyed(`"limits": {"requestsPerMinutePerAddress": 2}`), func(o *api.Options) { o.Page = http.NotFoundHandler() })
		for i := range 3 {
			r := s.call(c.method, c.path, "", "Authorization", fmt.Sprint("Bearer guess", i))
			if limited := r.StatusCode == 429; limited != (i == 2) {
				t.Errorf("%s %s, call %d: %d", c.method, c.path, i+1, r.StatusCode)
			}
		}
		if r := s.call("GET", "/healthz", ""); r.StatusCode != 200 {
			t.Errorf("a probe: %d", r.StatusCode)
		}
	}
}

func TestTooMuchInFlightIsRefused(t *testing.T) {
	engine := &fakeEngine{size: 10 << 20}
	s := newServer(t, nil, func(o *api.Options) { o.Engine, o.InFlight = engine, 16<<20 })
	for _, path := range []string{"", "/events"} {
		r := s.call("GET", "/v1/apps/plain/chats/c"+path, "")
		r.wantProblem(t, 503, "overloaded")
		if r.Header.Get("Retry-After") == "" {
			t.Error("no Retry-After")
		}
	}
	if strings.Contains(s.log.String(), `"level":"ERROR"`) {
		t.Errorf("it is logged as an error: %s", s.log)
	}
	engine.size = 100
	if r := s.call("GET", "/v1/apps/plain/chats/c", ""); r.StatusCode != 200 {
		t.Errorf("a body within the limit: %d", r.StatusCode)
	}
	tight := newServer(t, nil, func(o *api.Options) { o.InFlight = 1 << 20 })
	tight.post("c", `{"message":"hi"`+strings.Repeat(" ", 500_000)+"}").wantProblem(t, 503, "overloaded")
	if r := tight.post("c", `{"message":"hi"}`); r.StatusCode != 200 {
		t.Errorf("a small body: %d", r.StatusCode)
	}
}

func TestPagesOfASnapshot(t *testing.T) {
	s := newServer(t, nil, func(o *api.Options) { o.Engine = &fakeEngine{} })
	for _, query := range []string{"messages=0", "messages=201", "messages=x", "messages=", "before="} {
		if p := s.call("GET", "/v1/apps/plain/chats/c?"+query, "").wantProblem(t, 400, "invalid_request"); p.Field != strings.Split(query, "=")[0] {
			t.Errorf("%s: field %q", query, p.Field)
		}
	}
	for _, query := range []string{"messages=1", "messages=200", "before=msg_1"} {
		if r := s.call("GET", "/v1/apps/plain/chats/c?"+query, ""); r.StatusCode != 200 {
			t.Errorf("%s: %d", query, r.StatusCode)
		}
	}
	s = newServer(t, nil, func(o *api.Options) { o.Engine = &fakeEngine{err: store.ErrCursor} })
	if p := s.call("GET", "/v1/apps/plain/chats/c?before=msg_x", "").wantProblem(t, 400, "invalid_request"); p.Field != "before" {
		t.Errorf("an unknown message: field %q", p.Field)
	}
}

// TestALongChatIsReadInPages by GET, and a view begins with the newest page.
func TestALongChatIsReadInPages(t *testing.T) {
	s, c := realServer(t, nil, nil), loadSchemas(t)
	for range 3 {
		s.run(c, "long", `{"message":"hello"}`)
	}
	type page struct {
		Messages []struct{ ID, Role string }
		HasMore  bool
	}
	read := func(query string) (p page) {
		r := s.call("GET", "/v1/apps/plain/chats/long"+query, "")
		c.check("Snapshot", r.body)
		r.decode(t, 200, &p)
		return p
	}
	whole := read("")
	if len(whole.Messages) != 6 || whole.HasMore {
		t.Fatalf("%+v", whole)
	}
	for n := 1; n <= 7; n++ {
		var ids []string
		for before := ""; ; {
			p := read(fmt.Sprintf("?messages=%d%s", n, before))
			var these []string
			for _, m := range p.Messages {
				these = append(these, m.ID)
			}
			if len(these) > n || p.HasMore && len(these) < n {
				t.Fatalf("pages of %d: one has %d, more is %v", n, len(these), p.HasMore)
			}
			ids = append(these, ids...)
			if !p.HasMore {
				break
			}
			before = "&before=" + these[0]
		}
		for i, m := range whole.Messages {
			if len(ids) != len(whole.Messages) || ids[i] != m.ID {
				t.Fatalf("pages of %d: %v, want %v", n, ids, whole.Messages)
			}
		}
	}
	if p := s.call("GET", "/v1/apps/plain/chats/long?before=msg_none", "").wantProblem(t, 400, "invalid_request"); p.Field != "before" {
		t.Errorf("field %q", p.Field)
	}
	db := s.call("GET", "/v1/apps/plain/chats/long?before="+whole.Messages[0].ID, "")
	if !strings.Contains(string(db.body), `"messages":[],"hasMore":false`) {
		t.Errorf("before the first: %s", db.body)
	}
}

// TestAViewEndsWhenItsKeyIsRemoved, and does not end when something else changes.
func TestAViewEndsWhenItsKeyIsRemoved(t *testing.T) {
	snap := loadConfig(t, keyed(""))
	var current atomic.Pointer[turn.Setup]
	current.Store(&turn.Setup{Config: snap})
	ended := make(chan string, 2)
	engine := &fakeEngine{follow: func(ctx context.Context, after string, _ stream.Sink) error {
		<-ctx.Done()
		ended <- after
		return ctx.Err()
	}}
	s := newServer(t, keyed(""), func(o *api.Options) { o.Engine, o.Setup = engine, current.Load })
	for _, key := range []string{"alice", "bob"} {
		res := s.open("GET", "/v1/apps/plain/chats/c/events?lastEventId="+key, "", "Authorization", "Bearer "+key)
		defer res.Body.Close()
		if res.StatusCode != 200 {
			t.Fatal(res.Status)
		}
	}
	without := *snap
	without.Gateway.Auth.Keys = nil
	for _, k := range snap.Gateway.Auth.Keys {
		if k.Subject != "alice" {
			without.Gateway.Auth.Keys = append(without.Gateway.Auth.Keys, k)
		}
	}
	current.Store(&turn.Setup{Config: &without})
	select {
	case who := <-ended:
		if who != "alice" {
			t.Errorf("the view of %s was ended", who)
		}
	case <-time.After(5 * time.Second):
		t.Error("the view of a removed key is open after 5 s")
	}
	if len(ended) > 0 {
		t.Error("the other view was ended as well")
	}
}

// TestGuessesDoNotFillTheLog: anything that callers without a key can cause is logged within
// bounds.
func TestGuessesDoNotFillTheLog(t *testing.T) {
	s := newServer(t, keyed(""), nil)
	for i := range 300 {
		s.call("GET", "/v1/apps", "", "Authorization", fmt.Sprint("Bearer guess", i)).wantProblem(t, 401, "unauthenticated")
	}
	lines := 0
	for line := range strings.Lines(s.log.String()) {
		var entry struct{ Level, Msg string }
		if json.Unmarshal([]byte(line), &entry) == nil && entry.Msg == "request" && entry.Level != "DEBUG" {
			lines++
		}
	}
	if lines == 0 || lines > 120 {
		t.Errorf("%d lines for 300 guesses", lines)
	}
}

// awayStore counts the calls to a store that cannot be reached.
type awayStore struct {
	fakeStore
	asked atomic.Int64
}

func (s *awayStore) Conversation(context.Context, chat.Ref) (*chat.Conversation, *chat.Turn, error) {
	s.asked.Add(1)
	return nil, nil, store.ErrUnavailable
}

func TestAStoreThatIsAwayIsNotAskedForTheLanguage(t *testing.T) {
	away := &awayStore{}
	s := newServer(t, nil, func(o *api.Options) {
		o.Engine, o.Store = &fakeEngine{err: fmt.Errorf("no: %w", errors.Join(store.ErrUnavailable))}, away
	})
	s.post("c", `{"message":"hi"}`).wantProblem(t, 503, "store_unavailable")
	if n := away.asked.Load(); n != 0 {
		t.Errorf("the store was called %d more times", n)
	}
}
