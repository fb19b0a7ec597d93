package askuser_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tools/askuser"
)

// A model's key is used if it is valid. An invalid one never prevents the question.
func TestKeysAndAgain(t *testing.T) {
	for name, c := range map[string]struct {
		arguments, keys, repairs string
		again                    bool
	}{
		"none":             {`{"question":"Q","input_type":"text"}`, "", "", false},
		"a key":            {`{"key":"report_format","question":"Q","input_type":"text"}`, "report_format", "", false},
		"of a form":        {`{"questions":[{"key":"a.b-C","question":"Q","input_type":"text"},{"question":"R","input_type":"text"}]}`, "a.b-C ", "", false},
		"longest":          {`{"key":"` + strings.Repeat("k", 64) + `","question":"Q","input_type":"text"}`, strings.Repeat("k", 64), "", false},
		"too long":         {`{"key":"` + strings.Repeat("k", 65) + `","question":"Q","input_type":"text"}`, "", "key", false},
		"white space":      {`{"key":"report format","question":"Q","input_type":"text"}`, "", "key", false},
		"other letters":    {`{"key":"größe","question":"Q","input_type":"text"}`, "", "key", false},
		"a number":         {`{"key":7,"question":"Q","input_type":"text"}`, "", "key", false},
		"an object":        {`{"key":{},"question":"Q","input_type":"text"}`, "", "key", false},
		"again":            {`{"question":"Q","input_type":"text","again":true}`, "", "", true},
		"not again":        {`{"question":"Q","input_type":"text","again":false}`, "", "", false},
		"again, a text":    {`{"question":"Q","input_type":"text","again":"yes"}`, "", "boolean", true},
		"again, a form":    {`{"again":true,"questions":[{"question":"Q","input_type":"text"}]}`, "", "", true},
		"again in a form":  {`{"questions":[{"question":"Q","input_type":"text"},{"again":true,"question":"R","input_type":"text"}]}`, " ", "", true},
		"another spelling": {`{"ask_again":true,"questionKey":"k","question":"Q","input_type":"text"}`, "k", "key_name", true},
	} {
		t.Run(name, func(t *testing.T) {
			out := run(t, c.arguments)
			var keys []string
			for _, p := range out.Question.Parts {
				keys = append(keys, p.Key)
			}
			repairs := slices.Sorted(slices.Values(out.Repairs))
			if got := strings.Join(keys, " "); got != c.keys || strings.Join(repairs, " ") != c.repairs || out.Question.Again != c.again {
				t.Errorf("%q, repairs %q, again %v; want %q, %q, %v", got, repairs, out.Question.Again, c.keys, c.repairs, c.again)
			}
		})
	}
}

// The admin's key takes precedence over the model's. Values are compared by their meaning, not
// by the model's spelling.
func TestKeysAndValuesOfTemplates(t *testing.T) {
	written := func(text string) func(string) []byte { return func(string) []byte { return []byte(text) } }
	tool := askuser.New(askuser.Limits{}, nil,
		askuser.Template{Name: "keyed", Question: written(`{"key":"place","question":"Where?","input_type":"text"}`)},
		askuser.Template{Name: "plain", Question: written(`{"question":"Where is {who}, {n}?","input_type":"text"}`), Values: []string{"who", "n"}},
		askuser.Template{Name: "lock", Question: written(`{"question":"Which lock fits {key}, {again}?","input_type":"text"}`), Values: []string{"key", "again"}},
	)
	ask := func(arguments string) *tools.Question {
		t.Helper()
		out, err := tool.Run(t.Context(), tools.Call{Arguments: arguments, Language: "en"})
		if err != nil {
			t.Fatalf("%s: %v", arguments, err)
		}
		return out.Question
	}
	for arguments, want := range map[string]string{
		`{"template":"keyed","key":"mine"}`:                                        "place",
		`{"template":"plain","key":"mine","values":{"who":"Ada","n":1}}`:           "mine",
		`{"template":"lock","key":"the brass one","again":"yes"}`:                  "",
		`{"template":"lock","values":{"key":"the_brass_one","again":"and again"}}`: "",
	} {
		if q := ask(arguments); q.Parts[0].Key != want || q.Again {
			t.Errorf("%s: key %q, again %v", arguments, q.Parts[0].Key, q.Again)
		}
	}
	ada := ask(`{"template":"plain","values":{"who":"Ada","n":1}}`).Values
	if len(ada) != 1 || !slices.Equal(ada, ask(`{"template":"plain","values":{"n":"1","who":" Ada "}}`).Values) {
		t.Errorf("the same values are %v and others", ada)
	}
	if slices.Equal(ada, ask(`{"template":"plain","values":{"who":"Bob","n":1}}`).Values) {
		t.Error("other values are the same")
	}
	form := ask(`{"questions":[{"template":"keyed"},{"template":"plain","values":{"who":"Ada","n":1}}]}`)
	if len(form.Values) != 2 || form.Values[0] != "" || form.Values[1] != ada[0] {
		t.Errorf("of a form: %q, want %q second", form.Values, ada)
	}
}
