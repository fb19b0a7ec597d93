package openai

import (
	"strings"
	"testing"
)

// The cost of a history is linear in its size, however many messages of one side follow one
// another.
func TestLongHistoriesAreReadOnce(t *testing.T) {
	cost := func(n int) int64 {
		lines := append(append([]string{"u: hi"}, strings.Split(strings.Repeat("a: thirty-three characters of a text\n", n), "\n")...), "u: plain")
		return testing.Benchmark(func(b *testing.B) {
			b.ReportAllocs()
			for range b.N {
				toldBy(b, lines...)
			}
		}).AllocedBytesPerOp()
	}
	if few, many := cost(200), cost(3200); many > 32*few {
		t.Errorf("16 times as many messages take %d times the memory", many/few)
	}
}
