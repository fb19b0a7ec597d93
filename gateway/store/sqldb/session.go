package sqldb

import (
	"context"
	"database/sql"
	"errors"
	"runtime"
	"slices"
	"sync"
)

// session is one connection with its prepared statements, used by one goroutine
// at a time. It connects when first used, and again after drop.
type session struct {
	pool  *sql.DB
	conn  *sql.Conn
	stmts map[string]*sql.Stmt
	lazy  bool // the last one set; a new connection is durable
	queue []statement
}

// statement is one to be sent later.
type statement struct {
	query string
	args  []any
}

// Statements run without the caller's context, which is asked before each of
// them: they take microseconds on a local file, while watching a context in the
// driver costs a goroutine each, and an interrupted COMMIT would not tell whether
// it happened.
var statementContext = context.Background()

func (s *session) connect() error {
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

func (s *session) stmt(ctx context.Context, query string) (*sql.Stmt, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if stmt := s.stmts[query]; stmt != nil {
		return stmt, nil
	}
	if err := s.connect(); err != nil {
		return nil, err
	}
	stmt, err := s.conn.PrepareContext(statementContext, numbered(query))
	if err != nil {
		return nil, err
	}
	s.stmts[query] = stmt
	return stmt, nil
}

// later queues a statement: it runs before the next one, or with the commit.
func (s *session) later(query string, args ...any) {
	s.queue = append(s.queue, statement{query, args})
}

// first queues a statement before all others.
func (s *session) first(query string, args ...any) {
	s.queue = slices.Insert(s.queue, 0, statement{query, args})
}

func (s *session) flush(ctx context.Context) error {
	queue := s.queue
	s.queue = nil
	for _, st := range queue {
		if _, err := s.exec(ctx, st.query, st.args...); err != nil {
			return err
		}
	}
	return nil
}

// exec runs a statement and returns how many rows it changed.
func (s *session) exec(ctx context.Context, query string, args ...any) (int64, error) {
	if err := s.flush(ctx); err != nil {
		return 0, err
	}
	stmt, err := s.stmt(ctx, query)
	if err != nil {
		return 0, err
	}
	res, err := stmt.ExecContext(statementContext, args...)
	if err != nil {
		return 0, err
	}
	return res.RowsAffected()
}

// each calls row for every row of a query.
func (s *session) each(ctx context.Context, row func(scan scanner) error, query string, args ...any) (err error) {
	if err := s.flush(ctx); err != nil {
		return err
	}
	stmt, err := s.stmt(ctx, query)
	if err != nil {
		return err
	}
	rows, err := stmt.QueryContext(statementContext, args...)
	if err != nil {
		return err
	}
	defer func() {
		if closeErr := rows.Close(); err == nil {
			err = closeErr
		}
	}()
	for rows.Next() {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := row(rows.Scan); err != nil {
			return err
		}
	}
	return rows.Err()
}

// one calls row for the only row of a query and says whether there was one.
func (s *session) one(ctx context.Context, row func(scan scanner) error, query string, args ...any) (found bool, err error) {
	err = s.each(ctx, func(scan scanner) error {
		found = true
		return row(scan)
	}, query, args...)
	return found, err
}

// setLazy chooses how the next commits wait for the disk. It is no prepared
// statement: SQLite carries such settings out while it prepares them.
func (s *session) setLazy(d *dialect, lazy bool) error {
	setting := d.durable
	if lazy {
		setting = d.lazy
	}
	if setting == "" || s.lazy == lazy {
		return nil
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
func (s *session) drop() error {
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
	do   func(s *session) error
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
		p.ended.Go(func() { p.work(&session{pool: pool}) })
	}
	return p
}

func (p *sessions) work(s *session) {
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
func (p *sessions) carryOut(j job, s *session) {
	o, returned := outcome{}, false
	defer func() {
		if o.panicked = recover(); o.panicked == nil && !returned {
			o.exited = true
			p.ended.Go(func() { p.work(s) }) // in place of this goroutine
		}
		j.came <- o
	}()
	o.err = j.do(s)
	returned = true
}

// use runs do with a session, and waits for it.
func (p *sessions) use(ctx context.Context, do func(s *session) error) error {
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
	case p.jobs <- job{do, came}:
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
