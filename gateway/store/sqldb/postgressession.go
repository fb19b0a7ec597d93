package sqldb

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// postgresSession is a connection for one write or read. What was put off travels
// with what is waited for: a transaction that begins a turn crosses the network
// twice, once for the head and once for all that is written.
type postgresSession struct {
	queue
	user   context.Context
	ctx    context.Context // the user's, for answerWait
	conn   *pgxpool.Conn
	text   func(string) string
	err    error // the first failure
	sent   bool  // the commit: its outcome may be unknown
	broken bool  // the connection, when it was given back
}

// transaction runs fn between BEGIN and COMMIT.
func (s *postgresSession) transaction(lazy bool, fn func(s session) error) error {
	s.later("BEGIN ISOLATION LEVEL READ COMMITTED")
	if lazy {
		s.later("SET LOCAL synchronous_commit = off")
	}
	if err := fn(s); err != nil {
		return err
	}
	if err := s.user.Err(); err != nil {
		return err
	}
	// Nobody may interrupt what cannot be taken back.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(s.user), answerWait)
	defer cancel()
	s.ctx, s.sent = ctx, true
	_, err := s.exec("COMMIT")
	return err
}

// end gives the connection back. A transaction that is still open ends with it.
func (s *postgresSession) end() {
	defer s.conn.Release() // which closes one that is broken, or in a transaction
	pg := s.conn.Conn().PgConn()
	if s.broken = pg.IsClosed(); s.broken || pg.TxStatus() == 'I' {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(s.user), cancelWait)
	defer cancel()
	_, _ = s.conn.Exec(ctx, "ROLLBACK")
}

func (s *postgresSession) exec(text string, args ...any) (int64, error) {
	s.later(text, args...)
	return s.send(nil)
}

func (s *postgresSession) each(queries ...query) error {
	_, err := s.send(queries)
	return err
}

// send sends what was put off, and then the queries, in one go. It returns how many
// rows the last one changed that was put off.
func (s *postgresSession) send(queries []query) (changed int64, err error) {
	writes := s.take()
	if err := s.user.Err(); err != nil && !s.sent {
		return 0, err
	}
	batch := &pgx.Batch{}
	for _, st := range writes {
		batch.Queue(s.text(st.text), byteArgs(st.args)...)
	}
	for _, q := range queries {
		batch.Queue(s.text(q.text), byteArgs(q.args)...)
	}
	results := s.conn.SendBatch(s.ctx, batch)
	defer func() {
		if closeErr := results.Close(); err == nil {
			err = closeErr
		}
		err = s.failed(err)
	}()
	for range writes {
		tag, err := results.Exec()
		if err != nil {
			return 0, err
		}
		changed = tag.RowsAffected()
	}
	for _, q := range queries {
		if err := readRows(results, q.row); err != nil {
			return 0, err
		}
	}
	return changed, nil
}

func readRows(results pgx.BatchResults, row func(scan scanner) error) error {
	rows, err := results.Query()
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := row(rows.Scan); err != nil {
			return err
		}
	}
	return rows.Err()
}

// byteArgs are the arguments with their texts as bytes: see migrations/postgres.
func byteArgs(args []any) []any {
	for i, arg := range args {
		if text, ok := arg.(string); ok {
			args[i] = []byte(text)
		}
	}
	return args
}

// failed keeps the first failure, and says what it is to the caller.
func (s *postgresSession) failed(err error) error {
	if err == nil {
		return nil
	}
	e, fromServer := errors.AsType[*pgconn.PgError](err)
	switch {
	case s.sent && !(fromServer && e.SeverityUnlocalized == "ERROR"):
		err = fmt.Errorf("%w (%w)", errUnknown, notTheCallers(err))
	case s.user.Err() != nil:
		err = s.user.Err()
	case s.ctx.Err() != nil:
		err = errSlow
	default:
		err = notTheCallers(err)
	}
	if s.err == nil {
		s.err = err
	}
	return err
}

// notTheCallers hides that a bound of the driver's own is what ended: a context's error
// would pass for the caller's.
func notTheCallers(err error) error {
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		return errors.New(err.Error())
	}
	return err
}

// conflict says that others were in the way, and that fn may find its way now.
func (s *postgresSession) conflict() bool {
	e, ok := errors.AsType[*pgconn.PgError](s.err)
	if !ok {
		return false
	}
	switch e.Code {
	case "40001", "40P01": // serialization failure, deadlock
		return true
	case "23505": // another one made the same conversation first
		return e.ConstraintName == "conversations_pkey"
	case "0A000": // a statement was prepared before a migration
		return e.Message == "cached plan must not change result type"
	}
	return false
}

// lost says that the connection broke, and that nothing can have been committed.
func (s *postgresSession) lost() bool {
	return s.broken && !errors.Is(s.err, errUnknown)
}
