package store

import (
	"context"
	"iter"
	"time"

	"github.com/askgate/askgate/gateway/chat"
)

// Auditor reads the audit, which is written by Tx.Audit and Updater.Delete.
type Auditor interface {
	// AuditRecords lists the records of a span by time, and by id within one millisecond.
	// A page has at most 1000.
	AuditRecords(ctx context.Context, span AuditSpan, page Page) ([]chat.AuditRecord, string, error)
	// VerifyAudit checks the chains of all records. A broken one is no error.
	VerifyAudit(ctx context.Context) (AuditVerdict, error)
	// AuditHead is the newest record that is there, by its id; zero where there is none.
	AuditHead(ctx context.Context) (AuditHead, error)
}

// AuditVerdict is what became of the records since they were added.
type AuditVerdict struct {
	Chains  int
	Keyed   int         // of them have HMACs
	Records int64       // that are there and fit
	Erased  int64       // that went with their chat and left their hash behind
	Head    AuditHead   // the newest of both
	Broken  *AuditFault // the first, by id; nil where the chains are whole
	// Unchecked is a chain whose HMACs were made with a secret that is not known; "": none.
	Unchecked string
}

// AuditHead says where a chain has got to.
type AuditHead struct {
	ID   int64
	Hash string
}

// AuditFault is where a chain is broken.
type AuditFault struct {
	ID   int64 // the record's
	What string
}

// AuditSpan is the time from Since, included, to Until, excluded. A zero time is no bound.
type AuditSpan struct {
	Since, Until time.Time
	App          string // "" for all apps
}

// auditPage is how many records are in memory at a time.
const auditPage = 200

// AuditPages reads a whole span page by page, so that memory does not grow with its length.
// It yields at least one page, which may be empty, and stops after an error.
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
