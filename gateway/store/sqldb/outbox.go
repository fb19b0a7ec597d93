package sqldb

import (
	"context"
	"slices"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
)

// deliveryStatements are the statements on deliveries to webhooks.
type deliveryStatements struct {
	insertDelivery, dueDeliveries, claimDelivery, endDelivery, advanceDeliveries, postponeDelivery string
	postponeDeliveries, dropDeliveries, nextWebhook, oldestDelivery                                string
	dueUnseen, turnUnseen, dropUnseen                                                              string
}

var onDeliveries = deliveryStatements{
	insertDelivery: `INSERT INTO deliveries (id, webhook, event, conversation_id, clarification_id, turn_id, finish_reason, unless_seen,
		at, due, attempts) VALUES (?, ?, ?, ?, ?, ?, ?, ?, now_ms(), now_ms() + ?, 0)`,
	dueDeliveries: `SELECT d.seq, d.id, d.webhook, d.event, d.conversation_id, d.clarification_id, d.turn_id, d.finish_reason, d.at, d.due, d.attempts,
			c.tenant, c.subject, c.app, c.chat_id, c.language
		FROM deliveries d JOIN conversations c ON c.id = d.conversation_id
		WHERE d.webhook = ? AND d.unless_seen = FALSE AND d.due <= now_ms() AND NOT EXISTS (SELECT 1 FROM deliveries e
			WHERE e.conversation_id = d.conversation_id AND e.webhook = d.webhook AND e.seq < d.seq AND e.unless_seen = FALSE)
		ORDER BY d.due, d.seq LIMIT ?`,
	claimDelivery: `UPDATE deliveries SET due = now_ms() + ?, attempts = attempts + 1 WHERE seq = ? AND due = ?`,
	endDelivery:   `DELETE FROM deliveries WHERE seq = ?`,
	advanceDeliveries: `UPDATE deliveries SET due = now_ms()
		WHERE conversation_id = ? AND webhook = ? AND seq > ? AND unless_seen = FALSE AND due > now_ms()`,
	postponeDelivery: `UPDATE deliveries SET due = now_ms() + ? WHERE seq = ? AND attempts = ?`,
	postponeDeliveries: `UPDATE deliveries SET due = now_ms() + ?
		WHERE conversation_id = ? AND webhook = ? AND seq > ? AND unless_seen = FALSE`,
	dropDeliveries: `DELETE FROM deliveries WHERE webhook = ? AND at < ?`,
	nextWebhook:    `SELECT webhook FROM deliveries WHERE webhook > ? ORDER BY webhook LIMIT 1`,
	oldestDelivery: `SELECT at FROM deliveries WHERE webhook = ? AND unless_seen = FALSE ORDER BY at LIMIT 1`,
	dueUnseen: `SELECT d.seq, d.webhook, coalesce(c.app, ''), coalesce(c.state = 'pending' AND c.seen_at = 0, FALSE)
		FROM deliveries d LEFT JOIN clarifications c ON c.id = d.clarification_id
		WHERE d.unless_seen = TRUE AND d.due <= now_ms() ORDER BY d.due LIMIT ?`,
	turnUnseen: `UPDATE deliveries SET unless_seen = FALSE, at = now_ms(), due = now_ms() WHERE seq = ? AND unless_seen = TRUE
		AND EXISTS (SELECT 1 FROM clarifications c WHERE c.id = deliveries.clarification_id AND c.state = 'pending' AND c.seen_at = 0)`,
	dropUnseen: `DELETE FROM deliveries WHERE seq = ? AND unless_seen = TRUE`,
}

// hooks stores what is to be sent to webhooks about the news.
func (t *tx) hooks(n *chat.News) error {
	for _, h := range n.Hooks {
		err := t.w.later(q.insertDelivery, t.db.atNow(chat.NewID("msg"), h.Webhook, h.Event, t.head.ID, n.ClarificationID, n.TurnID,
			string(n.FinishReason), h.Unseen > 0, h.Unseen.Milliseconds())...)
		if err != nil {
			return err
		}
	}
	return nil
}

func scanDelivery(scan scanner, d *dueDelivery) error {
	var at int64
	err := scan(&d.Seq, &d.ID, &d.Webhook, &d.Event, &d.ConversationID, &d.ClarificationID, &d.TurnID, &d.FinishReason, &at, &d.due, &d.Attempts,
		&d.Tenant, &d.Subject, &d.App, &d.ChatID, &d.Language)
	d.At = fromMillis(at)
	return err
}

// scanFolderDelivery reads a delivery without a chat.
func scanFolderDelivery(scan scanner, d *dueDelivery) error {
	var at int64
	err := scan(&d.Seq, &d.ID, &d.Webhook, &d.Event, &d.Tool, &d.Told, &at, &d.due, &d.Attempts)
	d.At = fromMillis(at)
	return err
}

type dueDelivery struct {
	store.Delivery
	due int64
}

// ClaimDeliveries implements store.Outbox. It reads before it writes, because usually nothing is
// due.
func (d *Outbox) ClaimDeliveries(ctx context.Context, webhook string, lease time.Duration, limit int) ([]store.Delivery, error) {
	found, err := list(ctx, d.h, scanDelivery, q.dueDeliveries, d.h.atNow(webhook, pageLimit(limit))...)
	if err != nil {
		return nil, err
	}
	if left := limit - len(found); left > 0 {
		more, err := list(ctx, d.h, scanFolderDelivery, q.dueFolderDeliveries, d.h.atNow(webhook, pageLimit(left))...)
		if err != nil {
			return nil, err
		}
		found = append(found, more...)
	}
	if len(found) == 0 {
		return nil, nil
	}
	var claimed []store.Delivery
	err = d.h.write(ctx, false, func(s session) error {
		claimed = nil
		for i := range found {
			claim := q.claimDelivery
			if found[i].Tool != "" {
				claim = q.claimFolderDelivery
			}
			n, err := s.exec(claim, d.h.atNow(lease.Milliseconds(), found[i].Seq, found[i].due)...)
			if err != nil {
				return d.h.fail(err)
			}
			if n > 0 {
				c := found[i].Delivery
				c.Attempts++
				claimed = append(claimed, c)
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return claimed, nil
}

// EndDelivery implements store.Outbox. Later deliveries of its chat may have been postponed with
// it.
func (d *Outbox) EndDelivery(ctx context.Context, e store.Delivery) error {
	end, advance, of := q.endDelivery, q.advanceDeliveries, e.ConversationID
	if e.Tool != "" {
		end, advance, of = q.endFolderDelivery, q.advanceFolderDeliveries, e.Tool
	}
	return d.h.write(ctx, false, func(s session) error {
		if n, err := s.exec(end, e.Seq); err != nil || n == 0 {
			return d.h.fail(err)
		}
		_, err := s.exec(advance, d.h.atNow(of, e.Webhook, e.Seq)...)
		return d.h.fail(err)
	})
}

// PostponeDelivery implements store.Outbox.
func (d *Outbox) PostponeDelivery(ctx context.Context, e store.Delivery, wait time.Duration) error {
	one, later, of := q.postponeDelivery, q.postponeDeliveries, e.ConversationID
	if e.Tool != "" {
		one, later, of = q.postponeFolderDelivery, q.postponeFolderDeliveries, e.Tool
	}
	return d.h.write(ctx, false, func(s session) error {
		if n, err := s.exec(one, d.h.atNow(wait.Milliseconds(), e.Seq, e.Attempts)...); err != nil || n == 0 {
			return d.h.fail(err)
		}
		_, err := s.exec(later, d.h.atNow(wait.Milliseconds(), of, e.Webhook, e.Seq)...)
		return d.h.fail(err)
	})
}

// DropDeliveries implements store.Outbox.
func (d *Outbox) DropDeliveries(ctx context.Context, webhook string, before time.Time) error {
	return d.h.write(ctx, true, func(s session) error {
		if _, err := s.exec(q.dropDeliveries, webhook, toMillis(before)); err != nil {
			return d.h.fail(err)
		}
		_, err := s.exec(q.dropFolderDeliveries, webhook, toMillis(before))
		return d.h.fail(err)
	})
}

// Webhooks implements store.Outbox. It steps from one webhook to the next, because there may be
// many deliveries.
func (d *Outbox) Webhooks(ctx context.Context) ([]string, error) {
	ids, err := d.steps(ctx, q.nextWebhook)
	if err != nil {
		return nil, err
	}
	more, err := d.steps(ctx, q.nextFolderWebhook)
	ids = append(ids, more...)
	slices.Sort(ids)
	return slices.Compact(ids), err
}

// steps lists the texts of a column: the query returns the first one after a text.
func (d *Outbox) steps(ctx context.Context, query string) (ids []string, err error) {
	err = d.h.read(ctx, func(s session) error {
		ids = nil
		for last := ""; ; {
			found, err := one(s, func(scan scanner) error { return scan(&last) }, query, last)
			if err != nil || !found {
				return err
			}
			ids = append(ids, last)
		}
	})
	return ids, err
}

// OldestDelivery implements store.Outbox.
func (d *Outbox) OldestDelivery(ctx context.Context, webhook string) (oldest time.Time, err error) {
	err = d.h.read(ctx, func(s session) error {
		var at int64
		oldest = time.Time{}
		earliest := func(scan scanner) error {
			err := scan(&at)
			if since := fromMillis(at); oldest.IsZero() || since.Before(oldest) {
				oldest = since
			}
			return err
		}
		return s.each(rows(earliest, q.oldestDelivery, webhook), rows(earliest, q.oldestFolder, webhook))
	})
	return oldest, err
}

// unseen is a hook that has become due.
type unseen struct {
	seq          int64
	webhook, app string
	still        bool
}

// TurnUndelivered implements store.Outbox. If several nodes run it, one of them turns each row.
func (d *Outbox) TurnUndelivered(ctx context.Context, limit int) (apps []string, err error) {
	due, err := list(ctx, d.h, func(scan scanner, u *unseen) error { return scan(&u.seq, &u.webhook, &u.app, &u.still) },
		q.dueUnseen, d.h.atNow(pageLimit(limit))...)
	if err != nil || len(due) == 0 {
		return nil, err
	}
	err = d.h.write(ctx, false, func(s session) error {
		apps = nil
		for _, u := range due {
			text, args := q.dropUnseen, []any{u.seq}
			if u.still && u.webhook != "" {
				text, args = q.turnUnseen, d.h.atNow(u.seq)
			}
			n, err := s.exec(text, args...)
			if err != nil {
				return d.h.fail(err)
			}
			if n > 0 && u.still && u.webhook == "" {
				apps = append(apps, u.app)
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return apps, nil
}
