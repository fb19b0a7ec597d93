package front_test

import (
	"strings"
	"testing"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/front"
)

// A question goes out as a call where the client's tool supports it.
func TestWhatAClientsAskUserTakes(t *testing.T) {
	list := func(items string) string {
		return `{"type":"object","properties":{"questions":{"type":"array","items":` + items + `}}}`
	}
	text, choice := question(name), question(city)
	for _, test := range []struct {
		what, schema string
		own          bool // of the client
		text, choice bool // which questions it supports
	}{
		{"none", ``, false, true, true},
		{"null", `null`, false, true, true},
		{"any object", `{"type":"object"}`, false, true, true},
		{"no properties", `{"type":"object","properties":{},"required":[],"additionalProperties":false}`, false, true, true},
		{"questions", `{"type":"object","properties":{"questions":{"type":"array"}},"required":["questions"]}`, false, true, true},
		{"one question", `{"properties":{"questions":{"type":"array","minItems":1,"maxItems":1}}}`, false, true, true},
		{"two questions", `{"properties":{"questions":{"type":"array","minItems":2}}}`, false, false, false},
		{"a text", `{"properties":{"questions":{"type":"string"}}}`, false, false, false},
		{"options", list(`{"type":"object","required":["question","options"]}`), false, false, true},
		{"two to three options with descriptions", list(`{"required":["options"],"properties":{"options":{"minItems":2,"maxItems":3,"items":{"required":["label","description"]}}}}`), false, false, false},
		{"two to three options", list(`{"required":["options"],"properties":{"options":{"minItems":2,"maxItems":3,"items":{"required":["label"]}}}}`), false, false, true},
		{"an enum", list(`{"properties":{"input_type":{"enum":["select","confirm"]}}}`), false, false, true},
		{"a constant", list(`{"properties":{"input_type":{"const":"text"}}}`), false, true, false},
		{"additionalProperties", list(`{"properties":{"question":{"type":"string"}},"additionalProperties":false}`), false, true, true},
		{"nullable", list(`{"properties":{"options":{"type":["array","null"]},"question":{"anyOf":[{"type":"string"},{"type":"null"}]}}}`), false, true, true},
		{"a reference", `{"$ref":"#/$defs/a","$defs":{"a":{"properties":{"questions":{"minItems":2}}}}}`, false, false, false},
		{"something else is demanded", `{"type":"object","required":["question"]}`, false, false, false},
		{"a schema of one question", `{"type":"object","properties":{"question":{"type":"string"}}}`, true, false, false},
		// The parameters of Open WebUI's own ask_user.
		{"Open WebUI", `{"type":"object","properties":{"questions":{"type":"array"},"allow_other":{"type":"boolean"},"timeout_ms":{"type":"integer"}},"required":["questions"]}`, true, false, false},
		{"properties by reference", `{"$ref":"#/definitions/a","definitions":{"a":{"properties":{"question":{}}}}}`, true, false, false},
		{"a reference to nothing", `{"$ref":"https://example.org/a.json"}`, true, false, false},
		{"a reference to itself", `{"$ref":"#"}`, true, false, false},
		{"no schema", `[1]`, true, false, false},
		{"too deep", strings.Repeat(`{"items":`, 40) + `{}` + strings.Repeat(`}`, 40), true, false, false},
		{"too large", `{"description":"` + strings.Repeat("x", 64<<10) + `"}`, true, false, false},
	} {
		d, ok := front.NewDemand([]byte(test.schema))
		if ok == test.own {
			t.Errorf("%s: it counts as the gateway's: %v", test.what, ok)
			continue
		}
		if ok && (d.Takes(front.NewQuestion(chat.NewAsked(text)).Input) != test.text || d.Takes(front.NewQuestion(chat.NewAsked(choice)).Input) != test.choice) {
			t.Errorf("%s: it supports a text: %v, a choice: %v", test.what, !test.text, !test.choice)
		}
	}
}

func FuzzDemand(f *testing.F) {
	f.Add(`{"type":"object","properties":{"questions":{"type":"array","minItems":1,"items":{"required":["id"]}}}}`, `{"questions":[{"id":"a"}]}`)
	f.Add(`{"$ref":"#/$defs/a","$defs":{"a":{"anyOf":[{"$ref":"#/$defs/a"},{"enum":[1,null,{}]}]}}}`, `{"questions":[]}`)
	f.Fuzz(func(t *testing.T, schema, input string) {
		if d, ok := front.NewDemand([]byte(schema)); ok {
			d.Takes([]byte(input)) // it ends
		}
	})
}
