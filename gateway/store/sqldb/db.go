package sqldb

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/seal"
	"github.com/askgate/askgate/gateway/store"
)

// Options of Open; the zero value serves.
type Options struct {
	// Logger gets migrations and harmless failures. Default: discarded.
	Logger *slog.Logger
	// Now is the clock of the machine, which is also that of a store in a file. Default: time.Now.
	Now    func() time.Time
	trying bool // nothing is changed, and the store is only good to be closed
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

// DB is a store.Store. It is safe for concurrent use; several processes may
// have the same database open.
type DB struct {
	database database
	logger   *slog.Logger
	clock    *clock
	place    string       // the file or database, as errors name it
	failed   atomic.Int64 // writes that failed in a row
	close    func() error
	chains   chains
	recorded func(what chat.AuditWhat)
	signer   *seal.HMAC
	secrets  func() []string // of the audit
	unread   func(table string)
	unreadables
	migrated bool // as it was opened
}

var _ store.Store = (*DB)(nil)

// Open opens the store at a URL, and makes it and its tables where there are none; tables of another
// version are refused, and left as they are. The URL is
// "postgres://..." as pgx understands it, or "sqlite:PATH", where "?synchronous=normal" makes
// commits survive a crash of the process but perhaps not a power cut (default full: both).
// Errors name the file or database and what an operator can do.
func Open(ctx context.Context, url string, opts Options) (*DB, error) {
	d, err := open(ctx, url, opts)
	if err != nil {
		return nil, fmt.Errorf("opening the store: %w", err)
	}
	return d, nil
}

// Try connects to the store at a URL, and changes nothing there. A SQLite file that is not
// there yet is no fault where there is a folder for it.
func Try(ctx context.Context, url string) error {
	if file, err := parseSQLite(url); err == nil && strings.HasPrefix(url, "sqlite:") {
		if _, err := os.Stat(file.path); errors.Is(err, os.ErrNotExist) {
			if _, err := os.Stat(filepath.Dir(file.path)); err != nil {
				return fmt.Errorf("the folder of the store: %w; make it, or name another with --store", err)
			}
			return nil
		}
	}
	d, err := open(ctx, url, Options{Existing: true, trying: true})
	if err != nil {
		return fmt.Errorf("opening the store: %w", err)
	}
	return d.Close()
}

// Migrate makes the tables of the store, as Open does. It says whether there was anything to do.
func Migrate(ctx context.Context, url string) (done bool, err error) {
	d, err := Open(ctx, url, Options{})
	if err != nil {
		return false, err
	}
	return d.migrated, d.Close()
}

func open(ctx context.Context, url string, opts Options) (*DB, error) {
	if opts.Logger == nil {
		opts.Logger = slog.New(slog.DiscardHandler)
	}
	if opts.Now == nil {
		opts.Now = time.Now
	}
	d := &DB{logger: opts.Logger, clock: newClock(opts.Now), recorded: opts.Recorded, signer: opts.Signer, secrets: opts.AuditSecrets, unread: opts.Unreadable}
	if d.secrets == nil {
		d.secrets = func() []string { return nil }
	}
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
	if err := d.begin(ctx, opts.trying); err != nil {
		return nil, errors.Join(d.fail(err), d.Close())
	}
	return d, nil
}

// begin finds out whether the store can be used, and but for trying makes it so.
func (d *DB) begin(ctx context.Context, trying bool) error {
	steps := []func(context.Context) error{d.reach, d.refuse}
	if !trying {
		steps = append(steps, d.migrate, d.Ping, d.measure) // a migrated store may still be read-only
	}
	for _, step := range steps {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

// auditKey makes the HMACs of what is added to the audit.
func (d *DB) auditKey() auditKey {
	if secrets := d.secrets(); len(secrets) > 0 {
		return newAuditKey(secrets[0])
	}
	return auditKey{}
}

// opened turns a concrete database into the interface.
func opened[D database](d D, place string, err error) (database, string, error) { return d, place, err }

// Close waits for running calls and closes the connections. Later calls fail with
// store.ErrUnavailable.
func (d *DB) Close() error {
	if err := d.close(); err != nil {
		return fmt.Errorf("closing the store: %w", err)
	}
	return nil
}

// tooManyFailed is how many writes fail in a row before Ping tries one.
const tooManyFailed = 3

// Ping runs a write that matches no row. That does not see a full disk: only real writes do.
// So where several have failed in a row, it tries a small one, and fails until that succeeds.
func (d *DB) Ping(ctx context.Context) error {
	if err := d.database.lost(); err != nil {
		return d.fail(err)
	}
	if d.failed.Load() >= tooManyFailed {
		return d.write(ctx, false, func(s session) error {
			_, err := s.exec(q.use, "ping", strings.Repeat("x", tried), 0, 0, 1) // of a window that is long over: swept with the meters
			return d.fail(err)
		})
	}
	err := d.attempt(ctx, true, func(s session) error {
		if _, err := s.exec(q.probe); err != nil { // on a read-only file, BEGIN alone would succeed
			return d.fail(err)
		}
		return errProbed
	})
	if errors.Is(err, errProbed) {
		return nil
	}
	return err
}

// errProbed ends the transaction of a Ping: it has nothing to commit.
var errProbed = errors.New("store: it can be written to")

// tried is how much Ping writes, in bytes: more than the file still has room for in a page.
const tried = 8 << 10

// counted notes how a write went. Only what a store cannot do now counts as failed.
func (d *DB) counted(err error) error {
	switch {
	case err == nil:
		d.failed.Store(0)
	case errors.Is(err, store.ErrUnavailable), errors.Is(err, store.ErrUnknown):
		d.failed.Add(1)
	}
	return err
}

// write runs fn in a transaction, whose commit waits for the disk unless it is lazy.
// An error or panic of fn rolls it back and is passed on unchanged.
func (d *DB) write(ctx context.Context, lazy bool, fn func(s session) error) error {
	return d.counted(d.attempt(ctx, lazy, fn))
}

// attempt is write without counting how it went.
func (d *DB) attempt(ctx context.Context, lazy bool, fn func(s session) error) error {
	var failed error // fn's own
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

// fail adds the place and the remedy to a database's error and wraps store.ErrUnavailable, or
// store.ErrUnknown, unless the error is the contract's own, a context's, or that of a refused row.
func (d *DB) fail(err error) error {
	if err == nil || errors.Is(err, store.ErrUnavailable) || errors.Is(err, store.ErrUnknown) || errors.Is(err, store.ErrNotFound) || errors.Is(err, store.ErrCursor) ||
		errors.Is(err, store.ErrUnreadable) || errors.Is(err, store.ErrTooLarge) || errors.Is(err, store.ErrNotAdmitted) ||
		errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	switch err, f := error(oneLine{err}), d.database.fault(err); {
	case errors.Is(err, errUnknown):
		return fmt.Errorf("%w: %s: %w", store.ErrUnknown, d.place, err)
	case f.kind == faultRefused:
		return fmt.Errorf("store: refused: %w", err)
	case f.mend != "":
		return fmt.Errorf("%w: %s: %s (%w)", store.ErrUnavailable, d.place, f.mend, err)
	default:
		return fmt.Errorf("%w: %s: %w", store.ErrUnavailable, d.place, err)
	}
}

// oneLine is an error without line breaks, which pgx puts between attempts to connect.
type oneLine struct{ error }

func (e oneLine) Error() string { return strings.Join(strings.Fields(e.error.Error()), " ") }

func (e oneLine) Unwrap() error { return e.error }
