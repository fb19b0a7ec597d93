package sqldb

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/askgate/askgate/gateway/store"
)

// Options of Open; the zero value serves.
type Options struct {
	// Logger is told about migrations and about what failed without harm.
	// Default: discarded.
	Logger *slog.Logger
	// Now is the clock that dates new conversations and the nodes' leases.
	// Default: time.Now.
	Now func() time.Time
	// Existing refuses to make a file that is not there, for those who only read.
	Existing bool
}

// DB is a store.Store. It is safe for concurrent use; several processes may
// have the same database open.
type DB struct {
	database database
	logger   *slog.Logger
	now      func() time.Time
	place    string // the file or database, for people
	close    func() error
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
	if opts.Logger == nil {
		opts.Logger = slog.New(slog.DiscardHandler)
	}
	if opts.Now == nil {
		opts.Now = time.Now
	}
	d := &DB{logger: opts.Logger, now: opts.Now}
	var err error
	switch scheme, _, _ := strings.Cut(url, ":"); scheme {
	case "sqlite":
		d.database, d.place, err = opened(openSQLite(url, opts))
	case "postgres", "postgresql":
		d.database, d.place, err = opened(openPostgres(ctx, url))
	default:
		err = errors.New("the store's URL begins with an unknown scheme; write sqlite:PATH, for example sqlite:askgate.db, " +
			"or postgres://USER:PASSWORD@HOST/DATABASE")
	}
	switch {
	case err != nil && d.place == "":
		return nil, err // of the URL
	case err != nil:
		return nil, fmt.Errorf("%w: %s: %w", store.ErrUnavailable, d.place, err)
	}
	d.close = sync.OnceValue(d.database.close)
	if err = d.migrate(ctx); err == nil {
		err = d.Ping(ctx) // a migrated store may still be read-only
	}
	if err != nil {
		return nil, errors.Join(d.fail(err), d.Close())
	}
	return d, nil
}

// opened keeps a nil pointer from passing for a database.
func opened[D database](d D, place string, err error) (database, string, error) { return d, place, err }

// Close waits for what is at work and closes the connections. What comes after
// fails with store.ErrUnavailable.
func (d *DB) Close() error {
	if err := d.close(); err != nil {
		return fmt.Errorf("closing the store: %w", err)
	}
	return nil
}

// Ping changes nothing, by a statement that could. It does not see a full disk:
// that shows when something is written.
func (d *DB) Ping(ctx context.Context) error {
	if err := d.database.lost(); err != nil {
		return d.fail(err)
	}
	return d.write(ctx, true, func(s session) error {
		_, err := s.exec(q.probe) // BEGIN alone succeeds on a read-only file
		return d.fail(err)
	})
}

// write runs fn in a transaction, whose commit waits for the disk unless it is lazy.
// An error of fn, or a panic, rolls it back and is passed on as it is.
func (d *DB) write(ctx context.Context, lazy bool, fn func(s session) error) error {
	var failed error // fn's own, which passes as it is
	err := d.database.write(ctx, lazy, func(s session) error {
		failed = fn(s)
		return failed
	})
	if failed != nil {
		return failed
	}
	return d.fail(err)
}

func (d *DB) read(ctx context.Context, fn func(s session) error) error {
	return d.fail(d.database.read(ctx, fn))
}

func (d *DB) snapshot(ctx context.Context, fn func(s session) error) error {
	return d.fail(d.database.snapshot(ctx, fn))
}

// fail names the place and the mend of a database's error, and marks it as
// store.ErrUnavailable unless it is the contract's own, a context's, or a refused row.
func (d *DB) fail(err error) error {
	if err == nil || errors.Is(err, store.ErrUnavailable) || errors.Is(err, store.ErrNotFound) || errors.Is(err, store.ErrCursor) ||
		errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	switch err, f := error(oneLine{err}), d.database.fault(err); {
	case f.kind == faultRefused:
		return fmt.Errorf("store: refused: %w", err)
	case f.mend != "":
		return fmt.Errorf("%w: %s: %s (%w)", store.ErrUnavailable, d.place, f.mend, err)
	default:
		return fmt.Errorf("%w: %s: %w", store.ErrUnavailable, d.place, err)
	}
}

// oneLine is an error without its line breaks, which pgx puts between the attempts to connect.
type oneLine struct{ error }

func (e oneLine) Error() string { return strings.Join(strings.Fields(e.error.Error()), " ") }

func (e oneLine) Unwrap() error { return e.error }
