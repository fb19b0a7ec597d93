package toolexec_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/askgate/askgate/tools/arguments"
)

// Repairs of ask_user stay in its own metric; those of other tools are counted under the entry of
// the configuration, whatever name a model, or a server, invents.
func TestRepairsOfArgumentsAreCountedByTool(t *testing.T) {
	kin, _ := related(t, `"s"`, ok)
	for name, c := range map[string]struct {
		b          *bench
		tool, want string
	}{
		"a tool":             {set(t, both, ok), "calculator", "askgate_tool_argument_repairs_total a empty_object calculator 2 a raw_control calculator 1"},
		"one of a family":    {kin, "s__a", "askgate_tool_argument_repairs_total a empty_object s 2 a raw_control s 1"},
		"none that there is": {set(t, both, ok), "nope", "askgate_tool_argument_repairs_total a empty_object unknown 2 a raw_control unknown 1"},
		"ask_user":           {set(t, both, ok), "ask_user", "askgate_clarification_repairs_total a empty_object 2 a raw_control 1"},
	} {
		c.b.executor.Repaired(c.b.catalog, "a", c.tool, []string{arguments.RepairEmptyObject})
		c.b.executor.Repaired(c.b.catalog, "a", c.tool, []string{arguments.RepairEmptyObject, arguments.RepairRawControl})
		families, err := c.b.registry.Gather()
		if err != nil {
			t.Fatal(err)
		}
		var counted []string
		for _, f := range families {
			counted = append(counted, f.GetName())
			for _, m := range f.GetMetric() {
				for _, l := range m.GetLabel() {
					counted = append(counted, l.GetValue())
				}
				counted = append(counted, fmt.Sprint(m.GetCounter().GetValue()))
			}
		}
		if got := strings.Join(counted, " "); got != c.want {
			t.Errorf("%s: counted %s, want %s", name, got, c.want)
		}
	}
}
