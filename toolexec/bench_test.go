package toolexec_test

import (
	"fmt"
	"testing"

	"github.com/askgate/askgate/toolexec"
)

// BenchmarkExecute: calls of one step whose tool costs nothing, so that the rest is the executor:
// finding the tool, checking the arguments, time limit, counting.
func BenchmarkExecute(b *testing.B) {
	for _, n := range []int{1, 8} {
		b.Run(fmt.Sprintf("calls=%d", n), func(b *testing.B) {
			h := set(b, both, ok)
			batch := toolexec.Batch{App: h.app, Interactive: true}
			for range n {
				batch.Calls = append(batch.Calls, call("calculator", `{"n":1}`))
			}
			b.ReportAllocs()
			for b.Loop() {
				for _, out := range h.executor.Execute(b.Context(), h.catalog, batch) {
					if out.Result != "fine" {
						b.Fatalf("%+v", out)
					}
				}
			}
			b.ReportMetric(float64(n*b.N)/b.Elapsed().Seconds(), "calls/s")
		})
	}
}
