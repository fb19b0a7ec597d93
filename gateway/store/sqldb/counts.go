package sqldb

import (
	"context"
	"math"
	"time"

	"github.com/askgate/askgate/gateway/store"
)

// countStatements are those that metrics read. Triggers count what waits as it changes, so that none
// of them counts it.
type countStatements struct{ pendingPerApp, undelivered string }

var onCounts = countStatements{
	// With "=", PostgreSQL may look for the oldest of an app among those of all apps.
	pendingPerApp: `SELECT app, CAST(sum(pending) AS bigint), coalesce((SELECT c.asked_at FROM clarifications c
			WHERE c.state = 'pending' AND c.app BETWEEN n.app AND n.app ORDER BY c.app, c.asked_at LIMIT 1), 0)
		FROM pending_counts n GROUP BY app HAVING sum(pending) > 0 ORDER BY app`,
	// The few that were asked after the given time are counted.
	undelivered: `SELECT app, CAST(sum(unseen) AS bigint) - (SELECT count(*) FROM clarifications c
			WHERE c.state = 'pending' AND c.seen_at = 0 AND c.kind <> 'input' AND c.app = n.app AND c.asked_at > ?)
		FROM pending_counts n GROUP BY app HAVING sum(unseen) > 0 ORDER BY app`,
}

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
