package sqldb

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/outage"
	"github.com/askgate/askgate/gateway/seal"
	"github.com/askgate/askgate/gateway/store"
)

// handle is the open database, shared by all parts of a DB.
type handle struct {
	*clock
	database database
	logger   *slog.Logger
	place    string       // the file or database, as errors name it
	failed   atomic.Int64 // writes that failed in a row
	chains   chains
	recorded func(what chat.AuditWhat)
	signer   *seal.HMAC
	secrets  func() []string // the audit's
	schema   *schema
	copying  bool        // marks do not count
	outage   *outage.Log // nil until the store is open
	unreadables
}

// ErrSlow is wrapped by the errors of calls that did not end before their context's deadline.
var ErrSlow = errors.New("store: it did not answer in time")

// observed reports the outcome of a call to the log of outages. Only a write ends an outage: a full
// disk can still be read. There is one every few seconds, because nodes renew their leases.
func (d *handle) observed(err error, wrote bool) error {
	switch {
	case d.outage == nil:
	case err == nil && wrote:
		d.outage.Works()
	case errors.Is(err, store.ErrUnavailable), errors.Is(err, store.ErrUnknown), errors.Is(err, ErrSlow):
		d.outage.Failed(err)
	}
	return err
}

// auditKey returns the key for the HMACs of new audit records.
func (d *handle) auditKey() auditKey {
	if secrets := d.secrets(); len(secrets) > 0 {
		return newAuditKey(secrets[0])
	}
	return auditKey{}
}

// counted notes the outcome of a write. Only a failure of the store itself counts as failed.
func (d *handle) counted(err error) error {
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
func (d *handle) write(ctx context.Context, lazy bool, fn func(s session) error) error {
	return d.counted(d.attempt(ctx, lazy, fn))
}

// attempt is write without counting the outcome.
func (d *handle) attempt(ctx context.Context, lazy bool, fn func(s session) error) error {
	var failed error // fn's own
	err := d.database.write(ctx, lazy, func(s session) error {
		failed = fn(s)
		return failed
	})
	if failed != nil {
		return d.observed(failed, false)
	}
	return d.observed(d.fail(err), true)
}

func (d *handle) read(ctx context.Context, fn func(s session) error) error {
	return d.observed(d.fail(d.database.read(ctx, fn)), false)
}

func (d *handle) snapshot(ctx context.Context, fn func(s session) error) error {
	return d.observed(d.fail(d.database.snapshot(ctx, fn)), false)
}

// fail adds the place and the remedy to a database's error and wraps store.ErrUnavailable, or
// store.ErrUnknown or, at a deadline, ErrSlow, unless the error is the contract's own, that of a
// cancelled context, or that of a refused row.
func (d *handle) fail(err error) error {
	if err == nil || errors.Is(err, store.ErrUnavailable) || errors.Is(err, store.ErrUnknown) || errors.Is(err, store.ErrNotFound) || errors.Is(err, store.ErrCursor) || errors.Is(err, store.ErrFenced) ||
		errors.Is(err, store.ErrUnreadable) || errors.Is(err, store.ErrTooLarge) || errors.Is(err, store.ErrNotAdmitted) ||
		errors.Is(err, context.Canceled) || errors.Is(err, ErrSlow) {
		return err
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("%w: %s: %w", ErrSlow, d.place, err)
	}
	switch err, f := error(oneLine{err}), d.database.fault(err); {
	case errors.Is(err, errUnknown):
		return fmt.Errorf("%w: %s: %w", store.ErrUnknown, d.place, err)
	case f.kind == faultRefused:
		return fmt.Errorf("store: refused: %w", err)
	case f.hint != "":
		return fmt.Errorf("%w: %s: %s (%w)", store.ErrUnavailable, d.place, f.hint, err)
	default:
		return fmt.Errorf("%w: %s: %w", store.ErrUnavailable, d.place, err)
	}
}

// oneLine is an error without the line breaks that pgx puts between attempts to connect.
type oneLine struct{ error }

func (e oneLine) Error() string { return strings.Join(strings.Fields(e.error.Error()), " ") }

func (e oneLine) Unwrap() error { return e.error }

// atNow returns the arguments of a statement that contains clockCall.
func (d *handle) atNow(args ...any) []any { return d.database.clock(args) }

// measure asks the store for its time.
func (d *handle) measure(ctx context.Context) error {
	if !d.database.remote() {
		_ = d.Skew() // logs if the clock was set
		return nil
	}
	return d.read(ctx, func(s session) error {
		var ms int64
		before := time.Now()
		_, err := one(s, func(scan scanner) error { return scan(&ms) }, q.clock)
		if err == nil {
			d.clock.set(fromMillis(ms), before, time.Now())
		}
		return err
	})
}

// list reads the rows of a query.
func list[T any](ctx context.Context, d *handle, row func(scan scanner, item *T) error, text string, args ...any) ([]T, error) {
	var items []T
	err := d.read(ctx, func(s session) error {
		items = nil // this may be the second attempt
		return s.each(rows(appendTo(&items, row), text, args...))
	})
	if err != nil {
		return nil, err
	}
	return items, nil
}
