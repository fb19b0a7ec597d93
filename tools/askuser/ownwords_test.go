package askuser_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tools/askuser"
)

// open is ask_user where the user may always answer in their own words.
func open() *askuser.Tool {
	return askuser.New(askuser.Limits{AllowOther: askuser.AllowOtherAlways}, german)
}

// questionIn returns the question for arguments.
func questionIn(t *testing.T, tool *askuser.Tool, arguments string) tools.Question {
	t.Helper()
	out, err := tool.Run(t.Context(), tools.Call{Arguments: arguments, Language: "en"})
	if err != nil {
		t.Fatalf("%s: %v", arguments, err)
	}
	return *out.Question
}

// Own words replace a number, a date, a time, or a yes or no. They have no value, whatever they say,
// and the model reads that they are own words. The rules of a value do not apply to them.
func TestOwnWordsInPlaceOfAValue(t *testing.T) {
	for _, question := range []string{
		`{"question":"Q","input_type":"number","validation":{"min":1,"max":9,"integer":true}}`, `{"question":"Q","input_type":"date","validation":{"max":"2026-12-31"}}`,
		`{"question":"Q","input_type":"datetime"}`, `{"question":"Q","input_type":"confirm"}`,
	} {
		q := questionIn(t, open(), question)
		for _, words := range []string{"about five", "12", "yes", "2026-01-01", "true", "null"} {
			a, err := open().Check(q, tools.Answer{Other: words})
			if err != nil || a.Value != nil || a.Other != words {
				t.Errorf("%s: %q is %+v, %v", question, words, a, err)
			}
			if got := resume(t, q, tools.Closing{State: tools.StateAnswered, Answer: &a}); got != "Other: "+words {
				t.Errorf("%s: the model reads %q", question, got)
			}
		}
		for field, a := range map[string]tools.Answer{
			"other": {Other: strings.Repeat("x", 2001)}, "value": {Other: " \u200b"}, "values": {Other: "x", Values: []string{"yes"}},
		} {
			if _, err := open().Check(q, a); err == nil || faults(err)[0].Field != field {
				t.Errorf("%s: %+v is refused with %v", question, a, err)
			}
		}
		if _, err := open().Check(q, tools.Answer{Value: json.RawMessage(`"about five"`)}); err == nil {
			t.Errorf("%s: own words pass as a value", question)
		}
	}
}

// A message is a value if it can be one, and else the person's own words.
func TestAMessageInOwnWords(t *testing.T) {
	for _, c := range []struct{ question, message, value, other string }{
		{`{"question":"Q","input_type":"number"}`, "1.5", `1.5`, ""},
		{`{"question":"Q","input_type":"number"}`, "about five", "", "about five"},
		{`{"question":"Q","input_type":"number"}`, "5 apples", "", "5 apples"},
		{`{"question":"Q","input_type":"number","validation":{"max":3}}`, "5", "", "5"},
		{`{"question":"Q","input_type":"date"}`, "31.12.2026", `"2026-12-31"`, ""},
		{`{"question":"Q","input_type":"date"}`, "when you can", "", "when you can"},
		{`{"question":"Q","input_type":"datetime"}`, "2026-12-31 9:00Z", `"2026-12-31T09:00:00Z"`, ""},
		{`{"question":"Q","input_type":"datetime"}`, "2026-12-31", "", "2026-12-31"},
		{`{"question":"Q","input_type":"confirm"}`, "Yes!", `"yes"`, ""},
		{`{"question":"Q","input_type":"confirm"}`, "2", `"no"`, ""},
		{`{"question":"Q","input_type":"confirm"}`, "Yes, but not today", "", "Yes, but not today"},
		{`{"question":"Q","input_type":"confirm"}`, "no idea", "", "no idea"},
		{`{"question":"Q","input_type":"confirm","allow_skip":true}`, "skip", "", "skipped"},
	} {
		a, ok := open().Read(questionIn(t, open(), c.question), c.message, "en")
		if c.other == "skipped" {
			if !ok || !a.Skipped {
				t.Errorf("%q is read as %+v", c.message, a)
			}
		} else if !ok || string(a.Value) != c.value || a.Other != c.other {
			t.Errorf("%s: %q is read as %s %q, %t", c.question, c.message, a.Value, a.Other, ok)
		}
		if c.other != "" && c.other != "skipped" {
			if a, ok := newTool().Read(questionIn(t, newTool(), c.question), c.message, "en"); ok {
				t.Errorf("%s: without own words, %q is read as %+v", c.question, c.message, a)
			}
		}
	}
}

// A condition is never met by own words, even if they read like the value.
func TestOwnWordsMeetNoCondition(t *testing.T) {
	for kind, value := range map[string]string{"number": "3", "date": "2026-12-31", "confirm": "yes"} {
		q := questionIn(t, open(), `{"questions":[{"id":"a","question":"Q","input_type":"`+kind+`"},{"question":"R","input_type":"text","when":{"question":"a","is":["`+value+`"]}}]}`)
		a, err := open().Check(q, tools.Answer{Answers: []tools.Answer{{Other: value}, {}}})
		if err != nil || !a.Answers[1].Skipped || q.Applies(a.Answers)[1] {
			t.Errorf("%s: %+v, %v", kind, a, err)
		}
		if _, err := open().Check(q, tools.Answer{Answers: []tools.Answer{{Other: value}, {Value: json.RawMessage(`"x"`)}}}); err == nil || faults(err)[0].Code != askuser.FaultNotAsked {
			t.Errorf("%s: the dependent question takes an answer: %v", kind, err)
		}
	}
}

// What a person writes counts: with own words, a confirm or a date that asks for a secret is treated
// like a text that does.
func TestOwnWordsAreCheckedForSecrets(t *testing.T) {
	for _, kind := range []string{"confirm", "date", "datetime", "number"} {
		arguments := `{"question":"What is your password?","input_type":"` + kind + `"}`
		if refused := refusal(t, open(), arguments); refused.Reason != askuser.ReasonSecret {
			t.Errorf("%s: %+v", kind, refused)
		}
		warns := askuser.New(askuser.Limits{AllowOther: askuser.AllowOtherAlways, Secrets: askuser.SecretsWarn}, german)
		if p := questionIn(t, warns, arguments).Parts[0]; p.Secret != "password" || !p.AllowOther {
			t.Errorf("%s: %+v", kind, p)
		}
		if !askuser.WantsSecret(questionIn(t, warns, arguments).Parts, 0, nil) {
			t.Errorf("%s: the answer may be remembered", kind)
		}
		if kind == "number" {
			continue // is written in any case
		}
		if p := questionIn(t, newTool(), arguments).Parts[0]; p.AllowOther || p.Secret != "" {
			t.Errorf("%s without own words: %+v", kind, p)
		}
		out, err := open().Run(t.Context(), tools.Call{Arguments: arguments, Program: true})
		if err != nil || out.Question.Parts[0].AllowOther {
			t.Errorf("%s of a program: %v", kind, err)
		}
	}
	for _, ordinary := range []string{"Shall I delete the old drafts?", "Do you use a password manager?"} {
		questionIn(t, open(), `{"question":"`+ordinary+`","input_type":"confirm"}`)
	}
}

// For any text, a message that is read in place of a value has either a value of the type, or the
// text itself, and no client's text is both.
func FuzzOwnWords(f *testing.F) {
	for _, seed := range []string{"5", "1,5", "1e400", "NaN", "٣", "−3", "0x10", "yes", "Ja", "true", "10-20", "2026-12-31", "31. 12. 2026", "2026-12-31T09:00:00Z", "tomorrow at 9", "\u200b", "null", `{"value":5}`, `"5"`, "5\x00"} {
		f.Add(seed)
	}
	var questions []tools.Question
	for _, kind := range []string{"number", "date", "datetime", "confirm"} {
		out, err := open().Run(f.Context(), tools.Call{Arguments: `{"question":"Q","input_type":"` + kind + `"}`, Language: "en"})
		if err != nil {
			f.Fatal(err)
		}
		questions = append(questions, *out.Question)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, q := range questions {
			p := &q.Parts[0]
			if a, ok := open().Read(q, text, "de"); ok {
				same(t, open(), q, a)
				if (a.Value == nil) == (a.Other == "") || a.Other != "" && a.Other != text {
					t.Fatalf("%s: %q is read as %+v", p.InputType, text, a)
				}
				if words := (tools.Answer{Other: a.Other}); a.Other != "" && (slices.ContainsFunc([]string{text, "yes", "no"}, func(s string) bool { return (&tools.When{Is: []string{s}}).Met(words) })) {
					t.Fatalf("%s: own words meet a condition: %q", p.InputType, text)
				}
			}
			if raw, err := json.Marshal(text); err == nil && p.OwnWords(text) {
				if a, err := open().Check(q, tools.Answer{Value: raw}); err == nil {
					t.Fatalf("%s: %q counts as own words, but is the value %s", p.InputType, text, a.Value)
				}
			}
		}
	})
}
