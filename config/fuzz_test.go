package config_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"
	"unicode/utf8"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/tools/askuser"
)

// For any content of the files, Load returns either a complete snapshot or
// faults with a place and a message.
func FuzzLoad(f *testing.F) {
	for _, dir := range []string{"default", filepath.Join("testdata", "ihub")} {
		app, tools := "apps/assistant.json", "tools.json"
		if dir != "default" {
			app = "apps/contract-check.json"
		}
		var seeds [3][]byte
		for i, name := range []string{filepath.Join("default", "gateway.json"), filepath.Join(dir, tools), filepath.Join(dir, app)} {
			text, err := os.ReadFile(name)
			if err != nil {
				f.Fatal(err)
			}
			seeds[i] = text
		}
		f.Add(seeds[0], seeds[1], seeds[2])
	}
	for _, s := range [][3]string{
		{"", "", ""}, {"[[[[", "{}", "{\"id\": \"a\"}"}, {"\xff", "//", "/*"}, {"{,}", "[,]", "\"\\"},
		{`{"models": {"": null}}`, `[{"id": "x", "type": "client", "parameters": {"$ref": "#"}}]`, `{"id": "$A"}`},
		{`{"auth": {"keys": [null, {}, {"id": 1}]}}`, `[{"id": "x", "type": "client", "parameters": {"$schema": "x", "$id": ":", "$dynamicRef": "#a"}}]`, `{"name": {"x": 1}}`},
		{`{"models": {"a": {"provider": "openai", "model": "m", "api": "auto", "baseUrl": "http://h/v1/responses", "headers": {"X-A": "$A", "Host": "h"}, "body": {"a": [1e5, {"b": "$A"}], "n": 1}, "reasoning": {"effort": "low"}, "prices": {"currency": "EUR", "input": 1}}}}`, "[]", `{"id": "a", "model": "a"}`},
		{`{"models": {"a": {"provider": "demo", "fallback": ["b", "$A", "default"]}, "b": {"fallback": ["a", "c"], "maxTokens": 1}}}`, "[]", `{"id": "a", "model": "a"}`},
		{"{}", `[{"id": "ask_user", "templates": {"t": {"question": {"en": "{a}", "de": "b"}, "validation": {"min": 1}, "optionsFrom": {"tool": "x", "arguments": {"q": ["{b}"]}, "rows": "/~1", "label": ""}, "fallback": [{"label": {"en": "x"}}]}}},
			{"id": "x", "type": "http", "http": {"url": "http://h/"}}]`, `{"id": "a", "tools": ["ask_user"]}`},
		{`{"limits": {"burst": 1e400}}`, `[{"id": "x", "type": "http", "http": {"url": "http://{"}}]`, `{"tools": [[], "x__y"]}`},
		{`{"clarifications": {"expiresIn": "9999999d"}}`, `[{"id": "x", "type": "client", "parameters": {"multipleOf": 0, "minimum": 1e-300, "pattern": "("}}]`, `{"preferredModel": []}`},
	} {
		f.Add([]byte(s[0]), []byte(s[1]), []byte(s[2]))
	}
	f.Fuzz(func(t *testing.T, gateway, tools, app []byte) {
		files := fstest.MapFS{"gateway.json": {Data: gateway}, "tools.json": {Data: tools}, "apps/a.json": {Data: app}}
		s, _, err := config.LoadFrom(config.Options{Dir: "dir", Env: env{"A": "a", "B": "\xff"}.Lookup, Tools: fakeTypes, Question: askuser.CheckTemplate}, files)
		var faults config.Faults
		switch {
		case err == nil:
			if s.Gateway.Models["default"].Provider == "" {
				t.Error("there is no default model")
			}
			for _, m := range s.Gateway.Models {
				if raw, err := json.Marshal(m.Body); err != nil {
					t.Errorf("the body is not JSON: %s: %v", raw, err)
				}
			}
			for _, a := range s.Apps() {
				for _, id := range a.Tools {
					tool, ok := s.Tool(a.ID, id)
					if !ok {
						t.Fatalf("no tool %q", id)
					}
					if p := tool.ParametersIn("de"); p != nil {
						if !json.Valid(p) {
							t.Errorf("the parameters are not JSON: %s", p)
						}
						if _, err := config.CompileSchema(p); err != nil {
							t.Errorf("the parameters are not a schema: %s: %v", p, err)
						}
					}
				}
			}
		case !errors.As(err, &faults) || len(faults) == 0:
			t.Errorf("no Faults: %v", err)
		}
		for _, fault := range faults {
			if fault.File == "" || fault.Message == "" || !utf8.ValidString(fault.Message) || (fault.Line == 0) != (fault.Col == 0) {
				t.Errorf("fault without place or message: %#v", fault)
			}
		}
	})
}

// For any parameters of a tool, Load does not panic, and accepted parameters are a
// valid schema in every language.
func FuzzParameters(f *testing.F) {
	for _, seed := range []string{
		`{}`, `{"type": "object", "properties": {"a": {"type": ["string", "null"], "pattern": "^a+$"}}, "required": ["a"]}`,
		`{"$defs": {"x": {"$anchor": "x", "$ref": "#/$defs/x"}}, "$ref": "#x"}`, `{"$dynamicRef": "#y", "$dynamicAnchor": "y"}`,
		`{"$schema": "http://json-schema.org/draft-07/schema#", "definitions": {"a": {"$id": "#a"}}}`,
		`{"$id": "urn:x", "allOf": [{"$ref": "urn:x"}], "if": true, "then": false}`, `{"$vocabulary": {"x": true}, "$schema": "askgate:parameters"}`,
		`{"minimum": 1e10, "multipleOf": 1e-10, "enum": [1, 1.0, {"a": 1}], "const": null, "description": {"en": "x", "de": ""}}`,
		`{"dependencies": {"a": ["b"], "c": {"title": {"en": "t"}}}, "items": [{}, true], "additionalItems": {"description": {}}}`,
		`{"patternProperties": {"(": {}}, "format": "regex", "contentSchema": {"description": {"en": 1}}}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, parameters []byte) {
		text := append(append([]byte(`[{"id": "x", "type": "client", "parameters": `), parameters...), `}]`...)
		s, _, err := config.LoadFrom(config.Options{Dir: "dir", Env: env{}.Lookup, Tools: fakeTypes}, fstest.MapFS{"tools.json": {Data: text}})
		if err != nil {
			return
		}
		tool, ok := s.Tool("", "x")
		if !ok {
			return
		}
		for _, language := range []string{"en", "de", ""} {
			if p := tool.ParametersIn(language); p != nil {
				if _, err := config.CompileSchema(p); err != nil {
					t.Errorf("in %q no schema: %s: %v", language, p, err)
				}
			}
		}
	})
}
