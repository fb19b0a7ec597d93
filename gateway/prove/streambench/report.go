package main

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"text/tabwriter"
)

// report prints a table: for each figure the floor's median, the ratios of the
// gateways to it, and what was promised.
func report(sides []side, chosen []workload, samples map[string][][]sample) {
	out := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprint(out, "workload\tfigure\t"+sides[0].name)
	for _, s := range sides[1:] {
		fmt.Fprintf(out, "\t%s\tnow", s.name)
	}
	fmt.Fprintln(out, "\tmust\taim")
	missed := false
	for _, w := range chosen {
		title := w.title
		for _, f := range w.figures {
			least := values(f, samples[w.name][0])
			fmt.Fprintf(out, "%s\t%s\t%.1f %s", title, f.name, median(least), f.unit)
			title = ""
			for i := range sides[1:] {
				own := values(f, samples[w.name][i+1])
				now := median(own)
				fmt.Fprintf(out, "\t%.1f %s", now, f.unit)
				if !f.absolute {
					ratios := make([]float64, len(own))
					for round := range own {
						ratios[round] = own[round] / least[round]
					}
					now = median(ratios)
				}
				mark := ""
				if f.must > 0 && now > f.must && sides[0].name == floor {
					mark, missed = " !", true
				}
				fmt.Fprintf(out, "\t%.2f%s", now, mark)
			}
			fmt.Fprintf(out, "\t%s\t%s\n", goal(f.must), goal(f.aim))
		}
	}
	out.Flush()
	if missed {
		fmt.Println("! misses must")
	}
}

func values(f figure, samples []sample) []float64 {
	out := make([]float64, len(samples))
	for i, s := range samples {
		out[i] = f.of(s)
	}
	return out
}

func goal(v float64) string {
	if v == 0 {
		return "-"
	}
	return strconv.FormatFloat(v, 'f', -1, 64)
}

// median leaves the order of values as it is.
func median(values []float64) float64 { return quantile(slices.Clone(values), 0.5) }

// quantile sorts values.
func quantile(values []float64, q float64) float64 {
	if len(values) == 0 {
		return 0
	}
	slices.Sort(values)
	return values[min(len(values)-1, int(q*float64(len(values))))]
}
