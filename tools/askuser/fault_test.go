package askuser_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tools/askuser"
)

// A program gets the question and the field of each fault, by the names that it used.
func TestFaultsNameFieldsAsTheyWereSpelled(t *testing.T) {
	prepared := askuser.Template{Name: "city", Values: []string{"country"}, Question: func(string) []byte { return []byte(`{"question": "Which city in {country}?"}`) }}
	tool := askuser.New(askuser.Limits{MaxOptions: 3, MaxQuestions: 2}, nil, prepared)
	for arguments, want := range map[string]string{
		`{}`:                                    "0 question blank_question",
		`{"prompt":""}`:                         "0 prompt blank_question",
		`{"question":"Q","inputType":"colour"}`: "0 inputType unknown_type",
		`{"question":"Q","choices":["a","b","c","d"]}`:                                "0 choices too_many_options",
		`{"question":"Q","choices":[{"text":"a"},{"text":""}]}`:                       "0 choices[1].text bad_label",
		`{"question":"Q","options":["a",{"label":"b","id":[]}]}`:                      "0 options[1].id wrong_kind",
		`{"question":"Q","type":"text","minLength":5,"max":2}`:                        "0 minLength bad_range",
		`{"question":"Q","type":"text","constraints":{"minLength":5,"max":2}}`:        "0 constraints.minLength bad_range",
		`{"question":"Q","type":"text","validation":{"regex":"("}}`:                   "0 validation.regex pattern_syntax",
		`{"question":"Q","expires_in":"soon"}`:                                        "0 expires_in bad_expiry",
		`{"questions":[{"question":"A"},{"prompt":"B","allowOther":"perhaps"}]}`:      "1 allowOther wrong_kind",
		`{"questions":[{"question":"A"},7]}`:                                          "1 questions[1] wrong_kind",
		`{"Questions":["a","b","c"]}`:                                                 "0 Questions too_many_questions",
		`{"questions":[{"question":"A"},{"question":"Your password?"}]}`:              "1 question secret",
		`{"questions":[{"prompt":" "},{"question":"B","options":5}]}`:                 "0 prompt blank_question, 1 options no_options",
		`{"template":"city"}`:                                                         "0 values.country template_value",
		`{"template":"town","values":{}}`:                                             "0 template unknown_template",
		`{"template":"city","values":{"country":"` + strings.Repeat("x", 201) + `"}}`: "0 values.country template_value",
		`[]`:                            "0  not_object",
		`{"question":"a","question":1}`: "0  duplicate_name",
		`{"question":"a","max":1e999}`:  "0 max bad_range",
	} {
		_, err := tool.Run(t.Context(), tools.Call{Arguments: arguments, Language: "en"})
		e, ok := errors.AsType[*tools.Error](err)
		if !ok {
			t.Errorf("%s: %v", arguments, err)
			continue
		}
		var got []string
		for _, f := range e.Fields {
			got = append(got, fmt.Sprintf("%d %s %s", f.Question, f.Field, f.Code))
		}
		if strings.Join(got, ", ") != want || e.Reason != e.Fields[0].Code {
			t.Errorf("%s: %s, want %s", arguments, strings.Join(got, ", "), want)
		}
	}
	_, err := tool.Run(t.Context(), tools.Call{Arguments: `{"question":"Q","options":["a","b","c","d"]}`})
	if e, ok := errors.AsType[*tools.Error](err); !ok || e.Fields[0].Params["Count"] != 4 || e.Fields[0].Params["Max"] != 3 {
		t.Errorf("%+v", e)
	}
}

// Unknown names can be told from other spellings of known ones.
func TestWhatIsUnderstood(t *testing.T) {
	plain := askuser.New(askuser.Limits{}, nil)
	prepared := askuser.New(askuser.Limits{}, nil, askuser.Template{Name: "city", Values: []string{"Country"}, Question: func(string) []byte { return nil }})
	for name, want := range map[string][2]bool{
		"question": {true, true}, "questions": {true, true}, "input-type": {true, true}, "expiresIn": {true, true}, "expires_in": {true, true}, "min": {true, true},
		"template": {false, true}, "values": {false, true}, "Country": {false, true}, "country": {}, "tow": {}, "": {}, "askedBy": {}, strings.Repeat("question", 9): {},
	} {
		if got := [2]bool{plain.Understands(name), prepared.Understands(name)}; got != want {
			t.Errorf("%q: %v, want %v", name, got, want)
		}
	}
}
