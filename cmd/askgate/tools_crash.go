//go:build crashpoints

package main

import (
	"context"
	"os"
	"strings"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/toolexec"
	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tools/calculator"
)

// witness replaces the calculator in the tests of crashes: a multiplication counts as a call that must
// not run twice, and each run appends the id of the call to the file that ASKGATE_TOOL_LOG names.
type witness struct{ calculator.Tool }

func instrument(factories toolexec.Factories) toolexec.Factories {
	factories["calculator"] = func(*config.App, *config.Tool) (tools.Tool, error) { return witness{}, nil }
	return factories
}

func (witness) Repeatable(call tools.Call) bool { return !strings.Contains(call.Arguments, "*") }

func (w witness) Run(ctx context.Context, call tools.Call) (tools.Outcome, error) {
	if f, err := os.OpenFile(os.Getenv("ASKGATE_TOOL_LOG"), os.O_APPEND|os.O_WRONLY, 0); err == nil {
		_, _ = f.WriteString(call.ID + "\n") // in one write, so that it is not torn
		_ = f.Close()
	}
	return w.Tool.Run(ctx, call)
}
