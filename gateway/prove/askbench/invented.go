package main

import (
	"context"
	"fmt"

	"github.com/askgate/askgate/tools/unfounded/unfoundedtest"
)

// seed of everything that is drawn.
const seed = 16

// invented measures how well arguments that nobody gave are told from those that somebody did.
func invented(_ context.Context, t *table) error {
	total := unfoundedtest.Measure(seed).Total()
	t.add(total.CaughtShare() >= 0.80, "unfounded: arguments that nobody gave, found", share(total.Caught, total.Invented), "80 % at least")
	t.add(total.AlarmShare() <= 0.09, "unfounded: arguments that somebody gave, found", share(total.Alarms, total.Said), "9 % at most")
	return nil
}

func share(n, of int) string {
	return fmt.Sprintf("%d of %d, %.1f %%", n, of, 100*float64(n)/float64(max(of, 1)))
}
