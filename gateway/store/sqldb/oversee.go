package sqldb

import (
	"context"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/tools"
)

// Clarification implements store.Reader.
func (d *DB) Clarification(ctx context.Context, id string) (chat.Clarification, error) {
	kept, err := list(ctx, d.h, d.h.scanClarification, q.clarification, id)
	return only(kept, err)
}

// AllPending implements store.Overseer.
func (d *Overview) AllPending(ctx context.Context, page store.Page) ([]chat.Clarification, string, error) {
	mark := cursorList("all pending")
	after, err := mark.parse(page.Cursor)
	if err != nil {
		return nil, "", err
	}
	all := statement{text: q.pending}
	if after != nil {
		all = statement{q.pendingAfter, []any{after.millis, after.id}}
	}
	return d.h.placed(ctx, mark, page.Limit, all)
}

// Tallies implements store.Overseer.
func (d *Overview) Tallies(ctx context.Context, since time.Time, span time.Duration) ([]store.Tally, error) {
	from, width := toMillis(since), max(span.Milliseconds(), 1)
	var tallies []store.Tally
	err := d.h.snapshot(ctx, func(s session) error {
		tallies = nil
		err := s.each(rows(func(scan scanner) error {
			var app string
			var number int64
			var state tools.State
			var count int
			if err := scan(&app, &number, &state, &count); err != nil {
				return err
			}
			start := fromMillis(from + number*width)
			if n := len(tallies); n == 0 || tallies[n-1].App != app || !tallies[n-1].Start.Equal(start) {
				tallies = append(tallies, store.Tally{App: app, Start: start, States: map[tools.State]int{}})
			}
			tallies[len(tallies)-1].States[state] = count
			return nil
		}, q.talliedStates, from, width, from))
		if err != nil {
			return err
		}
		i := 0 // both have the same order, and each row here has a match there
		return s.each(rows(func(scan scanner) error {
			var app string
			var number, p50, p90, p99 int64
			var count int
			if err := scan(&app, &number, &count, &p50, &p90, &p99); err != nil {
				return err
			}
			start := fromMillis(from + number*width)
			for tallies[i].App != app || !tallies[i].Start.Equal(start) {
				i++
			}
			ms := func(n int64) time.Duration { return time.Duration(n) * time.Millisecond }
			tallies[i].Waits = store.Waits{Count: count, P50: ms(p50), P90: ms(p90), P99: ms(p99)}
			return nil
		}, q.talliedWaits, from, width, from))
	})
	if err != nil {
		return nil, err
	}
	return tallies, nil
}
