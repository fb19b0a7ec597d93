package slack_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/gateway/channels"
	"github.com/askgate/askgate/gateway/channels/slack"
	"github.com/askgate/askgate/gateway/channels/slack/slacktest"
	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/locales"
	"github.com/askgate/askgate/tools"
)

const email = "carol@example.org"

// workspace starts a workspace with carol, and the sender of a channel there.
func workspace(t *testing.T, change func(*config.Channel)) (*slacktest.Slack, channels.Sender) {
	t.Helper()
	s := slacktest.New(t)
	s.Add(slacktest.User{ID: "U0CAROL", Email: email})
	c := config.Channel{ID: "slack", Type: config.ChannelSlack, Token: slacktest.Token, SigningSecret: slacktest.Secret, API: s.URL()}
	if change != nil {
		change(&c)
	}
	sender, err := slack.New(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(sender.Close)
	return s, sender
}

// about returns a message about a question, with its texts.
func about(t *testing.T, language string, q tools.Question) *channels.Message {
	t.Helper()
	catalog, err := locales.New()
	if err != nil {
		t.Fatal(err)
	}
	if q.Kind == "" {
		q.Kind = tools.KindQuestion
	}
	return &channels.Message{
		ID: "1.0", Email: email, Language: language, App: "Helper", Asker: "Deploy bot", Link: "https://ask.example.org/answer/abc", Texts: true,
		C:    &chat.Clarification{ID: "clr_1", State: tools.StatePending, Question: q},
		Text: func(id string, params map[string]any) string { return catalog.Text(language, id, params) },
	}
}

func choice(n int) tools.Question {
	p := tools.Part{Question: "Which one?", InputType: tools.Select}
	for i := range n {
		p.Options = append(p.Options, tools.Option{Label: fmt.Sprintf("Option %d", i), Value: fmt.Sprintf("o%d", i)})
	}
	return tools.Question{Parts: []tools.Part{p}}
}

// send sends a message, which Slack must take, and returns it as Slack has it.
func send(t *testing.T, s *slacktest.Slack, sender channels.Sender, m *channels.Message) slacktest.Message {
	t.Helper()
	ref, err := sender.Send(t.Context(), m)
	if err != nil {
		t.Fatal(err)
	}
	all := s.Messages()
	last := all[len(all)-1]
	if last.Ref() != ref {
		t.Fatalf("the reference is %q, the message %+v", ref, last)
	}
	return last
}

// What can be answered by a press depends on the question; everything has its link.
func TestWhatCanBePressed(t *testing.T) {
	s, sender := workspace(t, nil)
	part := func(kind tools.InputType, change func(*tools.Part)) tools.Question {
		p := tools.Part{Question: "Q?", InputType: kind}
		if change != nil {
			change(&p)
		}
		return tools.Question{Parts: []tools.Part{p}}
	}
	long := strings.Repeat("ä", 80)
	described := choice(2)
	described.Parts[0].Options[0].Description = "the safe one"
	lengthy := choice(2)
	lengthy.Parts[0].Options[1].Label = long
	own := choice(3)
	own.Parts[0].AllowOther = true
	secret := choice(2)
	secret.Parts[0].Secret = "pin"
	part1000 := choice(100)
	part1000.Parts[0].OptionsTotal = 1000
	detailed := choice(2)
	detailed.Details = "read me"
	for name, c := range map[string]struct {
		q      tools.Question
		labels []string
		chosen int // options of the select
		text   string
	}{
		"two options":            {choice(2), []string{"Option 0", "Option 1", "Open"}, 0, "Which one?"},
		"five options":           {choice(5), []string{"Option 0", "Option 1", "Option 2", "Option 3", "Option 4", "Open"}, 0, ""},
		"six options":            {choice(6), []string{"Open"}, 6, ""},
		"100 options":            {choice(100), []string{"Open"}, 100, ""},
		"101 options":            {choice(101), []string{"Open"}, 0, ""},
		"some of 1,000 options":  {part1000, []string{"Open"}, 0, ""},
		"an answer of their own": {own, []string{"Option 0", "Option 1", "Option 2", "Something else", "Open"}, 0, ""},
		"descriptions":           {described, []string{"1. Option 0", "2. Option 1", "Open"}, 0, "1. Option 0: the safe one\n2. Option 1"},
		"a long label":           {lengthy, []string{"1. Option 0", "2. " + long[:2*71] + "…", "Open"}, 0, "2. " + long},
		"a confirm":              {part(tools.Confirm, nil), []string{"Yes", "No", "Open"}, 0, ""},
		"an approval":            {tools.Question{Kind: tools.KindApproval, Parts: []tools.Part{{Question: "Allow pay?", InputType: tools.Confirm}}}, []string{"Allow once", "Deny", "Open"}, 0, "Allow pay?"},
		"a text":                 {part(tools.Text, nil), []string{"Open"}, 0, "Q?"},
		"a number":               {part(tools.Number, nil), []string{"Open"}, 0, ""},
		"a date":                 {part(tools.Date, nil), []string{"Open"}, 0, ""},
		"a file":                 {part(tools.File, nil), []string{"Open"}, 0, ""},
		"a scale":                {part(tools.Scale, nil), []string{"Open"}, 0, ""},
		"several options":        {part(tools.Multiselect, func(p *tools.Part) { p.Options = choice(2).Parts[0].Options }), []string{"Open"}, 0, ""},
		"two questions":          {tools.Question{Parts: []tools.Part{choice(2).Parts[0], choice(2).Parts[0]}}, []string{"Open"}, 0, ""},
		"a page to visit":        {part(tools.Confirm, func(p *tools.Part) { p.Link = "https://example.org" }), []string{"Open"}, 0, ""},
		"a secret":               {secret, []string{"Open"}, 0, ""},
		"details to read":        {detailed, []string{"Open"}, 0, "This text is shortened."},
	} {
		m := send(t, s, sender, about(t, "en", c.q))
		if !slices.Equal(m.Labels(), c.labels) || !strings.Contains(m.Texts(), c.text) {
			t.Errorf("%s: %q\n%s", name, m.Labels(), m.Texts())
		}
		chosen := 0
		for _, e := range m.Elements() {
			options, _ := e["options"].([]any)
			chosen += len(options)
		}
		if chosen != c.chosen {
			t.Errorf("%s: %d options can be chosen, want %d", name, chosen, c.chosen)
		}
		if !strings.Contains(m.Text, "Deploy bot") || strings.Contains(m.Text, "Which") {
			t.Errorf("%s: a notification shows %q", name, m.Text)
		}
		if last := m.Elements()[len(m.Elements())-1]; last["url"] != "https://ask.example.org/answer/abc" {
			t.Errorf("%s: no link in %v", name, last)
		}
	}
}

// People cannot decide with a press about a text that they have not seen in full.
func TestWhatIsCutCannotBePressed(t *testing.T) {
	s, sender := workspace(t, nil)
	long := choice(2)
	long.Parts[0].Question = strings.Repeat("😀", 32_000)
	approval := about(t, "en", tools.Question{Kind: tools.KindApproval, Parts: []tools.Part{{Question: "Allow pay?", InputType: tools.Confirm}}})
	approval.C.Arguments = `{"note":"` + strings.Repeat("x", 4000) + `"}`
	many := tools.Question{}
	for range 20 {
		many.Parts = append(many.Parts, tools.Part{Question: strings.Repeat("x", 2900), InputType: tools.Text})
	}
	form := tools.Question{} // of more blocks than Slack takes
	for range 50 {
		form.Parts = append(form.Parts, tools.Part{Question: "Which?", Context: "To know.", InputType: tools.Text})
	}
	labels := choice(100) // more than Slack takes in one message
	for i := range labels.Parts[0].Options {
		labels.Parts[0].Options[i].Label = fmt.Sprintf("%03d", i) + strings.Repeat("x", 72)
	}
	for name, m := range map[string]*channels.Message{"a question": about(t, "en", long), "arguments": approval, "a form": about(t, "en", many), "a form of 50": about(t, "en", form), "labels": about(t, "en", labels)} {
		if got := send(t, s, sender, m); !slices.Equal(got.Labels(), []string{"Open"}) || name != "labels" && !strings.Contains(got.Texts(), "This text is shortened.") {
			t.Errorf("%s: %q\n%.200s", name, got.Labels(), got.Texts())
		}
	}
}

// An approval shows its arguments as lines; none of them can pass for another.
func TestArgumentsAreLines(t *testing.T) {
	s, sender := workspace(t, nil)
	m := about(t, "en", tools.Question{Kind: tools.KindApproval, Titles: map[string]string{"amount": "Amount"}, Parts: []tools.Part{{Question: "Allow pay?", InputType: tools.Confirm}}})
	m.C.Arguments = `{"amount":100,"note":"a\nAmount: 1"}`
	shown := send(t, s, sender, m)
	got := shown.Texts()
	if !strings.Contains(got, "\nAmount (amount): 100\nnote: \"") || strings.Contains(got, "\nAmount: 1") {
		t.Errorf("%s", got)
	}
}

// A message says until when its question waits, in the zone of the quiet time, as a mail does. One that waits for as
// long as it takes says nothing of it.
func TestADeadlineIsSaid(t *testing.T) {
	s, sender := workspace(t, func(c *config.Channel) { c.Quiet.Zone = "Europe/Berlin" })
	m := about(t, "en", choice(2))
	if got := send(t, s, sender, m); strings.Contains(got.Texts(), "Answer by") {
		t.Errorf("%s", got.Texts())
	}
	m.C.ExpiresAt = time.Date(2026, 7, 1, 22, 30, 0, 0, time.UTC)
	for _, texts := range []bool{true, false} {
		m.Texts = texts
		if got := send(t, s, sender, m); !strings.Contains(got.Texts(), "\nAnswer by 2 July 2026, 00:30 CEST.") || strings.Contains(got.Text, "2026") {
			t.Errorf("%s", got.Texts())
		}
	}
}

// No text of a model becomes a mention, a link or markup.
func TestTextsOfModelsAreNoMarkup(t *testing.T) {
	s, sender := workspace(t, nil)
	const evil = "<!channel> <@U0BOB> <https://evil.example|your bank> *bold* & :smile:"
	q := tools.Question{Warning: evil, Parts: []tools.Part{{Question: evil, Context: evil, InputType: tools.Select, Options: []tools.Option{{Label: evil, Value: evil, Description: evil}, {Label: "b", Value: "b"}}}}}
	m := about(t, "en", q)
	m.Asker = evil
	got := send(t, s, sender, m)
	if strings.ContainsAny(got.Text, "<>") {
		t.Errorf("the notification has markup: %s", got.Text)
	}
	ended := about(t, "en", q)
	ended.Asker, ended.C.State, ended.C.Answer = evil, tools.StateAnswered, &tools.Answer{Other: evil}
	if err := sender.End(t.Context(), got.Ref(), ended); err != nil {
		t.Fatal(err)
	}
	for _, m := range append(s.Messages(), got) {
		data, _ := json.Marshal(m.Blocks)
		if strings.Contains(string(data), "mrkdwn") || strings.Contains(string(data), `"emoji":true`) || strings.ContainsAny(m.Text, "<>") {
			t.Errorf("markup is read in %s", data)
		}
	}
}

// What does not fit into a message is cut, also in what replaces it.
func TestTheEndFits(t *testing.T) {
	s, sender := workspace(t, nil)
	m := about(t, "en", choice(2))
	got := send(t, s, sender, m)
	long := strings.Repeat("<&>\n", 1000) // several bytes of JSON for each
	m.C.Question.Parts[0].Question = long
	m.C.State, m.C.Answer = tools.StateAnswered, &tools.Answer{Other: long}
	if err := sender.End(t.Context(), got.Ref(), m); err != nil {
		t.Fatal(err)
	}
	if text := s.Messages()[0].Texts(); !strings.HasPrefix(text, "Deploy bot asked for an answer.\n<&>") || !strings.Contains(text, "\nAnswered.\n<&>") {
		t.Errorf("%s", text)
	}
}

// Without texts, a message has none: before and after the end.
func TestWithoutTextsNoWordIsSent(t *testing.T) {
	s, sender := workspace(t, nil)
	m := about(t, "de", choice(2))
	m.Texts = false
	got := send(t, s, sender, m)
	if !slices.Equal(got.Labels(), []string{"Öffnen"}) || got.Texts() != "Deploy bot hat eine Frage an Sie." {
		t.Errorf("%q %s", got.Labels(), got.Texts())
	}
	m.C.State, m.C.Answer = tools.StateAnswered, &tools.Answer{Value: json.RawMessage(`"o1"`)}
	if err := sender.End(t.Context(), got.Ref(), m); err != nil {
		t.Fatal(err)
	}
	if text := s.Messages()[0].Texts(); text != "Deploy bot hat um eine Antwort gebeten.\nBeantwortet." {
		t.Errorf("%s", text)
	}
}

// The end stands in place of the buttons.
func TestTheEndIsSaidInPlace(t *testing.T) {
	s, sender := workspace(t, nil)
	approval := tools.Question{Kind: tools.KindApproval, Parts: []tools.Part{{Question: "Allow pay?", InputType: tools.Confirm}}}
	for name, c := range map[string]struct {
		q     tools.Question
		state tools.State
		role  string
		a     *tools.Answer
		want  string
	}{
		"an option":  {choice(2), tools.StateAnswered, "", &tools.Answer{Value: json.RawMessage(`"o1"`)}, "Answered.\nOption 1"},
		"own words":  {choice(2), tools.StateAnswered, "", &tools.Answer{Other: "neither"}, "Answered.\nneither"},
		"for a role": {choice(2), tools.StateAnswered, "lead", &tools.Answer{Value: json.RawMessage(`"o0"`)}, "Answered by carol.\nOption 0"},
		"allowed":    {approval, tools.StateAnswered, "lead", &tools.Answer{Value: json.RawMessage(`"yes"`)}, "\nAllowed by carol."},
		"denied":     {approval, tools.StateAnswered, "", &tools.Answer{Value: json.RawMessage(`"no"`)}, "\nDenied."},
		"skipped":    {choice(2), tools.StateSkipped, "", &tools.Answer{Skipped: true}, "\nAnswered."},
		"expired":    {choice(2), tools.StateExpired, "", nil, "\nNo one answered in time."},
		"withdrawn":  {choice(2), tools.StateCancelled, "lead", nil, "\nThis question no longer needs an answer."},
		"superseded": {choice(2), tools.StateSuperseded, "", nil, "\nThis question no longer needs an answer."},
	} {
		m := about(t, "en", c.q)
		got := send(t, s, sender, m)
		m.C.State, m.C.For, m.C.Answer = c.state, c.role, c.a
		if c.a != nil {
			m.C.AnsweredBy = &chat.By{Subject: "carol", Channel: chat.ChannelSlack}
		}
		if err := sender.End(t.Context(), got.Ref(), m); err != nil {
			t.Fatal(err)
		}
		all := s.Messages()
		if last := all[len(all)-1]; len(last.Elements()) != 0 || last.Updates != 1 || !strings.HasSuffix(last.Texts(), c.want) {
			t.Errorf("%s: %s", name, last.Texts())
		}
	}
	s.Next("chat.update", slacktest.Reply{Error: "message_not_found"})
	if err := sender.End(t.Context(), "D0CAROL:1", about(t, "en", choice(2))); err != nil {
		t.Errorf("of a message that was deleted: %v", err)
	}
}

// A reminder stands in the thread of the question's message, and no one is looked up again.
func TestARemindersPlaceIsTheThread(t *testing.T) {
	s, sender := workspace(t, nil)
	m := about(t, "en", choice(2))
	first := send(t, s, sender, m)
	m.Reminder, m.Ref = 1, first.Ref()
	before := len(s.Calls())
	got := send(t, s, sender, m)
	if got.Thread != first.TS || got.Channel != first.Channel || !slices.Equal(got.Labels(), []string{"Open"}) || !strings.HasPrefix(got.Texts(), "Deploy bot has a question for you. Reminder:") {
		t.Errorf("%+v", got)
	}
	if calls := s.Calls()[before:]; !slices.Equal(calls, []string{"chat.postMessage"}) {
		t.Errorf("%v", calls)
	}
}

// Only a full member of the bot's own workspace, with a confirmed address, is told.
func TestOnlyFullMembersAreTold(t *testing.T) {
	for name, u := range map[string]slacktest.User{
		"of another workspace": {Team: "T0OTHER"}, "an unconfirmed address": {Unconfirmed: true}, "a bot": {Bot: true}, "deactivated": {Deleted: true},
		"a guest": {Restricted: true}, "a guest of one channel": {UltraRestricted: true}, "a stranger": {Stranger: true}, "another address": {Email: "dave@example.org"},
	} {
		s, sender := workspace(t, nil)
		u.ID = "U0CAROL"
		if u.Email == "" {
			u.Email = email
		}
		s.Add(u)
		_, err := sender.Send(t.Context(), about(t, "en", choice(2)))
		if !channels.Refused(err) || len(s.Messages()) != 0 || strings.Contains(err.Error(), "@") {
			t.Errorf("%s: %v, %d messages", name, err, len(s.Messages()))
		}
	}
}

// An error says what to change, has no secret, and tells the person's faults from those of the app.
func TestErrorsSayWhatToChange(t *testing.T) {
	for name, c := range map[string]struct {
		method  string
		reply   slacktest.Reply
		want    string
		refused bool
		wait    time.Duration
	}{
		"limited":             {"chat.postMessage", slacktest.Reply{Status: 429, RetryAfter: "37"}, "limits the rate", false, 37 * time.Second},
		"limited by code":     {"chat.postMessage", slacktest.Reply{Error: "ratelimited"}, "limits the rate", false, 30 * time.Second},
		"no such user":        {"users.lookupByEmail", slacktest.Reply{Error: "users_not_found"}, "no full member", true, 0},
		"disabled":            {"conversations.open", slacktest.Reply{Error: "user_disabled"}, "no full member", true, 0},
		"a bad token":         {"auth.test", slacktest.Reply{Error: "invalid_auth"}, `set "token"`, false, 0},
		"uninstalled":         {"users.lookupByEmail", slacktest.Reply{Error: "account_inactive"}, "install it again", false, 0},
		"a missing scope":     {"conversations.open", slacktest.Reply{Error: "missing_scope", Needed: "im:write"}, "lacks the scope im:write", false, 0},
		"an odd scope":        {"conversations.open", slacktest.Reply{Error: "missing_scope", Needed: "<evil>"}, "chat:write, im:write, users:read and users:read.email", false, 0},
		"no such channel":     {"chat.postMessage", slacktest.Reply{Error: "channel_not_found"}, "App Home", false, 0},
		"down":                {"chat.postMessage", slacktest.Reply{Status: 503, Text: "<html>MARKER"}, "status 503", false, 0},
		"no JSON":             {"chat.postMessage", slacktest.Reply{Text: "MARKER"}, "", false, 0},
		"another error":       {"chat.postMessage", slacktest.Reply{Error: "restricted_action"}, `"restricted_action"`, false, 0},
		"an error of a thief": {"chat.postMessage", slacktest.Reply{Error: "MARKER " + slacktest.Token}, "no valid code", false, 0},
	} {
		s, sender := workspace(t, nil)
		s.Next(c.method, c.reply)
		_, err := sender.Send(t.Context(), about(t, "en", choice(2)))
		limited, isLimited := errors.AsType[*channels.WaitError](err)
		if err == nil || !strings.Contains(err.Error(), c.want) || channels.Refused(err) != c.refused || isLimited != (c.wait > 0) || isLimited && limited.For != c.wait {
			t.Errorf("%s: %v", name, err)
		}
		if err != nil && (strings.Contains(err.Error(), "xoxb") || strings.Contains(err.Error(), "MARKER") || strings.Contains(err.Error(), "@")) {
			t.Errorf("%s: the error tells too much: %v", name, err)
		}
	}
	for _, scope := range []string{"users:read.email", "im:write", "chat:write"} {
		s, sender := workspace(t, nil)
		s.Without(scope)
		if _, err := sender.Send(t.Context(), about(t, "en", choice(2))); err == nil || !strings.Contains(err.Error(), "lacks the scope "+scope+";") {
			t.Errorf("without %s: %v", scope, err)
		}
	}
	s, sender := workspace(t, func(c *config.Channel) { c.Token = "xoxb-wrong" })
	if _, err := sender.Send(t.Context(), about(t, "en", choice(2))); err == nil || strings.Contains(err.Error(), "xoxb-wrong") || len(s.Messages()) > 0 {
		t.Errorf("a wrong token: %v", err)
	}
}

// All languages fit into Slack's limits: of buttons, modals and their titles.
func TestAllLanguagesFit(t *testing.T) {
	s, sender := workspace(t, nil)
	for _, language := range []string{"en", "de", "es", "fr"} {
		q := choice(6)
		q.Parts[0].AllowOther = true
		m := send(t, s, sender, about(t, language, q))
		if len(m.Labels()) != 2 || strings.Contains(m.Texts()+strings.Join(m.Labels(), ""), "channel.") {
			t.Errorf("%s: %q %s", language, m.Labels(), m.Texts())
		}
		if p := about(t, language, q); len([]rune(p.Text("channel.slack.answer", nil))) > 24 || len([]rune(p.Text("channel.slack.cancel", nil))) > 24 || len([]rune(p.Text("channel.slack.send", nil))) > 24 {
			t.Errorf("%s: the modal's words are too long", language)
		}
	}
}
