package pattern

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
)

// The bound is correct at any precision of the analysis: no text costs the machine, which runs V8's instructions, more
// than a few times the bound. The texts are the worst ones found for composed patterns, and random repetitive ones.
func TestBoundHolds(t *testing.T) {
	const longest, factor = 60, 10 // a unit of the bound is a few steps
	file, err := os.Open("patterneval/testdata/generated-tuning.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	random := rand.New(rand.NewPCG(1, 2))
	runs := 0
	for d := json.NewDecoder(file); d.More(); {
		var r struct {
			Pattern string
			Attack  [3]string
		}
		if err := d.Decode(&r); err != nil {
			t.Fatal(err)
		}
		tree, refusal := parse(r.Pattern, true)
		if refusal != nil {
			t.Fatal(r.Pattern, refusal)
		}
		alpha := newAlphabet(tree)
		var bounds [][]float64
		for _, most := range [...]int{few, all} {
			for _, wide := range [...]int{alone, together} {
				b := &bounder{t: tree, alpha: alpha, n: longest, work: totalWork}
				b.look(most, wide)
				bounds = append(bounds, b.costs(tree.root, false, false))
			}
		}
		m := newMachine(assemble(tree, alpha))
		check := func(raw []rune) {
			if len(raw) > longest {
				return
			}
			_, steps, _ := m.run(alpha.symbols(raw), raw, 100_000)
			for i, costs := range bounds {
				if runs++; float64(steps) > factor*costs[len(raw)] {
					t.Errorf("%s: %d steps for %q, above bound %d of %v", r.Pattern, steps, string(raw), i, costs[len(raw)])
				}
			}
		}
		for reps := 1; reps < longest && r.Attack[1] != ""; reps *= 2 {
			check([]rune(r.Attack[0] + strings.Repeat(r.Attack[1], reps) + r.Attack[2]))
		}
		for range 10 {
			var raw []rune
			period := 1 + random.IntN(6)
			for i := range 1 + random.IntN(longest) {
				next := alpha.borders[random.IntN(len(alpha.borders))].from
				if i >= period && random.IntN(12) > 0 {
					next = raw[i-period]
				}
				raw = append(raw, next)
			}
			check(raw)
		}
	}
	if runs < 50_000 {
		t.Errorf("only %d runs", runs)
	}
}
