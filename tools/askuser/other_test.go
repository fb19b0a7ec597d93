package askuser_test

import (
	"context"
	"strings"
	"testing"

	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tools/askuser"
)

// asked returns the only part of the question for arguments, and the repairs.
func asked(t *testing.T, tool *askuser.Tool, arguments string) (tools.Part, string) {
	t.Helper()
	outcome, err := tool.Run(context.Background(), tools.Call{Arguments: arguments, Language: "en"})
	if err != nil {
		t.Fatalf("Run(%s): %v", arguments, err)
	}
	return outcome.Question.Parts[0], strings.Join(outcome.Repairs, " ")
}

func labels(p tools.Part) string {
	var list []string
	for _, o := range p.Options {
		list = append(list, o.Label)
	}
	return strings.Join(list, "|")
}

// An option that only duplicates the field for the user's own text is dropped, in any language
// and spelling. It stays if it means more, or if no option would remain.
func TestAnOptionThatSaysOtherIsDropped(t *testing.T) {
	const open = `{"question":"Q","input_type":"select","allow_other":true,"options":[%]}`
	for name, c := range map[string]struct{ question, options, want string }{
		"other":                    {open, `{"label":"A"},{"label":"Other"}`, "A"},
		"with marks":               {open, `{"label":"Other (please specify): ___","value":"x"},{"label":"A"}`, "A"},
		"in capitals":              {open, `"A","OTHER…"`, "A"},
		"in another language":      {open, `{"label":"A"},{"label":"Autre..."},{"label":"Sonstiges"},{"label":"Quelque chose d'autre"}`, "A"},
		"recommended":              {open, `{"label":"A"},{"label":"Other","recommended":true}`, "A"},
		"in wide letters":          {open, `{"label":"A"},{"label":"Ｏｔｈｅｒ"}`, "A"},
		"of a multiselect":         {strings.Replace(open, "select", "multiselect", 1), `{"label":"A"},{"label":"B"},{"label":"Other"}`, "A|B"},
		"described":                {open, `{"label":"A"},{"label":"Other","description":"Ask the office"}`, "A|Other"},
		"more words":               {open, `{"label":"A"},{"label":"Other countries"}`, "A|Other countries"},
		"no other would be left":   {open, `{"label":"Other"},{"label":"Autre"}`, "Other|Autre"},
		"no field for it":          {strings.Replace(open, "true", "false", 1), `{"label":"A"},{"label":"Other"}`, "A|Other"},
		"nothing that can be said": {open, `{"label":"A"},{"label":"…"},{"label":"???"}`, "A|…|???"},
	} {
		p, repairs := asked(t, newTool(), strings.Replace(c.question, "%", c.options, 1))
		if got := labels(p); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
		if kept := strings.Contains(c.want, "|") && name != "of a multiselect"; kept == strings.Contains(repairs, askuser.RepairOtherOption) {
			t.Errorf("%s: repairs %q", name, repairs)
		}
	}
}

// If a text is always allowed, the question's allow_other is ignored, and the definition does
// not have it. Other types are unchanged.
func TestATextMayAlwaysBeAllowed(t *testing.T) {
	always := askuser.New(askuser.Limits{AllowOther: askuser.AllowOtherAlways}, german)
	for question, want := range map[string]bool{
		`{"question":"Q","options":["A","B"]}`:                                       true,
		`{"question":"Q","options":["A","B"],"allow_other":false}`:                   true,
		`{"question":"Q","input_type":"multiselect","options":["A","B"]}`:            true,
		`{"questions":[{"question":"Q","input_type":"select","options":["A","B"]}]}`: true,
		`{"question":"Q","input_type":"text"}`:                                       false,
		`{"question":"Q","input_type":"confirm"}`:                                    false,
		`{"question":"Q","input_type":"number","allow_other":true}`:                  true,
	} {
		if p, _ := asked(t, always, question); p.AllowOther != want {
			t.Errorf("%s: %t", question, p.AllowOther)
		}
		if p, _ := asked(t, newTool(), question); p.AllowOther != strings.Contains(question, `"allow_other":true`) {
			t.Errorf("%s: %t where the model says", question, p.AllowOther)
		}
	}
	if p, _ := asked(t, always, `{"question":"Q","options":["A","Other"]}`); labels(p) != "A" {
		t.Errorf("%+v", p.Options)
	}
}

// An admin's template has its own allow_other, and keeps its options.
func TestATemplateSaysWhetherATextIsAllowed(t *testing.T) {
	template := func(fields string) *askuser.Tool {
		return askuser.New(askuser.Limits{AllowOther: askuser.AllowOtherAlways}, german, askuser.Template{
			Name: "t", Question: func(string) []byte {
				return []byte(`{"question":"Q","input_type":"select","options":[{"label":"A"},{"label":"Other"}]` + fields + `}`)
			},
		})
	}
	for fields, want := range map[string]bool{``: true, `,"allow_other":true`: true, `,"allow_other":false`: false} {
		if p, repairs := asked(t, template(fields), `{"template":"t"}`); p.AllowOther != want || labels(p) != "A|Other" || repairs != "" {
			t.Errorf("%s: %t, %s, %s", fields, p.AllowOther, labels(p), repairs)
		}
	}
}

// The definition tells the model never to list such an option.
func TestTheDefinitionForbidsOther(t *testing.T) {
	for policy, want := range map[string]bool{"": true, askuser.AllowOtherModel: true, askuser.AllowOtherAlways: false} {
		description, parameters := askuser.New(askuser.Limits{AllowOther: policy}, nil).Definition()
		if !strings.Contains(description, `Never list an option such as "Other"`) || strings.Contains(description, "set allow_other") != want ||
			strings.Contains(string(parameters), `"allow_other"`) != want || strings.Contains(description, "always write something else") == want {
			t.Errorf("%q: %s\n%s", policy, description, parameters)
		}
		compiled(t, parameters)
	}
}
