package toolschema_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/askgate/askgate/gateway/model/toolschema"
	"github.com/askgate/askgate/tools"
)

// The cost of a schema grows with its size, not with its square, whatever it repeats: a schema four
// times as large takes less than ten times the processor time, and not the seconds to minutes that
// it took where names were looked up one by one.
func TestCostIsBounded(t *testing.T) {
	small, large := schemas(4), schemas(1)
	for name := range large {
		t.Run(name, func(t *testing.T) {
			for _, dialect := range []toolschema.Dialect{toolschema.Common, toolschema.Gemini} {
				less, more := cost(small[name], dialect), cost(large[name], dialect)
				// A garbage collection may add a quarter of a second to a cost of milliseconds.
				if more > 10*less+250*time.Millisecond {
					t.Errorf("%d bytes took %v, %d bytes %v", len(small[name]), less, len(large[name]), more)
				}
			}
		})
	}
}

// cost returns the processor time that it takes to write a schema in a dialect.
func cost(schema string, dialect toolschema.Dialect) time.Duration {
	began := processor()
	_, _ = toolschema.Portable(tools.Definition{Name: "t", Parameters: json.RawMessage(schema)}, dialect)
	return processor() - began
}

// processor returns the processor time of the test so far, so that other work on the machine does
// not count.
func processor() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// schemas returns large ones by the part they repeat, divided by part.
func schemas(part int) map[string]string {
	names := func(n int, form string) string {
		var b strings.Builder
		for i := range n / part {
			if i > 0 {
				b.WriteByte(',')
			}
			fmt.Fprintf(&b, form, i)
		}
		return b.String()
	}
	const n = 100_000
	return map[string]string{
		"keywords":         `{"type":"object",` + names(n, `"k%x":1`) + `}`,
		"required":         `{"type":"object","anyOf":[{"required":[` + names(n/2, `"%x"`) + `]},{"required":[` + names(n/2, `"z%x"`) + `]}]}`,
		"required of none": `{"type":"object","properties":{` + names(n/8, `"p%x":{"type":"string"}`) + `},"required":[` + names(n/2, `"%x"`) + `]}`,
		"enums":            `{"type":"object","properties":{"a":{"anyOf":[{"type":"string","enum":[` + names(n/2, `"%x"`) + `]},{"type":"string","enum":[` + names(n/2, `"z%x"`) + `]}]}}}`,
		"groups":           `{"type":"object","anyOf":[` + names(10_000, `{"required":["%x"]}`) + `]}`,
		"integers":         `{"type":"object","properties":{"a":{"type":["integer","string"],"enum":[` + names(n, `"%x"`) + `]}}}`,
		"properties":       `{"type":"object","allOf":[{"properties":{` + names(15_000, `"p%x":{}`) + `}},{"properties":{` + names(4_000, `"q%x":{}`) + `}}]}`,
		"anchors":          `{"type":"object","$defs":{` + names(n/8, `"p%x":{}`) + `},"properties":{` + names(5_000, `"p%x":{"$ref":"#a"}`) + `}}`,
	}
}
