package turn_test

import (
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/askgate/askgate/gateway/turn"
)

// BenchmarkApproval: a turn with one call, of a new chat on SQLite with a model and a tool that
// respond at once: the call runs on its own, after a person allowed it, or because one was allowed
// before. The three alternate in one run; x is the ratio of the median to that of the first.
func BenchmarkApproval(b *testing.B) {
	h := build(b, `{}`, nil)
	ways := []struct {
		name string
		call string
		took []time.Duration
	}{{name: "unasked", call: "count_1"}, {name: "approved", call: "guard_1"}, {name: "remembered", call: "keep_2"}}
	drive := func(cmd turn.Command) { h.submit(cmd).Drive(b.Context(), nil) }
	for i := 0; b.Loop(); i++ {
		for w := range ways {
			way := &ways[w]
			h.ref.ChatID = way.name + strconv.Itoa(i)
			if way.name == "remembered" {
				h.model.steps = []answer{asks("keep_1"), says("Done.")}
				drive(h.message("hi"))
				drive(h.allows("keep_1"))
			}
			h.model.steps, h.model.sent = []answer{asks(way.call), says("Done.")}, nil
			before, started := h.calls.Load(), time.Now()
			drive(h.message("hi"))
			if way.name == "approved" {
				drive(h.allows(way.call))
			}
			way.took = append(way.took, time.Since(started))
			if ran := h.calls.Load() - before; ran != 1 || len(h.model.steps) != 0 {
				b.Fatalf("%s: %d calls ran", way.name, ran)
			}
		}
	}
	var first time.Duration
	for _, way := range ways {
		slices.Sort(way.took)
		median := way.took[len(way.took)/2]
		if first == 0 {
			first = median
		}
		b.ReportMetric(float64(median.Microseconds()), way.name+"-µs")
		b.ReportMetric(float64(median)/float64(first), way.name+"-x")
	}
}
