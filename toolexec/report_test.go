package toolexec_test

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/askgate/askgate/tools"
)

// The progress that people see rises, is a number, and ends when the tool has returned.
func TestWhatAToolReportsRisesAndEndsWithIt(t *testing.T) {
	var late func(tools.Progress)
	b := set(t, both, func(_ context.Context, c tools.Call) (tools.Outcome, error) {
		late = c.Report
		below := 2.
		for _, p := range []float64{1, 1, 0, math.NaN(), math.Inf(1), 3} {
			c.Report(tools.Progress{Progress: p, Total: &below})
		}
		return tools.Outcome{Result: "fine"}, nil
	})
	c := call("calculator", `{"n":1}`)
	var got []float64
	totals := 0
	c.Report = func(p tools.Progress) {
		got = append(got, p.Progress)
		if p.Total != nil {
			totals++
		}
	}
	b.run(t, c)
	late(tools.Progress{Progress: 4})
	if !slices.Equal(got, []float64{1, 3}) || totals != 1 {
		t.Errorf("reported %v, %d with a total", got, totals)
	}
}
