package sqldb

import (
	"context"
	"database/sql"
	"fmt"
	"io/fs"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
)

// postgres is the database on a server, which many nodes share.
type postgres struct {
	pool  *pgxpool.Pool
	texts sync.Map // statements in PostgreSQL's words, by those of queries.go
	goose *sql.DB  // the pool as goose wants it

	closed atomic.Bool
}

func openPostgres(ctx context.Context, rawURL string) (p *postgres, place string, err error) {
	config, place, err := parsePostgres(rawURL)
	if err != nil {
		return nil, "", err
	}
	pool, err := pgxpool.NewWithConfig(ctx, config) // connects when first used
	if err != nil {
		return nil, place, err
	}
	return &postgres{pool: pool, goose: stdlib.OpenDBFromPool(pool)}, place, nil
}

// close waits for what is at work.
func (p *postgres) close() error {
	p.closed.Store(true)
	err := p.goose.Close()
	p.pool.Close()
	return err
}

// tries bounds how often fn runs: others may be in the way more than once, as many
// who create one chat while it is deleted again and again.
const tries = 10

// write runs fn again after a conflict, and once after a connection that turned out to
// be dead. What may have been committed is not tried again.
func (p *postgres) write(ctx context.Context, lazy bool, fn func(s session) error) error {
	lost := false
	for try := 1; ; try++ {
		s, err := p.with(ctx, func(s *postgresSession) error { return s.transaction(lazy, fn) })
		switch {
		case err == nil || try == tries || ctx.Err() != nil:
			return err
		case s.conflict():
		case s.lost() && !lost:
			lost = true
			p.pool.Reset() // the others are as dead
		default:
			return err
		}
	}
}

func (p *postgres) read(ctx context.Context, fn func(s session) error) error {
	return p.reading(ctx, func(s *postgresSession) error { return fn(s) })
}

func (p *postgres) snapshot(ctx context.Context, fn func(s session) error) error {
	return p.reading(ctx, func(s *postgresSession) error {
		s.later("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
		if err := fn(s); err != nil {
			return err
		}
		_, err := s.exec("COMMIT")
		return err
	})
}

// reading runs fn, and once more after a connection that turned out to be dead.
func (p *postgres) reading(ctx context.Context, fn func(s *postgresSession) error) error {
	for lost := false; ; lost = true {
		s, err := p.with(ctx, fn)
		if err == nil || lost || !s.lost() || ctx.Err() != nil {
			return err
		}
		p.pool.Reset()
	}
}

// with runs fn with a connection, and returns what became of the session.
func (p *postgres) with(ctx context.Context, fn func(s *postgresSession) error) (*postgresSession, error) {
	s := &postgresSession{user: ctx, text: p.text}
	var cancel context.CancelFunc
	s.ctx, cancel = context.WithTimeout(ctx, answerWait)
	defer cancel()
	if err := ctx.Err(); err != nil {
		return s, err
	}
	if p.closed.Load() {
		return s, errClosed
	}
	var err error
	if s.conn, err = p.pool.Acquire(s.ctx); err != nil {
		return s, s.failed(err)
	}
	defer s.end() // also when fn panics
	return s, fn(s)
}

const postgresClock = "(extract(epoch FROM clock_timestamp()) * 1000)::bigint"

// text is a statement as PostgreSQL takes it.
func (p *postgres) text(text string) string {
	if known, ok := p.texts.Load(text); ok {
		return known.(string)
	}
	own := strings.ReplaceAll(numbered(text, postgresClock, "$", 1), lockCall, "FOR UPDATE")
	p.texts.Store(text, own)
	return own
}

func (p *postgres) clock(args []any) []any { return args }

func (p *postgres) erased(context.Context) {} // by vacuum, in its own time

func (p *postgres) lost() error { return nil }

func (p *postgres) retry(_ context.Context, fn func() error) error { return fn() }

func (p *postgres) provider() (*goose.Provider, error) {
	folder, err := fs.Sub(migrations, "migrations/postgres")
	if err != nil {
		return nil, fmt.Errorf("the migrations: %w", err)
	}
	return goose.NewProvider(goose.DialectPostgres, p.goose, folder, goose.WithDisableGlobalRegistry(true),
		goose.WithSessionLocker(migrationLock{}))
}

// migrationLock lets one node of those that start at once migrate its schema, and
// the others wait until it is done, however long that takes.
type migrationLock struct{}

func (migrationLock) SessionLock(ctx context.Context, conn *sql.Conn) error {
	return execAll(ctx, conn, "SET statement_timeout = 0", "SET lock_timeout = 0",
		"SELECT pg_advisory_lock(hashtext('askgate migration'), hashtext(current_schema()))")
}

func (migrationLock) SessionUnlock(ctx context.Context, conn *sql.Conn) error {
	return execAll(ctx, conn, "SELECT pg_advisory_unlock(hashtext('askgate migration'), hashtext(current_schema()))",
		"RESET statement_timeout", "RESET lock_timeout")
}

func execAll(ctx context.Context, conn *sql.Conn, statements ...string) error {
	for _, statement := range statements {
		if _, err := conn.ExecContext(ctx, statement); err != nil {
			return err
		}
	}
	return nil
}
