package sqldb

import (
	"context"
	"errors"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
)

// ErrAway is wrapped by an error of Open if the database's server cannot be reached, or accepts
// no connections now: it may recover by itself. It is not wrapped by an operator's own mistakes,
// such as a wrong password.
var ErrAway = errors.New("store: the database server is unreachable")

type awayError struct{ error }

func (e awayError) Unwrap() error { return e.error }

func (e awayError) Is(target error) bool { return target == ErrAway }

// reach reports whether the database answers at all.
func (d *handle) reach(ctx context.Context) error {
	err := d.database.read(ctx, func(s session) error {
		return s.each(rows(func(scanner) error { return nil }, "SELECT 1"))
	})
	if err != nil && ctx.Err() == nil && d.database.remote() && away(err) {
		return awayError{d.fail(err)}
	}
	return err
}

// away reports that the error of a query that cannot fail by itself means that there was no
// connection: the server did not answer, is starting or ending, or has none left.
func away(err error) bool {
	e, answered := errors.AsType[*pgconn.PgError](err)
	return !answered || strings.HasPrefix(e.Code, "57P") || e.Code == "53300"
}
