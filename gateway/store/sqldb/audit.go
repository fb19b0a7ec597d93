package sqldb

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
)

// addAudit queues a record of a conversation, or of none: it stays.
func addAudit(s session, conversation any, r *chat.AuditRecord) error {
	record := *r
	record.ID = 0 // given as it is stored
	text, err := toJSON(record)
	if err != nil {
		return err
	}
	s.later(q.insertAudit, conversation, toMillis(time.Time(r.At)), r.App, text)
	return nil
}

func (t *tx) Audit(r chat.AuditRecord) error {
	if err := t.usable(); err != nil {
		return err
	}
	return addAudit(t.s, t.head.ID, &r)
}

// AuditRecords implements store.Auditor. A page has 1 to maxPage records, whatever Limit says.
func (d *DB) AuditRecords(ctx context.Context, span store.AuditSpan, page store.Page) ([]chat.AuditRecord, string, error) {
	list := cursorList("audit", span.App)
	after, err := list.parse(page.Cursor)
	if err != nil {
		return nil, "", err
	}
	if after == nil {
		after = &place{millis: toMillis(span.Since)} // ids begin with 1
	}
	until := int64(math.MaxInt64)
	if !span.Until.IsZero() {
		until = toMillis(span.Until)
	}
	limit := pageLimit(page.Limit)
	query, args := q.audit, []any{after.millis, after.number, until, limit + 1}
	if span.App != "" {
		query, args = q.auditOfApp, []any{after.millis, after.number, until, span.App, limit + 1}
	}
	var records []chat.AuditRecord
	err = d.read(ctx, func(s session) error {
		records = nil
		return s.each(rows(func(scan scanner) error {
			var id, at int64
			var text string
			if err := scan(&id, &at, &text); err != nil {
				return err
			}
			var r chat.AuditRecord
			if err := json.Unmarshal([]byte(text), &r); err != nil {
				return fmt.Errorf("record %d of the audit is damaged: %w", id, err)
			}
			r.ID, r.At = id, chat.Time(fromMillis(at))
			records = append(records, r)
			return nil
		}, query, args...))
	})
	if err != nil || len(records) <= limit {
		return records, "", err
	}
	last := &records[limit-1]
	return records[:limit], list.cursor(place{millis: toMillis(time.Time(last.At)), number: last.ID}), nil
}
