package sqldb

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/askgate/askgate/gateway/outage"
	"github.com/askgate/askgate/gateway/store"
)

// DB is a store.Store. It is safe for concurrent use; several processes may
// have the same database open.
type DB struct {
	*clock
	*callers
	*positions
	h        *handle
	close    func() error
	migrated bool // by Open
}

var _ store.Store = (*DB)(nil)

// These parts of a DB cover several chats, or none. Like the DB, each is safe for concurrent use.
type (
	// Outbox holds what is to be sent to webhooks.
	Outbox struct{ h *handle }
	// Feed reads the news.
	Feed struct{ h *handle }
	// Audit reads the audit's records and verifies their chains.
	Audit struct{ h *handle }
	// Overview reads the clarifications of all principals.
	Overview struct{ h *handle }
	// Memory keeps what is remembered of people.
	Memory struct{ h *handle }
	// Files keeps the rows of uploaded files.
	Files struct{ h *handle }
	// Due finds what is due.
	Due struct{ h *handle }
)

// Outbox implements store.Store.
func (d *DB) Outbox() store.Outbox { return &Outbox{d.h} }

// Feed implements store.Store.
func (d *DB) Feed() store.Feed { return &Feed{d.h} }

// Audit implements store.Store.
func (d *DB) Audit() store.Auditor { return &Audit{d.h} }

// Overview implements store.Store.
func (d *DB) Overview() store.Overseer { return &Overview{d.h} }

// Memory implements store.Store.
func (d *DB) Memory() store.Keeper { return &Memory{d.h} }

// Files implements store.Store.
func (d *DB) Files() store.Files { return &Files{d.h} }

// Due implements store.Store.
func (d *DB) Due() store.Sweeper { return &Due{d.h} }

// Open opens the store at a URL. It creates the store and its tables if they do not exist, and
// updates older ones; it refuses newer ones and does not change them. The URL is "postgres://..."
// as pgx understands it, or "sqlite:PATH", where "?synchronous=normal" makes commits survive a
// crash of the process but perhaps not a power cut (default full: both). Errors name the file or
// database and what an operator can do.
func Open(ctx context.Context, url string, opts Options) (*DB, error) {
	d, err := open(ctx, url, opts)
	if err != nil {
		return nil, fmt.Errorf("opening the store: %w", err)
	}
	return d, nil
}

// Try connects to the store at a URL without changing anything there. A missing SQLite file is
// not an error if its folder exists.
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

// Migrate makes the tables of the store, as Open does. It reports whether there was anything to
// do.
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
	h := &handle{
		logger: opts.Logger, clock: newClock(opts.Now), recorded: opts.Recorded, signer: opts.Signer, secrets: opts.AuditSecrets,
		unreadables: unreadables{logger: opts.Logger, found: opts.Unreadable}, schema: cmp.Or(opts.schema, &tables), copying: opts.Copying,
	}
	if h.secrets == nil {
		h.secrets = func() []string { return nil }
	}
	var err error
	switch scheme, _, _ := strings.Cut(url, ":"); scheme {
	case "sqlite":
		h.database, h.place, err = opened(openSQLite(url, opts))
	case "postgres", "postgresql":
		h.database, h.place, err = opened(openPostgres(ctx, url))
	default:
		err = errors.New("the store's URL begins with an unknown scheme; write sqlite:PATH, for example sqlite:askgate.db, " +
			"or postgres://USER:PASSWORD@HOST/DATABASE")
	}
	switch {
	case err != nil && h.place == "":
		return nil, err // of the URL
	case err != nil:
		return nil, fmt.Errorf("%w: %s: %w", store.ErrUnavailable, h.place, err)
	}
	d := &DB{clock: h.clock, callers: &callers{h}, positions: &positions{h}, h: h, close: sync.OnceValue(h.database.close)}
	if err := begin(ctx, d, opts); err != nil {
		return nil, errors.Join(h.fail(err), d.Close())
	}
	h.outage = outage.New(opts.Logger, "the store is unavailable", "the store is available again")
	return d, nil
}

// begin checks that the store can be used and, except for Try and a copy, prepares it.
func begin(ctx context.Context, d *DB, opts Options) error {
	steps := []func(context.Context) error{d.h.reach, d.h.refuse}
	switch {
	case opts.trying:
	case opts.Copying:
		steps = append(steps, d.h.measure)
	default:
		steps = append(steps, func(ctx context.Context) error { return migrate(ctx, d) }, d.Ping, d.h.measure) // a migrated store may still be read-only
	}
	for _, step := range steps {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

// migrate makes the tables in an empty database.
func migrate(ctx context.Context, d *DB) error {
	made, err := d.h.database.migrate(ctx, d.h.schema)
	if err != nil {
		return fmt.Errorf("migrating: %w", err)
	}
	if d.migrated = made; made {
		d.h.logger.Info("store migrated", "store", d.h.place, "version", d.h.schema.version())
	}
	return nil
}

// opened returns a concrete database as the interface.
func opened[D database](d D, place string, err error) (database, string, error) { return d, place, err }

// Close waits for running calls and closes the connections. Later calls fail with
// store.ErrUnavailable.
func (d *DB) Close() error {
	if err := d.close(); err != nil {
		return fmt.Errorf("closing the store: %w", err)
	}
	return nil
}

// tooManyFailed is how many writes must fail in a row before Ping tries one.
const tooManyFailed = 3

// Ping runs a write that matches no row. That does not detect a full disk: only real writes do.
// So if several writes in a row have failed, Ping tries a small one, and fails until that
// succeeds.
func (d *DB) Ping(ctx context.Context) error {
	if err := d.h.database.lost(); err != nil {
		return d.h.fail(err)
	}
	if d.h.failed.Load() >= tooManyFailed {
		return d.h.write(ctx, false, func(s session) error {
			_, err := s.exec(q.use, "ping", strings.Repeat("x", tried), 0, 0, 1) // of a window that ended long ago: swept with the meters
			return d.h.fail(err)
		})
	}
	err := d.h.attempt(ctx, true, func(s session) error {
		if _, err := s.exec(q.probe); err != nil { // on a read-only file, BEGIN alone would succeed
			return d.h.fail(err)
		}
		return errProbed
	})
	if errors.Is(err, errProbed) {
		return nil
	}
	return err
}

// errProbed ends the transaction of a Ping, which has nothing to commit.
var errProbed = errors.New("store: it can be written to")

// tried is how many bytes Ping writes: more than the free space left in a page.
const tried = 8 << 10
