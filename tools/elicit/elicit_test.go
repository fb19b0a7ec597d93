package elicit_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/askgate/askgate/tools/elicit"
)

// Each field of a form becomes a question that ask_user accepts, in the order in which they were sent.
func TestFieldsAreQuestions(t *testing.T) {
	for properties, want := range map[string]string{
		`"b": {"type": "string", "title": "Name", "minLength": 1}, "a": {"type": "boolean"}`: `[{"context":"M","id":"b","input_type":"text","question":"Name","validation":{"min":1}},{"allow_skip":true,"id":"a","input_type":"confirm","question":"a"}]`,
		// A JSON Schema pattern may match a part of the text, a pattern of ask_user must match all of it.
		`"b": {"type": "string", "pattern": "[0-9]"}`:                `[{"header":"b","id":"b","input_type":"text","question":"M","validation":{"pattern":"[\\s\\S]*(?:[0-9])[\\s\\S]*"}}]`,
		`"b": {"type": "string", "pattern": "^a|b$"}`:                `[{"header":"b","id":"b","input_type":"text","question":"M","validation":{"pattern":"[\\s\\S]*(?:^a|b$)[\\s\\S]*"}}]`,
		`"b": {"type": "string", "pattern": "^[0-9]+$"}`:             `[{"header":"b","id":"b","input_type":"text","question":"M","validation":{"pattern":"^[0-9]+$"}}]`,
		`"b": {"type": "array", "items": {"enum": ["x"]}}`:           `[{"allow_skip":true,"header":"b","id":"b","input_type":"multiselect","options":[{"label":"x","value":"x"}],"question":"M"}]`,
		`"b": {"type": "string", "enum": ["x", "Х", "x "]}`:          `[{"header":"b","id":"b","input_type":"select","options":[{"label":"x","value":"x"},{"label":"Х","value":"Х"},{"label":"x","value":"x "}],"question":"M"}]`,
		`"b": {"type": "string", "format": "date", "maxLength": 10}`: `[{"header":"b","id":"b","input_type":"date","question":"M"}]`,
	} {
		var s elicit.Schema
		if err := json.Unmarshal([]byte(`{"properties": {`+properties+`}, "required": ["b"]}`), &s); err != nil {
			t.Fatal(err)
		}
		questions, err := s.Questions("M", "form")
		got, _ := json.Marshal(questions)
		if err != nil || string(got) != want {
			t.Errorf("%s\n\tgot  %s %v\n\twant %s", properties, got, err, want)
		}
	}
}

func TestFieldsThatCannotBeAsked(t *testing.T) {
	for property, says := range map[string]string{
		`{"type": "object"}`: "type", `{}`: "type", `{"type": "array"}`: "without choices",
	} {
		var s elicit.Schema
		if err := json.Unmarshal([]byte(`{"properties": {"a": `+property+`}}`), &s); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Questions("M", "form"); err == nil || !strings.Contains(err.Error(), says) || !strings.Contains(err.Error(), `"a"`) {
			t.Errorf("%s: %v", property, err)
		}
	}
	if err := json.Unmarshal([]byte(`{"a": {}, "a": {}}`), new(elicit.Properties)); err == nil {
		t.Error("a duplicate name is accepted")
	}
}
