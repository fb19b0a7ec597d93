package sqldb

import (
	"context"
	"database/sql"
	"errors"
	"log/slog"
	"os"
	"runtime"
	"time"

	"github.com/pressly/goose/v3"
)

// sqliteDB is the database in a file. Several processes may have the same one open.
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

// lockPause is the least pause between two tries.
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
	if d.opened, err = os.Stat(file.path); err != nil {
		return nil, file.path, err
	}
	if d.pool, err = sql.Open("sqlite", file.dsn()); err != nil {
		return nil, file.path, err
	}
	d.pool.SetMaxIdleConns(0) // what a session drops is broken
	d.writer = newSessions(d.pool, 1)
	d.readers = newSessions(d.pool, min(max(4, 2*runtime.GOMAXPROCS(0)), 16))
	d.log = startLogMover(d)
	return d, file.path, nil
}

func (d *sqliteDB) close() error {
	err := errors.Join(d.readers.close(), d.writer.close())
	return errors.Join(err, d.log.close(), d.pool.Close()) // nothing commits any more
}

func (d *sqliteDB) soon() {
	if d.file.durable() {
		d.log.soon()
	}
}

// lost sees that the file is gone: SQLite goes on writing to one that was deleted.
func (d *sqliteDB) lost() error {
	if now, err := os.Stat(d.file.path); err != nil || !os.SameFile(now, d.opened) {
		return errors.New("the file was deleted or replaced while open; put it back and restart the gateway")
	}
	return nil
}

func (d *sqliteDB) write(ctx context.Context, lazy bool, fn func(s session) error) error {
	return d.writer.use(ctx, func(s *sqliteSession) error {
		if d.file.durable() {
			if err := s.setLazy(lazy); err != nil {
				return err
			}
			if !lazy { // back while nobody waits for a first chunk
				defer func() { _ = s.setLazy(true) }() // tried again by the next
			}
		}
		// Immediate: a lock taken later, at the first write, could not be waited for.
		if err := d.retry(ctx, func() error { _, err := s.exec("BEGIN IMMEDIATE"); return err }); err != nil {
			return err
		}
		committed := false
		defer func() { // also when fn panics
			if !committed {
				d.rollback(s)
			}
		}()
		if err := fn(s); err != nil {
			return err
		}
		if _, err := s.exec("COMMIT"); err != nil {
			return err
		}
		committed = true
		d.log.committed()
		return nil
	})
}

// read runs fn again if another process was in its way.
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

// rollback leaves s without a transaction: where SQLite ended it by itself, or
// cannot, the connection is given up.
func (d *sqliteDB) rollback(s *sqliteSession) {
	s.take()
	if s.conn == nil {
		return
	}
	s.ctx = statementContext // whatever has become of the user's
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
		case <-time.After(lockPause): // where SQLite did not wait by itself
		}
		err = fn()
	}
	return err
}

// clock: SQLite's would be the machine's too.
func (d *sqliteDB) clock(args []any) []any { return append([]any{toMillis(d.now())}, args...) }

// erased: deleted text is overwritten in the file (secure_delete), and would be
// readable in the log until that is written over.
func (d *sqliteDB) erased(ctx context.Context) {
	d.moveLog(ctx, d.writer, "PRAGMA wal_checkpoint(TRUNCATE)")
}

// migrateTries allows for other processes that migrate the same file at the same
// time: each migration is one transaction, so the one that comes second fails
// whole, and finds it done when it looks again.
const migrateTries = 5

func (d *sqliteDB) migrate(ctx context.Context) (done []*goose.MigrationResult, err error) {
	p, err := d.provider()
	if err != nil {
		return nil, err
	}
	for try := 1; ; try++ {
		err = d.retry(ctx, func() error { done, err = p.Up(ctx); return err })
		if err == nil || try == migrateTries || ctx.Err() != nil {
			return done, err
		}
	}
}

func (d *sqliteDB) provider() (*goose.Provider, error) {
	return provider(goose.DialectSQLite3, "sqlite", d.pool)
}
