package sqldb

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/seal"
	"github.com/askgate/askgate/gateway/store"
)

// handle is the open database, which all that a DB has works on.
type handle struct {
	*clock
	database database
	logger   *slog.Logger
	place    string       // the file or database, as errors name it
	failed   atomic.Int64 // writes that failed in a row
	chains   chains
	recorded func(what chat.AuditWhat)
	signer   *seal.HMAC
	secrets  func() []string // of the audit
	unread   func(table string)
	schema   *schema
	unreadables
}

// auditKey makes the HMACs of what is added to the audit.
func (d *handle) auditKey() auditKey {
	if secrets := d.secrets(); len(secrets) > 0 {
		return newAuditKey(secrets[0])
	}
	return auditKey{}
}

// counted notes how a write went. Only what a store cannot do now counts as failed.
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

// attempt is write without counting how it went.
func (d *handle) attempt(ctx context.Context, lazy bool, fn func(s session) error) error {
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

func (d *handle) read(ctx context.Context, fn func(s session) error) error {
	return d.fail(d.database.read(ctx, fn))
}

func (d *handle) snapshot(ctx context.Context, fn func(s session) error) error {
	return d.fail(d.database.snapshot(ctx, fn))
}

// fail adds the place and the remedy to a database's error and wraps store.ErrUnavailable, or
// store.ErrUnknown, unless the error is the contract's own, a context's, or that of a refused row.
func (d *handle) fail(err error) error {
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
