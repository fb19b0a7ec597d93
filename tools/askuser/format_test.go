package askuser_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tools/askuser"
)

// Texts that people and standards accept as an address, a phone number or a duration, and texts that they do not.
var formatted = map[string]struct{ good, bad []string }{
	tools.FormatEmail: {
		[]string{"a@b.example", "first.last+tag@sub.example.org", "o'brien@example.ie", "root@localhost", "müller@büro.example", "用户@例子.广告", "x_y-z@1-2.example", "a@" + strings.Repeat("b", 63) + ".example"},
		[]string{"x", "@b.example", "a@", "a@b@c.example", "a b@c.example", "a@-b.example", "a@b-.example", "a@b..example", "a@.example", "a@b.example.", "A <a@b.example>", "mailto:a@b.example",
			"a@" + strings.Repeat("b", 64) + ".example", strings.Repeat("a", 65) + "@b.example", "a@" + strings.Repeat("b.", 130) + "c"},
	},
	tools.FormatURI: {
		[]string{"https://example.org", "HTTP://example.org:8080/a/b?c=d&e#f", "https://user:pw@example.org/", "https://[2001:db8::1]/", "https://münchen.example/straße", "https://example.org/a%20b", "ftp://example.org/x",
			"mailto:a@b.example", "urn:isbn:0451450523", "tel:+4930123456", "https://localhost/", "https://example.org.", "https://my_host/"},
		[]string{"example.org", "www.example.org/a", "https://", "https:///a", "https:example.org", "http:/example.org", "https://exa mple.org", "https://example.org/a b", "https://example.org/<a>", "https://example.org/a%2",
			"https://.example.org", "https://a..b", "https://example.org:123456/", "1http://a.b", "://a.b", "no address", "http://[x]/", "https://example.org/\u202e"},
	},
	tools.FormatPhone: {
		[]string{"+49 30 123456", "+49 (0)30 123456-78", "0049 30 123456", "030/123456", "(555) 123-4567", "+1-555-123-4567", "01 23 45 67 89", "01.23.45.67.89", "112", "+34\u00a0912\u202f34\u201156\u201178", "555 1234 ext. 12", "5551234x99", "(030)"},
		[]string{"12", "abc", "+", "++49 30 123456", "1234567890123456", "49 30 12a456", "+49-----30-123456", "555 1234 ext", "1,2,3,4", "#123", "030 123456 x1234567"},
	},
	tools.FormatDuration: {
		[]string{"PT1H30M", "P3D", "P2W", "P1Y2M10DT2H30M", "PT0.5S", "PT1,5H", "1h30m", "1h", "90m", "90 min", "1 h 30 min", "2d 4h", "1w", "45s", "45 sec", "1.5h", "1h30", "2 H 05", "P1Y"},
		[]string{"P", "PT", "P1DT", "1", "90", "h", "1:30", "1h30x", "m30", "30m1h", "pt1h", "PT1H30", "1 hour", "one hour", "-1h", "1h60", "1  h", "P1H", strings.Repeat("9", 10) + "h"},
	},
}

// words returns the answer with this text.
func words(s string) tools.Answer { return tools.Answer{Value: json.RawMessage(quoteJSON(s))} }

// said returns the text of an answer.
func said(t *testing.T, a tools.Answer) string {
	t.Helper()
	var s string
	if err := json.Unmarshal(a.Value, &s); err != nil {
		t.Fatalf("%s: %v", a.Value, err)
	}
	return s
}

func TestFormats(t *testing.T) {
	for format, texts := range formatted {
		q := *run(t, `{"question":"Q","input_type":"text","format":"`+format+`"}`).Question
		if q.Parts[0].Format != format {
			t.Fatalf("%+v", q.Parts[0])
		}
		for _, s := range texts.good {
			// Copied white space is not part of it.
			checked, err := newTool().Check(q, words(" "+s+"\u00a0\r\n"))
			if err != nil {
				t.Errorf("%s %q: %v", format, s, err)
			} else if got := said(t, checked); got != s {
				t.Errorf("%s %q: %q", format, s, got)
			}
		}
		for _, s := range texts.bad {
			_, err := newTool().Check(q, words(s))
			var refused *tools.AnswerError
			if !errors.As(err, &refused) || refused.Fields[0].Code != "format_"+format {
				t.Errorf("%s %q: %v", format, s, err)
			}
		}
	}
}

// A text of any length is checked at once. This one would take a backtracking engine ages if
// there were more than one way to match it.
func TestFormatsOfLongTexts(t *testing.T) {
	for format := range formatted {
		q := *run(t, `{"question":"Q","input_type":"text","format":"`+format+`"}`).Question
		for _, piece := range []string{"a", "1", "a.", "1 ", "a-", "a@", "1h", "%41", "(", "é", ":", "1."} {
			for _, start := range []string{"", "https://", "a@", "P", "+"} {
				s := (start + strings.Repeat(piece, 4000))[:3990] + "\x01"
				if _, err := newTool().Check(q, words(strings.ToValidUTF8(s, ""))); err == nil {
					t.Errorf("%s %q is one", format, s[:20])
				}
			}
		}
	}
}

func TestFormatsInOtherWords(t *testing.T) {
	for arguments, want := range map[string]string{
		`{"question":"Q","input_type":"text","format":"e-mail"}`:                              "text email",
		`{"question":"Q","input_type":"text","format":"URL"}`:                                 "text uri",
		`{"question":"Q","input_type":"text","format":"tel"}`:                                 "text phone",
		`{"question":"Q","input_type":"text","validation":{"format":"email"}}`:                "text email",
		`{"question":"Q","type":"string","format":"date"}`:                                    "date ",
		`{"question":"Q","type":"email"}`:                                                     "text email",
		`{"question":"Q","type":"url"}`:                                                       "text uri",
		`{"question":"Q","type":"phone_number"}`:                                              "text phone",
		`{"question":"Q","type":"duration","format":"text"}`:                                  "text duration",
		`{"question":"Q","type":"number","format":"email"}`:                                   "number ",
		`{"question":"Q","type":"select","options":["a"],"format":"email"}`:                   "select ",
		`{"question":"Q","input_type":"text","format":"text"}`:                                "text ",
		`{"question":"Q","input_type":"text","format":" "}`:                                   "text ",
		`{"question":"Q","input_type":"text","format":null,"validation":"{\"format\":\"\"}"}`: "text ",
	} {
		p := run(t, arguments).Question.Parts[0]
		if got := string(p.InputType) + " " + p.Format; got != want {
			t.Errorf("%s: %q", arguments, got)
		}
	}
	for _, arguments := range []string{`{"question":"Q","input_type":"text","format":"ipv4"}`, `{"question":"Q","input_type":"text","format":7}`} {
		if refused := refusal(t, newTool(), arguments); refused.Fields[0].Field != "format" || !strings.Contains(refused.Message, "email, uri, phone or duration") {
			t.Errorf("%s", refused.Message)
		}
	}
}

// The asker's own message also replaces that of a wrong format, and a pattern restricts the format further.
func TestFormatsWithRules(t *testing.T) {
	q := *run(t, `{"question":"Q","input_type":"text","format":"email","validation":{"pattern":".*\\.example","max":20,"message":"Ours."}}`).Question
	for value, want := range map[string]string{"x": "format_email Ours.", "a@b.org": "pattern Ours.", strings.Repeat("a", 20) + "@b.example": "too_long Ours.", " a@b.example ": ""} {
		_, err := newTool().Check(q, words(value))
		var refused *tools.AnswerError
		got := ""
		if errors.As(err, &refused) {
			got = refused.Fields[0].Code + " " + refused.Fields[0].Message
		}
		if got != want {
			t.Errorf("%q: %q", value, got)
		}
	}
}

// A message in the right format is an answer, others are not.
func TestMessagesWithAFormat(t *testing.T) {
	q := *run(t, `{"question":"Q","input_type":"text","format":"phone"}`).Question
	if a, ok := newTool().Read(q, " 030 123456\n", "en"); !ok || string(a.Value) != `"030 123456"` {
		t.Errorf("%+v %v", a, ok)
	}
	if a, ok := newTool().Read(q, "call me maybe", "en"); ok {
		t.Errorf("%+v", a)
	}
}

func TestDefaults(t *testing.T) {
	choice := `"input_type":"select","options":[{"label":"The letter A","value":"a"},{"label":"One","value":"1"}]`
	many := `"input_type":"multiselect","options":[{"label":"The letter A","value":"a"},"b","c"]`
	for _, c := range []struct{ fields, given, want string }{
		{`"input_type":"text"`, `"Lisbon"`, `"Lisbon"`},
		{`"input_type":"text"`, `"<b>&"`, `"<b>&"`},
		{`"input_type":"text","validation":{"max":3}`, `"Lisbon"`, ``},
		{`"input_type":"text"`, `7`, ``},
		{`"input_type":"text"`, `" "`, ``},
		{`"input_type":"text","format":"email"`, `"a@b.example"`, `"a@b.example"`},
		{`"input_type":"text","format":"email"`, `"ab"`, ``},
		{`"input_type":"number"`, `3`, `3`}, {`"input_type":"number"`, `"3.5"`, `3.5`}, {`"input_type":"number"`, `"three"`, ``},
		{`"input_type":"number","validation":{"max":2}`, `3`, ``},
		{`"input_type":"date"`, `"2026-12-01"`, `"2026-12-01"`}, {`"input_type":"date"`, `"soon"`, ``},
		{`"input_type":"confirm"`, `true`, `"yes"`}, {`"input_type":"confirm"`, `"no"`, `"no"`}, {`"input_type":"confirm"`, `"Nein"`, `"no"`}, {`"input_type":"confirm"`, `"maybe"`, ``},
		{choice, `"a"`, `"a"`}, {choice, `"The letter A"`, `"a"`}, {choice, `1`, `"1"`}, {choice, `"z"`, ``}, {choice, `["a"]`, ``},
		{many, `["b","a"]`, `["a","b"]`}, {many, `"b"`, `["b"]`}, {many, `["The letter A"]`, `["a"]`}, {many, `["z"]`, ``}, {many, `[]`, ``}, {many, `[{}]`, ``},
	} {
		out := run(t, `{"question":"Q",`+c.fields+`,"default":`+c.given+`}`)
		if got := out.Question.Parts[0].Default; string(got) != c.want {
			t.Errorf("%s of %s: %s, want %s", c.given, c.fields, got, c.want)
		}
	}
}

// An admin's default must be an answer.
func TestDefaultsOfTemplates(t *testing.T) {
	if err := askuser.CheckTemplate([]byte(`{"question":"Q","input_type":"number","default":3}`), false); err != nil {
		t.Error(err)
	}
	if err := askuser.CheckTemplate([]byte(`{"question":"Q","input_type":"number","default":"x"}`), false); err == nil || !strings.Contains(err.Error(), "`default`") {
		t.Error(err)
	}
}

func TestPreviews(t *testing.T) {
	o := run(t, `{"question":"Q","options":[{"label":"a","preview":" # Draft\n\n- **one**\u0007 "},{"label":"b","preview":"`+long(2001)+`"},{"label":"c","preview":" "}]}`).Question.Parts[0].Options
	if o[0].Preview != "# Draft\n\n- **one**" || o[1].Preview != long(2000) || o[2].Preview != "" {
		t.Errorf("%.30q %d %q", o[0].Preview, len(o[1].Preview), o[2].Preview)
	}
}
