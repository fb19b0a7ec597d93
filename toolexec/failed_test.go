package toolexec_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/askgate/askgate/tools"
)

// What counts as a failure of a tool, and what is logged of it: never what the model or a server
// wrote.
func TestFailingCallsAreCountedByWhoseFaultItIsAndLogged(t *testing.T) {
	for _, c := range []struct {
		name, outcome, logged string
		fail                  func(context.Context) error
	}{
		{"the service fails", "error", "level=ERROR msg=\"tool failed\" app=a tool=calculator code=HTTP_ERROR status=503 error=why",
			func(context.Context) error {
				return &tools.Error{Code: tools.CodeHTTPError, Status: 503, Message: "told", Cause: "why"}
			}},
		{"the service rejects the call", "rejected", "level=INFO msg=\"tool failed\" app=a tool=calculator code=HTTP_ERROR status=404",
			func(context.Context) error {
				return &tools.Error{Code: tools.CodeHTTPError, Status: 404, Rejected: true, Message: "told"}
			}},
		{"the tool fails", "error", "level=ERROR msg=\"tool failed\" app=a tool=calculator code=TOOL_FAILED error=\"no disk\"",
			func(context.Context) error { return errors.New("no disk") }},
		{"it is too slow", "error", "level=ERROR msg=\"tool failed\" app=a tool=calculator code=TOOL_TIMEOUT",
			func(context.Context) error { return context.DeadlineExceeded }},
		{"the tool refuses the arguments", "refused", "",
			func(context.Context) error { return &tools.Error{Code: tools.CodeInvalidArguments, Message: "told"} }},
		{"the turn ends", "cancelled", "", func(context.Context) error { return context.Canceled }},
	} {
		b := set(t, both, func(ctx context.Context, _ tools.Call) (tools.Outcome, error) { return tools.Outcome{}, c.fail(ctx) })
		b.run(t, call("calculator", `{"n":1}`))
		want := `
# HELP askgate_tool_calls_total Tool calls of the model, by outcome: ok, error, rejected, refused, cancelled, question, repeated, remembered.
# TYPE askgate_tool_calls_total counter
askgate_tool_calls_total{app="a",outcome="` + c.outcome + `",tool="calculator"} 1
`
		if err := testutil.GatherAndCompare(b.registry, strings.NewReader(want), "askgate_tool_calls_total"); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		log := b.log.String()
		if _, said, _ := strings.Cut(strings.TrimSpace(log), " "); said != c.logged {
			t.Errorf("%s: logged %q, want %q", c.name, said, c.logged)
		}
		if strings.Contains(log, "told") {
			t.Errorf("%s: the log has what was said: %s", c.name, log)
		}
	}
}
