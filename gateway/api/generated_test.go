package api_test

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/askgate/askgate/gateway/prove/npmtest"
)

// A client that a generator makes from the served document compiles, asks and answers.
func TestAGeneratedClientAsksAndAnswers(t *testing.T) {
	t.Parallel()
	dir := npmtest.Install(t, "../prove/npm")
	if err := os.CopyFS(dir, os.DirFS("testdata/generated")); err != nil {
		t.Fatal(err)
	}
	s := realServer(t, withKeys, nil)
	npmtest.Run(t, dir, "node_modules/openapi-typescript/bin/cli.js", s.URL+"/openapi.yaml", "-o", "api.d.ts")
	types, err := os.ReadFile(dir + "/api.d.ts")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.SplitSeq(string(types), "\n") { // an object that accepts no properties
		if strings.Contains(line, "Record<string, never>") && !strings.HasPrefix(line, "export type") {
			t.Errorf("generators take an object as closed; give it additionalProperties: %s", line)
		}
	}
	npmtest.Run(t, dir, "node_modules/typescript/bin/tsc", "-p", ".")
	out := npmtest.Run(t, dir, "client.js", s.URL, "ag_alice")
	type result struct {
		Asked, Refused, Status, Text, Third string
		Pending, Parts, Compiled            int
	}
	var got result
	if err := json.Unmarshal(out, &got); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	want := result{
		Asked: "Which language should the text be translated into?", Refused: "invalid_answer", Status: "idle", Third: "idle", Text: got.Text, Pending: 1, Parts: 3, Compiled: 4,
	}
	if got != want || !strings.HasPrefix(got.Text, "You answered: German (de)\nNote: please\n") {
		t.Errorf("got\n%+v, want\n%+v", got, want)
	}
}

// Generators take a property with a default for one that is always sent, and an object that names
// no properties for one that has none.
func TestTheDocumentSuitsGenerators(t *testing.T) {
	var doc struct {
		Components struct{ Schemas map[string]any }
	}
	if err := json.Unmarshal(loadDocument(t).json, &doc); err != nil {
		t.Fatal(err)
	}
	var look func(at string, schema any)
	look = func(at string, schema any) {
		switch v := schema.(type) {
		case []any:
			for i, part := range v {
				look(fmt.Sprintf("%s/%d", at, i), part)
			}
		case map[string]any:
			if _, ok := v["default"]; ok && !strings.HasSuffix(at, "/properties") {
				t.Errorf("%s has a default: put it into the description", at)
			}
			open := v["properties"] != nil || v["additionalProperties"] != nil || v["allOf"] != nil || v["oneOf"] != nil
			kinds, _ := v["type"].([]any)
			if (v["type"] == "object" || slices.Contains(kinds, any("object"))) && !open {
				t.Errorf("%s is an object without properties: add additionalProperties: true", at)
			}
			for name, part := range v {
				if name != "enum" && name != "const" && name != "default" || strings.HasSuffix(at, "/properties") {
					look(at+"/"+name, part)
				}
			}
		}
	}
	look("components/schemas", doc.Components.Schemas)
}
