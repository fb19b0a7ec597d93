package askuser_test

import (
	"context"
	"strings"
	"testing"

	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tools/askuser"
)

// With the policy "always", the user may skip whatever a model asks, each part of a form, and can say
// so in a message. A program decides for itself.
func TestTheUserMayAlwaysSkip(t *testing.T) {
	always := askuser.New(askuser.Limits{AllowSkip: askuser.AllowSkipAlways}, german)
	for question, models := range map[string]bool{
		`{"question":"Q","input_type":"text"}`:                                                                      false,
		`{"question":"Q","input_type":"text","allow_skip":false}`:                                                   false,
		`{"question":"Q","input_type":"text","required":true}`:                                                      false,
		`{"question":"Q","input_type":"text","allow_skip":true}`:                                                    true,
		`{"questions":[{"question":"Q","options":["A","B"]},{"question":"R","when":{"question":"q1","is":["A"]}}]}`: false,
	} {
		for _, program := range []bool{false, true} {
			for tool, want := range map[*askuser.Tool]bool{always: models || !program, newTool(): models} {
				outcome, err := tool.Run(context.Background(), tools.Call{Arguments: question, Language: "en", Program: program})
				if err != nil {
					t.Fatalf("%s: %v", question, err)
				}
				for _, p := range outcome.Question.Parts {
					if p.AllowSkip != want {
						t.Errorf("%s, asked by a program %t: %t, want %t", question, program, p.AllowSkip, want)
					}
				}
			}
		}
	}
	outcome, err := always.Run(t.Context(), tools.Call{Arguments: `{"question":"Q","input_type":"number"}`, Language: "en"})
	if err != nil {
		t.Fatal(err)
	}
	if a, ok := always.Read(*outcome.Question, "skip", "en"); !ok || !a.Skipped {
		t.Errorf("a message that skips is read as %+v, %t", a, ok)
	}
}

// A template has its own say. The policy speaks where it is silent, if a model asks it.
func TestATemplateSaysWhetherItMayBeSkipped(t *testing.T) {
	for fields, want := range map[string]bool{``: true, `,"allow_skip":true`: true, `,"allow_skip":false`: false} {
		tool := askuser.New(askuser.Limits{AllowSkip: askuser.AllowSkipAlways}, german, askuser.Template{
			Name: "t", Question: func(string) []byte { return []byte(`{"question":"Q","input_type":"text"` + fields + `}`) },
		})
		for _, program := range []bool{false, true} {
			outcome, err := tool.Run(t.Context(), tools.Call{Arguments: `{"template":"t"}`, Program: program})
			if err != nil {
				t.Fatal(err)
			}
			if got := outcome.Question.Parts[0].AllowSkip; got != (want && (!program || fields != "")) {
				t.Errorf("%s, asked by a program %t: %t", fields, program, got)
			}
		}
	}
}

// The model is told.
func TestTheDefinitionSaysWhoDecidesAboutSkipping(t *testing.T) {
	for policy, want := range map[string]string{"": "Set allow_skip if", askuser.AllowSkipModel: "Set allow_skip if", askuser.AllowSkipAlways: "The user can always skip"} {
		if description, _ := askuser.New(askuser.Limits{AllowSkip: policy}, nil).Definition(); !strings.Contains(description, want) {
			t.Errorf("%q: %s", policy, description)
		}
	}
}
