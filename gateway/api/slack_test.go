package api_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/gateway/api"
	"github.com/askgate/askgate/gateway/channels"
	"github.com/askgate/askgate/gateway/channels/slack/slacktest"
	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/gateway/turn"
	"github.com/askgate/askgate/tools"
)

// slackServer is an API with a channel "team" of type slack, and one for another app, "other".
type slackServer struct {
	*server
	slack *slacktest.Slack
	db    store.Store
}

func newSlackServer(t *testing.T, change func(*api.Options)) *slackServer {
	t.Helper()
	s := &slackServer{slack: slacktest.New(t)}
	channel := `{"id": %q, "type": "slack", "token": "` + slacktest.Token + `", "signingSecret": "` + slacktest.Secret + `", "api": "` + s.slack.URL() + `", "texts": true, "apps": %s}`
	f := files{"gateway.json": `{"models": {"default": {"provider": "demo"}}, "limits": {"requestsPerMinute": 0},
		"auth": {"mode": "apiKeys", "session": {"secret": "` + sealing + `"}, "keys": [` + strings.Replace(keyEntry("ci", "ci", "ci", ``, false), `"subject"`, `"mayAsk": ["alice", "owner", "role:finance"], "subject"`, 1) + `]},
		"people": [
			{"tenant": "acme", "subject": "alice", "email": "Alice@example.org", "locale": "de"}, {"tenant": "acme", "subject": "carol", "email": "carol@example.org", "roles": ["finance"]},
			{"tenant": "acme", "subject": "ci", "email": "ci@example.org", "roles": ["finance"]}, {"tenant": "acme", "subject": "frank", "email": "frank@example.org", "roles": ["finance"]}, {"tenant": "globex", "subject": "carol", "email": "other@example.org", "roles": ["finance"]}],
		"channels": [` + fmt.Sprintf(channel, "team", `[]`) + `, ` + fmt.Sprintf(channel, "elsewhere", `["other"]`) + `]}`,
		"apps/other.json": `{"id": "other", "tools": ["ask_user"]}`}
	s.server = realServer(t, f, func(o *turn.Options) { s.db = o.Store }, change)
	for id, email := range map[string]string{"U0ALICE": "alice@example.org", "U0CAROL": "carol@EXAMPLE.org", "U0CI": "ci@example.org", "U0GLOBEX": "other@example.org", "U0DAVE": "dave@example.org", "U0OWNER": "owner@example.org"} {
		s.slack.Add(slacktest.User{ID: id, Email: email, ShownAs: "alice"})
	}
	return s
}

// at is the Request URL of a channel.
func (s *slackServer) at(channel string) string { return s.URL + "/v1/channels/" + channel + "/slack" }

// ask asks, as a program, and returns the question's id.
func (s *slackServer) ask(body string) string {
	s.t.Helper()
	var asked struct{ ClarificationID string }
	s.call("POST", "/v1/apps/plain/clarifications", body, bearerOf("ci")...).decode(s.t, 201, &asked)
	return asked.ClarificationID
}

// told waits for n texts that were shown to people who pressed: they come after the response to Slack.
func (s *slackServer) told(n int) []slacktest.Told {
	s.t.Helper()
	_, told := s.slack.Wait(func(_ []slacktest.Message, told []slacktest.Told) bool { return len(told) >= n })
	return told
}

func (s *slackServer) row(id string) chat.Clarification {
	s.t.Helper()
	c, err := s.db.Clarification(s.t.Context(), id)
	if err != nil {
		s.t.Fatal(err)
	}
	return c
}

// pressed is the payload of a press on an option of a question.
func (s *slackServer) pressed(user, id string, option int) map[string]any {
	return s.slack.Pressed(user, &slacktest.Message{Channel: "D0", TS: "1.0"}, fmt.Sprintf("askgate-option%d", option), fmt.Sprintf("%s.%d", id, option))
}

const (
	toAlice   = `{"to": "alice", "question": "MARKER deploy?", "options": ["now", "later"]}`
	toFinance = `{"to": {"role": "finance"}, "question": "Pay?", "options": ["now", "later"]}`
)

// A press is the answer of the person whose address Slack vouches for.
func TestAPressAnswers(t *testing.T) {
	s := newSlackServer(t, nil)
	for body, by := range map[string][2]string{toAlice: {"U0ALICE", "alice"}, toFinance: {"U0CAROL", "carol"}} {
		id := s.ask(body)
		if got := s.slack.Deliver(s.at("team"), s.pressed(by[0], id, 1)); got != (slacktest.Response{Status: 200}) {
			t.Fatalf("%+v", got)
		}
		c := s.row(id)
		if c.State != tools.StateAnswered || c.AnsweredBy == nil || c.AnsweredBy.Subject != by[1] || c.AnsweredBy.Channel != chat.ChannelSlack || string(c.Answer.Value) != `"later"` {
			t.Errorf("%+v %+v", c.Answer, c.AnsweredBy)
		}
		// The same press again says nothing; another one that it came too late. Neither changes anything.
		if got := s.slack.Deliver(s.at("team"), s.pressed(by[0], id, 1)); got.Status != 200 {
			t.Errorf("again: %+v", got)
		}
	}
	id := s.ask(toAlice)
	s.slack.Deliver(s.at("team"), s.pressed("U0ALICE", id, 0))
	if got := s.slack.Deliver(s.at("team"), s.pressed("U0ALICE", id, 1)); got.Status != 200 {
		t.Errorf("%+v", got)
	}
	if told := s.told(1); len(told) != 1 || told[0].ResponseType != "ephemeral" || told[0].ReplaceOriginal || !strings.HasPrefix(told[0].Text, "Diese Frage war schon beendet.") {
		t.Errorf("%+v", told)
	}
	if c := s.row(id); string(c.Answer.Value) != `"now"` {
		t.Errorf("%s", c.Answer.Value)
	}
	if log := s.log.String(); strings.Contains(log, "@") || strings.Contains(log, "xoxb") || strings.Contains(log, "MARKER") {
		t.Errorf("the log has an address, the token or a text: %s", log)
	}
}

// A press on a question that has ended is said in place.
func TestAPressOnAnEndedQuestionIsSaidInPlace(t *testing.T) {
	s := newSlackServer(t, nil)
	id := s.ask(toAlice)
	if r := s.call("POST", "/v1/clarifications/"+id+"/cancel", "", bearerOf("ci")...); r.StatusCode != 200 {
		t.Fatalf("%d %s", r.StatusCode, r.body)
	}
	s.slack.Next("chat.update", slacktest.Reply{Text: `{"ok": true}`})
	s.slack.Deliver(s.at("team"), s.pressed("U0ALICE", id, 0))
	told, calls := s.told(1), s.slack.Calls()
	if calls[len(calls)-1] != "chat.update" {
		t.Errorf("%v %+v", calls, told)
	}
}

// Who may not answer is told so alone, and nothing changes, whatever the payload says of them.
func TestPressesOfOthersChangeNothing(t *testing.T) {
	const stranger, notYours = "Only full members", "You cannot answer this question"
	for name, c := range map[string]struct {
		ask, user string
		person    *slacktest.User
		change    func(p map[string]any)
		channel   string
		told      string
	}{
		"another person":                 {toAlice, "U0CAROL", nil, nil, "", notYours},
		"no person here":                 {toAlice, "U0DAVE", nil, nil, "", notYours},
		"without the role":               {toFinance, "U0ALICE", nil, nil, "", notYours},
		"the asker with the role":        {toFinance, "U0CI", nil, nil, "", notYours},
		"the role in another tenant":     {toFinance, "U0GLOBEX", nil, nil, "", notYours},
		"the channel of another app":     {toAlice, "U0ALICE", nil, nil, "elsewhere", notYours},
		"a guest":                        {toAlice, "U0ALICE", &slacktest.User{Restricted: true}, nil, "", stranger},
		"a guest of one channel":         {toAlice, "U0ALICE", &slacktest.User{UltraRestricted: true}, nil, "", stranger},
		"a bot":                          {toAlice, "U0ALICE", &slacktest.User{Bot: true}, nil, "", stranger},
		"a stranger":                     {toAlice, "U0ALICE", &slacktest.User{Stranger: true}, nil, "", stranger},
		"deactivated":                    {toAlice, "U0ALICE", &slacktest.User{Deleted: true}, nil, "", stranger},
		"an unconfirmed address":         {toAlice, "U0ALICE", &slacktest.User{Unconfirmed: true}, nil, "", stranger},
		"a member of another workspace":  {toAlice, "U0ALICE", &slacktest.User{Team: "T0EVIL"}, nil, "", stranger},
		"an address that looks alike":    {toAlice, "U0ALICE", &slacktest.User{Email: "alice@example.or\u0261"}, nil, "", notYours},
		"an address that folds to it":    {toFinance, "U0DAVE", &slacktest.User{Email: "fran\u212a@example.org"}, nil, "", notYours},
		"no such user":                   {toAlice, "U0GONE", nil, nil, "", stranger},
		"another workspace's press":      {toAlice, "U0ALICE", nil, func(p map[string]any) { p["team"] = map[string]any{"id": "T0EVIL"} }, "", stranger},
		"no workspace":                   {toAlice, "U0ALICE", nil, func(p map[string]any) { delete(p, "team") }, "", stranger},
		"a user who says who they are":   {toAlice, "U0DAVE", nil, func(p map[string]any) { p["user"].(map[string]any)["email"] = "alice@example.org" }, "", notYours}, //nolint:forcetypeassert // our own
		"an option that is not there":    {toAlice, "U0ALICE", nil, value("2"), "", "Sie können diese Frage nicht beantworten"},
		"an option far beyond":           {toAlice, "U0ALICE", nil, value("1000000"), "", "Sie können diese Frage nicht beantworten"},
		"a question that does not exist": {toAlice, "U0ALICE", nil, func(p map[string]any) { action(p)["value"] = "clr_none.1" }, "", notYours},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSlackServer(t, nil)
			id := s.ask(c.ask)
			if c.person != nil {
				u := *c.person
				u.ID = c.user
				if u.Email == "" {
					u.Email = "alice@example.org"
				}
				s.slack.Add(u)
			}
			p := s.pressed(c.user, id, 0)
			if c.change != nil {
				c.change(p)
			}
			channel := c.channel
			if channel == "" {
				channel = "team"
			}
			got := s.slack.Deliver(s.at(channel), p)
			told := s.told(1)
			if got != (slacktest.Response{Status: 200}) || len(told) != 1 || told[0].ResponseType != "ephemeral" || told[0].ReplaceOriginal || !strings.HasPrefix(told[0].Text, c.told) {
				t.Errorf("%+v, told %+v", got, told)
			}
			if row := s.row(id); row.State != tools.StatePending {
				t.Errorf("it is %s", row.State)
			}
		})
	}
}

func action(p map[string]any) map[string]any { return p["actions"].([]any)[0].(map[string]any) } //nolint:forcetypeassert // our own

func value(option string) func(map[string]any) {
	return func(p map[string]any) {
		question, _, _ := strings.Cut(action(p)["value"].(string), ".") //nolint:forcetypeassert // our own
		action(p)["value"] = question + "." + option
	}
}

// A request that Slack did not sign, or not now, is refused before anything is read or called.
func TestForgedRequestsOfSlack(t *testing.T) {
	s := newSlackServer(t, nil)
	id := s.ask(toAlice)
	body := slacktest.Body(s.pressed("U0ALICE", id, 0))
	now := time.Now()
	large := "payload=" + strings.Repeat("x", 256<<10)
	deep := "payload=" + url.QueryEscape(strings.Repeat(`{"a":`, 60_000))
	with := func(h http.Header, name, value string) http.Header {
		if h.Set(name, value); value == "" {
			h.Del(name)
		}
		return h
	}
	for name, c := range map[string]struct {
		to, body string
		h        http.Header
		want     int
	}{
		"another secret":         {"team", body, slacktest.Sign("8f742231b10e8888abcd99yyyzzz85a6", body, now), 401},
		"an old one":             {"team", body, slacktest.Sign(slacktest.Secret, body, now.Add(-5*time.Minute-10*time.Second)), 401},
		"one of the future":      {"team", body, slacktest.Sign(slacktest.Secret, body, now.Add(5*time.Minute+10*time.Second)), 401},
		"another body":           {"team", body + "&x=1", slacktest.Sign(slacktest.Secret, body, now), 401},
		"no signature":           {"team", body, with(slacktest.Sign(slacktest.Secret, body, now), "X-Slack-Signature", ""), 401},
		"no time":                {"team", body, with(slacktest.Sign(slacktest.Secret, body, now), "X-Slack-Request-Timestamp", ""), 401},
		"no payload, unsigned":   {"team", "nonsense", slacktest.Sign("x", "nonsense", now), 401},
		"no payload, signed":     {"team", "nonsense", slacktest.Sign(slacktest.Secret, "nonsense", now), 400},
		"a deep payload":         {"team", deep, slacktest.Sign(slacktest.Secret, deep, now), 413},
		"too large":              {"team", large, slacktest.Sign(slacktest.Secret, large, now), 413},
		"JSON":                   {"team", body, with(slacktest.Sign(slacktest.Secret, body, now), "Content-Type", "application/json"), 415},
		"no such channel":        {"nosuch", body, slacktest.Sign(slacktest.Secret, body, now), 404},
		"a key and no signature": {"team", body, http.Header{"Content-Type": {"application/x-www-form-urlencoded"}, "Authorization": {"Bearer ci"}}, 401},
	} {
		got := s.slack.Send(s.at(c.to), c.body, c.h)
		if got.Status != c.want || strings.Contains(got.Body, id) {
			t.Errorf("%s: %d %s", name, got.Status, got.Body)
		}
		if c.want == 401 && (!strings.Contains(got.Body, `"code":"unauthenticated"`) || !strings.Contains(got.Body, "set “signingSecret” again")) {
			t.Errorf("%s: %s", name, got.Body)
		}
	}
	if calls := s.slack.Calls(); len(calls) > 0 || len(s.slack.Told()) > 0 || s.row(id).State != tools.StatePending {
		t.Errorf("Slack was called: %v, %s", calls, s.row(id).State)
	}
	// What was signed can be sent again for 5 minutes, and answers once.
	for range 2 {
		if got := s.slack.Send(s.at("team"), body, slacktest.Sign(slacktest.Secret, body, now)); got.Status != 200 {
			t.Errorf("%+v", got)
		}
	}
	if c := s.row(id); c.State != tools.StateAnswered {
		t.Errorf("%s", c.State)
	}
}

// A response goes to Slack only, whatever the payload says.
func TestResponsesToPressesGoToSlackOnly(t *testing.T) {
	var reached atomic.Int32
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached.Add(1) }))
	defer elsewhere.Close()
	s := newSlackServer(t, nil)
	id := s.ask(toAlice)
	for _, to := range []string{elsewhere.URL, elsewhere.URL + "/https://hooks.slack.com/x", "http://hooks.slack.com@" + strings.TrimPrefix(elsewhere.URL, "http://"), "file:///etc/passwd", "", "%", "http://169.254.169.254/"} {
		p := s.pressed("U0CAROL", id, 0)
		p["response_url"] = to
		if got := s.slack.Deliver(s.at("team"), p); got.Status != 200 {
			t.Errorf("%s: %+v", to, got)
		}
	}
	if reached.Load() > 0 || len(s.slack.Told()) > 0 {
		t.Error("something else was reached")
	}
}

// "Something else" opens a modal, whose text is an answer like any other.
func TestAnswersInOwnWords(t *testing.T) {
	s := newSlackServer(t, nil)
	own := `{"to": "alice", "question": "Which?", "input_type": "select", "options": ["now", "later"], "allow_other": true}`
	id := s.ask(own)
	m := &slacktest.Message{Channel: "D0", TS: "1.0"}
	if got := s.slack.Press(s.at("team"), "U0ALICE", m, "askgate-other", id); got != (slacktest.Response{Status: 200}) || len(s.slack.Views()) != 1 {
		t.Fatalf("%+v %+v %+v", got, s.slack.Views(), s.slack.Told())
	}
	view := s.slack.Views()[0]
	if got := s.slack.Deliver(s.at("team"), s.slack.Submitted(&view, "  ")); got.Status != 200 || !strings.Contains(got.Body, `"response_action":"errors"`) || !strings.Contains(got.Body, `"askgate-other_block":`) {
		t.Errorf("blank: %+v", got)
	}
	foreign := view
	foreign.User = "U0CAROL"
	if got := s.slack.Deliver(s.at("team"), s.slack.Submitted(&foreign, "mine")); !strings.Contains(got.Body, "cannot answer this question") {
		t.Errorf("of another: %+v", got)
	}
	if c := s.row(id); c.State != tools.StatePending {
		t.Fatalf("%s", c.State)
	}
	if got := s.slack.Deliver(s.at("team"), s.slack.Submitted(&view, "tomorrow <!channel>")); got != (slacktest.Response{Status: 200}) {
		t.Errorf("%+v", got)
	}
	if c := s.row(id); c.State != tools.StateAnswered || c.Answer.Other != "tomorrow <!channel>" || c.AnsweredBy.Channel != chat.ChannelSlack {
		t.Errorf("%+v", c.Answer)
	}
	if got := s.slack.Deliver(s.at("team"), s.slack.Submitted(&view, "next year")); !strings.Contains(got.Body, "schon beendet") {
		t.Errorf("after the end: %+v", got)
	}
	// A trigger that is too old for a modal is said, and changes nothing.
	id = s.ask(own)
	p := s.slack.Pressed("U0ALICE", m, "askgate-other", id)
	s.slack.ExpireTriggers()
	s.slack.Deliver(s.at("team"), p)
	if told := s.told(1); len(told) != 1 || !strings.HasPrefix(told[0].Text, "Das hat für Slack zu lange gedauert.") || len(s.slack.Views()) != 1 {
		t.Errorf("%+v", told)
	}
	// Words that the question does not take are refused as by the API.
	id = s.ask(toAlice)
	view.PrivateMetadata = id
	if got := s.slack.Deliver(s.at("team"), s.slack.Submitted(&view, "never")); !strings.Contains(got.Body, `"response_action":"errors"`) || s.row(id).State != tools.StatePending {
		t.Errorf("%+v", got)
	}
}

// The owner of a chat is also known by the address of their token, but by no one else's.
func TestAnOwnerKnownByTheirToken(t *testing.T) {
	sealed := channels.SealAddress(&config.Session{Secret: sealing}, "acme", "owner", "owner@example.org")
	s := newSlackServer(t, func(o *api.Options) {
		o.KeptAddress = func(_ context.Context, tenant, subject string) (string, error) {
			if tenant == "acme" && (subject == "owner" || subject == "alice") {
				return sealed, nil
			}
			return "", nil
		}
	})
	id := s.ask(`{"to": "owner", "question": "Deploy?", "options": ["now", "later"]}`)
	hers := s.ask(toAlice) // whose row has the other's sealed address
	s.slack.Deliver(s.at("team"), s.pressed("U0OWNER", hers, 0))
	s.slack.Deliver(s.at("team"), s.pressed("U0DAVE", id, 0))
	if c := s.row(id); c.State != tools.StatePending {
		t.Errorf("another address: %s", c.State)
	}
	s.slack.Deliver(s.at("team"), s.pressed("U0OWNER", id, 0))
	if c := s.row(id); c.State != tools.StateAnswered || c.AnsweredBy.Subject != "owner" {
		t.Errorf("%s %+v", c.State, c.AnsweredBy)
	}
	if c := s.row(hers); c.State != tools.StatePending {
		t.Errorf("%s", c.State)
	}
}

// If the fault is not with the person who presses, it is an error of the request, which Slack marks; nothing changes.
func TestPressesWhileSlackOrTheGatewayIsDown(t *testing.T) {
	s := newSlackServer(t, nil)
	id := s.ask(toAlice)
	s.slack.Next("auth.test", slacktest.Reply{Error: "invalid_auth"})
	s.slack.Next("users.info", slacktest.Reply{Status: 503})
	for range 2 {
		if got := s.slack.Deliver(s.at("team"), s.pressed("U0ALICE", id, 0)); got.Status != 503 {
			t.Errorf("%+v", got)
		}
	}
	s.api.Drain()
	if got := s.slack.Deliver(s.at("team"), s.pressed("U0ALICE", id, 0)); got.Status != 503 || !strings.Contains(got.Body, "draining") {
		t.Errorf("%+v", got)
	}
	if c := s.row(id); c.State != tools.StatePending {
		t.Errorf("%s", c.State)
	}
}

// slowEngine answers once it may.
type slowEngine struct {
	api.Engine
	may chan struct{}
}

func (e slowEngine) AnswerByID(ctx context.Context, setup *turn.Setup, id string, a turn.Answer, by chat.Actor, channel chat.Channel) (chat.Clarification, error) {
	<-e.may
	return e.Engine.AnswerByID(ctx, setup, id, a, by, channel)
}

// Slack waits 3 seconds for a response. An answer that takes longer counts nevertheless, and a refusal is
// told.
func TestASlowAnswerIsAcknowledgedBefore(t *testing.T) {
	may := make(chan struct{})
	s := newSlackServer(t, func(o *api.Options) { o.Engine = slowEngine{o.Engine, may} })
	id := s.ask(toAlice)
	if got := s.slack.Deliver(s.at("team"), s.pressed("U0ALICE", id, 1)); got != (slacktest.Response{Status: 200}) || s.row(id).State != tools.StatePending {
		t.Errorf("%+v, %s", got, s.row(id).State)
	}
	if got := s.slack.Deliver(s.at("team"), s.pressed("U0ALICE", id, 0)); got.Status != 200 {
		t.Errorf("%+v", got)
	}
	may <- struct{}{}
	may <- struct{}{}
	if told := s.told(1); !strings.Contains(told[0].Text, "schon beendet") {
		t.Errorf("%+v", told)
	}
	if c := s.row(id); c.State != tools.StateAnswered {
		t.Errorf("%s", c.State)
	}
}
