package sqldb

import (
	"context"
	"database/sql"
	"errors"
)

// session is one connection with its prepared statements, used by one goroutine
// at a time. It connects when first used, and again after drop.
type session struct {
	pool  *sql.DB
	conn  *sql.Conn
	stmts map[string]*sql.Stmt
	lazy  bool // the last one set; a new connection is durable
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
	stmt, err := s.conn.PrepareContext(statementContext, query)
	if err != nil {
		return nil, err
	}
	s.stmts[query] = stmt
	return stmt, nil
}

// exec runs a statement and returns how many rows it changed.
func (s *session) exec(ctx context.Context, query string, args ...any) (int64, error) {
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

// sessions is a pool whose users queue in order and give up with their context.
type sessions struct {
	free   chan *session
	closed chan struct{}
}

var errClosed = errors.New("the store is closed")

func newSessions(pool *sql.DB, n int) *sessions {
	p := &sessions{free: make(chan *session, n), closed: make(chan struct{})}
	for range n {
		p.free <- &session{pool: pool}
	}
	return p
}

func (p *sessions) take(ctx context.Context) (*session, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	select {
	case <-p.closed:
		return nil, errClosed
	default:
	}
	select {
	case s := <-p.free:
		return s, nil
	case <-p.closed:
		return nil, errClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (p *sessions) give(s *session) { p.free <- s }

// close refuses new users, waits for those at work and closes the connections.
func (p *sessions) close() error {
	close(p.closed)
	var errs []error
	for range cap(p.free) {
		errs = append(errs, (<-p.free).drop())
	}
	return errors.Join(errs...)
}
