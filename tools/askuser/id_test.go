package askuser_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tools/askuser"
)

func idsOf(q *tools.Question) string {
	var ids []string
	for _, p := range q.Parts {
		ids = append(ids, p.ID)
	}
	return strings.Join(ids, " ")
}

// Every question has an id: the model's if it is valid, else a generated one.
func TestIDs(t *testing.T) {
	form := func(ids ...string) string {
		var questions []string
		for _, id := range ids {
			if id != "" {
				id = `"id":` + id + `,`
			}
			questions = append(questions, `{`+id+`"question":"Q","input_type":"text"}`)
		}
		return `{"questions":[` + strings.Join(questions, ",") + `]}`
	}
	longest := strings.Repeat("ß", 64)
	for name, c := range map[string]struct{ arguments, ids, repairs string }{
		"none":               {form("", ""), "q1 q2", ""},
		"the model's":        {form(`"city"`, `"day"`), "city day", ""},
		"some":               {form("", `"city"`, ""), "q1 city q3", ""},
		"alone":              {`{"id":"city","question":"Q","input_type":"text"}`, "city", ""},
		"of the list":        {`{"id":"form","questions":[{"question":"Q","input_type":"text"}]}`, "q1", ""},
		"null":               {form(`null`), "q1", ""},
		"blank":              {form(`" "`), "q1", ""},
		"longest":            {form(quoteJSON(longest)), longest, ""},
		"too long":           {form(quoteJSON(longest + "a")), "q1", "id"},
		"a number":           {form(`7`, `"a"`), "q1 a", "id"},
		"an object":          {form(`{"a":1}`), "q1", "id"},
		"twice":              {form(`"a"`, `"a"`, `"a"`), "a q2 q3", "id"},
		"twice but for case": {form(`"a"`, `"A"`), "a A", ""},
		"control character":  {form(`"a\nb"`), "q1", "id"},
		"invisible":          {form(`"a\u200b"`), "q1", "id"},
		"direction":          {form(`"\u202ea"`), "q1", "id"},
		"white space":        {form(`" a"`, `"a "`), "a q2", "id white_space"},
		"one that is made":   {form("", `"q1"`, `"q3"`, ""), "q2 q1 q3 q4", ""},
		"one that is free":   {form(`"q2"`, ""), "q2 q1", ""},
		"another spelling":   {`{"questionId":"city","question":"Q","input_type":"text"}`, "city", "key_name"},
	} {
		t.Run(name, func(t *testing.T) {
			out := run(t, c.arguments)
			repairs := slices.Sorted(slices.Values(out.Repairs))
			if got := idsOf(out.Question); got != c.ids || strings.Join(repairs, " ") != c.repairs {
				t.Errorf("%q, repairs %q; want %q, %q", got, repairs, c.ids, c.repairs)
			}
		})
	}
}

// The model's id takes precedence over the admin's. A template's value named id is not an id.
func TestIDsOfTemplates(t *testing.T) {
	written := func(text string) func(string) []byte { return func(string) []byte { return []byte(text) } }
	tool := askuser.New(askuser.Limits{}, nil,
		askuser.Template{Name: "named", Question: written(`{"id":"project","question":"Which?","input_type":"text"}`)},
		askuser.Template{Name: "plain", Question: written(`{"question":"Which?","input_type":"text"}`)},
		askuser.Template{Name: "valued", Values: []string{"id"}, Question: written(`{"question":"What of {id}?","input_type":"text"}`)},
	)
	for arguments, want := range map[string]string{
		`{"template":"named"}`:                      "project",
		`{"template":"plain"}`:                      "q1",
		`{"template":"named","id":"mine"}`:          "mine",
		`{"template":"named","id":7}`:               "project, repaired",
		`{"template":"valued","id":"7"}`:            "q1",
		`{"template":"valued","values":{"id":"7"}}`: "q1",
		`{"questions":[{"template":"named"},{"template":"named"},{"template":"plain"}]}`:           "project q2 q3",
		`{"questions":[{"id":"project","question":"Q","input_type":"text"},{"template":"named"}]}`: "project q2",
		`{"questions":[{"template":"named"},{"id":"project","question":"Q","input_type":"text"}]}`: "project q2, repaired",
	} {
		out, err := tool.Run(t.Context(), tools.Call{Arguments: arguments})
		if err != nil {
			t.Fatal(err)
		}
		got := idsOf(out.Question)
		if slices.Contains(out.Repairs, askuser.RepairID) {
			got += ", repaired"
		}
		if got != want {
			t.Errorf("%s: %q, want %q", arguments, got, want)
		}
	}
}

// The definition has ids with the current limit, for one question and for several.
func TestDefinitionOffersIDs(t *testing.T) {
	_, parameters := newTool().Definition()
	var schema struct {
		Properties struct {
			ID        struct{ MaxLength int }
			Questions struct {
				Items struct {
					Properties struct {
						ID struct {
							MaxLength   int
							Description string
						}
					}
				}
			}
		}
	}
	if err := json.Unmarshal(parameters, &schema); err != nil {
		t.Fatal(err)
	}
	one, each := schema.Properties.ID, schema.Properties.Questions.Items.Properties.ID
	if one.MaxLength != tools.MaxPartID || each.MaxLength != tools.MaxPartID || each.Description == "" {
		t.Errorf("%s", parameters)
	}
}
