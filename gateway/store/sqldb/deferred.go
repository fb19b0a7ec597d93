package sqldb

import (
	"context"
	"time"

	"github.com/askgate/askgate/gateway/chat"
)

func (t *tx) LastRun(turnID string) (chat.Run, error) {
	r := chat.Run{ConversationID: t.head.ID}
	if err := must(t.w.one(func(scan scanner) error { return t.db.needed(scanRun(scan, &r, &r.Fence)) }, q.lastRun, t.head.ID, turnID)); err != nil {
		return chat.Run{}, err
	}
	return r, nil
}

// LastRun implements store.Reader.
func (d *DB) LastRun(ctx context.Context, conversationID, turnID string) (r chat.Run, err error) {
	err = d.h.read(ctx, func(s session) error {
		r = chat.Run{ConversationID: conversationID}
		return must(one(s, func(scan scanner) error { return d.h.needed(scanRun(scan, &r, &r.Fence)) }, q.lastRun, conversationID, turnID))
	})
	if err != nil {
		return chat.Run{}, err
	}
	return r, nil
}

func (t *tx) CountSaid(asker string, bytes int64) error {
	return t.w.later(q.saidBy, t.head.ID, asker, t.head.Tenant, bytes)
}

func (t *tx) Defer(m chat.Message) error {
	by, err := askerValue(m.AskedBy)
	if err != nil {
		return err
	}
	return t.w.later(q.deferMessage, t.head.ID, t.head.ID, m.ID, m.Content, by, toMillis(m.CreatedAt))
}

func scanDeferred(scan scanner, m *chat.Message) error {
	var created int64
	var by string
	if err := scan(&m.ID, &m.Content, &by, &created); err != nil {
		return err
	}
	m.Role, m.CreatedAt = chat.RoleAssistant, fromMillis(created)
	if err := scanAsker(by, m); err != nil {
		return &unreadable{"deferred_messages", m.ID, "", err}
	}
	return nil
}

func (t *tx) TakeDeferred() ([]chat.Message, error) {
	var list []chat.Message
	err := t.w.each(readable(&t.db.unreadables, &list, scanDeferred), q.deferred, t.head.ID)
	if err != nil || len(list) == 0 {
		return nil, err
	}
	return list, t.w.later(q.dropDeferred, t.head.ID)
}

// Unpublished implements store.Sweeper.
func (d *Due) Unpublished(ctx context.Context, limit int) ([]chat.Ref, error) {
	return list(ctx, d.h, scanRef, q.unpublished, pageLimit(limit))
}

// SaveSeen implements store.Updater.
func (d *DB) SaveSeen(ctx context.Context, id string, at time.Time) (first bool, err error) {
	err = d.h.write(ctx, true, func(s session) error {
		n, err := s.exec(q.saveSeen, toMillis(at), id)
		first = n > 0
		return d.h.fail(err)
	})
	return err == nil && first, err
}

// SaveWaited implements store.Sweeper.
func (d *Due) SaveWaited(ctx context.Context, id string, at time.Time) error {
	return d.h.write(ctx, true, func(s session) error {
		_, err := s.exec(q.saveWaited, toMillis(at), id, toMillis(at))
		return d.h.fail(err)
	})
}

// SaveInWords implements store.Updater.
func (d *DB) SaveInWords(ctx context.Context, id string) error {
	return d.h.write(ctx, false, func(s session) error {
		_, err := s.exec(q.saveInWords, marksInWords, id)
		return d.h.fail(err)
	})
}

func (t *tx) OpenBytes() (int64, error) {
	open, err := t.w.sum(q.openBytes, t.head.ID)
	if err != nil || t.isNew {
		return open, err
	}
	deferred, err := t.w.sum(q.deferredBytes, t.head.ID)
	return open + deferred, err
}

func (t *tx) OpenFrom(role, asker string) (int64, error) {
	return t.w.sum(q.openFrom, t.head.Tenant, t.head.Subject, role, asker)
}

func (t *tx) Abandoned(node string, held time.Duration) (bool, error) {
	return t.w.one(func(scan scanner) error { return scan(new(string)) }, q.isAbandoned, t.db.atNow(node, node, held.Milliseconds(), t.head.ID)...)
}
