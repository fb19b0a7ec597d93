package api_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"reflect"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/gateway/api"
	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/notify"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/gateway/turn"
	"github.com/askgate/askgate/tools"
)

const (
	sealing = "0123456789abcdef0123456789abcdef"
	another = "another-secret-of-at-least-32-bytes"
)

// linkServer is a server with a secret and a store, and helpers that ask a question and get its
// link.
type linkServer struct {
	*server
	db      store.Store
	session config.Session
}

func newLinkServer(t *testing.T) *linkServer {
	t.Helper()
	l := &linkServer{session: config.Session{Secret: sealing}}
	l.server = realServer(t, files{"gateway.json": `{"models": {"default": {"provider": "demo"}}, "auth": {"session": {"secret": "` + sealing + `", "otherSecrets": ["` + another + `"]}}, "limits": {"requestsPerMinute": 0}}`},
		func(o *turn.Options) { l.db = o.Store })
	return l
}

// ask has the demo model ask, and returns the question with the path of its link.
func (l *linkServer) ask(chatID string) (chat.Clarification, string) {
	l.t.Helper()
	var asked struct {
		Clarification struct{ ClarificationID string }
	}
	l.post(chatID, `{"message": "select"}`, "Accept", "application/json").decode(l.t, 200, &asked)
	c := l.row(asked.Clarification.ClarificationID)
	return c, notify.LinkPath + notify.SealLink(&l.session, &c)
}

func (l *linkServer) row(id string) chat.Clarification {
	l.t.Helper()
	c, err := l.db.Clarification(l.t.Context(), id)
	if err != nil {
		l.t.Fatal(err)
	}
	return c
}

// shown holds the data that the page receives.
type shown struct {
	Clarification *struct {
		State      tools.State
		AnsweredBy *chat.By
		Draft      json.RawMessage
	}
	AppName string
	Problem *struct {
		Code   string
		Detail string
	}
}

func TestAnAnswerByLink(t *testing.T) {
	l := newLinkServer(t)
	c, link := l.ask("c")
	r := l.call("GET", link, "")
	var page shown
	r.decode(t, 200, &page)
	if page.Clarification == nil || page.Clarification.State != tools.StatePending || page.Problem != nil || page.AppName != "Plain" {
		t.Errorf("%s", r.body)
	}
	for name, want := range map[string]string{"Referrer-Policy": "no-referrer", "Cache-Control": "no-store", "X-Robots-Tag": "noindex, nofollow"} {
		if got := r.Header.Get(name); got != want {
			t.Errorf("%s: %q", name, got)
		}
	}
	for body, status := range map[string]int{
		`{"value": "xx"}`: 422, `{"valeu": "fr"}`: 400, `[]`: 400, `{"value": "fr", "clarificationId": "clr_other"}`: 400, `{"message": "fr"}`: 400,
	} {
		if r := l.call("POST", link, body); r.StatusCode != status {
			t.Errorf("%s: %d %s", body, r.StatusCode, r.body)
		}
	}
	if r := l.call("POST", link, `{"value": "fr"}`, "Content-Type", "text/plain"); r.StatusCode != http.StatusUnsupportedMediaType {
		t.Errorf("a form of another site: %d", r.StatusCode)
	}
	r = l.call("POST", link, `{"value": "fr"}`)
	if r.StatusCode != 200 {
		t.Fatalf("%d %s", r.StatusCode, r.body)
	}
	loadSchemas(t).check("KeptClarification", r.body)
	got := l.row(c.ID)
	if got.State != tools.StateAnswered || got.AnsweredBy == nil || *got.AnsweredBy != (chat.By{Subject: c.Subject, Channel: chat.ChannelLink}) {
		t.Errorf("stored %+v", got)
	}
	if !saysNothing(r) {
		t.Errorf("the link discloses the answer: %s", r.body)
	}
	// Used, no matter by whom.
	r = l.call("POST", link, `{"value": "de"}`)
	loadSchemas(t).check("Problem", r.body)
	if p := r.wantProblem(t, 409, "already_answered"); p.Outcome != "answered" || !saysNothing(r) {
		t.Errorf("%s", r.body)
	}
	r, page = l.call("GET", link, ""), shown{}
	r.decode(t, 409, &page)
	if page.Clarification != nil || page.Problem.Code != "already_answered" || page.AppName != "Plain" || !saysNothing(r) {
		t.Errorf("%s", r.body)
	}
	if strings.Contains(l.log.String(), strings.TrimPrefix(link, notify.LinkPath)) {
		t.Error("the log has the link")
	}
}

// saysNothing reports whether a response contains neither an answer nor its author.
func saysNothing(r reply) bool {
	return !regexp.MustCompile(`"(answer|answeredBy|answeredAt|approval|remembered)":[^n]`).Match(r.body) && !bytes.Contains(r.body, []byte("anonymous"))
}

// How the question ended, even if it was declined, is not disclosed to the holder of the link.
func TestALinkDoesNotTellHowItsQuestionWasAnswered(t *testing.T) {
	for _, answer := range []string{`{"value": "fr", "note": "n"}`, `{"declined": true}`} {
		l := newLinkServer(t)
		_, link := l.ask("c")
		if r := l.post("c", `{"answer": `+answer+`}`); r.StatusCode != 200 {
			t.Fatalf("%d %s", r.StatusCode, r.body)
		}
		for _, method := range []string{"GET", "POST"} {
			r := l.call(method, link, `{"value": "de"}`)
			if r.StatusCode != 409 || !saysNothing(r) || strings.Contains(string(r.body), "declined") {
				t.Errorf("%s after %s: %d %s", method, answer, r.StatusCode, r.body)
			}
		}
	}
}

// A link allows exactly what its question needs.
func TestALinkDoesNoMoreThanItsQuestionNeeds(t *testing.T) {
	question := chat.Clarification{
		ID: "clr_1", Ref: chat.Ref{Tenant: "default", Subject: "anonymous", App: "plain", ChatID: "c"}, ExpiresAt: time.Now().Add(time.Hour),
		State: tools.StatePending, SeenAt: time.Now(), Draft: json.RawMessage(`{"typed": "x"}`),
		Question: tools.Question{Kind: tools.KindQuestion, Parts: []tools.Part{
			{ID: "q1", Question: "Where?", InputType: tools.Text}, {ID: "q2", Question: "When?", InputType: tools.Text, Kept: tools.KeptUnasked, Earlier: &tools.Earlier{Label: "Tuesday"}},
		}},
	}
	approval := question
	approval.ToolName, approval.Arguments = "pay", `{"to":"x"}`
	approval.Question = tools.Question{Kind: tools.KindApproval, Editable: true, Respond: true, Remember: "chat", Parts: []tools.Part{{ID: "q1", Question: "Pay?", InputType: tools.Confirm}}}
	permission := question
	permission.Question = tools.Question{Kind: tools.KindQuestion, Details: "npm test", Parts: []tools.Part{{ID: "q1", Question: "Allow?", InputType: tools.Select, Options: []tools.Option{
		{Label: "Yes", Value: "yes"}, {Label: "No", Value: "no"}, {Label: "Yes, for ever", Value: "yes-1"},
	}}}}
	for _, test := range []struct {
		c           *chat.Clarification
		hidden      []string
		body, field string
		question    int
		instead     string // taken
	}{
		{&question, []string{"Tuesday", "typed", "seenAt\":\"", "unasked"}, `{"answers": [{"value": "a"}, {"value": "b", "dontAskAgain": true}]}`, "dontAskAgain", 1, `{"answers": [{"value": "a"}, {"value": "b"}]}`},
		{&question, nil, `{"value": "a", "dontAskAgain": true}`, "dontAskAgain", 0, ""},
		{&permission, []string{"for ever", "yes-1"}, `{"value": "yes-1"}`, "value", 0, `{"value": "yes"}`},
		{&permission, nil, `{"answers": [{"value": "yes-1"}]}`, "value", 0, `{"value": "no"}`},
		{&approval, []string{"respond"}, `{"value": false, "result": "Paid in cash."}`, "result", 0, ""},
		{&approval, []string{"editable", "remember"}, `{"value": "yes", "arguments": {"to": "y"}}`, "arguments", 0, `{"value": "yes"}`},
	} {
		a := newServer(t, files{"gateway.json": `{"models": {"default": {"provider": "demo"}}, "auth": {"session": {"secret": "` + sealing + `"}}}`}, func(o *api.Options) {
			o.Store = fakeStore{one: test.c}
		})
		link := notify.LinkPath + notify.SealLink(&config.Session{Secret: sealing}, test.c)
		page := a.call("GET", link, "")
		if page.StatusCode != 200 || !strings.Contains(string(page.body), "q1") {
			t.Errorf("%d %s", page.StatusCode, page.body)
		}
		for _, word := range test.hidden {
			if strings.Contains(string(page.body), word) {
				t.Errorf("the page has %q: %s", word, page.body)
			}
		}
		r := a.call("POST", link, test.body)
		p := r.wantProblem(t, 422, "invalid_answer")
		if len(p.Errors) != 1 || p.Errors[0].Field != test.field || p.Errors[0].Question != test.question || p.Errors[0].Code != "not_by_link" || !strings.Contains(p.Errors[0].Message, "chat") {
			t.Errorf("%s: %s", test.body, r.body)
		}
		if test.instead != "" {
			if r := a.call("POST", link, test.instead); r.StatusCode != 200 {
				t.Errorf("%s: %d %s", test.instead, r.StatusCode, r.body)
			}
		}
	}
}

// Mail scanners and chat previews open links, many times and at once.
func TestReadingALinkChangesNothing(t *testing.T) {
	l := newLinkServer(t)
	c, link := l.ask("c")
	if err := l.db.SaveDraft(t.Context(), c.Tenant, c.Subject, c.ID, json.RawMessage(`{"typed": "secret"}`)); err != nil {
		t.Fatal(err)
	}
	before := l.row(c.ID)
	head, _, err := l.db.Conversation(t.Context(), c.Ref)
	if err != nil {
		t.Fatal(err)
	}
	var storm sync.WaitGroup
	for range 20 {
		storm.Go(func() {
			for _, method := range []string{"GET", "HEAD"} {
				r := l.call(method, link, "")
				if r.StatusCode != 200 || method == "HEAD" && len(r.body) > 0 || strings.Contains(string(r.body), "typed") {
					t.Errorf("%s: %d %s", method, r.StatusCode, r.body)
				}
			}
		})
	}
	storm.Wait()
	after, _, err := l.db.Conversation(t.Context(), c.Ref)
	if got := l.row(c.ID); err != nil || !reflect.DeepEqual(got, before) || *after != *head {
		t.Errorf("before %+v\nafter %+v, %v", before, got, err)
	}
	if r := l.call("POST", link, `{"answer": {"value": "fr"}}`); r.StatusCode != 200 {
		t.Errorf("after the storm: %d %s", r.StatusCode, r.body)
	}
}

func TestLinksThatAreNone(t *testing.T) {
	l := newLinkServer(t)
	c, link := l.ask("c")
	other, _ := l.ask("other")
	sealed := func(s config.Session, change func(c *chat.Clarification)) string {
		of := c
		change(&of)
		return notify.LinkPath + notify.SealLink(&s, &of)
	}
	own := config.Session{Secret: sealing}
	for name, bad := range map[string]string{
		"changed":              link[:len(link)-1] + map[bool]string{true: "B", false: "A"}[strings.HasSuffix(link, "A")],
		"cut":                  link[:len(link)-10],
		"longer":               link + "A",
		"nothing":              notify.LinkPath + "x",
		"another secret":       sealed(config.Session{Secret: "strange-secret-of-at-least-32-bytes"}, func(*chat.Clarification) {}),
		"another person":       sealed(own, func(c *chat.Clarification) { c.Subject = "mallory" }),
		"another tenant":       sealed(own, func(c *chat.Clarification) { c.Tenant = "mallory" }),
		"another question":     sealed(own, func(c *chat.Clarification) { c.ID = "clr_none" }),
		"another's question":   sealed(own, func(of *chat.Clarification) { of.ID, of.Subject = other.ID, "mallory" }),
		"the cookie's purpose": "/answer/" + strings.Repeat("A", 4000),
	} {
		for _, method := range []string{"GET", "POST"} {
			if r := l.call(method, bad, `{"value": "fr"}`); r.StatusCode != 404 {
				t.Errorf("%s, %s: %d %s", name, method, r.StatusCode, r.body)
			}
		}
	}
	// Sealed with the secret before the last change.
	if r := l.call("POST", sealed(config.Session{Secret: another}, func(*chat.Clarification) {}), `{"value": "fr"}`); r.StatusCode != 200 {
		t.Errorf("another secret of the gateway's: %d %s", r.StatusCode, r.body)
	}
	if r := l.call("DELETE", "/v1/apps/plain/chats/c", ""); r.StatusCode != 204 {
		t.Fatal(r.StatusCode)
	}
	if r := l.call("GET", link, ""); r.StatusCode != 404 {
		t.Errorf("in a chat that was deleted: %d %s", r.StatusCode, r.body)
	}
}

func TestLinksEnd(t *testing.T) {
	l := newLinkServer(t)
	c, link := l.ask("c")
	// A week has passed, and the question still waits.
	old := c
	old.AskedAt = time.Now().Add(-7*24*time.Hour - time.Second)
	stale := notify.LinkPath + notify.SealLink(&l.session, &old)
	var page shown
	l.call("GET", stale, "").decode(t, 410, &page)
	if page.Clarification != nil || page.Problem.Code != "clarification_closed" || !strings.Contains(page.Problem.Detail, "expired") {
		t.Errorf("%+v", page)
	}
	if r := l.call("POST", stale, `{"value": "fr"}`); r.StatusCode != 410 || l.row(c.ID).State != tools.StatePending {
		t.Errorf("%d %s", r.StatusCode, r.body)
	}
	old.ExpiresAt = time.Now().Add(-time.Second)
	if r := l.call("GET", notify.LinkPath+notify.SealLink(&l.session, &old), ""); r.StatusCode != 410 {
		t.Errorf("its question's end: %d", r.StatusCode)
	}
	// An admin cancels it.
	if r := l.call("POST", "/v1/admin/clarifications/"+c.ID+"/cancel", ""); r.StatusCode >= 300 {
		t.Fatalf("%d %s", r.StatusCode, r.body)
	}
	for _, method := range []string{"GET", "POST"} {
		if r := l.call(method, link, `{"value": "fr"}`); r.StatusCode != 410 || !strings.Contains(string(r.body), `"state":"cancelled"`) || !saysNothing(r) {
			t.Errorf("%s: %d %s", method, r.StatusCode, r.body)
		}
	}
}

// Whatever follows /answer/, it opens to exactly what was sealed, or to nothing.
func FuzzLink(f *testing.F) {
	session := config.Session{Secret: sealing}
	good := notify.SealLink(&session, &chat.Clarification{ID: "clr_1", AskedAt: time.Unix(1, 0)})
	for _, s := range []string{"", good, good[:20], good + "=", "AAAA", "../", "\x00", "ü"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if l, ok := notify.OpenLink(&session, text); ok && l.ClarificationID != "clr_1" || text == good && !ok {
			t.Errorf("%q opens to %+v, %t", text, l, ok)
		}
	})
}
