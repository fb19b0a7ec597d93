package askuser_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tools/askuser"
)

func templated() *askuser.Tool {
	in := func(texts ...string) func(string) []byte {
		return func(language string) []byte {
			if language == "de" && len(texts) > 1 {
				return []byte(texts[1])
			}
			return []byte(texts[0])
		}
	}
	return askuser.New(askuser.Limits{MaxOptions: 2}, german,
		askuser.Template{Name: "pick", Values: []string{"n", "who"}, Arguments: []byte(`{"who":"{who}","n":"{n}","deep":[{"q":"<{who}>/{n}"}],"x":5}`), Question: in(
			`{"question":"Which of {who}?","header":"{who}","context":"{n} in all, {other}","placeholder":"{n}","input_type":"multiselect","validation":{"min":3}}`,
			`{"question":"Welches von {who}?","input_type":"select"}`)},
		askuser.Template{Name: "sure", Question: in(`{"question":"Sure?","input_type":"confirm","allow_skip":true}`)},
		askuser.Template{Name: "many", Question: in(`{"question":"Which?","options":[{"label":"A"},{"label":"B"},{"label":"C"}]}`)},
	)
}

func askTemplate(t *testing.T, arguments, language string) tools.Outcome {
	t.Helper()
	out, err := templated().Run(t.Context(), tools.Call{Arguments: arguments, Language: language})
	if err != nil {
		t.Fatalf("%s: %v", arguments, err)
	}
	return out
}

func TestTemplateIsAskedAsItIsWritten(t *testing.T) {
	q := askTemplate(t, `{"template":"pick","values":{"who":"Ada & {n}","n":7}}`, "en").Question
	if got, want := toJSON(t, q.Parts), normal(t, `[{"id":"q1","template":"pick","question":"Which of Ada & {n}?","header":"Ada & {n}","context":"7 in all, {other}","placeholder":"7",
		"input_type":"multiselect","validation":{"min":3},"allow_other":false,"allow_skip":false}]`); got != want {
		t.Error(got)
	}
	if got, want := toJSON(t, q.Sources), normal(t, `[{"part":0,"template":"pick","arguments":"{\"deep\":[{\"q\":\"<Ada & {n}>/7\"}],\"n\":7,\"who\":\"Ada & {n}\",\"x\":5}"}]`); got != want {
		t.Error(got)
	}
	if p := askTemplate(t, `{"template":"pick","values":{"who":"Ada","n":7}}`, "de").Question.Parts[0]; p.Question != "Welches von Ada?" || p.InputType != tools.Select {
		t.Errorf("%+v", p)
	}
	if p := askTemplate(t, `{"template":"sure"}`, "de").Question; len(p.Parts[0].Options) != 2 || p.Parts[0].Options[0].Label != "Ja" || !p.Parts[0].AllowSkip || p.Sources != nil {
		t.Errorf("%+v", p)
	}
	if p := askTemplate(t, `{"template":"many"}`, "en").Question.Parts[0]; len(p.Options) != 3 {
		t.Errorf("an admin's options are not the model's: %+v", p)
	}
}

func TestTemplatesAreUnderstoodInManyShapes(t *testing.T) {
	for arguments, repairs := range map[string][]string{
		`{"template":"pick","values":{"who":"Ada","n":"7"}}`:                                                     nil,
		`{"template":" pick ","values":"{\"who\":\" Ada \",\"n\":7}"}`:                                           {askuser.RepairNestedJSON},
		`{"template":"pick","who":"Ada","n":7}`:                                                                  {askuser.RepairKeyName},
		`{"templateName":"pick","variables":{"who":"Ada","n":7}}`:                                                {askuser.RepairKeyName},
		`{"template":"pick","values":{"who":"Ada","n":7},"question":"?","options":[]}`:                           {askuser.RepairDropped},
		`{"questions":[{"template":"pick","values":{"who":"Ada","n":7}}]}`:                                       nil,
		`{"template":"pick","values":{"who":"Ada","n":7},"questions":[{"question":"And?","input_type":"text"}]}`: {askuser.RepairQuestionsShape},
	} {
		out := askTemplate(t, arguments, "en")
		if out.Question.Parts[0].Question != "Which of Ada?" || len(out.Question.Sources) != 1 {
			t.Errorf("%s: %+v", arguments, out.Question)
		}
		if !slices.Equal(out.Repairs, repairs) {
			t.Errorf("%s: %v, want %v", arguments, out.Repairs, repairs)
		}
	}
	q := askTemplate(t, `{"questions":[{"question":"First?","input_type":"text"},{"template":"pick","values":{"who":"Ada","n":7}},{"template":"sure"}]}`, "en").Question
	if len(q.Parts) != 3 || len(q.Sources) != 1 || q.Sources[0].Part != 1 {
		t.Errorf("%+v", q)
	}
}

func TestTemplatesThatCannotBeAskedAreRefused(t *testing.T) {
	tool := templated()
	for _, c := range []struct{ arguments, reason, says string }{
		{`{"template":"pik"}`, askuser.ReasonUnknownTemplate, "pick, sure, many"},
		{`{"template":5}`, askuser.ReasonUnknownTemplate, "pick, sure, many"},
		{`{"template":"pick"}`, askuser.ReasonTemplateValue, "`values.who` is missing"},
		{`{"template":"pick","values":{"who":" ","n":1}}`, askuser.ReasonTemplateValue, "`values.who` is missing"},
		{`{"template":"pick","values":{"who":["x"],"n":1}}`, askuser.ReasonTemplateValue, "`values.who` is missing"},
		{`{"template":"pick","values":{"who":"` + strings.Repeat("ä", 201) + `","n":1}}`, askuser.ReasonTemplateValue, "201 characters, the limit is 200"},
		{`{"template":"pick","values":{"who":"Ada","n":7},"choices":[1]}`, askuser.ReasonOptionLists, "`choices` is not allowed with the template pick"},
		{`{"template":"pick","values":{"who":"Ada","n":7},"schema":{"enum":[1]}}`, askuser.ReasonOptionLists, "`schema.enum` is not allowed"},
		{`{"questions":[{"template":"pick","values":{"who":"Ada","n":7}}],"follow_up":["a"]}`, askuser.ReasonOptionLists, "`follow_up` is not allowed"},
		{`{"questions":[{"question":"a","input_type":"text"},{"template":"x"}]}`, askuser.ReasonUnknownTemplate, "`questions[1].template`"},
	} {
		if e := refusal(t, tool, c.arguments); e.Reason != c.reason || !strings.Contains(e.Message, c.says) {
			t.Errorf("%s: %s %s", c.arguments, e.Reason, e.Message)
		}
	}
	// An admin's template may ask for a secret if the app's policy allows it.
	secret := []byte(`{"question":"What is your password?"}`)
	if err := askuser.CheckTemplate(secret, false); err != nil {
		t.Error(err)
	}
	asks := askuser.New(askuser.Limits{}, nil, askuser.Template{Name: "secret", Question: func(string) []byte { return secret }})
	if e := refusal(t, asks, `{"template":"secret"}`); e.Reason != askuser.ReasonSecret {
		t.Errorf("%s %s", e.Reason, e.Message)
	}
	long := askuser.New(askuser.Limits{}, nil, askuser.Template{Name: "long", Values: []string{"a"}, Question: func(string) []byte {
		return []byte(`{"question":"` + strings.Repeat("x", 400) + `{a}"}`)
	}})
	if e := refusal(t, long, `{"template":"long","a":"`+strings.Repeat("y", 150)+`"}`); e.Reason != askuser.ReasonTooLong || !strings.Contains(e.Message, "550 characters") || !strings.Contains(e.Message, "shorter values") {
		t.Errorf("%s %s", e.Reason, e.Message)
	}
	if p := run(t, `{"template":"pick","question":"Own?"}`).Question.Parts[0]; p.Question != "Own?" {
		t.Errorf("without templates the word means nothing: %+v", p)
	}
}

// Options that are not in the question come from their source; the same rules apply.
func TestFoundOptionsCount(t *testing.T) {
	q := tools.Question{Kind: tools.KindQuestion, Parts: []tools.Part{{Question: "Q", InputType: tools.Multiselect, Searchable: true, OptionsTotal: 9,
		Options: []tools.Option{{Label: "A", Value: "a"}, {Label: "B", Value: "b"}}, Validation: &tools.Validation{Max: &tools.Bound{Number: 2}}}}}
	tool := newTool()
	x, y := tools.Option{Label: "Ex", Value: "x"}, tools.Option{Label: "Why", Value: "y"}
	checked, err := tool.Check(q, tools.Answer{Values: []string{"x", "b"}, Options: []tools.Option{x, y}})
	if err != nil || !slices.Equal(checked.Values, []string{"b", "x"}) || !slices.Equal(checked.Options, []tools.Option{x}) {
		t.Fatalf("%+v %v", checked, err)
	}
	if again, err := tool.Check(q, checked); err != nil || toJSON(t, again) != toJSON(t, checked) {
		t.Errorf("checked again: %+v %v", again, err)
	}
	if out, err := tool.Resume(t.Context(), tools.Call{}, q, tools.Closing{State: tools.StateAnswered, Answer: &checked}); err != nil || out.Result != "- B (b)\n- Ex (x)" {
		t.Errorf("%q %v", out.Result, err)
	}
	for _, a := range []tools.Answer{{Values: []string{"x"}}, {Values: []string{"a", "b", "x"}, Options: []tools.Option{x}}, {Options: []tools.Option{x}}} {
		if _, err := tool.Check(q, a); err == nil {
			t.Errorf("%+v is accepted", a)
		}
	}
	q.Parts[0].InputType, q.Parts[0].Validation = tools.Select, nil
	checked, err = tool.Check(q, tools.Answer{Value: json.RawMessage(`"x"`), Options: []tools.Option{x}})
	if err != nil || !slices.Equal(checked.Options, []tools.Option{x}) {
		t.Errorf("%+v %v", checked, err)
	}
}

func TestOptionsOfOthersAreMadeLegal(t *testing.T) {
	if o, ok := askuser.Option(" A ", " a ", " "); !ok || o != (tools.Option{Label: "A", Value: "a"}) {
		t.Errorf("%+v", o)
	}
	long := strings.Repeat("ä", 400)
	if o, ok := askuser.Option(long, "v", long); !ok || utf8.RuneCountInString(o.Label) != 100 || utf8.RuneCountInString(o.Description) != 300 {
		t.Errorf("%+v", o)
	}
	for _, c := range [][2]string{{"", "v"}, {"\u200b", "v"}, {"l", ""}, {"l", "\u200b"}, {"l", long}} {
		if o, ok := askuser.Option(c[0], c[1], ""); ok {
			t.Errorf("%q: %+v", c, o)
		}
	}
	if got := askuser.ToldApart(tools.Option{Label: strings.Repeat("x", 100), Value: "v"}); utf8.RuneCountInString(got) != 100 || !strings.HasSuffix(got, " (v)") {
		t.Error(got)
	}
}

// For any values, a template is refused or asked within all limits, and the arguments for its
// source are a JSON object.
func FuzzTemplate(f *testing.F) {
	for _, seed := range []string{
		`{"template":"pick","values":{"who":"Ada","n":7}}`, `{"template":"pick","who":"{n}","n":"{who}"}`, `{"questions":[{"template":"sure"},"x"]}`,
		`{"template":"many","values":"[]"}`, `{"template":null,"question":"Q"}`, `{"template":{"template":"pick"}}`,
	} {
		f.Add(seed)
	}
	tool := templated()
	f.Fuzz(func(t *testing.T, arguments string) {
		out, err := tool.Run(context.Background(), tools.Call{Arguments: arguments, Language: "en"})
		if refused, ok := errors.AsType[*tools.Error](err); ok {
			if refused.Message == "" || refused.Reason == "" || !utf8.ValidString(refused.Message) || len(refused.Message) > 8<<10 {
				t.Fatalf("%#v", refused)
			}
			return
		}
		for i, p := range out.Question.Parts {
			limited := p
			limited.Options = nil // an admin's may be more
			if _, listed := out.Question.Source(i); listed || p.InputType == tools.Select {
				limited.InputType, limited.Validation = tools.Text, nil
			}
			within(t, limited)
		}
		for _, s := range out.Question.Sources {
			var object map[string]any
			if json.Unmarshal([]byte(s.Arguments), &object) != nil || object == nil || s.Part >= len(out.Question.Parts) {
				t.Fatalf("%+v", s)
			}
		}
	})
}
