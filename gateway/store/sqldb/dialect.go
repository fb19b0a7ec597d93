package sqldb

import (
	"github.com/pressly/goose/v3"
)

// dialect is what differs between the databases.
type dialect struct {
	goose goose.Dialect
	// migrations is the folder of its tables.
	migrations string
	// begin opens a transaction that writes, beginRead one that sees one committed state.
	begin, beginRead string
	// durable and lazy, outside of a transaction, make the session's next commits wait
	// for the disk, or only for the system. "" where there is nothing to choose.
	durable, lazy string
	// checkpoint moves committed pages from the log to the tables' file, beside
	// writers; eraseLog does so with all of them, and empties the log of what was
	// deleted. "" where the database does such things by itself.
	checkpoint, eraseLog string
	// fault says what an error of the driver means.
	fault func(err error) fault
}

// fault is the meaning of a driver's error.
type fault struct {
	kind faultKind
	mend string // what an operator can do, "" where nobody knows
}

type faultKind int

const (
	faultOther   faultKind = iota
	faultBusy              // another process holds a lock: worth trying again
	faultRefused           // a row breaks a rule of the tables: a programming error
)
