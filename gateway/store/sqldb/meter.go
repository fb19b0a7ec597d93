package sqldb

import (
	"context"
	"errors"
	"time"

	"github.com/askgate/askgate/gateway/store"
)

type txMeters struct{ *chatTx }

func (t txMeters) Used(m store.Meter) (n int64, err error) {
	_, err = t.w.one(func(scan scanner) error { return scan(&n) }, q.used, m.Name, m.Holder, toMillis(m.Start))
	return n, err
}

func (t txMeters) Use(m store.Meter, n int64) error {
	return t.w.later(q.use, m.Name, m.Holder, toMillis(m.Start), toMillis(m.End), n)
}

func (t txMeters) UseUpTo(m store.Meter, n, most int64) (bool, error) {
	if n > most { // the statement compares only with an existing count
		return false, t.w.usable()
	}
	changed, err := t.w.exec(q.useUpTo, m.Name, m.Holder, toMillis(m.Start), toMillis(m.End), n, most)
	return changed > 0, err
}

// DropMeters implements store.Sweeper. It also drops the database's records of old commits.
func (d *Due) DropMeters(ctx context.Context, before time.Time) error {
	err := d.h.write(ctx, true, func(s session) error {
		_, err := s.exec(q.dropMeters, toMillis(before))
		return d.h.fail(err)
	})
	return errors.Join(err, d.h.fail(d.h.database.tidy(ctx)))
}
