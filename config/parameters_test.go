package config_test

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/askgate/askgate/config"
)

// Localised texts become plain strings wherever a schema may be. Properties
// and data that only look like them are unchanged.
func TestParametersIn(t *testing.T) {
	const l = `{"en": "E", "de": "D"}`
	for name, c := range map[string]struct{ parameters, want string }{
		"top":                   {`{"description": ` + l + `}`, `{"description": "D"}`},
		"title":                 {`{"title": ` + l + `}`, `{"title": "D"}`},
		"plain":                 {`{"description": "x"}`, `{"description": "x"}`},
		"no German":             {`{"description": {"fr": "F", "en": "E"}}`, `{"description": "E"}`},
		"neither":               {`{"description": {"fr": "F", "es": "S"}}`, `{"description": "F"}`},
		"property":              {`{"properties": {"a": {"description": ` + l + `}}}`, `{"properties": {"a": {"description": "D"}}}`},
		"property of that name": {`{"properties": {"description": {"type": "string", "description": ` + l + `}}}`, `{"properties": {"description": {"type": "string", "description": "D"}}}`},
		"property like a text":  {`{"properties": {"description": {"properties": {"en": {"type": "string"}}}}}`, `{"properties": {"description": {"properties": {"en": {"type": "string"}}}}}`},
		"items":                 {`{"items": {"properties": {"a": {"items": {"description": ` + l + `}}}}}`, `{"items": {"properties": {"a": {"items": {"description": "D"}}}}}`},
		"lists":                 {`{"anyOf": [{"description": ` + l + `}, {"prefixItems": [{"description": ` + l + `}]}]}`, `{"anyOf": [{"description": "D"}, {"prefixItems": [{"description": "D"}]}]}`},
		"conditions":            {`{"if": {"description": ` + l + `}, "then": {"not": {"description": ` + l + `}}}`, `{"if": {"description": "D"}, "then": {"not": {"description": "D"}}}`},
		"definitions":           {`{"$defs": {"description": {"description": ` + l + `}}}`, `{"$defs": {"description": {"description": "D"}}}`},
		"patterns":              {`{"patternProperties": {"description": {"description": ` + l + `}}}`, `{"patternProperties": {"description": {"description": "D"}}}`},
		"own keyword":           {`{"x-hint": {"deep": [{"description": ` + l + `}]}}`, `{"x-hint": {"deep": [{"description": "D"}]}}`},
		"data": {`{"default": {"description": ` + l + `}, "enum": [{"description": ` + l + `}], "const": {"description": ` + l + `}, "examples": [{"description": ` + l + `}]}`,
			`{"default": {"description": ` + l + `}, "enum": [{"description": ` + l + `}], "const": {"description": ` + l + `}, "examples": [{"description": ` + l + `}]}`},
		"no variables":        {`{"description": "$HOME", "enum": ["$USD"]}`, `{"description": "$HOME", "enum": ["$USD"]}`},
		"comments and commas": {`{/* c */ "description": ` + l + `,}`, `{"description": "D"}`},
		"none":                {`{}`, `{}`},
	} {
		t.Run(name, func(t *testing.T) {
			s := mustLoad(t, tree{"tools.json": `[{"id": "x", "type": "client", "parameters": ` + c.parameters + `}]`}, nil)
			tool, _ := s.Tool("any", "x")
			got := tool.ParametersIn("de-CH")
			var a, b any
			if err := json.Unmarshal(got, &a); err != nil {
				t.Fatalf("%s: %v", got, err)
			}
			if err := json.Unmarshal([]byte(c.want), &b); err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(a, b) {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
	if (&config.Tool{}).ParametersIn("en") != nil {
		t.Error("no parameters stay none")
	}
}

// The order of keys and the notation of numbers and strings are kept.
func TestParametersAreUntouchedByteForByte(t *testing.T) {
	const text = `{"type":"object","properties":{"z":{"minimum":1.50,"pattern":"^[^}{]+\u0024$"},"a":{"const":1e2}}}`
	s := mustLoad(t, tools(`{"id": "x", "type": "client", "parameters": `+text+`}`), nil)
	tool, _ := s.Tool("", "x")
	if got := string(tool.ParametersIn("en")); got != text {
		t.Errorf("got  %s\nwant %s", got, text)
	}
}
