package sqldb

import (
	"context"
	"errors"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
)

// ErrAway is wrapped by an error of Open where the database's server cannot be reached, or takes
// no connections now: it may come by itself. An operator's own faults are not among them, such as
// a password that is refused.
var ErrAway = errors.New("store: its server is away")

type awayError struct{ error }

func (e awayError) Unwrap() error { return e.error }

func (e awayError) Is(target error) bool { return target == ErrAway }

// reach says whether the database answers at all.
func (d *handle) reach(ctx context.Context) error {
	err := d.database.read(ctx, func(s session) error {
		return s.each(rows(func(scanner) error { return nil }, "SELECT 1"))
	})
	if err != nil && ctx.Err() == nil && d.database.remote() && away(err) {
		return awayError{d.fail(err)}
	}
	return err
}

// away says of an error of a query that cannot fail by itself that there was no connection: the
// server did not answer, is starting or ending, or has none left.
func away(err error) bool {
	e, answered := errors.AsType[*pgconn.PgError](err)
	return !answered || strings.HasPrefix(e.Code, "57P") || e.Code == "53300"
}
