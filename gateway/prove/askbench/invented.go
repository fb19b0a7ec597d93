package main

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/askgate/askgate/gateway/model"
	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tools/grounding/groundingtest"
)

// seed of everything that is drawn.
const seed = 16

// invented measures how well invented arguments are distinguished from those that a person gave: in
// composed dialogues, in handwritten ones, and through a gateway.
func invented(ctx context.Context, t *table) error {
	t.told("unfounded, composed", groundingtest.Measure(seed), 0.95, 0.01)
	var hand []groundingtest.Case
	for _, part := range groundingtest.Parts {
		hand = append(hand, groundingtest.Dialogues(part)...)
	}
	t.told("unfounded, by hand", groundingtest.Judge(hand), 0.90, 0.05)
	return asUsed(ctx, t)
}

// told adds the two rows of one set of dialogues.
func (t *table) told(what string, r groundingtest.Result, caught, alarms float64) {
	total := r.Total()
	t.add(total.CaughtShare() >= caught, what+": invented arguments, found", share(total.Caught, total.Invented), fmt.Sprintf("%.0f %% at least", 100*caught))
	t.add(total.AlarmShare() <= alarms, what+": given arguments, wrongly found", share(total.Alarms, total.Said), fmt.Sprintf("%.0f %% at most", 100*alarms))
}

// asUsed has a gateway refuse calls with invented arguments: the texts of the handwritten dialogues
// are sent over HTTP, and the model makes the tool calls that they contain. Days and times are left
// out, because a gateway computes them from the current time.
func asUsed(ctx context.Context, t *table) error {
	var entries []entry
	var calls []spoken
	for _, c := range groundingtest.Dialogues("tuning") {
		id := fmt.Sprintf("tool_%d", len(calls))
		if arguments, schema, invented, ok := timeless(&c); ok {
			calls = append(calls, spoken{c, id, arguments, invented})
			entries = append(entries, entry{"id": id, "type": "http", "unfounded": "refuse", "parameters": schema, "http": map[string]string{"url": "http://127.0.0.1:1/"}})
		}
	}
	var now spoken
	came := ""
	h, err := build(ctx, `{}`, func(r model.Request) []string {
		if came = strings.Join(results(r), ""); came != "" {
			return nil
		}
		return []string{now.arguments}
	}, entries...)
	if err != nil {
		return err
	}
	defer h.close()
	right := 0
	for _, now = range calls {
		h.calling = now.tool
		var said []string
		for _, text := range now.dialogue.Texts {
			said = append(said, text.Content)
		}
		if _, err := h.turn(ctx, "", strings.Join(said, "\n")); err != nil {
			return err
		}
		if strings.Contains(came, tools.CodeInvalidArguments) == now.invented && came != "" {
			right++
		}
	}
	t.add(float64(right) >= 0.9*float64(len(calls)), "unfounded, through a gateway: calls refused or run, as they should be", share(right, len(calls)), "90 % at least")
	return nil
}

// spoken is a call behind a dialogue.
type spoken struct {
	dialogue  groundingtest.Case
	tool      string
	arguments string
	invented  bool // one of the arguments is
}

// timeless is the call of a dialogue without days and times; ok is false where nothing is left.
func timeless(c *groundingtest.Case) (arguments string, schema json.RawMessage, invented, ok bool) {
	given, rules := map[string]json.RawMessage{}, struct {
		Required   []string                   `json:"required"`
		Properties map[string]json.RawMessage `json:"properties"`
	}{}
	if json.Unmarshal([]byte(c.Arguments), &given) != nil || json.Unmarshal(c.Schema, &rules) != nil {
		return "", nil, false, false
	}
	for _, a := range c.Known {
		name := strings.Split(a.Pointer, "/")[1]
		if a.Kind == "dates" || a.Kind == "times" {
			delete(given, name)
			delete(rules.Properties, name)
			rules.Required = slices.DeleteFunc(rules.Required, func(of string) bool { return of == name })
			continue
		}
		invented = invented || !a.Said
	}
	text, err := json.Marshal(given)
	schema, err2 := json.Marshal(rules)
	return string(text), schema, invented, len(given) > 0 && err == nil && err2 == nil
}

func share(n, of int) string {
	return fmt.Sprintf("%d of %d, %.1f %%", n, of, 100*float64(n)/float64(max(of, 1)))
}
