package sqldb

import (
	"context"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
)

// noticeStatements are the statements on notices and addresses.
type noticeStatements struct {
	insertNotice, endNotices, dueNotices, claimNotice, moveNotice, referNotice, postponeNotice, failNotice, endNotice string
	toldBy, notTold, saveNotTold, dropNotices, nextChannel, oldestNotice, eraseNotices                                string
	saveAddress, dropAddress, address                                                                                 string
}

var onNotices = noticeStatements{
	insertNotice: `INSERT INTO notices (channel, conversation_id, clarification_id, person, stage, message, failed, at, due, attempts, stored)
		VALUES (?, ?, ?, ?, 0, '', FALSE, now_ms(), now_ms(), 0, now_ms()) ON CONFLICT (clarification_id, channel, person) DO NOTHING`,
	// outdateNotices leaves the time of those that an attempt holds: its outcome makes them due.
	endNotices: `UPDATE notices SET stage = -1, at = now_ms(), due = CASE WHEN attempts > 0 AND due > now_ms() THEN due ELSE now_ms() END, attempts = 0
		WHERE clarification_id = ? AND conversation_id = ?`,
	// dueNotices asks for the first of a person's and not for one before: PostgreSQL finds that in the
	// index even where it expects to find it sooner in the table.
	dueNotices: `SELECT n.seq, n.channel, n.conversation_id, n.clarification_id, n.person, n.stage, n.message, n.at, n.due, n.attempts,
			c.tenant, c.subject, c.app, c.chat_id, c.language
		FROM notices n JOIN conversations c ON c.id = n.conversation_id
		WHERE n.channel = ? AND n.due <= now_ms() AND (n.stage <> 0 OR n.seq = (SELECT min(e.seq) FROM notices e WHERE e.conversation_id = n.conversation_id
			AND e.channel = n.channel AND e.person = n.person AND e.stage = 0 AND e.failed = FALSE))
		ORDER BY n.due, n.seq LIMIT ?`,
	claimNotice:    `UPDATE notices SET due = now_ms() + ?, attempts = attempts + 1 WHERE seq = ? AND due = ?`,
	moveNotice:     `UPDATE notices SET stage = ?, message = ?, at = ?, due = ?, attempts = 0 WHERE seq = ? AND stage = ? AND attempts = ?`,
	referNotice:    `UPDATE notices SET message = ?, due = now_ms() WHERE seq = ? AND stage = -1`,
	postponeNotice: `UPDATE notices SET due = now_ms() + ? WHERE seq = ? AND stage = ? AND attempts = ?`,
	failNotice:     `UPDATE notices SET failed = TRUE, due = ? WHERE seq = ? AND stage = 0 AND attempts = ?`,
	endNotice:      `DELETE FROM notices WHERE seq = ?`,
	toldBy:         `SELECT count(*) FROM notices WHERE clarification_id = ? AND channel = ? AND failed = FALSE`,
	notTold:        `SELECT not_told FROM clarifications WHERE id = ? AND state = 'pending' for_update()`,
	saveNotTold:    `UPDATE clarifications SET not_told = ? WHERE id = ?`,
	dropNotices:    `DELETE FROM notices WHERE channel = ? AND stored < ?`,
	nextChannel:    `SELECT channel FROM notices WHERE channel > ? ORDER BY channel LIMIT 1`,
	oldestNotice:   `SELECT at FROM notices WHERE channel = ? AND failed = FALSE AND at <= now_ms() ORDER BY at LIMIT 1`,
	eraseNotices:   `DELETE FROM notices WHERE person = ? AND conversation_id IN (SELECT id FROM conversations WHERE tenant = ?)`,

	saveAddress: `INSERT INTO addresses (tenant, subject, email) VALUES (?, ?, ?)
		ON CONFLICT (tenant, subject) DO UPDATE SET email = excluded.email`,
	dropAddress: `DELETE FROM addresses WHERE tenant = ? AND subject = ?`,
	address:     `SELECT email FROM addresses WHERE tenant = ? AND subject = ?`,
}

// storeNotices stores whom channels are to tell about the news, and that what they told is out of date.
func storeNotices(t *tx, n *chat.News) error {
	for _, to := range n.Notices {
		if err := t.w.later(q.insertNotice, t.db.atNow(to.Channel, t.head.ID, n.ClarificationID, to.Subject)...); err != nil {
			return err
		}
	}
	if n.NotTold != nil {
		if err := t.w.later(q.saveNotTold, strings.Join(n.NotTold, " "), n.ClarificationID); err != nil {
			return err
		}
	}
	if n.EndNotices {
		return t.w.later(q.endNotices, t.db.atNow(n.ClarificationID, t.head.ID)...)
	}
	return nil
}

type dueNotice struct {
	store.Notice
	due int64
}

func scanNotice(scan scanner, n *dueNotice) error {
	var at int64
	err := scan(&n.Seq, &n.Channel, &n.ConversationID, &n.ClarificationID, &n.Person, &n.Stage, &n.MessageRef, &at, &n.due, &n.Attempts,
		&n.Tenant, &n.Subject, &n.App, &n.ChatID, &n.Language)
	n.Since = fromMillis(at)
	return err
}

// ClaimNotices implements store.Notices. It reads before it writes, because usually nothing is due.
func (d *Outbox) ClaimNotices(ctx context.Context, channel string, lease time.Duration, limit int) ([]store.Notice, error) {
	found, err := list(ctx, d.h, scanNotice, q.dueNotices, d.h.atNow(channel, pageLimit(limit))...)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	var claimed []store.Notice
	err = d.h.write(ctx, false, func(s session) error {
		claimed = nil
		for i := range found {
			n, err := s.exec(q.claimNotice, d.h.atNow(lease.Milliseconds(), found[i].Seq, found[i].due)...)
			if err != nil {
				return d.h.fail(err)
			}
			if n > 0 {
				found[i].Attempts++
				claimed = append(claimed, found[i].Notice)
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return claimed, nil
}

// notDue is the time of what is never due.
const notDue = math.MaxInt64

// MoveNotice implements store.Notices.
func (d *Outbox) MoveNotice(ctx context.Context, n store.Notice, stage int, due time.Time, ref string) error {
	at := int64(notDue)
	if !due.IsZero() {
		at = toMillis(due)
	}
	return d.h.write(ctx, false, func(s session) error {
		moved, err := s.exec(q.moveNotice, stage, ref, at, at, n.Seq, n.Stage, n.Attempts)
		if err != nil || moved > 0 || ref == n.MessageRef {
			return d.h.fail(err)
		}
		_, err = s.exec(q.referNotice, d.h.atNow(ref, n.Seq)...)
		return d.h.fail(err)
	})
}

// PostponeNotice implements store.Notices.
func (d *Outbox) PostponeNotice(ctx context.Context, n store.Notice, wait time.Duration) error {
	return d.h.write(ctx, false, func(s session) error {
		_, err := s.exec(q.postponeNotice, d.h.atNow(wait.Milliseconds(), n.Seq, n.Stage, n.Attempts)...)
		return d.h.fail(err)
	})
}

// FailNotice implements store.Notices.
func (d *Outbox) FailNotice(ctx context.Context, n store.Notice) error {
	return d.h.write(ctx, false, func(s session) error {
		failed, err := s.exec(q.failNotice, int64(notDue), n.Seq, n.Attempts)
		if err != nil || failed == 0 {
			return d.h.fail(err)
		}
		var told int
		var stored string
		if _, err := one(s, func(scan scanner) error { return scan(&told) }, q.toldBy, n.ClarificationID, n.Channel); err != nil || told > 0 {
			return err
		}
		pending, err := one(s, func(scan scanner) error { return scan(&stored) }, q.notTold, n.ClarificationID)
		channels := strings.Fields(stored)
		if err != nil || !pending || slices.Contains(channels, n.Channel) {
			return err
		}
		_, err = s.exec(q.saveNotTold, strings.Join(append(channels, n.Channel), " "), n.ClarificationID)
		return d.h.fail(err)
	})
}

// EndNotice implements store.Notices.
func (d *Outbox) EndNotice(ctx context.Context, n store.Notice) error {
	return d.h.write(ctx, false, func(s session) error {
		_, err := s.exec(q.endNotice, n.Seq)
		return d.h.fail(err)
	})
}

// DropNotices implements store.Notices.
func (d *Outbox) DropNotices(ctx context.Context, channel string, before time.Time) error {
	return d.h.write(ctx, true, func(s session) error {
		_, err := s.exec(q.dropNotices, channel, toMillis(before))
		return d.h.fail(err)
	})
}

// Channels implements store.Notices. Like Webhooks, it steps from one to the next.
func (d *Outbox) Channels(ctx context.Context) ([]string, error) {
	return d.steps(ctx, q.nextChannel)
}

// OldestNotice implements store.Notices.
func (d *Outbox) OldestNotice(ctx context.Context, channel string) (oldest time.Time, err error) {
	err = d.h.read(ctx, func(s session) error {
		var at int64
		_, err := one(s, func(scan scanner) error { return scan(&at) }, q.oldestNotice, d.h.atNow(channel)...)
		oldest = fromMillis(at)
		return err
	})
	return oldest, err
}

// SaveAddress implements store.Notices.
func (d *Outbox) SaveAddress(ctx context.Context, tenant, subject, sealed string) error {
	return d.h.write(ctx, false, func(s session) (err error) {
		if sealed == "" {
			_, err = s.exec(q.dropAddress, tenant, subject)
		} else {
			_, err = s.exec(q.saveAddress, tenant, subject, sealed)
		}
		return d.h.fail(err)
	})
}

// Address implements store.Notices.
func (d *Outbox) Address(ctx context.Context, tenant, subject string) (sealed string, err error) {
	err = d.h.read(ctx, func(s session) error {
		sealed = ""
		_, err := one(s, func(scan scanner) error { return scan(&sealed) }, q.address, tenant, subject)
		return err
	})
	return sealed, err
}
