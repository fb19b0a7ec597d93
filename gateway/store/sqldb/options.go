package sqldb

import (
	"log/slog"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/seal"
)

// Options of Open; the zero value serves.
type Options struct {
	// Logger gets migrations and harmless failures. Default: discarded.
	Logger *slog.Logger
	// Now is the clock of the machine, which is also that of a store in a file. Default: time.Now.
	Now    func() time.Time
	trying bool    // nothing is changed, and the store is only good to be closed
	schema *schema // nil: tables
	// Existing makes Open fail where there is no SQLite file, instead of creating one.
	Existing bool
	// Recorded is told of each record of the audit that this DB has added, once it is
	// committed. It must be safe for concurrent use. Optional.
	Recorded func(what chat.AuditWhat)
	// Unreadable is told of each row that this version cannot read, as it is found first. It must
	// be safe for concurrent use. Optional.
	Unreadable func(table string)
	// Signer makes the seals of questions as they are stored; one whose seal does not verify is as
	// good as not there, but for counts. nil: none is sealed, and all are taken.
	Signer *seal.HMAC
	// AuditSecrets are those that the HMACs of the audit are made and checked with: the first
	// one makes them, none if it is "", and all check. nil: none is made. It must be safe for
	// concurrent use, and may change: a new secret begins new chains.
	AuditSecrets func() []string
}
