package arguments_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/askgate/askgate/tools/arguments"
)

func TestArgumentsThatTheSchemaLacksAreUnknown(t *testing.T) {
	const given = `{"to":1,"t\u043e":2,"x-1":3,"__proto__":4}`
	all := []string{"to", "tо", "x-1", "__proto__"}
	for _, tt := range []struct {
		name, schema string
		want         []string
	}{
		{"listed", `{"properties":{"to":{},"tо":{},"x-1":{},"__proto__":{}}}`, nil},
		{"none of them", `{"properties":{}}`, all},
		{"a look-alike and others", `{"properties":{"to":{}}}`, all[1:]},
		{"no list", `{"type":"object"}`, nil},
		{"no schema", ``, nil},
		{"a pattern", `{"properties":{"to":{}},"patternProperties":{"^x-[0-9]$":{}}}`, []string{"tо", "__proto__"}},
		{"a pattern of another language", `{"properties":{"to":{}},"patternProperties":{"(?<=x)y":{}}}`, nil},
		{"free names of a type", `{"properties":{"to":{}},"additionalProperties":{"type":"number"}}`, nil},
		{"free names", `{"properties":{"to":{}},"additionalProperties":true}`, all[1:]},
		{"branches", `{"properties":{"to":{}},"anyOf":[{"properties":{"tо":{}}},{"then":{"properties":{"x-1":{}}}}],"dependentSchemas":{"to":{"properties":{"__proto__":{}}}}}`, nil},
		{"a value's own properties", `{"properties":{"to":{"properties":{"x-1":{}}}}}`, all[1:]},
		{"references", `{"$ref":"#/$defs/a~1b","$defs":{"a/b":{"properties":{"to":{}},"allOf":[{"$ref":"#/$defs/a~1b"},{"$ref":"#"}]}}}`, all[1:]},
		{"a reference elsewhere", `{"properties":{"to":{}},"$ref":"https://example.org/schema"}`, nil},
		{"a reference to nothing", `{"properties":{"to":{}},"$ref":"#/$defs/none"}`, nil},
		{"deep", `{"properties":{"to":{}},"allOf":[` + strings.Repeat(`{"allOf":[`, 100) + strings.Repeat(`]}`, 100) + `]}`, nil},
	} {
		if got := arguments.Unknown(given, []byte(tt.schema)); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}
