package sqldb

import (
	"cmp"
	"context"
	"slices"
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
	if after == nil {
		after = &place{}
	}
	var each []statement
	if err := d.h.read(ctx, func(s session) error {
		each = nil
		for _, waits := range []int{1, 2} {
			if err := eachApp(s, waits, func(app string) error {
				each = append(each, statement{q.pendingOfApp, []any{waits, app, after.millis, after.id}})
				return nil
			}); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		return nil, "", err
	}
	return d.h.placed(ctx, mark, page.Limit, each...)
}

// eachApp calls fn with each app that has questions of this kind of countedAs, in order. It steps from one to
// the next.
func eachApp(s session, kind int, fn func(app string) error) error {
	for app := ""; ; {
		found, err := one(s, func(scan scanner) error { return scan(&app) }, q.nextApp, kind, app)
		if err != nil || !found {
			return err
		}
		if err := fn(app); err != nil {
			return err
		}
	}
}

// Tallies implements store.Overseer.
func (d *Overview) Tallies(ctx context.Context, since time.Time, span time.Duration) ([]store.Tally, error) {
	from, width := toMillis(since), max(span.Milliseconds(), 1)
	type cell struct {
		app    string
		number int64
	}
	var cells map[cell]*store.Tally
	of := func(app string, number int64) *store.Tally {
		at := cell{app, number}
		if cells[at] == nil {
			cells[at] = &store.Tally{App: app, Start: fromMillis(from + number*width), States: map[tools.State]int{}}
		}
		return cells[at]
	}
	err := d.h.snapshot(ctx, func(s session) error {
		cells = map[cell]*store.Tally{}
		for kind := range 3 {
			if err := eachApp(s, kind, func(app string) error {
				states := rows(func(scan scanner) error {
					var number int64
					var state tools.State
					var count int
					err := scan(&number, &state, &count)
					of(app, number).States[state] += count
					return err
				}, q.talliedStates, from, width, kind, app, from)
				if kind > 0 {
					return s.each(states)
				}
				return s.each(states, rows(func(scan scanner) error {
					var number, p50, p90, p99 int64
					var count int
					err := scan(&number, &count, &p50, &p90, &p99)
					ms := func(n int64) time.Duration { return time.Duration(n) * time.Millisecond }
					of(app, number).Waits = store.Waits{Count: count, P50: ms(p50), P90: ms(p90), P99: ms(p99)}
					return err
				}, q.talliedWaits, from, width, app, from))
			}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	var tallies []store.Tally
	for _, t := range cells {
		tallies = append(tallies, *t)
	}
	slices.SortFunc(tallies, func(a, b store.Tally) int { return cmp.Or(cmp.Compare(a.App, b.App), a.Start.Compare(b.Start)) })
	return tallies, nil
}
