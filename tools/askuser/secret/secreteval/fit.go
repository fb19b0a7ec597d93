package main

import (
	"fmt"
	"io"
	"maps"
	"math"
	"slices"

	"github.com/askgate/askgate/tools/askuser/secret"
)

// How the weights are fitted: logistic regression by gradient descent over all records at
// once, the same each time.
const (
	rounds      = 700
	decay       = 0.0007 // of weights: what is seen once decides little
	falseAlarms = 2.0    // how much worse one is than a miss
	margin      = 0.5    // of the score, on the side of false alarms
)

// fit prints weights. Of a question that asks for a secret, the place that speaks most for
// it counts; of the others, every place.
func fit(w io.Writer, records []record) error {
	reader := secret.New(nil)
	ids := map[string]int{}
	type example struct {
		places [][]int
		asks   bool
	}
	var examples []example
	for _, r := range records {
		parts := r.parts()
		e := example{asks: r.Kind != ""}
		for _, signs := range reader.Signs(parts) {
			var place []int
			for _, name := range signs {
				id, ok := ids[name]
				if !ok {
					id = len(ids)
					ids[name] = id
				}
				place = append(place, id)
			}
			e.places = append(e.places, place)
		}
		if len(e.places) > 0 {
			examples = append(examples, e)
		}
	}
	weights, speed := make([]float64, len(ids)), make([]float64, len(ids))
	for range rounds {
		gradient := make([]float64, len(ids))
		for _, e := range examples {
			best, most := 0, math.Inf(-1)
			for i, place := range e.places {
				score := 0.0
				for _, id := range place {
					score += weights[id]
				}
				if score > most {
					best, most = i, score
				}
				if !e.asks {
					p := falseAlarms / (1 + math.Exp(-score-margin))
					for _, id := range place {
						gradient[id] += p
					}
				}
			}
			if e.asks {
				p := 1 / (1 + math.Exp(most))
				for _, id := range e.places[best] {
					gradient[id] -= p
				}
			}
		}
		for id := range weights {
			g := gradient[id]/float64(len(examples)) + decay*weights[id]
			speed[id] += g * g
			weights[id] -= 0.5 * g / (math.Sqrt(speed[id]) + 1e-8)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(ids)) {
		if v := weights[ids[name]]; math.Abs(v) >= 0.03 {
			if _, err := fmt.Fprintf(w, "%s %.2f\n", name, v); err != nil {
				return err
			}
		}
	}
	return nil
}
