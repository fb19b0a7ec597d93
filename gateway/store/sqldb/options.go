package sqldb

import (
	"log/slog"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/seal"
)

// Options are the options of Open; the zero value is usable.
type Options struct {
	// Logger gets migrations and harmless failures. Default: discarded.
	Logger *slog.Logger
	// Now is the clock of the machine, which is also that of a store in a file. Default: time.Now.
	Now    func() time.Time
	trying bool    // change nothing; the store can then only be closed
	schema *schema // nil: tables
	// Existing makes Open fail where there is no SQLite file, instead of creating one.
	Existing bool
	// Copying makes Open accept a store that a copy has closed, and leave it unchanged: tables are
	// neither made nor updated.
	Copying bool
	// Recorded is called with each record of the audit that this DB has added, once it is committed.
	// It must be safe for concurrent use. Optional.
	Recorded func(what chat.AuditWhat)
	// Unreadable is called for each row that this version cannot read, when it is first found. It
	// must be safe for concurrent use. Optional.
	Unreadable func(table string)
	// Signer makes the seals of questions as they are stored. A question whose seal does not verify
	// is treated as absent, except in counts. nil: none is sealed, and all are accepted.
	Signer *seal.HMAC
	// AuditSecrets returns the secrets for the HMACs of the audit: the first makes them (none if it
	// is ""), and all of them check. nil: none is made. It must be safe for concurrent use, and its
	// result may change: a new secret begins new chains.
	AuditSecrets func() []string
}
