package main

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/askgate/askgate/gateway/model"
)

// What a person pays for, in the worth of a task that is done right: coming back to a card is
// dear, one more question on it is cheap. A task needs some answers; each that the model
// guesses instead is right as often as there are usual ones.
const (
	needed       = 5
	interruption = 0.10
	question     = 0.02
	guessed      = 0.6
)

// policy is a way to ask.
type policy struct {
	name          string
	asks          int // how many of what is needed; the rest is guessed
	calls         func(answered int) []string
	interruptions int // that it may take
}

// worth returns the value of a turn to the person.
func worth(asked int, e effort) float64 {
	right := 1.0
	for range needed - asked {
		right *= guessed
	}
	return right - interruption*float64(e.interruptions) - question*float64(e.questions)
}

// topic returns the topic of the n-th question.
func topic(n int) string { return fmt.Sprintf("Detail %d of the order?", n+1) }

// oneByOne asks so many questions, each in a step of its own.
func oneByOne(n int) policy {
	return policy{name: fmt.Sprintf("%d one after the other", n), asks: n, interruptions: n, calls: func(answered int) []string {
		if answered < n {
			return []string{ask(topic(answered))}
		}
		return nil
	}}
}

// forms asks by one form, by several calls of one step, and by single questions.
func forms(ctx context.Context, t *table) error {
	form := policy{name: "one form", asks: needed, interruptions: 1, calls: func(answered int) []string {
		if answered > 0 {
			return nil
		}
		var parts []map[string]string
		for i := range needed {
			parts = append(parts, map[string]string{"question": topic(i), "input_type": "text"})
		}
		text, _ := json.Marshal(map[string]any{"questions": parts}) // strings
		return []string{string(text)}
	}}
	step := policy{name: "several calls of one step", asks: needed, interruptions: 1, calls: func(answered int) (calls []string) {
		for i := range needed {
			if answered == 0 {
				calls = append(calls, ask(topic(i)))
			}
		}
		return calls
	}}
	best := 0.0
	for _, p := range []policy{form, step, oneByOne(5), oneByOne(4), oneByOne(3), oneByOne(2), oneByOne(1), oneByOne(0)} {
		h, err := build(ctx, `{"perTurn": 5, "perConversation": 5}`, func(r model.Request) []string { return p.calls(len(results(r))) })
		if err != nil {
			return err
		}
		e, err := h.turn(ctx, "", "go")
		h.close()
		if err != nil {
			return err
		}
		got, ok := worth(p.asks, e), e.ended && e.interruptions == p.interruptions && e.questions == p.asks
		goal := fmt.Sprintf("%d interruptions, %d questions", p.interruptions, p.asks)
		if p.interruptions == 1 && p.asks == needed {
			best = max(best, got)
		} else {
			ok = ok && got < best
			goal += fmt.Sprintf(", worth less than %.3f", best)
		}
		t.add(ok, "forms: "+p.name, fmt.Sprintf("%d interruptions, %d questions, worth %.3f", e.interruptions, e.questions, got), goal)
	}
	return nil
}
