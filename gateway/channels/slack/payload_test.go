package slack

import (
	"net/http"
	"net/url"
	"reflect"
	"strings"
	"testing"
	"time"
)

// The example of https://docs.slack.dev/authentication/verifying-requests-from-slack (November 2026).
func TestTheDocumentedSignature(t *testing.T) {
	const body = "token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c"
	h := http.Header{}
	h.Set("X-Slack-Request-Timestamp", "1531420618")
	h.Set("X-Slack-Signature", "v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503")
	at := time.Unix(1531420618, 0)
	for _, c := range []struct {
		name   string
		secret string
		change func(http.Header)
		body   string
		now    time.Time
		want   bool
	}{
		{"as documented", "8f742231b10e8888abcd99yyyzzz85a5", nil, body, at, true},
		{"5 minutes later", "8f742231b10e8888abcd99yyyzzz85a5", nil, body, at.Add(5 * time.Minute), true},
		{"5 minutes before", "8f742231b10e8888abcd99yyyzzz85a5", nil, body, at.Add(-5 * time.Minute), true},
		{"too late", "8f742231b10e8888abcd99yyyzzz85a5", nil, body, at.Add(5*time.Minute + time.Second), false},
		{"too early", "8f742231b10e8888abcd99yyyzzz85a5", nil, body, at.Add(-5*time.Minute - time.Second), false},
		{"another secret", "8f742231b10e8888abcd99yyyzzz85a6", nil, body, at, false},
		{"no secret", "", nil, body, at, false},
		{"another body", "8f742231b10e8888abcd99yyyzzz85a5", nil, body + "&", at, false},
		{"another time", "8f742231b10e8888abcd99yyyzzz85a5", func(h http.Header) { h.Set("X-Slack-Request-Timestamp", "1531420619") }, body, at, false},
		{"the time spelled otherwise", "8f742231b10e8888abcd99yyyzzz85a5", func(h http.Header) { h.Set("X-Slack-Request-Timestamp", "01531420618") }, body, at, false},
		{"a time out of range", "8f742231b10e8888abcd99yyyzzz85a5", func(h http.Header) { h.Set("X-Slack-Request-Timestamp", "99999999999999999999") }, body, at, false},
		{"another version", "8f742231b10e8888abcd99yyyzzz85a5", func(h http.Header) {
			h.Set("X-Slack-Signature", "v1"+strings.TrimPrefix(h.Get("X-Slack-Signature"), "v0"))
		}, body, at, false},
		{"a part of it", "8f742231b10e8888abcd99yyyzzz85a5", func(h http.Header) { h.Set("X-Slack-Signature", h.Get("X-Slack-Signature")[:20]) }, body, at, false},
		{"none", "8f742231b10e8888abcd99yyyzzz85a5", func(h http.Header) { h.Set("X-Slack-Signature", "v0=") }, body, at, false},
		{"no header", "8f742231b10e8888abcd99yyyzzz85a5", func(h http.Header) { h.Del("X-Slack-Signature") }, body, at, false},
		{"two", "8f742231b10e8888abcd99yyyzzz85a5", func(h http.Header) { h.Add("X-Slack-Signature", "v0=00") }, body, at, false},
	} {
		sent := h.Clone()
		if c.change != nil {
			c.change(sent)
		}
		if got := genuine(c.secret, sent, []byte(c.body), c.now); got != c.want {
			t.Errorf("%s: %t", c.name, got)
		}
	}
}

func TestPayloads(t *testing.T) {
	sent := func(actions string) string {
		return `{"type":"block_actions","team":{"id":"T"},"user":{"id":"U"},"trigger_id":"t","response_url":"r","container":{"channel_id":"D","message_ts":"1"},"actions":[` + actions + `]}`
	}
	for name, c := range map[string]struct {
		payload string
		want    *press
		wrong   bool
	}{
		"a button":              {sent(`{"action_id":"askgate-option1","value":"clr_1.1"}`), &press{question: "clr_1", option: 1}, false},
		"an option of a select": {sent(`{"action_id":"askgate-select","selected_option":{"value":"clr_1.99"}}`), &press{question: "clr_1", option: 99}, false},
		"own words":             {sent(`{"action_id":"askgate-other","value":"clr_1"}`), &press{question: "clr_1", option: -1, modal: true}, false},
		"a link":                {sent(`{"action_id":"askgate-link"}`), nil, false},
		"another app's":         {sent(`{"action_id":"x","value":"clr_1.1"}`), nil, false},
		"two presses":           {sent(`{"action_id":"askgate-option1","value":"clr_1.1"},{"action_id":"askgate-option0","value":"clr_1.0"}`), nil, false},
		"a shortcut":            {`{"type":"shortcut"}`, nil, false},
		"another modal":         {`{"type":"view_submission","view":{"callback_id":"x"}}`, nil, false},
		"no number":             {sent(`{"action_id":"askgate-option1","value":"clr_1"}`), nil, true},
		"a negative number":     {sent(`{"action_id":"askgate-option1","value":"clr_1.-1"}`), nil, true},
		"an odd number":         {sent(`{"action_id":"askgate-option1","value":"clr_1.+1"}`), nil, true},
		"a large number":        {sent(`{"action_id":"askgate-option1","value":"clr_1.99999999999999999999"}`), nil, true},
		"no JSON":               {`{`, nil, true},
		"a list":                {`[]`, nil, true},
		"wrong types":           {`{"type":1}`, nil, true},
		"a name twice":          {`{"type":"block_actions","type":"shortcut"}`, nil, true},
		"deep":                  {`{"x":` + strings.Repeat("[", 10_000) + strings.Repeat("]", 10_000) + `}`, nil, true},
		"as deep as allowed":    {`{"x":` + strings.Repeat("[", maxDepth-1) + strings.Repeat("]", maxDepth-1) + `}`, nil, false},
		"too deep by one":       {`{"x":` + strings.Repeat("[", maxDepth) + strings.Repeat("]", maxDepth) + `}`, nil, true},
	} {
		got, err := parse([]byte("payload=" + url.QueryEscape(c.payload)))
		if (err != nil) != c.wrong {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if c.want != nil {
			c.want.team, c.want.user, c.want.trigger, c.want.hook, c.want.message = "T", "U", "t", "r", "D:1"
		}
		if (got == nil) != (c.want == nil) || got != nil && !reflect.DeepEqual(*got, *c.want) {
			t.Errorf("%s: %+v", name, got)
		}
	}
	for name, body := range map[string]string{"none": "", "two": "payload={}&payload={}", "no form": "%zz", "another field": "x={}"} {
		if _, err := parse([]byte(body)); err == nil {
			t.Errorf("%s: taken", name)
		}
	}
}

// A payload is signed, but users choose parts of it.
func FuzzParse(f *testing.F) {
	f.Add(`{"type":"block_actions","actions":[{"action_id":"askgate-option1","value":"clr_1.1"}]}`)
	f.Add(`{"type":"view_submission","view":{"callback_id":"askgate-other","private_metadata":"clr_1","state":{"values":{"askgate-other_block":{"askgate-other_text":{"value":"x"}}}}}}`)
	f.Fuzz(func(t *testing.T, payload string) {
		p, err := parse([]byte("payload=" + url.QueryEscape(payload)))
		if err != nil && p != nil || p != nil && p.option < 0 && !p.modal && p.text == nil {
			t.Errorf("%+v, %v", p, err)
		}
	})
}
