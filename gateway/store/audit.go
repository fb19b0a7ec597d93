package store

import (
	"context"
	"iter"
	"time"

	"github.com/askgate/askgate/gateway/chat"
)

// Auditor reads the audit, which Tx.Audit and Updater.Delete write.
type Auditor interface {
	// AuditRecords lists the records of a span by time, and within one millisecond by id. A page has
	// at most 1000.
	AuditRecords(ctx context.Context, span AuditSpan, page Page) ([]chat.AuditRecord, string, error)
	// VerifyAudit checks the chains of all records. A broken chain is reported in the verdict, not
	// as an error.
	VerifyAudit(ctx context.Context) (AuditVerdict, error)
	// AuditHead returns the newest existing record, by id; zero if there is none.
	AuditHead(ctx context.Context) (AuditHead, error)
}

// AuditVerdict is the result of verifying all records.
type AuditVerdict struct {
	Chains  int
	Keyed   int         // of them have HMACs
	Records int64       // present and fit
	Erased  int64       // erased with their chat, leaving their hash
	Head    AuditHead   // the newest of both
	Broken  *AuditFault // the first, by id; nil if the chains are whole
	// Unchecked names a chain whose HMACs were made with an unknown secret; "": none.
	Unchecked string
}

// AuditHead is the current end of a chain.
type AuditHead struct {
	ID   int64
	Hash string
}

// AuditFault is a place at which a chain is broken.
type AuditFault struct {
	ID   int64 // the record's
	What string
}

// AuditSpan is the time from Since, included, to Until, excluded. A zero time means no bound.
type AuditSpan struct {
	Since, Until time.Time
	App          string // "" for all apps
}

// auditPage is how many records are in memory at a time.
const auditPage = 200

// AuditPages reads a whole span page by page, so that memory does not grow with its length. It
// yields at least one page, which may be empty, and stops after an error.
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
