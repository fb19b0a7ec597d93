package api_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/tools"
)

// Whom a program's question is escalated to, and when, has bounds, and the caller must be allowed to ask each role.
func TestEscalate(t *testing.T) {
	engine := &fakeEngine{}
	s := newServer(t, askFiles, withEngine(engine))
	ask := func(who, to, steps string) reply {
		return s.call("POST", "/v1/apps/plain/clarifications", `{"question": "Q", "to": `+to+`, "escalate": `+steps+`}`, bearerOf("ag_"+who)...)
	}
	step := func(after, role string) string { return `{"after": "` + after + `", "to": {"role": "` + role + `"}}` }
	role := `{"role": "oncall"}`
	five := []string{step("1s", "a"), step("2s", "b"), step("3s", "c"), step("4s", "d"), step("365d", "e")}
	for steps, want := range map[string][]tools.Escalation{
		`[]`:                           nil,
		`[` + step("1d", "lead") + `]`: {{After: 24 * time.Hour, Role: "lead"}},
		`[` + step("1h", "lead") + `, ` + step("1h1s", "board") + `]`: {{After: time.Hour, Role: "lead"}, {After: time.Hour + time.Second, Role: "board"}},
		`[` + strings.Join(five, ", ") + `]`:                          {{After: time.Second, Role: "a"}, {After: 2 * time.Second, Role: "b"}, {After: 3 * time.Second, Role: "c"}, {After: 4 * time.Second, Role: "d"}, {After: 365 * 24 * time.Hour, Role: "e"}},
	} {
		if r := ask("boss", role, steps); r.StatusCode != 201 {
			t.Errorf("%s: %d %s", steps, r.StatusCode, r.body)
		} else if got := engine.onlyAsked(t).Question.Escalate; !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", steps, got, want)
		}
	}
	for _, c := range []struct{ to, steps, field string }{
		{role, `[` + step("999ms", "lead") + `]`, "escalate[0].after"},
		{role, `[` + step("366d", "lead") + `]`, "escalate[0].after"},
		{role, `[` + step("soon", "lead") + `]`, "escalate[0].after"},
		{role, `[{"after": 1, "to": {"role": "lead"}}]`, "escalate[0].after"},
		{role, `[` + step("1h", "lead") + `, ` + step("1h", "board") + `]`, "escalate[1].after"},
		{role, `[` + step("1h", "oncall") + `]`, "escalate[0].to"},
		{role, `[` + step("1h", "lead") + `, ` + step("2h", "lead") + `]`, "escalate[1].to"},
		{role, `[{"after": "1h", "to": "alice"}]`, "escalate[0].to"},
		{role, `[{"after": "1h", "to": {"role": " "}}]`, "escalate[0].to.role"},
		{role, `[{"after": "1h"}]`, "escalate[0].to"},
		{role, `[{"to": {"role": "lead"}}]`, "escalate[0].after"},
		{role, `[{"after": "1h", "to": {"role": "lead"}, "more": 1}]`, "escalate[0].more"},
		{role, `{}`, "escalate"},
		{role, `null`, "escalate"},
		{role, `[` + strings.Join(append(slices.Clone(five), step("1s", "f")), ", ") + `]`, "escalate"},
		{`"alice"`, `[` + step("1h", "lead") + `]`, "escalate"}, // others would read the chat
	} {
		if p := ask("boss", c.to, c.steps).wantProblem(t, 400, "invalid_request"); p.Field != c.field {
			t.Errorf("%s: %+v, want %s", c.steps, p, c.field)
		}
	}
	for _, steps := range []string{`[` + step("1h", "lead") + `]`, `[` + step("1h", "oncall") + `, ` + step("2h", "lead") + `]`} {
		ask("ci", `{"role": "finance"}`, steps).wantProblem(t, 403, "forbidden")
	}
	if len(engine.asked) != 0 {
		t.Errorf("%d of them were asked", len(engine.asked))
	}
}

// Until a step happens, the question does not exist for its role; from then on they may answer, and all whom it
// concerns see since when.
func TestWhoSeesAnEscalatedQuestion(t *testing.T) {
	for _, c := range []struct {
		steps []chat.Escalated
		want  map[string]int
	}{
		{nil, map[string]int{"alice": 404, "bob": 404, "ci": 200, "carol": 404}},
		{[]chat.Escalated{{At: time.Now(), Fence: 1}}, map[string]int{"alice": 200, "bob": 200, "ci": 200, "carol": 404}},
	} {
		s := newServer(t, askFiles, one(func(q *chat.Clarification) {
			q.Subject, q.For, q.Escalated = chat.RoleSubject("finance"), "finance", c.steps
			q.Question.Escalate = []tools.Escalation{{After: time.Hour, Role: "oncall"}}
		}))
		for who, want := range c.want {
			r := s.call("GET", "/v1/clarifications/clr_1", "", bearerOf("ag_"+who)...)
			if also := strings.Contains(string(r.body), `"alsoAsks":[{"role":"oncall","at":"`); r.StatusCode != want || also != (want == 200 && c.steps != nil) {
				t.Errorf("%s after %d steps: %d %s", who, len(c.steps), r.StatusCode, r.body)
			}
		}
	}
}
