package sqldb

import (
	"context"
	"math"
	"time"

	"github.com/askgate/askgate/gateway/store"
)

// Pending implements store.Sweeper.
func (d *Due) Pending(ctx context.Context) ([]store.PendingCount, error) {
	return list(ctx, d.h, func(scan scanner, c *store.PendingCount) error {
		var oldest int64
		err := scan(&c.App, &c.Count, &oldest)
		c.Oldest = fromMillis(oldest)
		return err
	}, q.pendingPerApp)
}

// Undelivered implements store.Outbox.
func (d *Outbox) Undelivered(ctx context.Context, before time.Time) (map[string]int, error) {
	counts := map[string]int{}
	until := int64(math.MaxInt64)
	if !before.IsZero() {
		until = toMillis(before)
	}
	err := d.h.read(ctx, func(s session) error {
		clear(counts)
		return s.each(rows(func(scan scanner) error {
			var app string
			var n int
			if err := scan(&app, &n); err != nil {
				return err
			}
			if n > 0 {
				counts[app] = n
			}
			return nil
		}, q.undelivered, until))
	})
	return counts, err
}
