package front

import (
	"encoding/json"
	"testing"

	"github.com/askgate/askgate/tools/arguments"
)

// Every schema that is accepted compiles, and describes one object.
func FuzzBroughtSchema(f *testing.F) {
	for _, seed := range []string{``, `null`, `{}`, ` {"type": "object"} `, `{"properties": {"a": {"type": "string"}}}`, `{"type": ["object"]}`, `[]`, `{"$ref": "https://example.org"}`,
		`{"type": "object", "properties": {"a": {"$ref": "#"}}}`, `{"type": "object", "properties": {"a": {"pattern": "("}}}`, `{"type":"object","type":"array"}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		schema, ok := broughtSchema(raw)
		if !ok {
			return
		}
		var object struct{ Type string }
		if err := json.Unmarshal(schema, &object); err != nil || object.Type != "object" {
			t.Fatalf("%s: %s, %v", raw, schema, err)
		}
		compiled, err := arguments.Compile(schema)
		if err != nil {
			t.Fatalf("%s: %v", schema, err)
		}
		_ = compiled.Check(`{}`) // it may be invalid, but it ends
		if again, ok := broughtSchema(schema); !ok || string(again) != string(schema) {
			t.Errorf("%s: again %s", schema, again)
		}
	})
}
