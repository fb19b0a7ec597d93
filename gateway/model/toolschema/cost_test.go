package toolschema_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/askgate/askgate/gateway/model/toolschema"
	"github.com/askgate/askgate/tools"
)

// No schema takes long, whatever it repeats: each of these took seconds to minutes where names were
// looked for one by one, and takes milliseconds.
func TestCostIsBounded(t *testing.T) {
	names := func(n int, form string) string {
		var b strings.Builder
		for i := range n {
			if i > 0 {
				b.WriteByte(',')
			}
			fmt.Fprintf(&b, form, i)
		}
		return b.String()
	}
	const n = 100_000
	for name, schema := range map[string]string{
		"keywords":         `{"type":"object",` + names(n, `"k%x":1`) + `}`,
		"required":         `{"type":"object","anyOf":[{"required":[` + names(n/2, `"%x"`) + `]},{"required":[` + names(n/2, `"z%x"`) + `]}]}`,
		"required of none": `{"type":"object","properties":{` + names(n/8, `"p%x":{"type":"string"}`) + `},"required":[` + names(n/2, `"%x"`) + `]}`,
		"enums":            `{"type":"object","properties":{"a":{"anyOf":[{"type":"string","enum":[` + names(n/2, `"%x"`) + `]},{"type":"string","enum":[` + names(n/2, `"z%x"`) + `]}]}}}`,
		"groups":           `{"type":"object","anyOf":[` + names(10_000, `{"required":["%x"]}`) + `]}`,
		"integers":         `{"type":"object","properties":{"a":{"type":["integer","string"],"enum":[` + names(n, `"%x"`) + `]}}}`,
		"properties":       `{"type":"object","allOf":[{"properties":{` + names(15_000, `"p%x":{}`) + `}},{"properties":{` + names(4_000, `"q%x":{}`) + `}}]}`,
		"anchors":          `{"type":"object","$defs":{` + names(n/8, `"p%x":{}`) + `},"properties":{` + names(5_000, `"p%x":{"$ref":"#a"}`) + `}}`,
	} {
		t.Run(name, func(t *testing.T) {
			for _, dialect := range []toolschema.Dialect{toolschema.Common, toolschema.Gemini} {
				began := time.Now()
				_, err := toolschema.Portable(tools.Definition{Name: "t", Parameters: json.RawMessage(schema)}, dialect)
				if took := time.Since(began); took > 5*time.Second {
					t.Errorf("a schema of %d bytes took %v (%v)", len(schema), took, err)
				}
			}
		})
	}
}
