package config_test

import (
	"encoding/base64"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/config/configtest"
)

// signs is a webhook secret of 32 bytes.
var signs = "whsec_" + base64.StdEncoding.EncodeToString([]byte("0123456789abcdef0123456789abcdef"))

// hook returns a gateway.json with one webhook with these keys added.
func hook(more string) tree {
	return gateway(`{"webhooks": [{"id": "a", "url": "https://example.org/h", "secret": "` + signs + `"` + more + `}]}`)
}

func TestWebhooks(t *testing.T) {
	s := mustLoad(t, gateway(`{"publicUrl": "https://ask.example.org/", "auth": {"session": {"secret": "0123456789abcdef0123456789abcdef"}}, "webhooks": [
		{"id": "all", "url": "https://example.org/h", "secret": "$S"},
		{"id": "chat", "url": "$URL", "format": "slack", "events": ["clarification.asked"], "apps": ["assistant"], "texts": true, "answerLink": true, "undeliveredAfter": "5m", "allowPrivate": true}]}`),
		env{"S": signs, "URL": "https://hooks.example.org/x"})
	if len(s.Warnings) > 0 || s.Gateway.PublicURL != "https://ask.example.org" {
		t.Errorf("%q, %v", s.Gateway.PublicURL, s.Warnings)
	}
	all := config.Webhook{ID: "all", URL: "https://example.org/h", Secret: signs, Apps: []string{}, Format: "standard",
		Events: []string{"clarification.asked", "clarification.resolved", "clarification.undelivered", "turn.ended"}, UndeliveredAfter: config.Duration(time.Minute)}
	chat := config.Webhook{ID: "chat", URL: "https://hooks.example.org/x", Events: []string{"clarification.asked"}, Apps: []string{"assistant"},
		Texts: true, Format: "slack", AnswerLink: true, UndeliveredAfter: config.Duration(5 * time.Minute), AllowPrivate: true}
	if want := []config.Webhook{all, chat}; !reflect.DeepEqual(s.Gateway.Webhooks, want) {
		t.Errorf("got  %+v\nwant %+v", s.Gateway.Webhooks, want)
	}
	if string(all.Key()) != "0123456789abcdef0123456789abcdef" || len(chat.Key()) != 0 {
		t.Errorf("keys %q %q", all.Key(), chat.Key())
	}
	for want, got := range map[bool][]bool{
		true:  {all.Wants("turn.ended", "any"), chat.Wants("clarification.asked", "assistant")},
		false: {chat.Wants("turn.ended", "assistant"), chat.Wants("clarification.asked", "any")},
	} {
		for i := range got {
			if got[i] != want {
				t.Errorf("%v, %d", want, i)
			}
		}
	}
	if s = mustLoad(t, tree{}, nil); len(s.Gateway.Webhooks) != 0 || s.Gateway.PublicURL != "" {
		t.Errorf("without files: %+v", s.Gateway)
	}
}

// document.changed is sent only to webhooks that name it. A warning says if their apps have nothing that
// can change.
func TestAWebhookNamesChangesOfDocuments(t *testing.T) {
	s := mustLoad(t, hook(`, "events": ["turn.ended", "document.changed"]`), nil)
	if w := &s.Gateway.Webhooks[0]; !w.Wants(config.WebhookChanged, "any") || !w.Wants("turn.ended", "any") || w.Wants("clarification.asked", "any") {
		t.Errorf("%+v", w)
	}
	if len(s.Warnings) != 1 || !strings.HasSuffix(s.Warnings[0].File, "gateway.json") || !strings.Contains(s.Warnings[0].Message, "none of its apps lists a tool of type documents") {
		t.Errorf("%v", s.Warnings)
	}
}

func TestWebhookOfNoAppIsWarnedOf(t *testing.T) {
	if s := mustLoad(t, hook(`, "apps": ["asistant"]`), nil); len(s.Warnings) != 1 || !strings.Contains(s.Warnings[0].Message, `did you mean "assistant"?`) {
		t.Errorf("%v", s.Warnings)
	}
}

func TestFaultsOfWebhooks(t *testing.T) {
	many := strings.Repeat(`{"id": "x", "url": "http://h", "format": "ntfy"}, `, 20)
	for i := range 20 {
		many = strings.Replace(many, `"x"`, `"`+string(rune('a'+i))+`"`, 1)
	}
	short := base64.StdEncoding.EncodeToString([]byte("too-short"))
	for name, c := range map[string]struct {
		files tree
		env   env
		want  []string
	}{
		"no id":           {gateway(`{"webhooks": [¶{"url": "http://h", "format": "ntfy"}]}`), nil, []string{`"id" is missing`}},
		"no url":          {gateway(`{"webhooks": [¶{"id": "a", "format": "ntfy"}]}`), nil, []string{`"url" is missing`}},
		"no secret":       {gateway(`{"webhooks": [¶{"id": "a", "url": "http://h"}]}`), nil, []string{`"secret" is missing`, "openssl rand -base64 32"}},
		"id":              {gateway(`{"webhooks": [{"id": ¶"a b", "url": "http://h", "format": "ntfy"}]}`), nil, []string{"letters, digits"}},
		"id twice":        {gateway(`{"webhooks": [{"id": "a", "url": "http://h", "format": "ntfy"}, {"id": ¶"a", "url": "http://h", "format": "slack"}]}`), nil, []string{"the same id"}},
		"address":         {gateway(`{"webhooks": [{"id": "a", "url": ¶"$U", "format": "ntfy"}]}`), env{"U": "example.org/token-1"}, []string{"http:// or https://"}},
		"user in address": {gateway(`{"webhooks": [{"id": "a", "url": ¶"https://u:p@h", "format": "ntfy"}]}`), nil, []string{`the address contains a user, but requests can only be authenticated with "secret"; write it like`}},
		"address as code": {gateway(`{"webhooks": [{"id": "a", "url": ¶"http://h/%zz", "format": "ntfy"}]}`), nil, []string{"not a valid address"}},
		"plain secret":    {gateway(`{"webhooks": [{"id": "a", "url": "http://h", "secret": ¶"$S"}]}`), env{"S": "my-token-1"}, []string{"whsec_ followed by base64"}},
		"short secret":    {gateway(`{"webhooks": [{"id": "a", "url": "http://h", "secret": ¶"$S"}]}`), env{"S": "whsec_" + short}, []string{"9 bytes", "16 to 64"}},
		"event":           {hook(`, "events": [¶"clarification.ask"]`), nil, []string{`did you mean "clarification.asked"?`}},
		"no event":        {hook(`, "events": ¶[]`), nil, []string{"no valid event"}},
		"event twice":     {hook(`, "events": ["turn.ended", ¶"turn.ended"]`), nil, []string{"appears twice"}},
		"format":          {hook(`, "format": ¶"slak"`), nil, []string{`did you mean "slack"?`}},
		"texts":           {hook(`, "texts": ¶"yes"`), nil, []string{"true or false"}},
		"too soon":        {hook(`, "undeliveredAfter": ¶"10ms"`), nil, []string{"1s to 30d"}},
		"no seal":         {hook(`, "answerLink": ¶true`), nil, []string{"set auth.session.secret"}},
		"key":             {hook(`, ¶"sercet": "x"`), nil, []string{`did you mean "secret"?`}},
		"too many":        {gateway(`{"webhooks": [` + many + `¶{"id": "z", "url": "http://h", "format": "ntfy"}]}`), nil, []string{"the limit is 20"}},
		"public path":     {gateway(`{"publicUrl": ¶"https://h/a/../b"}`), nil, []string{"scheme and host"}},
		"public host":     {gateway(`{"publicUrl": ¶"ask.example.org"}`), nil, []string{`"https://ask.example.org"`}},
		"public user":     {gateway(`{"publicUrl": ¶"https://u@h"}`), nil, []string{"scheme and host"}},
	} {
		t.Run(name, func(t *testing.T) {
			faults := configtest.Faulty(t, c.files, c.env, fakeTypes, c.want...)
			for _, secret := range []string{"my-token-1", short, "token-1", "u:p"} {
				if strings.Contains(faults.Error(), secret) {
					t.Errorf("%v shows %q", faults, secret)
				}
			}
		})
	}
}
