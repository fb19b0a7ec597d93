// Command askbench measures how well the gateway asks, without a model: it exits with 1 if a
// goal is missed, and, in CI, if one is not measured. It is deterministic, and says nothing about speed.
//
//	repeats    pairs of questions in four languages: the same for people, or nearly
//	unfounded  calls with invented arguments (tools/grounding/groundingtest), also through a gateway
//	forms      what a person is put to by one form, and by questions one after the other
//	caps       a model that never stops asking
//	report     a store with questions whose fate is known, on each kind of store
//
// A scripted model asks by the real engine, store and HTTP, and a simulated person answers.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"text/tabwriter"
)

// row is one thing that was measured.
type row struct {
	what, measured, goal string
	verdict              verdict
}

// verdict is what became of a goal.
type verdict string

const (
	reached    verdict = "reached"
	missed     verdict = "MISSED"
	unmeasured verdict = "not measured" // for want of a server
)

// table collects rows.
type table []row

// add adds what was measured, which misses its goal unless it holds.
func (t *table) add(holds bool, what, measured, goal string) {
	v := missed
	if holds {
		v = reached
	}
	*t = append(*t, row{what, measured, goal, v})
}

// lacks adds what could not be measured, and why: in CI, where nothing may be lacking, a miss.
func (t *table) lacks(what, why, goal string) {
	v := unmeasured
	if os.Getenv("CI") != "" {
		v = missed
	}
	*t = append(*t, row{what, why, goal, v})
}

func main() {
	misses, err := run(context.Background(), os.Stdout, repeats, invented, forms, caps, reports)
	if err != nil {
		fmt.Fprintln(os.Stderr, "askbench:", err)
		os.Exit(2)
	}
	if misses > 0 {
		fmt.Fprintf(os.Stderr, "askbench: %d of the goals are missed\n", misses)
		os.Exit(1)
	}
}

// run measures and prints what came out, and how many goals are missed.
func run(ctx context.Context, out io.Writer, benches ...func(context.Context, *table) error) (misses int, err error) {
	var t table
	for _, bench := range benches {
		if err := bench(ctx, &t); err != nil {
			return 0, err
		}
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "what\tmeasured\tgoal\tverdict")
	for _, r := range t {
		if r.verdict == missed {
			misses++
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", r.what, r.measured, r.goal, r.verdict)
	}
	return misses, w.Flush()
}
