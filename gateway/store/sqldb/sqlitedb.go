package sqldb

import (
	"context"
	"database/sql"
	"errors"
	"log/slog"
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/pressly/goose/v3"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// sqliteDB is a database file, which several processes may have open.
type sqliteDB struct {
	file     sqliteFile
	opened   os.FileInfo
	logger   *slog.Logger
	now      func() time.Time
	lockWait time.Duration

	pool    *sql.DB
	writer  *sessions
	readers *sessions
	log     *logMover
}

// lockPause is the pause between two attempts to get a lock.
const lockPause = time.Millisecond

func openSQLite(rawURL string, opts Options) (d *sqliteDB, place string, err error) {
	file, err := parseSQLite(rawURL)
	if err != nil {
		return nil, "", err
	}
	d = &sqliteDB{file: file, logger: opts.Logger, now: opts.Now, lockWait: lockWait}
	if _, err := os.Stat(file.path); opts.Existing && errors.Is(err, os.ErrNotExist) {
		return nil, file.path, errors.New("there is no such file; name the store with --store, or the folder of its configuration with --config")
	}
	if err := file.prepare(); err != nil {
		return nil, file.path, err
	}
	if wide := Exposed(rawURL); wide != "" {
		d.logger.Warn("other users of this machine can read the store", "hint", wide)
	}
	if d.opened, err = os.Stat(file.path); err != nil {
		return nil, file.path, err
	}
	if d.pool, err = sql.Open("sqlite", file.dsn()); err != nil {
		return nil, file.path, err
	}
	d.pool.SetMaxIdleConns(0) // a connection that a session drops is broken
	d.writer = newSessions(d.pool, 1)
	d.readers = newSessions(d.pool, min(max(4, 2*runtime.GOMAXPROCS(0)), 16))
	d.log = startLogMover(d)
	return d, file.path, nil
}

func (d *sqliteDB) close() error {
	err := errors.Join(d.readers.close(func(*sqliteSession) {}), d.writer.close(d.commit))
	return errors.Join(err, d.log.close(), d.pool.Close()) // nothing commits any more
}

func (d *sqliteDB) soon() {
	if d.file.durable() {
		d.log.soon()
	}
}

// lost detects that the file is gone: SQLite goes on writing to a deleted one.
func (d *sqliteDB) lost() error {
	if now, err := os.Stat(d.file.path); err != nil || !os.SameFile(now, d.opened) {
		return errors.New("the file was deleted or replaced while open; put it back and restart the gateway")
	}
	return nil
}

// read runs fn again if another process held a lock.
func (d *sqliteDB) read(ctx context.Context, fn func(s session) error) error {
	return d.readers.use(ctx, func(s *sqliteSession) error {
		return d.retry(ctx, func() error { return fn(s) })
	})
}

func (d *sqliteDB) snapshot(ctx context.Context, fn func(s session) error) error {
	return d.readers.use(ctx, func(s *sqliteSession) error {
		return d.retry(ctx, func() error {
			defer d.rollback(s)
			if _, err := s.exec("BEGIN"); err != nil {
				return err
			}
			return fn(s)
		})
	})
}

// rollback leaves s without a transaction. If ROLLBACK fails, as it does after SQLite has rolled
// back by itself, it drops the connection.
func (d *sqliteDB) rollback(s *sqliteSession) {
	s.take()
	if s.conn == nil {
		return
	}
	s.ctx = statementContext // the caller's may have ended
	if _, err := s.exec("ROLLBACK"); err != nil {
		if err := s.drop(); err != nil {
			d.logger.Debug("store: dropping a connection", "error", err)
		}
	}
}

// retry waits for locks of other processes, until lockWait is over.
func (d *sqliteDB) retry(ctx context.Context, fn func() error) error {
	err := fn()
	for start := time.Now(); err != nil && d.fault(err).kind == faultBusy && time.Since(start) < d.lockWait; {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(lockPause): // SQLite does not wait for every kind of lock
		}
		err = fn()
	}
	return err
}

func (d *sqliteDB) remote() bool { return false }

// clock prepends the machine's time: SQLite has no clock of its own.
func (d *sqliteDB) clock(args []any) []any { return append([]any{toMillis(d.now())}, args...) }

// tidy has nothing to do: a commit that fails is rolled back, so its outcome is known.
func (d *sqliteDB) tidy(context.Context) error { return nil }

// erased empties the log, which still holds deleted text; in the file, deleted text is
// overwritten (secure_delete).
func (d *sqliteDB) erased(ctx context.Context) {
	d.moveLog(ctx, d.writer, "PRAGMA wal_checkpoint(TRUNCATE)")
}

// migrateTries allows for other processes that migrate the same file at the same time. A
// migration is one transaction, so the second process fails and finds it done on its next
// attempt.
const migrateTries = 5

func (d *sqliteDB) migrate(ctx context.Context, s *schema) (made bool, err error) {
	for try := 1; ; try++ {
		err = d.retry(ctx, func() error { made, err = migrateUp(ctx, goose.DialectSQLite3, "sqlite", d.pool, s); return err })
		if err == nil || try == migrateTries || ctx.Err() != nil {
			return made, err
		}
	}
}

func (d *sqliteDB) fault(err error) fault {
	e, ok := errors.AsType[*sqlite.Error](err)
	if !ok {
		return fault{}
	}
	if e.Code() == sqlite3.SQLITE_CONSTRAINT_TRIGGER && strings.Contains(e.Error(), ClosedText) {
		return fault{faultOther, hintClosed}
	}
	switch e.Code() & 0xff { // the primary result code
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED:
		return fault{faultBusy, "another process holds the file locked; end it, or wait for it"}
	case sqlite3.SQLITE_CONSTRAINT, sqlite3.SQLITE_TOOBIG, sqlite3.SQLITE_MISMATCH:
		return fault{faultRefused, ""}
	case sqlite3.SQLITE_READONLY:
		return fault{faultOther, "the file or its folder is read-only; let the gateway's user write both"}
	case sqlite3.SQLITE_FULL:
		return fault{faultOther, "the disk or its quota is full; free some space"}
	case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB:
		return fault{faultOther, "the file is damaged or not a SQLite database; restore it from a backup, or move it away to start with an empty one"}
	case sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM, sqlite3.SQLITE_AUTH:
		return fault{faultOther, hintAccess}
	case sqlite3.SQLITE_IOERR:
		return fault{faultOther, "the disk cannot be read or written; look at the system's log"}
	default:
		return fault{}
	}
}
