package askuser_test

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/askgate/askgate/tools"
	spoiled "github.com/askgate/askgate/tools/arguments"
	"github.com/askgate/askgate/tools/askuser"
	"github.com/askgate/askgate/tools/confusable"
)

var seeds = []string{
	text, skippable, code, selected, openSelect, several, openSeveral, confirmed, numbered, whole, dated, form, skipForm,
	`{"questions":"[{\"question\":\"Q\"}]"}`, `{"question":"Q","options":{"a":"b","c":{"label":"d"}}}`,
	`{"question":"Q","type":"checkbox","choices":[1,true,"x",{"name":"y","key":2}],"max":"2"}`,
	`{"question":"\ud83d\ude00","validation":"{\"regex\":\"a+\"}"}`, `"{\"question\":\"Q\"}"`, `[]`, `{`, "\xff", `{"question":"Q","min":1e400}`,
	conditional, one(many, `{"q1":"x"}`), one(count, `{"question":"q1","is":3}`), one(confirm, `{"question":"q1","is":[true]}`),
	`{"question":"Q","type":"email","default":"a@b.c"}`, `{"question":"Q","format":"tel","validation":{"format":"url","min":3}}`, `{"question":"Q","format":"date"}`,
	`{"question":"Q","options":[{"label":"a","preview":"**b**\n- c"},"d"],"default":"D"}`, `{"question":"Q","type":"multi","options":["a","b"],"default":["b","a"]}`,
	`{"question":"Q","type":"number","default":"1e2"}`, `{"question":"Q","type":"confirm","default":"Ja"}`,
	`{"question":"Q","input_type":"file","accept":["image/*","pdf"],"maxBytes":10}`, `{"question":"Q","type":"upload","accept":".a,.b","maxSize":"1e400"}`,
	`{"question":"Q","input_type":"text","options":["A","B"]}`, `{"question":"Q","type":"number","enum":[1,2],"enumNames":["One","Two"]}`,
	`{"question":"Q","type":"confirm","options":["Yes","No"]}`, `{"question":"Q","type":"confirm","options":["Now","Later"]}`,
	`{"question":"Q","options":"['a', \"b\", 'c\\u00e9', 2, True]"}`, `{"question":"Q","options":"[{'label': 'a', 'value': 'b'}, ('c',)]"}`, `{"question":"Q","options":"'a', 'b'"}`,
	`{"questions":["Q"],"follow_up":[{"text":"a","mode":null}]}`, `{"question":"Q","options":["a"],"choices":[{"label":"A","value":"a"}]}`,
	`{"question":"Q","schema":{"type":"array","items":{"anyOf":[{"const":"a","title":"A"}]}}}`, `{"question":"Q","type":"text","options":["a"],"validation":{"enum":["a"],"max":3}}`,
	`{"question":"Q","custom":false,"suggestions":["a","Other"]}`, `{"question":"Q","options":"<suggest>a</suggest>"}`,
	meeting, anytime, rating, ordering, `{"question":"Q","type":"rating","scale":{"min":"a","max":"b"},"max":"1e1","default":"3.0"}`, `{"question":"Q","format":"date-time","min":"0000-01-01T00:00:00Z"}`,
	`{"id":"city","question":"Q","input_type":"text"}`, `{"questions":[{"question":"Q"},{"id":"q1","question":"Q"},{"id":"q1","question":"Q"},{"id":7,"question":"Q"},{"id":" q9\u200b","question":"Q"}]}`,
}

// For any arguments, Run returns a refusal or a question within all limits. Valid texts are not
// altered, and no question is asked whose arguments a run could not store.
func FuzzRun(f *testing.F) {
	for _, seed := range seeds {
		f.Add(seed)
	}
	for _, label := range []string{"Other", "OTHER#", "OTHER (please specify): ___", "Autre…"} {
		f.Add(`{"question":"Q","allow_other":true,"options":["A",` + quoteJSON(label) + `]}`)
	}
	tool, open := newTool(), askuser.New(askuser.Limits{AllowOther: askuser.AllowOtherAlways, MaxFile: 1000}, german)
	f.Fuzz(func(t *testing.T, arguments string) {
		outcome, err := open.Run(context.Background(), tools.Call{Arguments: arguments, Language: "de"})
		if err == nil {
			for _, p := range outcome.Question.Parts {
				within(t, p)
				switch p.InputType {
				case tools.Select, tools.Multiselect, tools.Confirm, tools.Number, tools.Date, tools.Datetime:
					if !p.AllowOther {
						t.Fatalf("no text is allowed: %+v", p)
					}
				case tools.Text, tools.Scale, tools.Rank, tools.File:
				}
			}
		}
		outcome, err = tool.Run(context.Background(), tools.Call{Arguments: arguments, Language: "de"})
		noneLost(t, arguments, outcome.Question)
		if err != nil {
			var refused *tools.Error
			if !errors.As(err, &refused) || refused.Message == "" || refused.Reason == "" || !utf8.ValidString(refused.Message) || len(refused.Message) > 8<<10 {
				t.Fatalf("refusal %#v", err)
			}
			return
		}
		if _, _, err := spoiled.Repair(arguments); err != nil {
			t.Fatalf("%q is asked, but not stored: %v", arguments, err)
		}
		q := outcome.Question
		if len(q.Parts) < 1 || len(q.Parts) > 5 {
			t.Fatalf("%d parts", len(q.Parts))
		}
		ids := map[string]bool{}
		for _, p := range q.Parts {
			within(t, p)
			if !tools.IsPartID(p.ID) || ids[p.ID] {
				t.Fatalf("id %q, with %v", p.ID, ids)
			}
			ids[p.ID] = true
		}
		hangTogether(t, tool, *q)
		unaltered(t, tool, *q)
	})
}

// noneLost checks that each option sent in a question, or next to `questions`, is among the
// options of the questions. Only words that a confirm or the field for the user's own text
// already covers may be left out.
func noneLost(t *testing.T, arguments string, q *tools.Question) {
	t.Helper()
	var top map[string]any
	if q == nil || json.Unmarshal([]byte(arguments), &top) != nil {
		return
	}
	asked, said := map[string]bool{}, map[string]bool{}
	for _, p := range q.Parts {
		for _, o := range p.Options {
			asked[o.Label], asked[o.Value] = true, true
		}
		for _, word := range others {
			said[letters(word)] = said[letters(word)] || p.AllowOther
		}
		for _, word := range []string{"yes", "no", "ja", "nein", "y", "n", "true", "false", "jawohl", "klar", "nö"} {
			said[word] = said[word] || p.InputType == tools.Confirm
		}
	}
	for _, field := range []string{"options", "choices", "enum", "follow_up", "suggestions", "oneOf"} {
		list, _ := top[field].([]any)
		for _, item := range list {
			s, isText := item.(string)
			if o, isObject := item.(map[string]any); isObject {
				s, isText = o["label"].(string)
			}
			if s = strings.TrimSpace(tools.Clean(s)); isText && s != "" && s[0] != '{' && s[0] != '"' && !asked[s] && !said[letters(s)] {
				t.Fatalf("%s: %q of %s is lost: %+v", arguments, s, field, q.Parts)
			}
		}
	}
}

// letters returns only the letters of a text, as a person reads them.
func letters(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsDigit(r) {
			return r
		}
		return -1
	}, strings.ToLower(confusable.Fold(s)))
}

func within(t *testing.T, p tools.Part) {
	t.Helper()
	limit(t, "question", p.Question, 500)
	limit(t, "header", p.Header, 30)
	limit(t, "placeholder", p.Placeholder, 200)
	limit(t, "context", p.Context, 500)
	if strings.TrimSpace(p.Question) == "" {
		t.Fatal("blank question")
	}
	choice := p.InputType.HasOptions()
	switch p.InputType {
	case tools.Text, tools.Number, tools.Date, tools.Datetime, tools.Select, tools.Multiselect, tools.Confirm:
	case tools.Rank:
		if len(p.Options) < 2 {
			t.Fatalf("nothing to rank: %+v", p.Options)
		}
	case tools.Scale:
		if p.Validation == nil || p.Validation.Max == nil || p.Validation.Max.Number < 2 || p.Validation.Max.Number > 10 {
			t.Fatalf("a scale of %+v", p.Validation)
		}
	case tools.File:
		if p.MaxBytes < 1 || p.MaxBytes > 1000 || len(p.Accept) > tools.MaxAccept || slices.ContainsFunc(p.Accept, func(s string) bool { return !tools.IsAccept(s) }) {
			t.Fatalf("a file %+v", p)
		}
	default:
		t.Fatalf("type %q", p.InputType)
	}
	if p.Format != "" && (p.InputType != tools.Text || !slices.Contains([]string{tools.FormatEmail, tools.FormatURI, tools.FormatPhone, tools.FormatDuration}, p.Format)) {
		t.Fatalf("format %q of a %s", p.Format, p.InputType)
	}
	if choice != (len(p.Options) > 0) && p.InputType != tools.Confirm || len(p.Options) > 20 {
		t.Fatalf("%d options of a %s", len(p.Options), p.InputType)
	}
	recommended, labels, values := 0, map[string]bool{}, map[string]bool{}
	for _, o := range p.Options {
		limit(t, "label", o.Label, 100)
		limit(t, "value", o.Value, 100)
		limit(t, "description", o.Description, 300)
		limit(t, "preview", o.Preview, 2000)
		if strings.TrimSpace(o.Label) == "" || o.Value == "" || labels[o.Label] || values[o.Value] {
			t.Fatalf("options %+v", p.Options)
		}
		labels[o.Label], values[o.Value] = true, true
		if o.Recommended {
			recommended++
		}
	}
	if p.InputType == tools.Select && recommended > 1 {
		t.Fatal("several recommended")
	}
	if v := p.Validation; v != nil {
		limit(t, "pattern", v.Pattern, 200)
		limit(t, "message", v.Message, 200)
		if v.Pattern != "" && (p.InputType != tools.Text || v.Flags == nil) {
			t.Fatalf("pattern of a %s", p.InputType)
		}
		for _, b := range []*tools.Bound{v.Min, v.Max} {
			if b != nil && (math.IsInf(b.Number, 0) || math.IsNaN(b.Number) || (b.Date != "") != (p.InputType == tools.Date || p.InputType == tools.Datetime)) {
				t.Fatalf("bound %+v of a %s", b, p.InputType)
			}
		}
		if v.Min != nil && v.Max != nil && (v.Min.Number > v.Max.Number || v.Min.Date > v.Max.Date) {
			t.Fatalf("min %+v, max %+v", v.Min, v.Max)
		}
	}
}

// hangTogether checks conditions, and that defaults are answers.
func hangTogether(t *testing.T, tool *askuser.Tool, q tools.Question) {
	t.Helper()
	for i, p := range q.Parts {
		if p.When != nil && (tools.Before(q.Parts, i) < 0 || len(p.When.Is) == 0) {
			t.Fatalf("question %d depends on %+v", i, p.When)
		}
		if p.When != nil {
			for _, value := range p.When.Is {
				limit(t, "value of a condition", value, 100)
			}
		}
		if p.Default == nil {
			continue
		}
		a := tools.Answer{Value: p.Default}
		if p.InputType == tools.Multiselect {
			a.Value = nil
			if err := json.Unmarshal(p.Default, &a.Values); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := tool.Check(tools.Question{Parts: []tools.Part{p}, MaxAnswer: q.MaxAnswer}, a); err != nil {
			t.Fatalf("the default %s is not an answer: %v", p.Default, err)
		}
	}
}

func limit(t *testing.T, what, s string, most int) {
	t.Helper()
	if n := utf8.RuneCountInString(s); n > most || !utf8.ValidString(s) || strings.Contains(s, "\x00") {
		t.Fatalf("%s: %d characters, limit %d: %q", what, n, most, s)
	}
}

// unaltered asks an accepted question again: it is valid, so nothing changes.
func unaltered(t *testing.T, tool *askuser.Tool, q tools.Question) {
	t.Helper()
	for i := range q.Parts {
		if q.Parts[i].InputType == tools.Confirm {
			q.Parts[i].Options = nil // made by the tool
		}
	}
	data, err := json.Marshal(map[string]any{"questions": q.Parts})
	if err != nil {
		t.Fatal(err)
	}
	again, err := tool.Run(context.Background(), tools.Call{Arguments: string(data)})
	if err != nil {
		t.Fatalf("%s: %v", data, err)
	}
	for i := range again.Question.Parts {
		if again.Question.Parts[i].InputType == tools.Confirm {
			again.Question.Parts[i].Options = nil
		}
	}
	second, _ := json.Marshal(map[string]any{"questions": again.Question.Parts})
	if string(second) != string(data) || len(again.Repairs) > 0 {
		t.Fatalf("asked again %v\n%s\n%s", again.Repairs, data, second)
	}
}

// questionOf returns the question of fuzzed arguments, if they are valid.
func questionOf(tool *askuser.Tool, arguments string) (tools.Question, bool) {
	outcome, err := tool.Run(context.Background(), tools.Call{Arguments: arguments, Language: "de"})
	if err != nil {
		return tools.Question{}, false
	}
	return *outcome.Question, true
}

// For any answer, Check refuses it with fields, or accepts it, and accepts the result again. The
// tool result of an accepted answer has one line for each question of a form.
func FuzzCheck(f *testing.F) {
	for i, seed := range seeds {
		f.Add(seed, []string{`{"value":"fr"}`, `{"values":["a","b"],"other":"c"}`, `{"answers":[{"value":"x"},{"skipped":true},{"value":"2026-01-01"}]}`,
			`{"value":1.5e3,"note":"n"}`, `{"declined":true}`, `{"skipped":true}`, `{"value":"2026-02-28"}`, `{"value":true}`}[i%8])
	}
	for _, answers := range []string{`{"value":"pdf"},{"value":true},{"value":2},null`, `{"value":"docx"},{},{},{"value":"2"}`, `{"other":"odt"},{},{"skipped":true},{"value":"x"}`} {
		f.Add(conditional, `{"answers":[`+answers+`]}`)
	}
	f.Add(`{"question":"Q","type":"email"}`, `{"value":" a@b.c\n"}`)
	f.Add(`{"question":"Q","type":"duration","pattern":"P.*"}`, `{"value":"PT1H"}`)
	for _, words := range []string{`{"other":"5"}`, `{"value":5,"other":"or so"}`, `{"value":"5 or so"}`, `{"other":"yes","skipped":true}`} {
		f.Add(`{"question":"Q","type":"number","allow_other":true}`, words)
		f.Add(`{"question":"Q","type":"confirm","allow_other":true}`, words)
	}
	f.Add(`{"questions":[{"id":"n","question":"Q","type":"number","allow_other":true},{"question":"R","when":{"question":"n","is":["5"]}}]}`, `{"answers":[{"other":"5"},{"value":"x"}]}`)
	tool := newTool()
	f.Fuzz(func(t *testing.T, arguments, wire string) {
		q, ok := questionOf(tool, arguments)
		var a tools.Answer
		if !ok || json.Unmarshal([]byte(wire), &a) != nil {
			return
		}
		checked, err := tool.Check(q, a)
		if err != nil {
			for _, fault := range faults(err) {
				if fault.Field == "" || fault.Code == "" || fault.Question < 0 || fault.Question >= len(q.Parts) {
					t.Fatalf("fault %+v", fault)
				}
			}
			if len(faults(err)) == 0 {
				t.Fatalf("refused without a fault: %v", err)
			}
			return
		}
		same(t, tool, q, checked)
	})
}

// same checks an accepted answer again and reads its result.
func same(t *testing.T, tool *askuser.Tool, q tools.Question, checked tools.Answer) {
	t.Helper()
	first, err := json.Marshal(checked)
	if err != nil {
		t.Fatal(err)
	}
	again, err := tool.Check(q, checked)
	second, _ := json.Marshal(again)
	if err != nil || string(second) != string(first) {
		t.Fatalf("checked again: %s, %s, %v", first, second, err)
	}
	result := resume(t, q, tools.Closing{State: checked.Outcome(), Answer: &checked})
	if checked.Outcome() == tools.StateAnswered && len(q.Parts) > 1 && questionLines(result) != len(q.Parts) {
		t.Fatalf("%d questions: %q", len(q.Parts), result)
	}
}

// An answer returned by Read passes Check, and is for a single question.
func FuzzRead(f *testing.F) {
	for i, seed := range seeds {
		f.Add(seed, []string{"fr", "A and B", "1,5", "01.02.2026", "yes", "2)", "AB12\n", "skip", "a, Klingon", "1\u202f234,5", "31.12.2026 9:30 +0100", "b > a > c", "3 1 2"}[i%13], []string{"en", "de", "fr", "es"}[i%4])
	}
	tool := newTool()
	f.Fuzz(func(t *testing.T, arguments, message, language string) {
		q, ok := questionOf(tool, arguments)
		if !ok {
			return
		}
		a, ok := tool.Read(q, message, language)
		if !ok {
			return
		}
		if len(q.Parts) != 1 || a.Skipped && !q.Parts[0].AllowSkip || a.Declined || a.Note != "" {
			t.Fatalf("%d parts, read as %+v", len(q.Parts), a)
		}
		same(t, tool, q, a)
	})
}

// For any texts, the result of a form has one line for each question, and without the
// indentation it contains every text unchanged.
func FuzzResume(f *testing.F) {
	f.Add("Which?", "a\nQ2 (Who?): b", "n\rQ1 (x): y", "c\u2028Q3 (z): w")
	f.Add("Q2 (\u0085Q1 (", "\r\n", "\x1c\x1d\x1e\v\f", "")
	f.Add("\n", "\xff\u2029", "\r", "\r\nQ1 (")
	f.Fuzz(func(t *testing.T, question, value, note, other string) {
		raw, _ := json.Marshal(value)
		part := tools.Part{Question: question, InputType: tools.Text}
		choice := tools.Part{Question: question, InputType: tools.Multiselect, AllowOther: true,
			Options: []tools.Option{{Label: value, Value: note}, {Label: "b", Value: "b"}}}
		q := tools.Question{Parts: []tools.Part{part, choice, part}}
		got := resume(t, q, tools.Closing{State: tools.StateAnswered, Answer: &tools.Answer{Note: note, Answers: []tools.Answer{
			{Value: raw, Note: note}, {Values: []string{note, "b"}, Other: other}, {Skipped: true},
		}}})
		if n := questionLines(got); n != 3 {
			t.Fatalf("%d lines of questions:\n%q", n, got)
		}
		single := resume(t, tools.Question{Parts: []tools.Part{part}}, tools.Closing{State: tools.StateAnswered, Answer: &tools.Answer{Value: raw}})
		if utf8.ValidString(value) && single != value {
			t.Fatalf("%q became %q", value, single)
		}
	})
}
