package sqldb

import (
	"context"
	"database/sql"
	"errors"
	"runtime"
	"strings"
	"sync"
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

// sessions is a pool of goroutines with a connection each. Its users queue in
// order and give up with their context. SQLite's machine wants a deep stack: on
// goroutines of its own that stack is grown once, instead of by each request, which
// would then keep it as long as its client's stream is open.
type sessions struct {
	jobs   chan job
	closed chan struct{}
	ended  sync.WaitGroup
	mu     sync.Mutex
	errs   []error // of closing the connections
}

type job struct {
	ctx  context.Context
	do   func(s *sqliteSession) error
	came chan<- outcome
}

// outcome is what a job came to; a panic is passed on to who asked for it.
type outcome struct {
	err      error
	panicked any
	exited   bool
}

var errClosed = errors.New("the store is closed")

func newSessions(pool *sql.DB, n int) *sessions {
	p := &sessions{jobs: make(chan job), closed: make(chan struct{})}
	for range n {
		p.ended.Go(func() { p.work(&sqliteSession{pool: pool}) })
	}
	return p
}

func (p *sessions) work(s *sqliteSession) {
	for {
		select {
		case j := <-p.jobs:
			p.carryOut(j, s)
		case <-p.closed:
			p.mu.Lock()
			defer p.mu.Unlock()
			p.errs = append(p.errs, s.drop())
			return
		}
	}
}

// carryOut does one job. A job that ends its goroutine (runtime.Goexit, as a failing
// test does) ends its user's instead.
func (p *sessions) carryOut(j job, s *sqliteSession) {
	o, returned := outcome{}, false
	defer func() {
		if o.panicked = recover(); o.panicked == nil && !returned {
			o.exited = true
			p.ended.Go(func() { p.work(s) }) // in place of this goroutine
		}
		j.came <- o
	}()
	s.ctx = j.ctx
	o.err = j.do(s)
	returned = true
}

// use runs do with a session, and waits for it.
func (p *sessions) use(ctx context.Context, do func(s *sqliteSession) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	came := make(chan outcome, 1)
	select {
	case <-p.closed:
		return errClosed
	default:
	}
	select {
	case p.jobs <- job{ctx, do, came}:
	case <-p.closed:
		return errClosed
	case <-ctx.Done():
		return ctx.Err()
	}
	o := <-came
	if o.panicked != nil {
		panic(o.panicked)
	}
	if o.exited {
		runtime.Goexit()
	}
	return o.err
}

// close refuses new users, waits for those at work and closes the connections.
func (p *sessions) close() error {
	close(p.closed)
	p.ended.Wait()
	return errors.Join(p.errs...)
}
