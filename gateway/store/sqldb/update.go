package sqldb

import (
	"context"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
)

// Update is one transaction of the only writer; in another process, of the only
// one that holds the file's lock.
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
	return d.write(ctx, lazy, func(s *session) error {
		t := &tx{ctx: ctx, db: d, s: s}
		defer func() { t.over = true }()
		if err := t.load(ref); err != nil {
			return err
		}
		if err := fn(t); err != nil {
			return err
		}
		return t.save()
	})
}

// RenewLease implements store.Updater.
func (d *DB) RenewLease(ctx context.Context, conversationID string, fence int64, until time.Time) (bool, error) {
	var n int64
	err := d.write(ctx, true, func(s *session) (err error) { // a lost renewal is a lease that lapses
		n, err = s.exec(ctx, q.renewLease, toMillis(until), conversationID, conversationID, fence)
		return d.fail(err)
	})
	return err == nil && n > 0, err
}

// Delete implements store.Updater. What was deleted is overwritten in the file.
func (d *DB) Delete(ctx context.Context, ref chat.Ref) error {
	err := d.write(ctx, false, func(s *session) error {
		switch n, err := s.exec(ctx, q.deleteHead, ref.Tenant, ref.Subject, ref.App, ref.ChatID); {
		case err != nil:
			return d.fail(err)
		case n == 0:
			return store.ErrNotFound
		}
		return nil // everything else goes with it, by the foreign keys
	})
	if err == nil {
		d.moveLog(ctx, d.writer, d.dialect.eraseLog)
	}
	return err
}
