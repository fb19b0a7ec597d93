package askuser_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

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

// The schema is valid, takes what Run takes, and refuses what is over the limits
// in force.
func TestDefinition(t *testing.T) {
	tool := askuser.New(askuser.Limits{MaxQuestions: 3, MaxOptions: 7, MaxAnswer: 1234}, nil)
	description, parameters := tool.Definition()
	schema := compiled(t, parameters)
	for _, legal := range []string{text, code, selected, openSelect, several, confirmed, numbered, dated, form} {
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
			t.Errorf("the schema takes %s", shorten(over))
		}
	}
	for _, part := range []string{"up to 3", "rarely", "recommended", "one call", "the whole answer"} {
		if !strings.Contains(description, part) {
			t.Errorf("description does not say %q: %s", part, description)
		}
	}
	for _, part := range []string{"The whole answer must match", "1234", "1 to 7 options"} {
		if !strings.Contains(string(parameters), part) {
			t.Errorf("parameters do not say %q: %s", part, parameters)
		}
	}
}
