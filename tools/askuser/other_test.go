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

// If a text is always allowed, the model's allow_other is ignored, and the definition does not have
// it. Text, scale, rank and file are unchanged, and so is what no model asks, apart from choices.
func TestATextMayAlwaysBeAllowed(t *testing.T) {
	const choices, always, never = "choices", "always", "never"
	tool := func(l askuser.Limits) *askuser.Tool {
		l.AllowOther, l.MaxFile = askuser.AllowOtherAlways, 1000
		return askuser.New(l, german)
	}
	for question, when := range map[string]string{
		`{"question":"Q","options":["A","B"]}`:                                         choices,
		`{"question":"Q","options":["A","B"],"allow_other":false}`:                     choices,
		`{"question":"Q","input_type":"multiselect","options":["A","B"]}`:              choices,
		`{"questions":[{"question":"Q","input_type":"select","options":["A","B"]}]}`:   choices,
		`{"question":"Q","input_type":"confirm"}`:                                      always,
		`{"question":"Q","input_type":"confirm","options":["No","Yes"]}`:               always,
		`{"question":"Q","input_type":"number","validation":{"min":1,"integer":true}}`: always,
		`{"question":"Q","input_type":"number","allow_other":false}`:                   always,
		`{"question":"Q","input_type":"date"}`:                                         always,
		`{"question":"Q","input_type":"text","format":"date-time"}`:                    always,
		`{"question":"Q","input_type":"datetime"}`:                                     always,
		`{"question":"Q","input_type":"text"}`:                                         never,
		`{"question":"Q","input_type":"scale"}`:                                        never,
		`{"question":"Q","input_type":"rank","options":["A","B"]}`:                     never,
		`{"question":"Q","input_type":"file"}`:                                         never,
		`{"question":"Q","input_type":"number","allow_other":true}`:                    "said",
		`{"question":"Q","input_type":"scale","allow_other":true}`:                     "said",
	} {
		for who, c := range map[string]struct {
			tool    *askuser.Tool
			program bool
			want    bool
		}{
			"a model":                        {tool(askuser.Limits{}), false, when != never},
			"a program":                      {tool(askuser.Limits{}), true, when == choices || when == "said"},
			"the gateway":                    {tool(askuser.Limits{NoModel: true}), false, when == choices || when == "said"},
			"a model that decides by itself": {askuser.New(askuser.Limits{MaxFile: 1000}, german), false, when == "said"},
		} {
			out, err := c.tool.Run(t.Context(), tools.Call{Arguments: question, Language: "en", Program: c.program})
			if err != nil {
				t.Errorf("%s by %s: %v", question, who, err)
			} else if got := out.Question.Parts[0].AllowOther; got != c.want {
				t.Errorf("%s by %s: %t", question, who, got)
			}
		}
	}
	if p, _ := asked(t, tool(askuser.Limits{}), `{"question":"Q","options":["A","Other"]}`); labels(p) != "A" {
		t.Errorf("%+v", p.Options)
	}
}

// An admin's template has its own allow_other, and keeps its options.
func TestATemplateSaysWhetherATextIsAllowed(t *testing.T) {
	template := func(fields string) *askuser.Tool {
		return askuser.New(askuser.Limits{AllowOther: askuser.AllowOtherAlways}, german, askuser.Template{
			Name: "t", Question: func(string) []byte {
				return []byte(`{"question":"Q"` + fields + `}`)
			},
		})
	}
	for _, of := range []struct{ fields, labels string }{
		{`,"input_type":"select","options":[{"label":"A"},{"label":"Other"}]`, "A|Other"}, {`,"input_type":"number"`, ""}, {`,"input_type":"date"`, ""},
		{`,"input_type":"datetime"`, ""}, {`,"input_type":"confirm"`, "Yes|No"},
	} {
		for fields, want := range map[string]bool{``: true, `,"allow_other":true`: true, `,"allow_other":false`: false} {
			if p, repairs := asked(t, template(of.fields+fields), `{"template":"t"}`); p.AllowOther != want || labels(p) != of.labels || repairs != "" {
				t.Errorf("%s%s: %t, %s, %s", of.fields, fields, p.AllowOther, labels(p), repairs)
			}
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
