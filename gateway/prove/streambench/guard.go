package main

import (
	"context"
	"fmt"
	"slices"
)

// slower is how much more processor time than the other's -guard admits.
const slower = 1.05

// compare fails if a guarded figure of the first side is slower than the second side's, by the median of
// the ratios of all rounds. It repeats what is slower once, because a machine may be disturbed for
// minutes.
func (b *bench) compare(ctx context.Context, sides []side, chosen []workload) error {
	for run := 1; ; run++ {
		samples, err := b.samples(ctx, sides, chosen)
		if err != nil {
			return err
		}
		slow := slices.DeleteFunc(slices.Clone(chosen), func(w workload) bool { return !slowerIn(w, samples[w.name]) })
		switch {
		case len(slow) == 0:
			return nil
		case run == 2:
			return fmt.Errorf("%s: slower than the other in two runs", slow[0].title)
		}
		chosen = slow
	}
}

// slowerIn prints the guarded figures of a workload and reports whether one of them is slower.
func slowerIn(w workload, samples [][]sample) (is bool) {
	for _, f := range w.figures {
		if !f.guarded {
			continue
		}
		own, other := values(f, samples[0]), values(f, samples[1])
		ratios := make([]float64, len(own))
		for i := range own {
			ratios[i] = own[i] / other[i]
		}
		ratio := median(ratios)
		fmt.Printf("%s, %s: %.1f %s, other %.1f: %.3f\n", w.title, f.name, median(own), f.unit, median(other), ratio)
		is = is || ratio > slower
	}
	return is
}
