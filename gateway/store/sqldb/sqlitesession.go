package sqldb

import (
	"context"
	"database/sql"
	"errors"
	"math"
	"strconv"
	"strings"
)

// sqliteSession is one connection with its prepared statements, used by one goroutine at a
// time. It connects when first used, and again after drop.
type sqliteSession struct {
	queue
	ctx   context.Context // of the caller
	pool  *sql.DB
	conn  *sql.Conn
	stmts map[string]*sql.Stmt
	group *group // whose transaction is open; nil without one
	lazy  bool   // whether commits are lazy; never on a new connection
}

// statementContext is the context with which statements run. The caller's context is checked
// before each of them instead: they take microseconds, while watching a context costs the driver
// a goroutine each, and after an interrupted COMMIT it would be unknown whether it happened.
var statementContext = context.Background()

func (s *sqliteSession) connect() error {
	if s.conn != nil {
		return nil
	}
	conn, err := s.pool.Conn(statementContext)
	if err != nil {
		return err
	}
	s.conn, s.stmts = conn, make(map[string]*sql.Stmt)
	return nil
}

// stmt runs the queued statements and prepares another one.
func (s *sqliteSession) stmt(text string) (*sql.Stmt, error) {
	if err := s.flush(); err != nil {
		return nil, err
	}
	if stmt := s.stmts[text]; stmt != nil {
		return stmt, nil
	}
	if err := s.connect(); err != nil {
		return nil, err
	}
	stmt, err := s.conn.PrepareContext(statementContext, sqliteText(text))
	if err != nil {
		return nil, err
	}
	s.stmts[text] = stmt
	return stmt, nil
}

// flush runs the queued statements.
func (s *sqliteSession) flush() error {
	for _, st := range s.take() {
		if _, err := s.exec(st.text, st.args...); err != nil {
			return err
		}
	}
	return s.ctx.Err()
}

// sqliteCalls are the placeholders of queries.go. A single writer needs no row locks, and its
// news are committed in order. Their ids begin with the time, so that no id is used again after
// the newest was deleted.
var sqliteCalls = strings.NewReplacer(
	lockCall, "",
	ownerCall, "INDEXED BY conversations_ownerless",
	newsCall, "max("+clockCall+" * 1000, (SELECT coalesce(max(id), 0) + 1 FROM news), (SELECT coalesce(max(told), 0) + 1 FROM runs WHERE told > 0))",
	aheadCall, strconv.Itoa(math.MaxInt64),
	settledCall, strconv.Itoa(math.MaxInt64),
	tablesCall, "sqlite_schema",
	amongCall, "IN (SELECT value FROM json_each(?))",
	"least(", "min(",
)

// sqliteText returns a statement in SQLite's dialect. The time, if used, is the first argument.
func sqliteText(text string) string {
	text = sqliteCalls.Replace(text)
	if strings.Contains(text, clockCall) {
		return numbered(text, "?1", "?", 2)
	}
	return text
}

func (s *sqliteSession) exec(text string, args ...any) (int64, error) {
	stmt, err := s.stmt(text)
	if err != nil {
		return 0, err
	}
	res, err := stmt.ExecContext(statementContext, args...)
	if err != nil {
		return 0, err
	}
	return res.RowsAffected()
}

func (s *sqliteSession) each(queries ...query) error {
	for _, q := range queries {
		if err := s.eachRow(q); err != nil {
			return err
		}
	}
	return nil
}

func (s *sqliteSession) eachRow(q query) (err error) {
	stmt, err := s.stmt(q.text)
	if err != nil {
		return err
	}
	rows, err := stmt.QueryContext(statementContext, q.args...)
	if err != nil {
		return err
	}
	defer func() {
		if closeErr := rows.Close(); err == nil {
			err = closeErr
		}
	}()
	for rows.Next() {
		if err := s.ctx.Err(); err != nil {
			return err
		}
		if err := q.row(rows.Scan); err != nil {
			return err
		}
	}
	return rows.Err()
}

// setLazy chooses whether the next commits wait for the disk. The PRAGMA is not kept as a
// prepared statement, because SQLite executes it while preparing it.
func (s *sqliteSession) setLazy(lazy bool) error {
	if s.lazy == lazy {
		return nil
	}
	setting := "PRAGMA synchronous=FULL"
	if lazy {
		setting = "PRAGMA synchronous=NORMAL"
	}
	if err := s.connect(); err != nil {
		return err
	}
	if _, err := s.conn.ExecContext(statementContext, setting); err != nil {
		return err
	}
	s.lazy = lazy
	return nil
}

// drop closes the connection.
func (s *sqliteSession) drop() error {
	if s.conn == nil {
		return nil
	}
	var errs []error
	for _, stmt := range s.stmts {
		errs = append(errs, stmt.Close())
	}
	errs = append(errs, s.conn.Close())
	s.conn, s.stmts, s.lazy = nil, nil, false
	return errors.Join(errs...)
}

// sessions is a pool of connections. Its users queue in order and leave the queue when their
// context ends.
type sessions struct {
	free   chan *sqliteSession // connected
	fresh  chan *sqliteSession // not connected yet: a connection holds some 0.4 MB
	closed chan struct{}
}

var errClosed = errors.New("the store is closed")

func newSessions(pool *sql.DB, n int) *sessions {
	p := &sessions{free: make(chan *sqliteSession, n), fresh: make(chan *sqliteSession, n), closed: make(chan struct{})}
	for range n {
		p.fresh <- &sqliteSession{pool: pool}
	}
	return p
}

// use runs do with a session, which becomes free again when do returns, panics or ends its
// goroutine.
func (p *sessions) use(ctx context.Context, do func(s *sqliteSession) error) error {
	s, err := p.take(ctx)
	if err != nil {
		return err
	}
	defer func() { p.free <- s }()
	s.ctx = ctx
	return do(s)
}

func (p *sessions) take(ctx context.Context) (*sqliteSession, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	select {
	case <-p.closed:
		return nil, errClosed
	default:
	}
	select {
	case s := <-p.free: // in preference to a new one
		return s, nil
	default:
	}
	select {
	case s := <-p.free:
		return s, nil
	case s := <-p.fresh:
		return s, nil
	case <-p.closed:
		return nil, errClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// close refuses new users, waits for running ones and closes the connections, calling last before
// each.
func (p *sessions) close(last func(s *sqliteSession)) error {
	close(p.closed)
	var errs []error
	for range cap(p.free) {
		select {
		case s := <-p.free:
			last(s)
			errs = append(errs, s.drop())
		case <-p.fresh:
		}
	}
	return errors.Join(errs...)
}
