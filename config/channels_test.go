package config_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/config/configtest"
)

const sealing = `"auth": {"session": {"secret": "0123456789abcdef0123456789abcdef"}}, "publicUrl": "https://ask.example.org"`

// wrong is a configuration with a fault at the mark, and what the fault says.
type wrong struct {
	files tree
	env   env
	want  []string
}

// faulty checks the faults, and that none of them shows a secret.
func faulty(t *testing.T, all map[string]wrong) {
	t.Helper()
	for name, c := range all {
		t.Run(name, func(t *testing.T) {
			found := configtest.Faulty(t, c.files, c.env, fakeTypes, c.want...)
			if strings.Contains(found.Error(), "pass-1") {
				t.Errorf("%v shows a password", found)
			}
		})
	}
}

// channelOf returns a gateway.json with one channel of type mail with these keys added.
func channelOf(more string) tree {
	return gateway(`{` + sealing + `, "channels": [{"id": "mail", "type": "mail", "server": "smtps://smtp.example.org", "from": "ask@example.org"` + more + `}]}`)
}

func TestChannels(t *testing.T) {
	s := mustLoad(t, gateway(`{`+sealing+`, "people": [
		{"tenant": "acme", "subject": "alice", "email": "alice@example.org", "locale": "de", "roles": ["finance", "lead"]},
		{"tenant": "acme", "subject": "bob", "roles": ["finance"]},
		{"subject": "alice", "email": "ALICE@example.org", "roles": ["finance"]}],
		"channels": [
		{"id": "mail", "type": "mail", "server": "smtps://smtp.example.org:465", "user": "$U", "password": "$P", "from": "Ask <ask@example.org>", "texts": true, "remindAfter": ["30m", "4h"],
			"quiet": {"from": "19:00", "to": "08:00", "zone": "Europe/Berlin"}, "apps": ["assistant"], "allowPrivate": true},
		{"id": "slack", "type": "slack", "token": "$T", "signingSecret": "$S", "api": "https://slack.example.org/api/"}]}`),
		env{"U": "me", "P": "secret-1", "T": "xoxb-1", "S": "abc"})
	if len(s.Warnings) > 0 {
		t.Errorf("%v", s.Warnings)
	}
	mail := config.Channel{ID: "mail", Type: "mail", Server: "smtps://smtp.example.org:465", User: "me", Password: "secret-1", From: "Ask <ask@example.org>", Texts: true,
		RemindAfter: []config.Duration{config.Duration(30 * time.Minute), config.Duration(4 * time.Hour)}, Quiet: config.Quiet{From: "19:00", To: "08:00", Zone: "Europe/Berlin"},
		Apps: []string{"assistant"}, AllowPrivate: true, API: "https://slack.com/api"}
	slack := config.Channel{ID: "slack", Type: "slack", Token: "xoxb-1", SigningSecret: "abc", API: "https://slack.example.org/api", Apps: []string{}, RemindAfter: []config.Duration{}}
	if want := []config.Channel{mail, slack}; !reflect.DeepEqual(s.Gateway.Channels, want) {
		t.Errorf("got  %+v\nwant %+v", s.Gateway.Channels, want)
	}
	var holders []string
	for _, p := range s.Gateway.Holders("acme", "finance") {
		holders = append(holders, p.Subject)
	}
	if !reflect.DeepEqual(holders, []string{"alice", "bob"}) {
		t.Errorf("holders: %v", holders)
	}
	if p, ok := s.Gateway.Person("default", "alice"); !ok || p.Email != "ALICE@example.org" {
		t.Errorf("%+v, %v", p, ok)
	}
	if _, ok := s.Gateway.Person("acme", "carol"); ok {
		t.Error("a person of no entry is known")
	}
	if !mail.Wants("assistant") || mail.Wants("other") || !slack.Wants("other") {
		t.Error("the apps of channels are confused")
	}
}

func TestChannelsNeedAReachableLink(t *testing.T) {
	keys := `"channels": [¶{"id": "mail", "type": "mail", "server": "smtp://smtp.example.org", "from": "ask@example.org"}]}`
	faulty(t, map[string]wrong{
		"no secret": {gateway(`{` + keys), nil, []string{"a channel that sends links requires a secret", "auth.session.secret"}},
	})
}

func TestFaultsOfChannelsAndPeople(t *testing.T) {
	mail := func(server, from string) tree {
		return gateway(`{` + sealing + `, "channels": [{"id": "m", "type": "mail", "server": ` + server + `, "from": ` + from + `}]}`)
	}
	one := func(person string) tree { return gateway(`{"people": [` + person + `]}`) }
	slack := func(keys string) tree {
		return gateway(`{` + sealing + `, "channels": [{"id": "s", "type": "slack"` + keys + `}]}`)
	}
	const good = `"ask@example.org"`
	var many strings.Builder
	for i := range 20 {
		fmt.Fprintf(&many, `{"id": "m%d", "type": "mail", "server": "smtp://h", "from": "a@b.c"}, `, i)
	}
	faulty(t, map[string]wrong{
		"id":                {gateway(`{` + sealing + `, "channels": [{"id": ¶"a/b", "type": "mail", "server": "smtp://h", "from": "a@b.c"}]}`), nil, []string{"letters, digits"}},
		"id twice":          {gateway(`{` + sealing + `, "channels": [{"id": "a", "type": "mail", "server": "smtp://h", "from": "a@b.c"}, {"id": ¶"a", "type": "mail", "server": "smtp://h", "from": "a@b.c"}]}`), nil, []string{"the same id"}},
		"type":              {gateway(`{"channels": [{"id": "a", "type": ¶"email"}]}`), nil, []string{`unknown type "email"`}},
		"no type":           {gateway(`{"channels": [¶{"id": "a"}]}`), nil, []string{`"type" is missing`}},
		"too many":          {gateway(`{` + sealing + `, "channels": [` + many.String() + `¶{"id": "z", "type": "mail", "server": "smtp://h", "from": "a@b.c"}]}`), nil, []string{"the limit is 20"}},
		"no server":         {gateway(`{"channels": [¶{"id": "a", "type": "mail", "from": "a@b.c"}]}`), nil, []string{`"server" is missing`}},
		"scheme":            {mail(`¶"https://smtp.example.org"`, good), nil, []string{"not the address of a mail server", "smtps://"}},
		"user in server":    {mail(`¶"smtps://me:pass-1@smtp.example.org"`, good), nil, []string{`write the keys "user" and "password"`}},
		"path of server":    {mail(`¶"smtps://smtp.example.org/x"`, good), nil, []string{"nothing after the port"}},
		"odd host":          {mail(`¶"smtps://127.1"`, good), nil, []string{"four decimal numbers"}},
		"port":              {mail(`¶"smtps://h:99999"`, good), nil, []string{"1 to 65535"}},
		"two senders":       {mail(`"smtps://h"`, `¶"a@b.c, d@e.f"`), nil, []string{"one address"}},
		"sender of no mail": {mail(`"smtps://h"`, `¶"Ask"`), nil, []string{"not a sender"}},
		"line in sender":    {mail(`"smtps://h"`, `¶"Ask <a@b.c>\r\nBcc: x@y.z"`), nil, []string{"not a sender"}},
		"key of slack":      {channelOf(`, "token": ¶"xoxb"`), nil, []string{`a channel of type "mail" has no "token"`}},
		"user alone":        {gateway(`{` + sealing + `, "channels": [¶{"id": "m", "type": "mail", "server": "smtp://h", "from": "a@b.c", "user": "me"}]}`), nil, []string{`both "user" and "password"`}},
		"reminders shrink":  {channelOf(`, "remindAfter": ["4h", ¶"30m"]`), nil, []string{"growing durations"}},
		"reminder":          {channelOf(`, "remindAfter": [¶"soon"]`), nil, []string{"not a duration"}},
		"reminder too long": {channelOf(`, "remindAfter": [¶"31d"]`), nil, []string{"1s to 30d"}},
		"six reminders":     {channelOf(`, "remindAfter": ["1s", "2s", "3s", "4s", "5s", ¶"6s"]`), nil, []string{"the limit is 5"}},
		"zone":              {channelOf(`, "quiet": {"from": "19:00", "to": "08:00", "zone": ¶"Berlin"}`), nil, []string{"not the name of a time zone"}},
		"local zone":        {channelOf(`, "quiet": {"from": "19:00", "to": "08:00", "zone": ¶"Local"}`), nil, []string{"not the name of a time zone"}},
		"clock":             {channelOf(`, "quiet": {"from": ¶"7pm", "to": "08:00", "zone": "UTC"}`), nil, []string{"not a time of day"}},
		"quiet all day":     {channelOf(`, "quiet": {"from": "08:00", "to": ¶"08:00", "zone": "UTC"}`), nil, []string{"are the same"}},
		"no zone":           {channelOf(`, "quiet": ¶{"from": "19:00", "to": "08:00"}`), nil, []string{`"zone" is missing`}},
		"no token":          {slack(`, "token": ¶"$T", "signingSecret": "s"`), env{"T": ""}, []string{"the text is empty"}},
		"api":               {slack(`, "token": "t", "signingSecret": "s", "api": ¶"slack.com"`), nil, []string{"http:// or https://"}},
		"query of api":      {slack(`, "token": "t", "signingSecret": "s", "api": ¶"https://slack.com/api?x=1"`), nil, []string{"must not contain a query"}},

		"no subject":          {one(`¶{"email": "a@b.c"}`), nil, []string{`"subject" is missing`}},
		"email":               {one(`{"subject": "a", "email": ¶"Alice <a@b.c>"}`), nil, []string{"one address without a name"}},
		"two emails":          {one(`{"subject": "a", "email": ¶"a@b.c, d@e.f"}`), nil, []string{"not an email address"}},
		"line in email":       {one(`{"subject": "a", "email": ¶"a@b.c\nBcc: d@e.f"}`), nil, []string{"not an email address"}},
		"long email":          {one(`{"subject": "a", "email": ¶"` + strings.Repeat("a", 251) + `@b.c"}`), nil, []string{"254 bytes"}},
		"same email":          {one(`{"subject": "a", "email": "A@b.c"}, {"subject": "b", "email": ¶"a@b.c"}`), nil, []string{"the same email"}},
		"same person":         {one(`{"subject": "a"}, {"subject": ¶"a"}`), nil, []string{"the same subject"}},
		"locale":              {one(`{"subject": "a", "locale": ¶"german"}`), nil, []string{"BCP 47"}},
		"unknown key":         {one(`{"subject": "a", ¶"mail": "a@b.c"}`), nil, []string{`"mail"`}},
		"role of two letters": {one(`{"subject": "a", "roles": [¶"a b"]}`), nil, []string{"not a valid role"}},
	})
}

func TestChannelsThatReachNoOneAreWarnedOf(t *testing.T) {
	const people = `, "people": [{"subject": "alice", "email": "a@b.c"}]`
	const channel = `{"id": "mail", "type": "mail", "server": "smtp://h", "from": "a@b.c"`
	const nowhere = `{"auth": {"session": {"secret": "0123456789abcdef0123456789abcdef"}}` + people + `, "channels": [`
	at := func(server string) string {
		return `{` + sealing + people + `, "channels": [` + strings.Replace(channel, "smtp://h", server, 1) + `}]}`
	}
	for name, c := range map[string]struct{ text, want string }{
		"of an app that is not there": {`{` + sealing + people + `, "channels": [` + channel + `, "apps": ["asistant"]}]}`, `did you mean "assistant"?`},
		"without people":              {`{` + sealing + `, "channels": [` + channel + `}]}`, `list them under "people"`},
		"people without channels":     {`{"people": [{"subject": "alice"}]}`, `"people" has no effect`},
		"with people":                 {`{` + sealing + people + `, "channels": [` + channel + `}]}`, ""},
		"TLS at the port for it":      {at("smtps://h:465"), ""},
		"STARTTLS at the port of TLS": {at("smtp://h:465"), `write "smtps://"`},
		"TLS at the port of STARTTLS": {at("smtps://h:587"), `write "smtp://"`},
		"mail with links to nowhere":  {nowhere + channel + `}]}`, `"publicUrl": "https://ask.example.org"`},
		"Slack with such links":       {nowhere + `{"id": "s", "type": "slack", "token": "t", "signingSecret": "s"}]}`, `"publicUrl": "https://ask.example.org"`},
	} {
		s := mustLoad(t, gateway(c.text), nil)
		if got := fmt.Sprint(s.Warnings); len(s.Warnings) > 1 || !strings.Contains(got, c.want) || c.want == "" && len(s.Warnings) > 0 {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// The quiet time ends on the next day, and keeps to the clocks of its zone.
func TestTheQuietTimeEnds(t *testing.T) {
	night := config.Quiet{From: "19:00", To: "08:00", Zone: "Europe/Berlin"}
	noon := config.Quiet{From: "12:00", To: "13:30", Zone: "Asia/Kathmandu"} // UTC+05:45
	for _, test := range []struct {
		quiet     config.Quiet
		now, want string // UTC; "": now
	}{
		{night, "2026-07-01T16:59:59Z", ""}, // 18:59:59
		{night, "2026-07-01T17:00:00Z", "2026-07-02T06:00:00Z"},
		{night, "2026-07-02T05:59:59Z", "2026-07-02T06:00:00Z"},
		{night, "2026-07-02T06:00:00Z", ""},
		{night, "2026-12-31T23:30:00Z", "2027-01-01T07:00:00Z"},
		{night, "2026-03-28T20:00:00Z", "2026-03-29T06:00:00Z"}, // the clocks go forward in this night
		{night, "2026-10-24T20:00:00Z", "2026-10-25T07:00:00Z"}, // and back in this one
		{noon, "2026-07-01T06:14:00Z", ""},
		{noon, "2026-07-01T06:15:00Z", "2026-07-01T07:45:00Z"},
		{config.Quiet{}, "2026-07-01T06:15:00Z", ""},
	} {
		now, _ := time.Parse(time.RFC3339, test.now)
		if test.want == "" {
			test.want = test.now
		}
		if got := test.quiet.Until(now).UTC().Format(time.RFC3339); got != test.want {
			t.Errorf("%+v at %s: %s, want %s", test.quiet, test.now, got, test.want)
		}
	}
}
