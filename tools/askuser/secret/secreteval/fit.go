package main

import (
	"fmt"
	"io"
	"math"

	"github.com/askgate/askgate/tools/askuser/secret"
)

// The parameters for fitting the weights: logistic regression by stochastic gradient descent,
// with the same result each time.
const (
	rounds = 30
	rate   = 0.4
	decay  = 1e-6 // of the weights, per record
	margin = 1.75 // of the score, to reduce false alarms
)

// example is a record as its signs.
type example struct {
	signs []secret.Sign
	asks  bool
}

func examples(records []record) (out []example) {
	reader := secret.New(nil)
	for _, r := range records {
		out = append(out, example{reader.Signs(r.parts()), r.Kind != ""})
	}
	return out
}

// model has a weight for each sign. The last one is added for every text.
type model [secret.Buckets]float64

func (m *model) score(e example) (sum float64) {
	for _, s := range e.signs {
		sum += m[s.ID] * float64(s.Value)
	}
	return sum + m[secret.Buckets-1]
}

// train fits a model. Each weight has its own learning rate (AdaGrad).
func train(list []example) *model {
	var m, speed model
	step := func(id uint32, g float64) {
		speed[id] += g * g
		m[id] -= rate * g / math.Sqrt(speed[id]+1e-12)
	}
	for round := range rounds {
		for i := range list {
			e := list[(i*7919+round*31)%len(list)] // not grouped by language or set
			g := 1 / (1 + math.Exp(-m.score(e)))
			if e.asks {
				g--
			}
			step(secret.Buckets-1, g)
			for _, s := range e.signs {
				step(s.ID, g*float64(s.Value)+decay*m[s.ID])
			}
		}
	}
	return &m
}

// trained returns the model of some questions, with the margin.
func trained(records []record) *model {
	m := train(examples(records))
	m[secret.Buckets-1] -= margin
	return m
}

// fit writes the weights, in units of secret.Step.
func fit(w io.Writer, records []record) error {
	out := make([]byte, secret.Buckets)
	for id, x := range trained(records) {
		out[id] = byte(int8(max(-127, min(127, math.Round(x/secret.Step)))))
	}
	if _, err := w.Write(out); err != nil {
		return fmt.Errorf("writing the weights: %w", err)
	}
	return nil
}
