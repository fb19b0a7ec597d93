package askuser_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tools/askuser"
)

// sees returns what a person sees of a question: its type, whether their own text is allowed, and
// the labels of its options, with the value if it differs, and a star if recommended.
func sees(p tools.Part) string {
	var options []string
	for _, o := range p.Options {
		s := o.Label
		if o.Value != o.Label {
			s += " (" + o.Value + ")"
		}
		if o.Recommended {
			s += "*"
		}
		options = append(options, s)
	}
	own := ""
	if p.AllowOther {
		own = ", or own words"
	}
	return p.Question + " " + string(p.InputType) + own + ": " + strings.Join(options, " | ")
}

// shape is a call in the form of another system, and where it was seen.
type shape struct {
	Source, Date string
	Arguments    json.RawMessage
	Sees         []string // each question, if it is asked
	Refused      string   // part of the message, if it is not
}

// Each shape of other systems is asked with all its options, or refused with the fix.
func TestShapesOfOtherSystems(t *testing.T) {
	data, err := os.ReadFile("testdata/shapes.json")
	if err != nil {
		t.Fatal(err)
	}
	var shapes []shape
	if err := json.Unmarshal(data, &shapes); err != nil {
		t.Fatal(err)
	}
	for _, s := range shapes {
		t.Run(s.Source, func(t *testing.T) {
			if s.Date == "" || (s.Sees == nil) == (s.Refused == "") {
				t.Fatal("set when it was seen, and either what a person sees or why it is refused")
			}
			outcome, err := newTool().Run(t.Context(), tools.Call{Arguments: string(s.Arguments), Language: "en"})
			if s.Refused != "" {
				if err == nil || !strings.Contains(err.Error(), s.Refused) {
					t.Errorf("%v, want %s", err, s.Refused)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, p := range outcome.Question.Parts {
				got = append(got, sees(p))
			}
			if strings.Join(got, "\n") != strings.Join(s.Sees, "\n") {
				t.Errorf("a person sees\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(s.Sees, "\n"))
			}
		})
	}
}

// person returns what a person sees of the first question that a model asks in English, or the
// reason and the message of the refusal.
func person(t *testing.T, program bool, arguments string) (seen, reason, message string) {
	t.Helper()
	outcome, err := newTool().Run(t.Context(), tools.Call{Arguments: arguments, Language: "en", Program: program})
	if err != nil {
		e := err.(*tools.Error) //nolint:errorlint,forcetypeassert // the tool returns no other
		return "", e.Reason, e.Message
	}
	return sees(outcome.Question.Parts[0]), "", ""
}

// Options with a type that has none: a model's become a choice, unless a rule would be lost; a
// program's are refused.
func TestOptionsWithATypeThatHasNone(t *testing.T) {
	for fields, want := range map[string]string{
		`"input_type":"text","options":["A","B"]`:                                                      "select, or own words: A | B",
		`"input_type":"number","options":[1,2.50]`:                                                     "select, or own words: 1 | 2.50",
		`"input_type":"date","options":["2026-12-24"]`:                                                 "select, or own words: 2026-12-24",
		`"input_type":"text","multiple":true,"options":["A","B"]`:                                      "multiselect, or own words: A | B",
		`"input_type":"text","options":["A"],"allow_other":false`:                                      "select, or own words: A",
		`"input_type":"text","options":["A","Other"]`:                                                  "select, or own words: A",
		`"input_type":"text","options":["A"],"validation":{}`:                                          "select, or own words: A",
		`"input_type":"text","options":["A"],"validation":{"pattern":" "}`:                             "select, or own words: A",
		`"input_type":"text","options":["A"],"integer":false,"format":""`:                              "select, or own words: A",
		`"input_type":"text","options":["A"],"format":"string"`:                                        "select, or own words: A",
		`"input_type":"text","validation":{"enum":["A","B"]}`:                                          "select, or own words: A | B",
		`"input_type":"confirm","options":["A","B"]`:                                                   "select: A | B",
		`"input_type":"confirm","options":["Yes","No","Later"]`:                                        "select: Yes | No | Later",
		`"input_type":"confirm","options":["Yes, delete it","No, keep it"]`:                            "select: Yes, delete it | No, keep it",
		`"input_type":"confirm","options":["Yes","Maybe"],"allow_other":1`:                             "select, or own words: Yes | Maybe",
		`"input_type":"confirm","options":["Yes"]`:                                                     "select: Yes",
		`"input_type":"confirm","options":["Yes","yes","No"]`:                                          "select: Yes | yes | No",
		`"input_type":"confirm","options":["Yes","yes"]`:                                               "select: Yes | yes",
		`"input_type":"confirm","options":[{"label":"No","value":"yes"},{"label":"Yes","value":"no"}]`: "select: No (yes) | Yes (no)",
		`"input_type":"confirm","options":[{"label":"Yes","description":"Now"},"No"]`:                  "select: Yes | No",
	} {
		t.Run(fields, func(t *testing.T) {
			arguments := `{"question":"Q",` + fields + `}`
			if seen, _, message := person(t, false, arguments); seen != "Q "+want {
				t.Errorf("a model's: %s%s, want %s", seen, message, want)
			}
			if seen, reason, message := person(t, true, arguments); reason != askuser.ReasonOptionsType || !strings.Contains(message, "use input_type select") {
				t.Errorf("a program's: %s%s: %s", seen, reason, message)
			}
		})
	}
}

// Options yes and no stay a confirm, also for programs, in the chat's language.
func TestYesAndNoOfAConfirm(t *testing.T) {
	for options, want := range map[string]string{
		`["Yes","No"]`: "Yes (yes) | No (no)",
		`["no","YES"]`: "Yes (yes) | No (no)",
		`[true,false]`: "Yes (yes) | No (no)",
		`[{"label":"Yes!","value":"true","recommended":true},{"label":"No","value":"no"}]`: "Yes (yes)* | No (no)",
		`"yes, no"`: "Yes (yes) | No (no)",
		`[]`:        "Yes (yes) | No (no)",
		`{}`:        "Yes (yes) | No (no)",
		`false`:     "Yes (yes) | No (no)",
	} {
		for _, program := range []bool{false, true} {
			if seen, _, message := person(t, program, `{"question":"Q","type":"confirm","options":`+options+`}`); seen != "Q confirm: "+want {
				t.Errorf("%s: %s%s", options, seen, message)
			}
		}
	}
	if p := run(t, `{"question":"Q","type":"confirm","options":["jawohl","No"]}`).Question.Parts[0]; sees(p) != "Q confirm: Ja (yes) | Nein (no)" {
		t.Errorf("in German: %s", sees(p))
	}
}

// Rules that a choice cannot have are never lost: the message says what to leave out.
func TestRulesWithOptionsAreRefused(t *testing.T) {
	for fields, says := range map[string]string{
		`"input_type":"text","validation":{"pattern":"a+"}`:     "`options` is not allowed with `validation.pattern`",
		`"input_type":"text","rules":{"minLength":2}`:           "`options` is not allowed with `rules.minLength`",
		`"input_type":"text","validation":"{\"max\":3}"`:        "`validation.max`",
		`"input_type":"text","max_length":3`:                    "`max_length`",
		`"input_type":"text","validation":{"message":"m"}`:      "`validation.message`",
		`"input_type":"number","min":1`:                         "`min`",
		`"input_type":"number","validation":{"integer":true}`:   "`validation.integer`",
		`"input_type":"date","validation":{"min":"2026-01-01"}`: "`validation.min`",
		`"input_type":"text","format":"email"`:                  "`format`",
		`"input_type":"text","format":"date"`:                   "`format`",
		`"input_type":"text","validation":{"format":"uri"}`:     "`validation.format`",
		`"type":"email"`:         `type "email"`,
		`"input_type":"integer"`: `input_type "integer"`,
		`"input_type":"text","multiple":true,"validation":{"min":1}`: "`validation.min`",
	} {
		_, reason, message := person(t, false, `{"question":"Q","options":["A","B"],`+fields+`}`)
		if reason != askuser.ReasonOptionsType || !strings.Contains(message, says) || !strings.Contains(message, "leave out the options, or use input_type select") {
			t.Errorf("%s: %s %s", fields, reason, message)
		}
	}
	files := askuser.New(askuser.Limits{MaxFile: 1000}, nil)
	if e := refusal(t, files, `{"question":"Q","input_type":"file","options":["A"]}`); e.Reason != askuser.ReasonOptionsType {
		t.Errorf("a file: %s %s", e.Reason, e.Message)
	}
}

// A default is an answer to the choice, and a condition names one of its values.
func TestDefaultsAndConditionsOfOptionsWithAText(t *testing.T) {
	p := run(t, `{"question":"Q","input_type":"text","options":[{"label":"Red","value":"r"},"Blue"],"default":"red"}`).Question.Parts[0]
	if string(p.Default) != `"r"` {
		t.Errorf("the default is %s", p.Default)
	}
	if p := run(t, `{"question":"Q","input_type":"text","options":["Red","Blue"],"default":"green"}`).Question.Parts[0]; p.Default != nil {
		t.Errorf("%s is not an option", p.Default)
	}
	form := `{"questions":[{"id":"n","question":"N","input_type":"number","options":[1,2]},{"question":"Q","input_type":"text","when":{"question":"n","is":[%]}}]}`
	q := run(t, strings.Replace(form, "%", "2", 1)).Question
	if w := q.Parts[1].When; w == nil || w.Is[0] != "2" || q.Parts[0].InputType != tools.Select {
		t.Errorf("%+v", q.Parts)
	}
	if e := refusal(t, newTool(), strings.Replace(form, "%", "3", 1)); e.Reason != askuser.ReasonBadCondition || !strings.Contains(e.Message, `use one of "1", "2"`) {
		t.Errorf("%s %s", e.Reason, e.Message)
	}
	if e := refusal(t, newTool(), `{"questions":[{"question":"A","type":"confirm","options":["Now","Later"]},{"question":"B","type":"text","when":{"question":"q1","is":"yes"}}]}`); e.Reason != askuser.ReasonBadCondition {
		t.Errorf("%s %s", e.Reason, e.Message)
	}
}

// An admin's invalid template is refused in the configuration, with the fix.
func TestATemplateHasNoOptionsWithATypeThatHasNone(t *testing.T) {
	for question, want := range map[string]string{
		`{"question":"Q","input_type":"text","options":[{"label":"A"}]}`:                              "is not allowed with input_type text",
		`{"question":"Q","input_type":"confirm","options":[{"label":"A"}]}`:                           "is not allowed with input_type confirm",
		`{"question":"Q","input_type":"text","options":[{"label":"A"}],"validation":{"pattern":"a"}}`: "is not allowed with `validation.pattern`",
		`{"question":"Q","input_type":"select","options":[{"label":"A"}],"enum":["B"]}`:               "list different options",
	} {
		if err := askuser.CheckTemplate([]byte(question), false); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", question, err)
		}
	}
}
