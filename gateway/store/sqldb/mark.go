package sqldb

import (
	"context"
	"fmt"

	"github.com/askgate/askgate/gateway/store"
)

// Mark closes a store to gateways because a copy of it, or to it, was begun; 0: it is open. The
// number has the role and the number of the copy. It is a row of goose's table, as a version far
// above all others, so that builds which know no marks refuse the store, too.
type Mark int64

// Role is what a marked store is in its copy.
type Role int64

const (
	// MarkSource is a store that is being copied.
	MarkSource Role = iota + 1
	// MarkCopied is a store that was copied: its copy goes on without it.
	MarkCopied
	// MarkTarget is an unfinished copy.
	MarkTarget
	// MarkAbandoned is an unfinished copy that will not be finished.
	MarkAbandoned
)

// These split a mark. Versions of tables are smaller than firstMark.
const (
	copyBits  = 56
	firstMark = 1 << copyBits
)

// NewMark returns the mark of a store in a copy. Only the lower 56 bits of its number count.
func NewMark(role Role, number int64) Mark {
	return Mark(int64(role)<<copyBits | number&(firstMark-1))
}

// Role returns 0 for no mark.
func (m Mark) Role() Role { return Role(m >> copyBits) }

// As returns the mark of another store, or of a later moment, in the same copy.
func (m Mark) As(role Role) Mark { return NewMark(role, int64(m)) }

// closed says why a store with each mark is refused, and what to do.
var closed = map[Role]string{
	MarkSource: "askgate copy is copying it to another store; run the same askgate copy again to finish, or with --abandon to open this store again",
	MarkCopied: "askgate copy has copied it to another store, where the chats continue; start the gateway on that store",
	MarkTarget: "it is an unfinished copy of another store; run the same askgate copy again to finish it, or name another store with --store",
	MarkAbandoned: "it is part of a copy that was abandoned; delete the file or drop the tables to use it again, " +
		"or name another store with --store",
}

// ClosedText is in the error of the triggers that keep others from writing to a marked store, for
// processes that had it open before.
const ClosedText = "askgate copy has closed this store"

const hintClosed = "askgate copy has closed it; restart the gateway on the copy"

// openMark refuses a marked store.
func (d *handle) openMark(m Mark) error {
	if m == 0 {
		return nil
	}
	reason, known := closed[m.Role()]
	if !known {
		reason = "a newer build has closed it; start that build, or name another store with --store"
	}
	return fmt.Errorf("%w: %s: %s", store.ErrUnavailable, d.place, reason)
}

// These are about goose's table, which records a database's versions.
const (
	hasVersions = `SELECT count(*) FROM ` + tablesCall + ` WHERE name = 'goose_db_version'`
	ownVersion  = `SELECT coalesce(max(CASE WHEN version_id < ? THEN version_id END), 0), coalesce(max(CASE WHEN version_id >= ? THEN version_id END), 0) FROM goose_db_version`
	insertMark  = `INSERT INTO goose_db_version (version_id, is_applied) VALUES (?, TRUE)`
	deleteMark  = `DELETE FROM goose_db_version WHERE version_id = ?`
	lockMark    = `SELECT version_id FROM goose_db_version WHERE version_id = ? ` + lockCall
	lockMarks   = `LOCK TABLE goose_db_version IN SHARE ROW EXCLUSIVE MODE` // PostgreSQL
	aliveNode   = `SELECT id, lease_until - ` + clockCall + ` FROM nodes WHERE lease_until > ` + clockCall + ` ORDER BY lease_until DESC LIMIT 1`
)

// versionOf reads the version of the tables, 0 without any, and the mark.
func (d *handle) versionOf(ctx context.Context) (version int64, mark Mark, err error) {
	err = d.read(ctx, func(s session) error {
		version, mark = 0, 0
		tables := 0
		if _, err := one(s, func(scan scanner) error { return scan(&tables) }, hasVersions); err != nil || tables == 0 {
			return err
		}
		_, err := one(s, func(scan scanner) error { return scan(&version, &mark) }, ownVersion, int64(firstMark), int64(firstMark))
		return err
	})
	return version, mark, err
}
