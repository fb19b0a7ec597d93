package askuser_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tools/askuser"
)

// conditional is a form in which all questions depend on the first.
const conditional = `{"questions":[
	{"id":"format","question":"Which format?","input_type":"select","options":[{"label":"PDF","value":"pdf"},{"label":"Word","value":"docx"}],"allow_other":true},
	{"question":"Print it?","input_type":"confirm","when":{"question":"format","is":["pdf"]}},
	{"question":"How many copies?","input_type":"number","when":{"question":"q2","is":["yes"]}},
	{"question":"Which version?","input_type":"text","when":{"question":"format","is":["docx"]}}]}`

// one returns a form of these two questions, the second with a condition.
func one(first, when string) string {
	return `{"questions":[` + first + `,{"question":"Then?","input_type":"text","when":` + when + `}]}`
}

const (
	choice  = `{"question":"Which?","input_type":"select","options":[{"label":"The letter A","value":"a"},{"label":"B","value":"b"}]}`
	many    = `{"question":"Which?","input_type":"multiselect","options":["x","y"]}`
	confirm = `{"question":"Sure?","input_type":"confirm"}`
	count   = `{"question":"How many?","input_type":"number"}`
)

// A model's condition is stored as the id of a question and values of its answers.
func TestConditionsAreReadInTheirUsualShapes(t *testing.T) {
	for _, c := range []struct{ first, when, want string }{
		{choice, `{"question":"q1","is":["a"]}`, `{"question":"q1","is":["a"]}`},
		{choice, `{"question":"Q1","is":["a","b","a"]}`, `{"question":"q1","is":["a","b"]}`},
		{choice, `{"question":"q1","is":"a"}`, `{"question":"q1","is":["a"]}`},
		{choice, `{"id":"q1","equals":"The letter A"}`, `{"question":"q1","is":["a"]}`},
		{choice, `{"question":"Which?","is":["A"]}`, `{"question":"q1","is":["a"]}`},
		{choice, `"{\"question\":\"q1\",\"is\":[\"b\"]}"`, `{"question":"q1","is":["b"]}`},
		{choice, `{"q1":"b"}`, `{"question":"q1","is":["b"]}`},
		{strings.Replace(choice, `{`, `{"id":"sort",`, 1), `{"question":"sort","is":["a"]}`, `{"question":"sort","is":["a"]}`},
		{strings.Replace(choice, `{`, `{"id":"sort",`, 1), `{"question":"q1","is":["a"]}`, `{"question":"sort","is":["a"]}`},
		{many, `{"question":"q1","is":["y"]}`, `{"question":"q1","is":["y"]}`},
		{confirm, `{"question":"q1","is":["yes"]}`, `{"question":"q1","is":["yes"]}`},
		{confirm, `{"question":"q1","is":[true]}`, `{"question":"q1","is":["yes"]}`},
		{confirm, `{"question":"q1","is":"False"}`, `{"question":"q1","is":["no"]}`},
		{confirm, `{"question":"q1","is":"Ja"}`, `{"question":"q1","is":["yes"]}`},
		{count, `{"question":"q1","is":[3, "+4.0"]}`, `{"question":"q1","is":["3","4"]}`},
		{`{"question":"When?","input_type":"date"}`, `{"question":"q1","is":["2026-12-01"]}`, `{"question":"q1","is":["2026-12-01"]}`},
		{`{"question":"Who?","input_type":"text"}`, `{"question":"q1","is":["me"]}`, `{"question":"q1","is":["me"]}`},
		{choice, `{"question":"","is":[]}`, `null`},
		{choice, `null`, `null`},
	} {
		parts := run(t, one(c.first, c.when)).Question.Parts
		got, err := json.Marshal(parts[1].When)
		if err != nil || string(got) != c.want {
			t.Errorf("%s: %s, want %s", c.when, got, c.want)
		}
	}
}

func TestConditionsThatNoAnswerMeetsAreRefused(t *testing.T) {
	for _, c := range []struct{ arguments, field, hint string }{
		{one(choice, `{"question":"q3","is":["a"]}`), "question", `use one of "q1"`},
		{one(choice, `{"question":"q2","is":["a"]}`), "question", `use one of "q1"`}, // itself
		{one(choice, `{"question":"sort","is":["a"]}`), "question", `use one of "q1"`},
		{one(choice, `{"question":"q1","is":["c"]}`), "is[0]", `use one of "a", "b"`},
		{one(strings.Replace(choice, `{`, `{"allow_other":true,`, 1), `{"question":"q1","is":["else"]}`), "is[0]", "a text of the user's own never matches"},
		{one(confirm, `{"question":"q1","is":["maybe"]}`), "is[0]", `use one of "yes", "no"`},
		{one(count, `{"question":"q1","is":["many"]}`), "is[0]", "send a number"},
		{one(`{"question":"When?","input_type":"date"}`, `{"question":"q1","is":["May"]}`), "is[0]", "send a date"},
		{one(choice, `{"question":"q1","is":[]}`), "is", "must list"},
		{one(choice, `{"question":"q1"}`), "is", "must list"},
		{one(choice, `{"question":"q1","is":[{}]}`), "is[0]", "must be a text"},
		{one(choice, `{"question":"q1","is":["`+long(101)+`"]}`), "is[0]", "limit is 100"},
		{one(choice, `{"question":"q1","is":[`+strings.Repeat(`"a",`, 100)+`"a"]}`), "is", "1 to 100"},
		{one(choice, `"q1 is a"`), "", "must be an object"},
		{`{"question":"Q","when":{"question":"q1","is":["a"]}}`, "question", "the first is always asked"},
		{`{"questions":[{"question":"A","when":{"question":"q2","is":["yes"]}},{"question":"B","input_type":"confirm"}]}`, "question", "the first is always asked"},
		{`{"questions":[{"question":"A"},{"question":"B","when":{"question":"q3","is":["yes"]}},{"question":"C","input_type":"confirm"}]}`, "question", `use one of "q1"`},
		// An id takes precedence over a position.
		{`{"questions":[{"question":"A"},{"question":"B","when":{"question":"q1","is":["x"]}},{"id":"q1","question":"C"}]}`, "question", `use one of`},
	} {
		refused := refusal(t, newTool(), c.arguments)
		if !strings.Contains(refused.Message, c.hint) {
			t.Errorf("%s\n%s", shorten(c.arguments), refused.Message)
		}
		if field := refused.Fields[0].Field; field != strings.TrimSuffix("when."+c.field, ".") {
			t.Errorf("%s: field %q", shorten(c.arguments), field)
		}
	}
}

// A template is one question; the call that asks it has its condition.
func TestTheCallSaysOnWhatATemplateHangs(t *testing.T) {
	template := []byte(`{"question":"Which project?","input_type":"text"}`)
	tool := askuser.New(askuser.Limits{}, german, askuser.Template{Name: "project", Question: func(string) []byte { return template }})
	outcome, err := tool.Run(t.Context(), tools.Call{Arguments: `{"questions":[` + confirm + `,{"template":"project","when":{"question":"q1","is":["yes"]}}]}`})
	if err != nil || toJSON(t, outcome.Question.Parts[1].When) != `{"is":["yes"],"question":"q1"}` {
		t.Errorf("%+v, %v", outcome.Question, err)
	}
	if err := askuser.CheckTemplate([]byte(`{"question":"Q","when":{"question":"q1","is":["yes"]}}`), false); err == nil {
		t.Error("a template has a condition of its own")
	}
}

func TestAnswersToConditionalQuestions(t *testing.T) {
	q := *run(t, conditional).Question
	for _, c := range []struct {
		name, answer string
		want         string // the answers as they are stored, or question.field: code
	}{
		{"hidden as nothing", `[{"value":"docx"},{},{},{"value":"2"}]`, `[{"value":"docx"},{"skipped":true},{"skipped":true},{"value":"2"}]`},
		{"hidden as skipped", `[{"value":"docx"},{"skipped":true},{"skipped":true},{"value":"2"}]`, `[{"value":"docx"},{"skipped":true},{"skipped":true},{"value":"2"}]`},
		{"hidden as null", `[{"value":"docx"},null,null,{"value":"2"}]`, `[{"value":"docx"},{"skipped":true},{"skipped":true},{"value":"2"}]`},
		{"a chain", `[{"value":"pdf"},{"value":true},{"value":2},{}]`, `[{"value":"pdf"},{"value":"yes"},{"value":2},{"skipped":true}]`},
		{"a chain that ends", `[{"value":"pdf"},{"value":false},{},{}]`, `[{"value":"pdf"},{"value":"no"},{"skipped":true},{"skipped":true}]`},
		{"own words", `[{"other":"pdf"},{},{},{}]`, `[{"other":"pdf"},{"skipped":true},{"skipped":true},{"skipped":true}]`},
		{"declined", `[{"declined":true},{},{},{}]`, `[{"declined":true},{"skipped":true},{"skipped":true},{"skipped":true}]`},
		{"asked and missing", `[{"value":"docx"},{},{},{}]`, `3.value: required`},
		{"asked and declined", `[{"value":"docx"},{},{},{"declined":true}]`, `[{"value":"docx"},{"skipped":true},{"skipped":true},{"declined":true}]`},
		{"asked and skipped", `[{"value":"docx"},{},{},{"skipped":true}]`, `3.skipped: skip_not_allowed`},
		{"not asked", `[{"value":"docx"},{"value":true},{"value":2},{"value":"2"}]`, `1.value: not_asked, 2.value: not_asked`},
		{"not asked, in other fields", `[{"value":"pdf"},{"value":false},{"declined":true,"note":"n"},{"other":"o","values":["v"],"answers":[{}]}]`,
			`2.note: not_asked, 2.declined: not_asked, 3.values: not_asked, 3.other: not_asked, 3.answers: not_asked`},
		{"not yet known", `[{"value":"odt"},{"value":true},{"value":"x"},{"value":"2"}]`, `0.value: option`},
	} {
		t.Run(c.name, func(t *testing.T) {
			var a tools.Answer
			if err := json.Unmarshal([]byte(`{"answers":`+c.answer+`}`), &a); err != nil {
				t.Fatal(err)
			}
			checked, err := newTool().Check(q, a)
			var refused *tools.AnswerError
			got := toJSON(t, checked.Answers)
			if errors.As(err, &refused) {
				var said []string
				for _, f := range refused.Fields {
					said = append(said, fmt.Sprintf("%d.%s: %s", f.Question, f.Field, f.Code))
				}
				got = strings.Join(said, ", ")
			}
			if got != c.want {
				t.Errorf("%s\nwant %s", got, c.want)
			}
		})
	}
}

// A form can be skipped as a whole if all questions without a condition can be skipped.
func TestSkippingAFormWithConditions(t *testing.T) {
	for first, allowed := range map[string]bool{`"allow_skip":true`: true, `"allow_skip":false`: false} {
		q := *run(t, one(strings.Replace(confirm, `{`, `{`+first+`,`, 1), `{"question":"q1","is":["yes"]}`)).Question
		if _, err := newTool().Check(q, tools.Answer{Skipped: true}); (err == nil) != allowed {
			t.Errorf("%s: %v", first, err)
		}
	}
}

// The result distinguishes questions that were not asked from skipped ones.
func TestTheResultSaysWhatWasNotAsked(t *testing.T) {
	q := *run(t, strings.Replace(conditional, `"question":"Which version?"`, `"allow_skip":true,"question":"Which version?"`, 1)).Question
	a, err := newTool().Check(q, tools.Answer{Answers: []tools.Answer{{Value: json.RawMessage(`"docx"`)}, {}, {}, {Skipped: true}}})
	if err != nil {
		t.Fatal(err)
	}
	got := resume(t, q, tools.Closing{State: tools.StateAnswered, Answer: &a})
	want := "Q1 (Which format?): Word (docx)\nQ2 (Print it?): (not asked)\nQ3 (How many copies?): (not asked)\nQ4 (Which version?): (skipped)"
	if got != want {
		t.Errorf("%q", got)
	}
}

// A message never answers a form, regardless of its questions.
func TestAMessageDoesNotAnswerAConditionalForm(t *testing.T) {
	q := *run(t, conditional).Question
	if a, ok := newTool().Read(q, "pdf", "en"); ok {
		t.Errorf("read as %+v", a)
	}
}

func TestTheDefinitionHasConditionsInListsOnly(t *testing.T) {
	_, parameters := newTool().Definition()
	var schema struct {
		Properties map[string]json.RawMessage
	}
	if err := json.Unmarshal(parameters, &schema); err != nil {
		t.Fatal(err)
	}
	if schema.Properties["when"] != nil || !strings.Contains(string(schema.Properties["questions"]), `"when"`) {
		t.Errorf("%s", parameters)
	}
}
