package sqldb

import (
	"context"
	"database/sql"
	"errors"
	"iter"
	"strings"
)

// sqliteSession is one connection with its prepared statements, used by one
// goroutine at a time. It connects when first used, and again after drop.
type sqliteSession struct {
	queue
	ctx   context.Context // of the user
	pool  *sql.DB
	conn  *sql.Conn
	stmts map[string]*sql.Stmt
	lazy  bool // the last one set; a new connection is durable
}

// Statements run without the user's context, which is asked before each of
// them: they take microseconds on a local file, while watching a context in the
// driver costs a goroutine each, and an interrupted COMMIT would not tell whether
// it happened.
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

// stmt prepares a statement; what was put off runs before it.
func (s *sqliteSession) stmt(text string) (*sql.Stmt, error) {
	for _, st := range s.take() {
		if _, err := s.exec(st.text, st.args...); err != nil {
			return nil, err
		}
	}
	if err := s.ctx.Err(); err != nil {
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

// sqliteText is a statement as SQLite takes it. The clock, if it is asked, is the
// first argument. One writer needs no locks.
func sqliteText(text string) string {
	if strings.Contains(text, clockCall) {
		return numbered(text, "?1", "?", 2)
	}
	return strings.ReplaceAll(text, lockCall, "")
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

// setLazy chooses how the next commits wait for the disk. It is no prepared
// statement: SQLite carries such settings out while it prepares them.
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

// sessions is a pool of connections, each on a coroutine. Its users queue in order and give
// up with their context. SQLite's machine wants a deep stack: the coroutine's is grown once,
// instead of each request's, which would keep it as long as its client's stream is open.
// A goroutine behind a channel would serve too, but handing a job over and back wakes
// another thread each time, which on the way to the first chunk is in the model's way.
type sessions struct {
	free   chan *worker
	closed chan struct{}
}

// worker is a connection and its coroutine.
type worker struct {
	session *sqliteSession
	do      func(s *sqliteSession) error // the present user's
	err     error                        // what it came to
	next    func() (struct{}, bool)      // carries do out
	stop    func()
}

var errClosed = errors.New("the store is closed")

func newSessions(pool *sql.DB, n int) *sessions {
	p := &sessions{free: make(chan *worker, n), closed: make(chan struct{})}
	for range n {
		p.free <- newWorker(&sqliteSession{pool: pool})
	}
	return p
}

func newWorker(s *sqliteSession) *worker {
	w := &worker{session: s}
	w.next, w.stop = iter.Pull(func(yield func(struct{}) bool) {
		for ok := true; ok; ok = yield(struct{}{}) {
			w.err = w.do(w.session)
		}
	})
	return w
}

// use runs do with a session, and waits for it. Where do panics, or ends its goroutine (as
// a failing test does), so does use.
func (p *sessions) use(ctx context.Context, do func(s *sqliteSession) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case <-p.closed:
		return errClosed
	default:
	}
	var w *worker
	select {
	case w = <-p.free:
	case <-p.closed:
		return errClosed
	case <-ctx.Done():
		return ctx.Err()
	}
	returned := false
	defer func() {
		if !returned { // and neither will the coroutine
			w = newWorker(w.session)
		}
		w.do = nil
		p.free <- w
	}()
	w.session.ctx, w.do = ctx, do
	w.next()
	returned = true
	return w.err
}

// close refuses new users, waits for those at work and closes the connections.
func (p *sessions) close() error {
	close(p.closed)
	var errs []error
	for range cap(p.free) {
		w := <-p.free
		w.stop()
		errs = append(errs, w.session.drop())
	}
	return errors.Join(errs...)
}
