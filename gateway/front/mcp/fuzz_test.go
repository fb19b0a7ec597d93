package mcp

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/front"
	"github.com/askgate/askgate/gateway/turn"
	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tools/askuser"
)

// Whatever a client calls itself, it is shown on one line of bounded length, and comes back
// unchanged.
func FuzzSession(f *testing.F) {
	for _, s := range []string{"", "x", "e30", "eyJuIjoiY3VybCIsInYiOiI4In0", "bnVsbA", strings.Repeat("A", 3000)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, session string) {
		c := clientOf(session, nil)
		by := c.asker("t\n" + session)
		for _, s := range []string{by.Name, by.Title, by.Version} {
			if strings.ContainsAny(s, "\n\r\t\u2028\u202e") || utf8.RuneCountInString(s) > maxName || !utf8.ValidString(s) || tools.Clean(s) != s {
				t.Errorf("%q", s)
			}
		}
		if by.Name == "" || c != c.bounded() {
			t.Errorf("%+v", c)
		}
	})
}

// Whatever a filled-in form contains, it is an answer that passes the check, or is refused.
func FuzzForms(f *testing.F) {
	asks := askuser.New(askuser.Limits{}, nil)
	out, err := asks.Run(context.Background(), tools.Call{Language: "en", Arguments: `{"questions": [{"question": "T", "allow_skip": true}, {"question": "N", "type": "number", "allow_other": true},
		{"question": "S", "options": ["a", "b"], "allow_other": true}, {"question": "M", "type": "multiselect", "options": ["a", "b"], "allow_other": true}, {"question": "R", "type": "rank", "options": ["a", "b"], "allow_skip": true}]}`})
	if err != nil {
		f.Fatal(err)
	}
	c := &chat.Clarification{ID: "clr_1", State: tools.StatePending, Question: *out.Question}
	for _, s := range []string{`{}`, `{"q1":"x","q2":1,"q3":"a","q4":["b"],"q5":true}`, `{"q3_other":"o","q4":"a, b","q4_other":"p"}`, `{"q1":null,"q2":"1","q3":[],"q4":[1],"q5":{}}`, `{"q5":"2 > 1"}`, `{"q5":"b, a"}`, `{"q9":1}`, `{"q2":null,"q2_other":"1"}`, `{"q2":"a few","q2_other":" "}`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, content string) {
		var given map[string]any
		if json.Unmarshal([]byte(content), &given) != nil {
			return
		}
		a, err := front.ReadAnswer(reply(c, given), c, func(string) (turn.Answer, bool) { return turn.Answer{}, false })
		if err != nil {
			return
		}
		checked, err := asks.Check(c.Question, a.Answer)
		if err != nil {
			return
		}
		c := *c
		c.State, c.Answer = checked.Outcome(), &checked
		if got := front.Answers(&c); len(got) != 5 {
			t.Errorf("%s: %s", content, got)
		}
	})
}
