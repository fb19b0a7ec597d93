package api_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/askgate/askgate/gateway/api"
	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/tools"
)

// Only a wait of the asker counts as one, for as long as it takes, and only while the question waits.
func TestWaitsOfTheAskerAreStored(t *testing.T) {
	for _, c := range []struct {
		what, who, wait string
		state           tools.State
		want            []string
	}{
		{"the asker", "ci", "?wait=1", tools.StatePending, []string{"waits for clr_1", "left clr_1, gone true"}},
		{"the person asked", "alice", "?wait=1", tools.StatePending, nil},
		{"a look", "ci", "", tools.StatePending, nil},
		{"no time", "ci", "?wait=0", tools.StatePending, nil},
		{"one that has ended", "ci", "?wait=1", tools.StateExpired, nil},
	} {
		engine := &fakeEngine{}
		s := newServer(t, askFiles, func(o *api.Options) {
			withEngine(engine)(o)
			one(func(q *chat.Clarification) { q.State = c.state })(o)
		})
		if r := s.call("GET", "/v1/clarifications/clr_1"+c.wait, "", bearerOf("ag_"+c.who)...); r.StatusCode != 200 {
			t.Errorf("%s: %d", c.what, r.StatusCode)
		}
		if !slices.Equal(engine.attended, c.want) {
			t.Errorf("%s: %q, want %q", c.what, engine.attended, c.want)
		}
	}
}

// What a question says about its asker.
func TestAskerWaiting(t *testing.T) {
	for _, c := range []struct {
		what  string
		ago   time.Duration // since the asker was last seen to wait; negative: never
		state tools.State
		want  string
	}{
		{"never", -1, tools.StatePending, ``},
		{"now", time.Second, tools.StatePending, `"askerWaiting":true`},
		{"long ago", 2 * time.Minute, tools.StatePending, `"askerWaiting":false`},
		{"of what is closed", time.Second, tools.StateAnswered, ``},
	} {
		s := newServer(t, askFiles, one(func(q *chat.Clarification) {
			q.State = c.state
			if c.ago >= 0 {
				q.WaitedAt = time.Now().Add(-c.ago)
			}
		}))
		for _, who := range []string{"ci", "alice"} {
			body := string(s.call("GET", "/v1/clarifications/clr_1", "", bearerOf("ag_"+who)...).body)
			if got := strings.Contains(body, "askerWaiting"); got != (c.want != "") || !strings.Contains(body, c.want) {
				t.Errorf("%s, to %s: %s", c.what, who, body)
			}
		}
	}
}

// How long no one may wait has bounds.
func TestWithdrawWhenGone(t *testing.T) {
	engine := &fakeEngine{}
	s := newServer(t, askFiles, withEngine(engine))
	ask := func(value string) reply {
		return s.call("POST", "/v1/apps/plain/clarifications", `{"question": "Q", "withdrawWhenGone": `+value+`}`, bearerOf("ag_ci")...)
	}
	for value, want := range map[string]time.Duration{`"10s"`: 10 * time.Second, `"1m30s"`: 90 * time.Second, `"30d"`: 30 * 24 * time.Hour} {
		if r := ask(value); r.StatusCode != 201 {
			t.Errorf("%s: %d %s", value, r.StatusCode, r.body)
		} else if got := engine.onlyAsked(t).WithdrawAfter; got != want {
			t.Errorf("%s is %v", value, got)
		}
	}
	for _, value := range []string{`"9.999s"`, `"30d1s"`, `"-10m"`, `"0"`, `""`, `"soon"`, `10`, `null`, `["10m"]`, `"99999999999999d"`} {
		if p := ask(value).wantProblem(t, 400, "invalid_request"); p.Field != "withdrawWhenGone" {
			t.Errorf("%s: %+v", value, p)
		}
	}
	if len(engine.asked) != 0 {
		t.Errorf("%d of them were asked", len(engine.asked))
	}
}
