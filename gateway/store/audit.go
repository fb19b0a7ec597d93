package store

import (
	"context"
	"iter"
	"time"

	"github.com/askgate/askgate/gateway/chat"
)

// Auditor reads the audit, which is written by Tx.Audit and Updater.Delete.
type Auditor interface {
	// AuditRecords lists the records of a span in order of time, and of id among those of
	// one millisecond. A page may have 1000.
	AuditRecords(ctx context.Context, span AuditSpan, page Page) ([]chat.AuditRecord, string, error)
}

// AuditSpan is a time: from Since on, until before Until. Zero times have no bound.
type AuditSpan struct {
	Since, Until time.Time
	App          string // "": of all
}

// auditPage is how many records are in memory at a time.
const auditPage = 200

// AuditPages reads a span to its end, however long it is, page by page: at least one,
// which may be empty. It ends after an error.
func AuditPages(ctx context.Context, from Auditor, span AuditSpan) iter.Seq2[[]chat.AuditRecord, error] {
	return func(yield func([]chat.AuditRecord, error) bool) {
		for page := (Page{Limit: auditPage}); ; {
			records, next, err := from.AuditRecords(ctx, span, page)
			if !yield(records, err) || err != nil || next == "" {
				return
			}
			page.Cursor = next
		}
	}
}
