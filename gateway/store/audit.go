package store

import (
	"context"
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
