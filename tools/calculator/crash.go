//go:build crashpoints

package calculator

import (
	"os"
	"strings"

	"github.com/askgate/askgate/tools"
)

// A build with crash points needs a tool whose calls must not run twice, and must
// tell how often each ran. There, a multiplication counts as such a call.
func repeatable(call tools.Call) bool { return !strings.Contains(call.Arguments, "*") }

// runs notes that a call runs: a line with its id in the file that ASKGATE_TOOL_LOG names.
func runs(call tools.Call) {
	f, err := os.OpenFile(os.Getenv("ASKGATE_TOOL_LOG"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return // nobody asked
	}
	defer f.Close()
	_, _ = f.WriteString(call.ID + "\n") // one write: it stays whole
}
