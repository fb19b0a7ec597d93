package sqldb

import (
	"context"
	"encoding/json"
	"math"
	"strconv"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
)

func (t *tx) Audit(r chat.AuditRecord) error {
	if err := t.w.usable(); err != nil {
		return err
	}
	return t.w.fail(t.recorder.add(t.w.s, t.head.ID, r))
}

// AuditRecords implements store.Auditor. A page has 1 to maxPage records, whatever Limit says.
func (d *Audit) AuditRecords(ctx context.Context, span store.AuditSpan, page store.Page) ([]chat.AuditRecord, string, error) {
	until := int64(math.MaxInt64)
	if !span.Until.IsZero() {
		until = toMillis(span.Until)
	}
	return paged(ctx, d.h, cursorList("audit", span.App), page, scanAudit,
		func(after *place) listed {
			if after == nil {
				after = &place{millis: toMillis(span.Since)} // ids begin with 1
			}
			if span.App == "" {
				return listed{q.audit, q.auditSizes, []any{after.millis, after.number, until}}
			}
			return listed{q.auditOfApp, q.auditOfAppSizes, []any{after.millis, after.number, until, span.App}}
		},
		func(r *chat.AuditRecord) place { return place{millis: toMillis(time.Time(r.At)), number: r.ID} })
}

func scanAudit(scan scanner, r *chat.AuditRecord) error {
	var id, at int64
	var text string
	var link chat.AuditRecord
	if err := scan(&id, &at, &text, &link.Chain, &link.Seq, &link.Prev, &link.Hash); err != nil {
		return err
	}
	err := json.Unmarshal([]byte(text), r)
	r.ID, r.At = id, chat.Time(fromMillis(at))
	if err != nil {
		return &unreadable{"audit", strconv.FormatInt(id, 10), "", err}
	}
	r.Chain, r.Seq, r.Prev, r.Hash = link.Chain, link.Seq, link.Prev, link.Hash
	return nil
}
