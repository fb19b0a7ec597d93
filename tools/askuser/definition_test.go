package askuser_test

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tools/askuser"
)

func compiled(t *testing.T, parameters json.RawMessage) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(string(parameters)))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("parameters.json", doc); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile("parameters.json")
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

var bounds = regexp.MustCompile(`"(min|max)":(-?[\d.]+)`)

// The schema is valid, accepts what Run accepts, and refuses what is over the current limits.
func TestDefinition(t *testing.T) {
	tool := askuser.New(askuser.Limits{MaxQuestions: 3, MaxOptions: 7, MaxAnswer: 1234}, nil)
	description, parameters := tool.Definition()
	schema := compiled(t, parameters)
	for _, legal := range []string{text, code, selected, openSelect, several, confirmed, numbered, dated, form} {
		legal = bounds.ReplaceAllString(legal, `"$1":"$2"`) // the schema asks for texts, but Run also accepts numbers
		v, err := jsonschema.UnmarshalJSON(strings.NewReader(legal))
		if err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(v); err != nil && !strings.Contains(legal, `"integer"`) {
			t.Errorf("%s: %v", legal, err)
		}
	}
	for _, over := range []string{
		`{"question":"` + long(501) + `"}`,
		`{"question":"Q","options":[` + strings.Repeat(`{"label":"a"},`, 7) + `{"label":"a"}]}`,
		`{"questions":[` + strings.Repeat(`{"question":"a","input_type":"text"},`, 3) + `{"question":"a","input_type":"text"}]}`,
		`{"question":"Q","input_type":"slider"}`,
	} {
		v, _ := jsonschema.UnmarshalJSON(strings.NewReader(over))
		if schema.Validate(v) == nil {
			t.Errorf("the schema accepts %s", shorten(over))
		}
	}
	for _, part := range []string{"up to 3", "rarely", "recommended", "one call", "the whole answer"} {
		if !strings.Contains(description, part) {
			t.Errorf("the description lacks %q: %s", part, description)
		}
	}
	for _, part := range []string{"The whole answer must match", "1234", "1 to 7 options"} {
		if !strings.Contains(string(parameters), part) {
			t.Errorf("the parameters lack %q: %s", part, parameters)
		}
	}
}

// Each field of the definition has one type: some servers refuse lists of types, others unions.
func TestTheDefinitionHasOneTypeAPlace(t *testing.T) {
	_, parameters := askuser.New(askuser.Limits{MaxFile: 1}, nil).Definition()
	for _, word := range []string{`"type":[`, `"anyOf"`, `"oneOf"`} {
		if strings.Contains(string(parameters), word) {
			t.Errorf("%s in %s", word, parameters)
		}
	}
}

// Bounds and defaults as the definition describes them mean the same as in JSON's own types, and
// do not count as a repair.
func TestTextsOfTheDefinitionAreReadAsNumbersAndLists(t *testing.T) {
	tool := askuser.New(askuser.Limits{}, nil)
	for own, texts := range map[string]string{
		`{"question":"Q","input_type":"number","validation":{"min":-1.5,"max":100},"default":3}`:  `{"question":"Q","input_type":"number","validation":{"min":"-1.5","max":"100"},"default":"3"}`,
		`{"question":"Q","input_type":"multiselect","options":["a","b","c"],"default":["a","c"]}`: `{"question":"Q","input_type":"multiselect","options":["a","b","c"],"default":"[\"a\",\"c\"]"}`,
		`{"question":"Q","input_type":"text","validation":{"min":2,"max":9}}`:                     `{"question":"Q","input_type":"text","validation":{"min":"2","max":"9"}}`,
		`{"question":"Q","input_type":"multiselect","options":["a","b","c"],"default":"a"}`:       `{"question":"Q","input_type":"multiselect","options":["a","b","c"],"default":["a"]}`,
	} {
		a, err := tool.Run(t.Context(), tools.Call{Arguments: own})
		b, err2 := tool.Run(t.Context(), tools.Call{Arguments: texts})
		if err != nil || err2 != nil || a.Question == nil || b.Question == nil {
			t.Fatalf("%s: %v %v", own, err, err2)
		}
		x, _ := json.Marshal(a.Question)
		y, _ := json.Marshal(b.Question)
		if string(x) != string(y) || !slices.Equal(a.Repairs, b.Repairs) {
			t.Errorf("%s is read as\n%s %q\nand\n%s %q", own, x, a.Repairs, y, b.Repairs)
		}
	}
}
