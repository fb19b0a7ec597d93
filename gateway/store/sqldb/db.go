package sqldb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"runtime"
	"sync"
	"time"

	"github.com/askgate/askgate/gateway/store"
)

// lockWait is how long a lock of another process is waited for. Its transactions
// take milliseconds; who holds a lock this long is stuck, or copying the file.
const lockWait = 10 * time.Second

// lockPause is the least pause between two tries.
const lockPause = time.Millisecond

// Options of Open; the zero value serves.
type Options struct {
	// Logger is told about migrations and about what failed without harm.
	// Default: discarded.
	Logger *slog.Logger
	// Now is the clock that dates new conversations and the nodes' leases.
	// Default: time.Now.
	Now func() time.Time
}

// DB is a store.Store. It is safe for concurrent use; several processes may
// have the same file open.
type DB struct {
	dialect dialect
	logger  *slog.Logger
	now     func() time.Time
	place   string // the file, for people
	file    os.FileInfo

	lockWait time.Duration

	pool    *sql.DB
	writer  *sessions
	readers *sessions
	log     *logMover
	close   func() error
}

var _ store.Store = (*DB)(nil)

// Open opens the store that a URL names, creating and migrating it where needed:
// "sqlite:PATH", with "?synchronous=normal" for commits that survive a crash of
// the process but perhaps not a power cut (default full: both). The error says
// what is wrong with which file, and the mend.
func Open(ctx context.Context, url string, opts Options) (*DB, error) {
	d, err := open(ctx, url, opts)
	if err != nil {
		return nil, fmt.Errorf("opening the store: %w", err)
	}
	return d, nil
}

// Migrate brings the tables of the store up to date, as Open does too.
func Migrate(ctx context.Context, url string) error {
	d, err := Open(ctx, url, Options{})
	if err != nil {
		return err
	}
	return d.Close()
}

func open(ctx context.Context, url string, opts Options) (*DB, error) {
	file, err := parseSQLite(url)
	if err != nil {
		return nil, err
	}
	d := &DB{dialect: file.dialect(), place: file.path, logger: opts.Logger, now: opts.Now, lockWait: lockWait}
	if d.logger == nil {
		d.logger = slog.New(slog.DiscardHandler)
	}
	if d.now == nil {
		d.now = time.Now
	}
	if err := file.prepare(); err != nil {
		return nil, fmt.Errorf("%w: %s: %w", store.ErrUnavailable, d.place, err)
	}
	if d.pool, err = sql.Open("sqlite", file.dsn()); err != nil {
		return nil, d.fail(err)
	}
	d.pool.SetMaxIdleConns(0) // what a session drops is broken
	d.writer = newSessions(d.pool, 1)
	d.readers = newSessions(d.pool, min(max(4, 2*runtime.GOMAXPROCS(0)), 16))
	d.log = startLogMover(d)
	d.close = sync.OnceValue(func() error {
		err := errors.Join(d.readers.close(), d.writer.close())
		return errors.Join(err, d.log.close(), d.pool.Close()) // nothing commits any more
	})
	if err = d.migrate(ctx); err == nil {
		err = d.Ping(ctx) // a migrated file may still be read-only
	}
	if err == nil {
		d.file, err = os.Stat(file.path)
	}
	if err != nil {
		return nil, errors.Join(d.fail(err), d.Close())
	}
	return d, nil
}

// Close waits for what is at work and closes the file. What comes after fails
// with store.ErrUnavailable.
func (d *DB) Close() error {
	if err := d.close(); err != nil {
		return fmt.Errorf("closing the store: %w", err)
	}
	return nil
}

// Ping writes nothing, in a transaction that could write. It does not see a full
// disk: that shows when something is written.
func (d *DB) Ping(ctx context.Context) error {
	if d.file != nil {
		// SQLite goes on writing to a file that was deleted, for nobody.
		if now, err := os.Stat(d.place); err != nil || !os.SameFile(now, d.file) {
			return fmt.Errorf("%w: %s: the file was deleted or replaced while open; put it back and restart the gateway",
				store.ErrUnavailable, d.place)
		}
	}
	return d.write(ctx, false, func(s *session) error {
		_, err := s.exec(ctx, q.probe) // BEGIN alone succeeds on a read-only file
		return d.fail(err)
	})
}

// write runs fn in a transaction of the writer, whose commit waits for the disk
// unless it is lazy. An error of fn, or a panic, rolls it back and is passed on as it is.
func (d *DB) write(ctx context.Context, lazy bool, fn func(s *session) error) error {
	var failed error // fn's own, which passes as it is
	err := d.writer.use(ctx, func(s *session) error {
		if err := s.setLazy(&d.dialect, lazy); err != nil {
			return err
		}
		if !lazy { // back while nobody waits for a first chunk
			defer func() { _ = s.setLazy(&d.dialect, true) }() // tried again by the next
		}
		if err := d.retry(ctx, func() error { _, err := s.exec(ctx, d.dialect.begin); return err }); err != nil {
			return err
		}
		committed := false
		defer func() { // also when fn panics
			if !committed {
				d.rollback(s)
			}
		}()
		if failed = fn(s); failed != nil {
			return failed
		}
		if _, err := s.exec(ctx, "COMMIT"); err != nil {
			return err
		}
		committed = true
		d.log.committed()
		return nil
	})
	if failed != nil {
		return failed
	}
	return d.fail(err)
}

// read runs fn with a reader; fn may run again, if another process was in its way.
func (d *DB) read(ctx context.Context, fn func(s *session) error) error {
	return d.fail(d.readers.use(ctx, func(s *session) error {
		return d.retry(ctx, func() error { return fn(s) })
	}))
}

// snapshot is read in which all of fn sees the same committed state.
func (d *DB) snapshot(ctx context.Context, fn func(s *session) error) error {
	return d.read(ctx, func(s *session) error {
		defer d.rollback(s)
		if _, err := s.exec(ctx, d.dialect.beginRead); err != nil {
			return err
		}
		return fn(s)
	})
}

// rollback leaves s without a transaction: where the database ended it by itself,
// or cannot, the connection is given up.
func (d *DB) rollback(s *session) {
	s.queue = nil
	if s.conn == nil {
		return
	}
	if _, err := s.exec(statementContext, "ROLLBACK"); err != nil {
		if err := s.drop(); err != nil {
			d.logger.Debug("store: dropping a connection", "error", err)
		}
	}
}

// retry runs fn until no lock of another process is in its way, or lockWait is over.
func (d *DB) retry(ctx context.Context, fn func() error) error {
	err := fn()
	for start := time.Now(); err != nil && d.dialect.fault(err).kind == faultBusy && time.Since(start) < d.lockWait; {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(lockPause): // where SQLite did not wait by itself
		}
		err = fn()
	}
	return err
}

// fail names the place and the mend of a database's error, and marks it as
// store.ErrUnavailable unless it is the contract's own, a context's, or a refused row.
func (d *DB) fail(err error) error {
	if err == nil || errors.Is(err, store.ErrUnavailable) || errors.Is(err, store.ErrNotFound) || errors.Is(err, store.ErrCursor) ||
		errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	switch f := d.dialect.fault(err); {
	case f.kind == faultRefused:
		return fmt.Errorf("store: refused: %w", err)
	case f.mend != "":
		return fmt.Errorf("%w: %s: %s (%w)", store.ErrUnavailable, d.place, f.mend, err)
	default:
		return fmt.Errorf("%w: %s: %w", store.ErrUnavailable, d.place, err)
	}
}
