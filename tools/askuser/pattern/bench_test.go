package pattern_test

import (
	"testing"

	"github.com/askgate/askgate/tools/askuser/pattern"
)

func BenchmarkCheck(b *testing.B) {
	for _, c := range []struct{ name, source string }{
		{"date", `\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])`},
		{"mail", `[^\s@]+@[^\s@]+\.[^\s@]+`},
		{"password", `(?=.*[a-z])(?=.*[A-Z])(?=.*\d).{8,64}`},
		{"exponential", `(?:\w+\s?)+\.`},
		{"finite", `(?:a?b?a?){25}c`},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				_, _ = pattern.Check(c.source, 4000)
			}
		})
	}
}

// BenchmarkCorpus measures the mean over the corpus.
func BenchmarkCorpus(b *testing.B) {
	all := corpus(b)
	i := 0
	for b.Loop() {
		_, _ = pattern.Check(all[i%len(all)].Pattern, 4000)
		i++
	}
}

func BenchmarkMatch(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		_, _ = match(`[\w.+-]+@[\w-]+\.[\w.-]+`, "u", "someone.or.other@mail.example.org")
	}
}
