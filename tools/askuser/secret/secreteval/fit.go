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
	rounds      = 400
	decay       = 0.0003 // of weights: what is seen once decides little
	falseAlarms = 2.0    // how much worse one is than a miss
	margin      = 0.5    // of the score, on the side of false alarms
)

// fit prints weights. Of a question that asks for a secret, the place that speaks most for
// it counts; of the others, every place.
func fit(w io.Writer, records []record) error {
	reader := secret.New(nil)
	type bit struct {
		where string
		i     int
	}
	ids := map[bit]int{}
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
			for _, s := range signs {
				for i := range 32 {
					if s.Bits&(1<<i) == 0 {
						continue
					}
					id, ok := ids[bit{s.Where, i}]
					if !ok {
						id = len(ids)
						ids[bit{s.Where, i}] = id
					}
					place = append(place, id)
				}
			}
			if signs == nil {
				continue // needs no weights
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
	rows := map[string]*[32]float64{}
	for b, id := range ids {
		if rows[b.where] == nil {
			rows[b.where] = &[32]float64{}
		}
		rows[b.where][b.i] = weights[id]
	}
	for _, where := range slices.Sorted(maps.Keys(rows)) {
		line := where
		for _, w := range rows[where] {
			line += fmt.Sprintf(" %.2g", math.Round(w*100)/100)
		}
		if _, err := fmt.Fprintln(w, line); err != nil {
			return err
		}
	}
	return nil
}
