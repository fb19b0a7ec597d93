package main

import (
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/askgate/askgate/config/configtest"
	"github.com/askgate/askgate/gateway/channels/slack/slacktest"
	"github.com/askgate/askgate/gateway/prove/testenv"
)

// inSlack adds a channel "team" to a configuration, and a workspace with its people: "SUBJECT ROLE".
func inSlack(t *testing.T, files map[string]string, more string, people ...string) *slacktest.Slack {
	t.Helper()
	s := slacktest.New(t)
	entries := make([]string, 0, len(people))
	for _, p := range people {
		subject, role, _ := strings.Cut(p, " ")
		roles := "[]"
		if role != "" {
			roles = fmt.Sprintf("[%q]", role)
		}
		entries = append(entries, fmt.Sprintf(`{"tenant": "acme", "subject": %q, "email": "%s@example.org", "roles": %s}`, subject, subject, roles))
		s.Add(slacktest.User{ID: "U0" + strings.ToUpper(subject), Email: subject + "@example.org", ShownAs: subject})
	}
	files["gateway.json"] = strings.Replace(files["gateway.json"], `{"auth": {`, `{"people": [`+strings.Join(entries, ", ")+`],
		"channels": [{"id": "team", "type": "slack", "token": "`+slacktest.Token+`", "signingSecret": "`+slacktest.Secret+`", "api": "`+s.URL()+`", "texts": true`+more+`}], "auth": {`, 1)
	return s
}

// press presses the button or option with a label, in the message to a person.
func (p *process) press(s *slacktest.Slack, who string, m *slacktest.Message, label string) {
	p.t.Helper()
	for _, e := range m.Elements() {
		if text, _ := e["text"].(map[string]any); text["text"] == label {
			if got := s.Press(p.url+"/v1/channels/team/slack", "U0"+strings.ToUpper(who), m, fmt.Sprint(e["action_id"]), ""); got.Status != 200 {
				p.t.Fatalf("%+v", got)
			}
			return
		}
	}
	p.t.Fatalf("no %q in %q", label, m.Labels())
}

// toldTo waits for the only message to a person in which ok holds.
func toldTo(t *testing.T, s *slacktest.Slack, who string, ok func(m *slacktest.Message) bool) slacktest.Message {
	t.Helper()
	var found slacktest.Message
	s.Wait(func(messages []slacktest.Message, _ []slacktest.Told) bool {
		n := 0
		for i := range messages {
			if messages[i].Channel == "D0"+strings.ToUpper(who) && ok(&messages[i]) {
				found = messages[i]
				n++
			}
		}
		if n > 1 {
			t.Errorf("%s is told %d times", who, n)
		}
		return n > 0
	})
	return found
}

func unanswered(m *slacktest.Message) bool { return len(m.Elements()) > 1 }
func over(m *slacktest.Message) bool       { return len(m.Elements()) == 0 }

// A turn asks: the person is told in Slack, presses a button, and the turn goes on. The message says so in
// place of its buttons.
func TestAQuestionIsAnsweredInSlack(t *testing.T) {
	files := askers()
	s := inSlack(t, files, "", "alice", "bob oncall", "carol oncall", "ci oncall")
	p := start(t, "", files)
	p.as("alice", "POST", "/v1/apps/helper/chats/c/messages", `{"message": "select"}`, "Accept", "application/json")
	m := toldTo(t, s, "alice", unanswered)
	if !strings.Contains(m.Texts(), "Helper has a question for you.") {
		t.Errorf("%s", m.Texts())
	}
	p.press(s, "alice", &m, "1. French")
	if m = toldTo(t, s, "alice", over); !strings.HasSuffix(m.Texts(), "Answered.\nFrench") || m.Updates != 1 {
		t.Errorf("%s", m.Texts())
	}
	waitFor(t, func() bool {
		_, snapshot := p.as("alice", "GET", "/v1/apps/helper/chats/c", "")
		return snapshot["status"] == "idle"
	})
	// A role is asked by a program: each holder but the asker is told; the first press answers.
	id, _ := p.ask(`{"to": {"role": "oncall"}, "question": "Restart it?", "options": ["yes", "no"], "askedBy": {"name": "deploy", "title": "Deploy bot"}}`)
	toBob, toCarol := toldTo(t, s, "bob", unanswered), toldTo(t, s, "carol", unanswered)
	if !strings.Contains(toBob.Texts(), "Deploy bot has a question for people with the role oncall.\nRestart it?") {
		t.Errorf("%s", toBob.Texts())
	}
	p.press(s, "carol", &toCarol, "yes")
	for _, who := range []string{"bob", "carol"} {
		if m := toldTo(t, s, who, over); !strings.HasSuffix(m.Texts(), "Restart it?\nAnswered by carol.\nyes") {
			t.Errorf("%s: %s", who, m.Texts())
		}
	}
	p.press(s, "bob", &toBob, "no") // which his screen still showed
	_, told := s.Wait(func(_ []slacktest.Message, told []slacktest.Told) bool { return len(told) > 0 })
	if len(told) != 1 || !strings.HasPrefix(told[0].Text, "This question had already ended.") {
		t.Errorf("%+v", told)
	}
	_, kept := p.as("ci", "GET", "/v1/clarifications/"+id, "")
	if by, _ := kept["answeredBy"].(map[string]any); by["subject"] != "carol" || by["channel"] != "slack" {
		t.Errorf("%v", kept)
	}
	for _, m := range s.Messages() {
		if m.Channel == "D0CI" {
			t.Errorf("the asker is told: %s", m.Texts())
		}
	}
	if log := p.log.String(); strings.Contains(log, "xoxb-") || strings.Contains(log, slacktest.Secret) || strings.Contains(log, "@example.org") {
		t.Error("the log has a secret or an address")
	}
}

// Two of a role allow a call in Slack. A press counts once for each person.
func TestAQuorumInSlack(t *testing.T) {
	pays := newTill(t)
	files := refunds(t, pays, byTwo, "")
	s := inSlack(t, files, "", "alice", "bob finance", "carol finance", "dave finance")
	p := start(t, teller(t), files)
	id, _ := onlyAsked(t, p.says("c", `refund {"order": "<!channel>", "amount":7}`))
	toBob, toCarol := toldTo(t, s, "bob", unanswered), toldTo(t, s, "carol", unanswered)
	if !strings.Contains(toBob.Texts(), "amount: 7") || !slices.Equal(toBob.Labels(), []string{"Allow once", "Deny", "Open"}) {
		t.Errorf("%s %q", toBob.Texts(), toBob.Labels())
	}
	var told []slacktest.Told
	for n := range 2 { // what each press is told comes after the response to it
		p.press(s, "bob", &toBob, "Allow once")
		_, told = s.Wait(func(_ []slacktest.Message, told []slacktest.Told) bool { return len(told) == n+1 })
	}
	if !strings.HasPrefix(told[0].Text, "Your decision counts. 1 more person") || strings.HasPrefix(told[1].Text, "Your decision counts.") {
		t.Errorf("%+v", told)
	}
	if paid := pays.take(); paid != "" {
		t.Errorf("paid %s", paid)
	}
	p.press(s, "carol", &toCarol, "Allow once")
	if m := toldTo(t, s, "dave", over); !strings.HasSuffix(m.Texts(), "\nAllowed by carol.") {
		t.Errorf("%s", m.Texts())
	}
	p.settled("c")
	if paid := pays.take(); !strings.Contains(paid, `"amount":7`) {
		t.Errorf("paid %q", paid)
	}
	if _, kept := p.as("dave", "GET", "/v1/clarifications/"+id, ""); deciders(kept) != "bob=true carol=true" {
		t.Errorf("%s", deciders(kept))
	}
}

// A yes in Slack is for the call that the message shows, and not for later ones.
func TestAYesInSlackIsForOneCall(t *testing.T) {
	pays := newTill(t)
	files := refunds(t, pays, `true, "approvalRemember": "chat"`, "")
	s := inSlack(t, files, "", "alice")
	p := start(t, teller(t), files)
	for _, amount := range []string{"7", "8"} {
		id, c := onlyAsked(t, p.says("c", `refund {"amount":`+amount+`}`))
		if c["remember"] != "chat" {
			t.Fatalf("%v", c)
		}
		m := toldTo(t, s, "alice", func(m *slacktest.Message) bool {
			return strings.Contains(m.Texts(), "amount: "+amount) && unanswered(m)
		})
		p.press(s, "alice", &m, "Allow once")
		p.settled("c")
		if _, kept := p.as("alice", "GET", "/v1/clarifications/"+id, ""); kept["state"] != "answered" || kept["remembered"] == true {
			t.Errorf("%v", kept)
		}
	}
	if paid := pays.take(); paid != `{"amount":7} {"amount":8}` {
		t.Errorf("paid %s", paid)
	}
}

// Two nodes tell once. A press on one node and an answer on the other's page at the same instant: one wins,
// and the other is told.
func TestTwoNodesAndSlack(t *testing.T) {
	files := askers()
	s := inSlack(t, files, "", "alice")
	env := []string{"ASKGATE_STORE=" + emptyPostgres(t), "ASKGATE_REDIS=" + testenv.Redis(t)}
	nodes := [2]*process{start(t, "", files, env...), start(t, "", files, env...)}
	id, _ := nodes[0].ask(`{"to": "alice", "question": "Deploy?", "options": ["yes", "no"]}`)
	m := toldTo(t, s, "alice", unanswered)
	nodes[1].press(s, "alice", &m, "no")
	if _, kept := nodes[0].as("ci", "GET", "/v1/clarifications/"+id+"?wait=55", ""); kept["state"] != "answered" {
		t.Errorf("%v", kept)
	}
	toldTo(t, s, "alice", over)
	for round := range 8 {
		question := fmt.Sprintf("Deploy %d?", round)
		of := func(m *slacktest.Message) bool { return strings.Contains(m.Texts(), question) }
		id, _ := nodes[0].ask(fmt.Sprintf(`{"to": "alice", "question": %q, "options": ["yes", "no"]}`, question))
		m := toldTo(t, s, "alice", of)
		before := len(s.Told())
		var both sync.WaitGroup
		var status int
		both.Go(func() {
			status, _ = nodes[0].as("alice", "POST", "/v1/clarifications/"+id+"/answer", `{"value": "yes"}`)
		})
		both.Go(func() { nodes[1].press(s, "alice", &m, "no") })
		both.Wait()
		_, kept := nodes[1].as("ci", "GET", "/v1/clarifications/"+id, "")
		by, _ := kept["answeredBy"].(map[string]any)
		switch by["channel"] {
		case "api":
			_, told := s.Wait(func(_ []slacktest.Message, told []slacktest.Told) bool { return len(told) > before })
			if status != 200 || len(told) != before+1 {
				t.Errorf("round %d: the page won with %d; told %+v", round, status, told)
			}
		case "slack":
			if told := s.Told(); status != 409 || len(told) != before {
				t.Errorf("round %d: Slack won, the page got %d; told %+v", round, status, told)
			}
		default:
			t.Errorf("round %d: %v", round, kept)
		}
		m = toldTo(t, s, "alice", func(m *slacktest.Message) bool { return of(m) && over(m) })
		if !strings.Contains(m.Texts(), "Answered.") {
			t.Errorf("%s", m.Texts())
		}
	}
}

// A node is killed between the store of a question and its message: the next one tells.
func TestANodeIsKilledBeforeItTellsInSlack(t *testing.T) {
	files := askers()
	s := inSlack(t, files, "", "alice")
	for range 20 {
		s.Next("users.lookupByEmail", slacktest.Reply{Status: 503})
	}
	dir := t.TempDir()
	configtest.Files(files).Write(t, dir)
	n := startNode(t, "", "ASKGATE_CONFIG="+dir, "ASKGATE_STORE=sqlite:"+filepath.Join(dir, "askgate.db"))
	p := &process{t: t, url: "http://" + n.address, client: &http.Client{}}
	id, _ := p.ask(`{"to": "alice", "question": "Deploy?", "options": ["yes", "no"]}`)
	waitFor(t, func() bool { return strings.Contains(n.log.String(), "a channel cannot tell people") }) // its claim has ended then, as a rule
	n.end(syscall.SIGKILL)
	if len(s.Messages()) > 0 {
		t.Fatal("told already")
	}
	s.Reset("users.lookupByEmail")
	n.start()
	m := toldTo(t, s, "alice", unanswered)
	p.press(s, "alice", &m, "yes")
	if _, kept := p.as("ci", "GET", "/v1/clarifications/"+id, ""); kept["state"] != "answered" {
		t.Errorf("%v", kept)
	}
	toldTo(t, s, "alice", over)
}

// A person whom Slack does not know is not told, and the question says so. Presses for a channel that was
// removed are refused, even with the right signature.
func TestWhoIsNotInSlackIsNotTold(t *testing.T) {
	files := askers()
	s := inSlack(t, files, "", "alice", "bob oncall")
	s.Add(slacktest.User{ID: "U0ALICE", Email: "alice@example.org", Unconfirmed: true})
	p := start(t, "", files)
	p.ask(`{"to": "alice", "question": "Deploy?", "options": ["yes", "no"]}`)
	waitFor(t, func() bool { return strings.Contains(p.log.String(), "a person cannot be told of a question") })
	p.ask(`{"to": {"role": "oncall"}, "question": "Restart it?", "options": ["yes", "no"]}`)
	m := toldTo(t, s, "bob", unanswered)
	if len(s.Messages()) != 1 {
		t.Errorf("%d messages", len(s.Messages()))
	}
	without := askers()["gateway.json"]
	p.write("gateway.json", without)
	if got := s.Press(p.url+"/v1/channels/team/slack", "U0BOB", &m, "askgate-option0", ""); got.Status != 404 {
		t.Errorf("%+v", got)
	}
}
