package main

import (
	"context"
	"fmt"

	"github.com/askgate/askgate/gateway/model"
)

// caps lets models ask for ever, one question at a time, several at once, or large forms: no turn
// asks more than it may, no chat more than all its turns, and each turn ends.
func caps(ctx context.Context, t *table) error {
	const perTurn, perChat, turns = 3, 7, 4
	for _, forever := range []struct {
		name  string
		calls int // in each step
	}{{"one question a step", 1}, {"two questions a step", 2}, {"ten questions a step", 10}} {
		n := 0
		h, err := build(ctx, fmt.Sprintf(`{"perTurn": %d, "perConversation": %d}`, perTurn, perChat), func(model.Request) (calls []string) {
			for range forever.calls {
				n++
				calls = append(calls, ask(fmt.Sprintf("Question %d?", n)))
			}
			return calls
		})
		if err != nil {
			return err
		}
		asked, ended, over := 0, 0, 0
		for range turns {
			e, err := h.turn(ctx, "c", "go on")
			if err != nil {
				h.close()
				return err
			}
			asked += e.questions
			if e.ended {
				ended++
			}
			if e.questions > perTurn {
				over++
			}
		}
		h.close()
		t.add(asked == perChat && over == 0 && ended == turns, "caps: a model that asks for ever, "+forever.name,
			fmt.Sprintf("%d questions in %d turns, %d turns over %d, %d ended", asked, turns, over, perTurn, ended),
			fmt.Sprintf("%d questions, none over, all ended", perChat))
	}
	return nil
}
