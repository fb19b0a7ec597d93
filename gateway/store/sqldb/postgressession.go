package sqldb

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/askgate/askgate/gateway/store"
)

// postgresSession is a connection for one write or read. Queued statements are sent together with
// the next one whose answer is needed: the transaction that begins a chat crosses the network
// twice, once for the head and once for all that it writes.
type postgresSession struct {
	queue
	user   context.Context // of the caller
	ctx    context.Context // the caller's, limited to answerWait
	conn   *pgxpool.Conn
	text   func(string) string
	err    error     // the first failure
	mark   int64     // the mark of its commit
	sent   time.Time // when the commit was sent, after which its outcome may be unknown; zero before
	broken bool      // the connection was broken when it was given back
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
	// A commit cannot be undone, so it must not be interrupted.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(s.user), answerWait)
	defer cancel()
	s.later(writeMark, s.mark)
	s.ctx, s.sent = ctx, time.Now()
	_, err := s.exec("COMMIT")
	return err
}

// end gives the connection back and rolls back a transaction that is still open.
func (s *postgresSession) end() {
	defer s.conn.Release() // closes a connection that is broken, or in a transaction
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

// send sends the queued statements, and then the queries, in one batch. changed is the number of
// rows that the last queued statement changed.
func (s *postgresSession) send(queries []query) (changed int64, err error) {
	writes := s.take()
	if err := s.user.Err(); err != nil && s.sent.IsZero() {
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

// byteArgs turns texts into bytes, the type of their columns (see migrations/postgres).
func byteArgs(args []any) []any {
	for i, arg := range args {
		switch arg := arg.(type) {
		case string:
			args[i] = []byte(arg)
		case texts:
			list := make([][]byte, len(arg))
			for k, text := range arg {
				list[k] = []byte(text)
			}
			args[i] = list
		}
	}
	return args
}

// divisionByZero is what PostgreSQL reports of the statements of orFenced, and of no others.
const divisionByZero = "22012"

// failed records the first failure and words it for the caller.
func (s *postgresSession) failed(err error) error {
	if err == nil {
		return nil
	}
	e, fromServer := errors.AsType[*pgconn.PgError](err)
	switch {
	case !s.sent.IsZero() && !(fromServer && e.SeverityUnlocalized == "ERROR"):
		err = fmt.Errorf("%w (%w)", errUnknown, notTheCallers(err))
	case fromServer && e.Code == divisionByZero:
		err = store.ErrFenced
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

// notTheCallers hides a context error that comes from a time limit of the driver, not from the
// caller's context.
func notTheCallers(err error) error {
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		return errors.New(err.Error())
	}
	return err
}

// conflict reports whether another transaction was in the way, so that fn may now succeed.
func (s *postgresSession) conflict() bool {
	e, ok := errors.AsType[*pgconn.PgError](s.err)
	if !ok {
		return false
	}
	switch e.Code {
	case "40001", "40P01": // serialization failure, deadlock
		return true
	case "23505": // another transaction created the same conversation first
		return e.ConstraintName == "conversations_pkey"
	case "0A000": // a statement was prepared before a migration
		return e.Message == "cached plan must not change result type"
	}
	return false
}

// unknown reports whether the commit was sent and no reply came.
func (s *postgresSession) unknown() bool { return errors.Is(s.err, errUnknown) }

// lost reports whether the connection broke before anything can have been committed.
func (s *postgresSession) lost() bool { return s.broken && !s.unknown() }
