package sqldb

import (
	"context"
	"errors"
	"math"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
)

// Update is one transaction. On SQLite it is the only one; on PostgreSQL, the only one
// of its conversation.
//
// A new conversation is dated by Options.Now; later UpdatedAt is fn's to set.
// Changing the head's ID or Ref, or lowering its Fence, is refused.
func (d *DB) Update(ctx context.Context, ref chat.Ref, fn func(tx store.Tx) error) error {
	return d.update(ctx, ref, false, fn)
}

// UpdateLazily implements store.Updater.
func (d *DB) UpdateLazily(ctx context.Context, ref chat.Ref, fn func(tx store.Tx) error) error {
	return d.update(ctx, ref, true, fn)
}

func (d *DB) update(ctx context.Context, ref chat.Ref, lazy bool, fn func(tx store.Tx) error) error {
	err := d.write(ctx, lazy, func(s session) error {
		t := &tx{db: d, s: s}
		defer func() { t.over = true }()
		if err := t.load(ref); err != nil {
			return err
		}
		if err := fn(t); err != nil {
			return err
		}
		return t.save()
	})
	if err == nil && lazy {
		d.database.soon()
	}
	return err
}

// keepNodes is how long a node that is gone is remembered, for those who look into the store.
const keepNodes = 24 * time.Hour

// Heartbeat implements store.Updater. A node's first one, which finds nothing held,
// forgets the nodes that have been gone for a day.
func (d *DB) Heartbeat(ctx context.Context, node string, ttl time.Duration) (lapsed bool, err error) {
	if node == "" {
		return false, errors.New("store: refused: a node needs an id")
	}
	query, args := q.heartbeat, d.atNow(ttl.Milliseconds(), node)
	if ttl <= 0 {
		query, args = q.giveUp, d.atNow(node)
	}
	err = d.write(ctx, true, func(s session) error { // a heartbeat that is lost is a lease that lapses
		lapsed = true // unless a row says otherwise
		_, err := one(s, func(scan scanner) error { return scan(&lapsed) }, query, args...)
		if err == nil && lapsed {
			_, err = s.exec(q.dropOldNodes, d.atNow(keepNodes.Milliseconds())...)
		}
		return d.fail(err)
	})
	return err == nil && lapsed, err
}

// Delete implements store.Updater. What was deleted is overwritten in SQLite's file;
// PostgreSQL's vacuum does so in its own time.
func (d *DB) Delete(ctx context.Context, ref chat.Ref, before time.Time, records ...chat.AuditRecord) error {
	unchanged := int64(math.MaxInt64)
	if !before.IsZero() {
		unchanged = toMillis(before)
	}
	err := d.write(ctx, false, func(s session) error {
		switch n, err := s.exec(q.deleteHead, ref.Tenant, ref.Subject, ref.App, ref.ChatID, unchanged); {
		case err != nil:
			return d.fail(err)
		case n == 0:
			return store.ErrNotFound
		}
		// Everything else goes with it, by the foreign keys.
		for i := range records {
			if err := addAudit(s, nil, &records[i]); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil {
		d.database.erased(ctx)
	}
	return err
}

// atNow puts the store's clock before the arguments of a statement that tells the time.
func (d *DB) atNow(args ...any) []any { return d.database.clock(args) }
