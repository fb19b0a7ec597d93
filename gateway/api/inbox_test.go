package api_test

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/askgate/askgate/gateway/sse"
	"github.com/askgate/askgate/gateway/turn"
)

// inbox opens /v1/events and returns the next event at each call, and an event without a name at
// the end.
func (s *server) inbox(c schemas, headers ...string) func() sse.Event {
	s.t.Helper()
	res := s.open(http.MethodGet, "/v1/events", "", headers...)
	if res.StatusCode != 200 || !strings.HasPrefix(res.Header.Get("Content-Type"), "text/event-stream") {
		s.t.Fatal(res.StatusCode, res.Header)
	}
	s.t.Cleanup(func() { _ = res.Body.Close() })
	ch := make(chan sse.Event)
	go func() {
		defer close(ch)
		for ev, err := range sse.Read(res.Body) {
			if err != nil {
				return
			}
			select {
			case ch <- ev:
			case <-s.t.Context().Done():
				return
			}
		}
	}()
	return func() sse.Event {
		s.t.Helper()
		ev := <-ch
		if ev.Name == "" { // the end, or the retry time
			return ev
		}
		c.check("FeedEvents/properties/"+ev.Name, ev.Data)
		if ev.Name != "snapshot" && ev.Name != "chat.queue" { // the rest is the chat's own event
			var data map[string]json.RawMessage
			if err := json.Unmarshal(ev.Data, &data); err != nil {
				s.t.Fatal(err)
			}
			delete(data, "app")
			own, err := json.Marshal(data)
			if err != nil {
				s.t.Fatal(err)
			}
			c.check("Events/properties/"+ev.Name, own)
		}
		return ev
	}
}

func (s *server) wantEvent(next func() sse.Event, name, part string) sse.Event {
	s.t.Helper()
	ev := next()
	if ev.Name != name || !strings.Contains(string(ev.Data), part) {
		s.t.Fatalf("%s %s, want %s with %s", ev.Name, ev.Data, name, part)
	}
	return ev
}

func TestOneStreamOfEverythingThatWaits(t *testing.T) {
	s, c := realServer(t, withKeys, nil), loadSchemas(t)
	alice := []string{"Authorization", "Bearer ag_alice"}
	stranger := s.inbox(c, "Authorization", "Bearer ag_ops")
	s.wantEvent(stranger, "snapshot", `"pending":[]`)
	s.run(c, "c0", `{"message":"text"}`, alice...)
	next := s.inbox(c, alice...)
	s.wantEvent(next, "snapshot", `"pending":[{"app":"plain","chatId":"c0"`)

	asked := find(t, s.run(c, "c1", `{"message":"select"}`, alice...), "clarification")
	id := asked["clarificationId"].(string)
	s.wantEvent(next, "clarification", `{"app":"plain","chatId":"c1","turnId":`)
	last := s.wantEvent(next, "done", `"finishReason":"clarification"`)
	resolved := find(t, s.run(c, "c1", `{"answer":{"value":"fr"}}`, alice...), "clarification.resolved")
	ev := s.wantEvent(next, "clarification.resolved", id)
	s.wantEvent(next, "done", `"finishReason":"stop"`)
	var told map[string]any
	if err := json.Unmarshal(ev.Data, &told); err != nil {
		t.Fatal(err)
	}
	delete(told, "app")
	if fmt.Sprint(told) != fmt.Sprint(resolved) {
		t.Errorf("the inbox has %v, the chat's own event was %v", told, resolved)
	}

	again := s.inbox(c, append(alice, "Last-Event-ID", last.ID)...)
	if got := s.wantEvent(again, "clarification.resolved", id); got.ID != ev.ID || string(got.Data) != string(ev.Data) {
		t.Errorf("replayed %s %s", got.ID, got.Data)
	}
	s.wantEvent(again, "done", `"finishReason":"stop"`)

	// The other principal's stream contains only its own events.
	s.run(c, "c1", `{"message":"text"}`, "Authorization", "Bearer ag_ops")
	s.wantEvent(stranger, "clarification", `"input_type":"text"`)
	s.wantMetric(`askgate_sse_connections{app=""} 3`)
}

func TestTheQueryMayNameTheLastEventOfTheFeed(t *testing.T) {
	s, c := realServer(t, nil, nil), loadSchemas(t)
	first := s.wantEvent(s.inbox(c), "snapshot", `"pending":[]`)
	s.run(c, "c1", `{"message":"text"}`)
	res := s.open(http.MethodGet, "/v1/events?lastEventId="+first.ID, "")
	defer res.Body.Close()
	for ev, err := range sse.Read(res.Body) {
		if err != nil || ev.Name != "clarification" {
			t.Fatalf("%s %v", ev.Name, err)
		}
		return
	}
}

func TestWhoMayNotFollowTheFeed(t *testing.T) {
	s := realServer(t, withKeys, nil)
	s.call("GET", "/v1/events", "").wantProblem(t, 401, "unauthenticated")
	s.call("POST", "/v1/events", "", "Authorization", "Bearer ag_alice").wantProblem(t, 405, "method_not_allowed")
	s.api.Drain()
	s.call("GET", "/v1/events", "", "Authorization", "Bearer ag_alice").wantProblem(t, 503, "draining")
}

func TestTheFeedCountsAsAStream(t *testing.T) {
	s, c := realServer(t, files{"gateway.json": `{"models": {"default": {"provider": "demo"}}, "limits": {"streams": 1}}`}, nil), loadSchemas(t)
	s.inbox(c)()
	r := s.call("GET", "/v1/events", "")
	if p := r.wantProblem(t, 429, "rate_limited"); p.Scope != "streams" {
		t.Errorf("%s", r.body)
	}
}

func TestTheFeedEndsWithATimeToComeBack(t *testing.T) {
	s := realServer(t, nil, nil)
	res := s.open(http.MethodGet, "/v1/events", "")
	defer res.Body.Close()
	s.api.Drain()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), "event: snapshot") || !strings.Contains(string(text), "\nretry: ") {
		t.Errorf("%q", text)
	}
}

// TestAReloadEndsOrNarrowsTheFeed: an app that was removed is no longer reported, even on a stream
// that is already open; the stream of a caller whose roles changed ends.
func TestAReloadEndsOrNarrowsTheFeed(t *testing.T) {
	var current atomic.Pointer[turn.Setup]
	s, c := realServer(t, withKeys, func(o *turn.Options) {
		current.Store(o.Setup())
		o.Setup = current.Load
	}), loadSchemas(t)
	alice, ops := []string{"Authorization", "Bearer ag_alice"}, []string{"Authorization", "Bearer ag_ops"}
	next, other := s.inbox(c, alice...), s.inbox(c, ops...)
	s.wantEvent(next, "snapshot", `"pending":[]`)
	s.wantEvent(other, "snapshot", `"pending":[]`)
	reload := func(apps, old, new string) {
		f := files{}
		maps.Copy(f, withKeys)
		f["gateway.json"] = strings.Replace(f["gateway.json"], old, new, 1)
		f["apps/plain.json"] = strings.Replace(plainApp, `"tools"`, apps+`"tools"`, 1)
		setup := *current.Load()
		setup.Config = loadConfig(t, f)
		current.Store(&setup)
	}
	reload(`"access": {"roles": ["staff"]}, `, "", "")
	s.run(c, "c1", `{"message":"text"}`, ops...)
	s.wantEvent(other, "clarification", `"chatId":"c1"`)
	s.wantEvent(other, "done", `"chatId":"c1"`)
	reload(`"access": {"roles": ["staff", "user"]}, `, `"staff"`, `"staff", "user"`)
	if ev := other(); ev.Name != "" {
		t.Errorf("%s after the roles have changed", ev.Name)
	}
	s.run(c, "c2", `{"message":"text"}`, alice...)
	s.wantEvent(next, "clarification", `"chatId":"c2"`)
}

// TestProgramsQuestionsAreToldToThoseWhomTheyConcern: those who are asked see questions come and
// go, the askers see how they ended, and no one else sees anything.
func TestProgramsQuestionsAreToldToThoseWhomTheyConcern(t *testing.T) {
	s, c := realServer(t, askFiles, nil), loadSchemas(t)
	streams := map[string]func() sse.Event{}
	for _, who := range []string{"ci", "robot", "alice", "bob", "carol"} {
		streams[who] = s.inbox(c, bearerOf("ag_"+who)...)
		s.wantEvent(streams[who], "snapshot", `"pending":[]`)
	}
	call := func(who, path, body string) string {
		t.Helper()
		r := s.call("POST", path, body, bearerOf("ag_"+who)...)
		if r.StatusCode/100 != 2 {
			t.Fatalf("%s: %d %s", path, r.StatusCode, r.body)
		}
		var got struct{ ClarificationID string }
		_ = json.Unmarshal(r.body, &got)
		return got.ClarificationID
	}
	toAlice := call("ci", "/v1/apps/plain/clarifications", `{"to": "alice", "question": "Deploy?", "input_type": "confirm"}`)
	s.wantEvent(streams["alice"], "clarification", toAlice)
	call("ci", "/v1/clarifications/"+toAlice+"/messages", `{"message": "still waiting"}`)
	s.wantEvent(streams["alice"], "asker.message", `"content":"still waiting"`)
	call("alice", "/v1/clarifications/"+toAlice+"/answer", `{"value": "yes"}`)
	s.wantEvent(streams["alice"], "clarification.resolved", toAlice)
	s.wantEvent(streams["ci"], "clarification.resolved", toAlice)

	toRole := call("robot", "/v1/apps/plain/clarifications", `{"to": {"role": "oncall"}, "question": "Who looks?"}`)
	for _, who := range []string{"alice", "bob"} {
		s.wantEvent(streams[who], "clarification", `"waitsFor":{"role":"oncall"}`)
	}
	call("bob", "/v1/clarifications/"+toRole+"/answer", `{"value": "I do"}`)
	for _, who := range []string{"alice", "bob", "robot"} {
		s.wantEvent(streams[who], "clarification.resolved", `"by":{"subject":"bob","channel":"api"}`)
	}
	// A withdrawn question ends for both; and carol, whom none of them concerned, now gets her
	// first one.
	toCarol := call("robot", "/v1/apps/plain/clarifications", `{"to": "carol", "question": "And you?"}`)
	s.wantEvent(streams["carol"], "clarification", toCarol)
	call("robot", "/v1/clarifications/"+toCarol+"/cancel", "")
	s.wantEvent(streams["carol"], "clarification.resolved", `"outcome":"cancelled"`)
	s.wantEvent(streams["robot"], "clarification.resolved", toCarol)
}
