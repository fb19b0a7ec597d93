package sqldb

import (
	"context"
	"database/sql"
	"errors"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
)

// postgres is a database on a server, which many nodes share.
type postgres struct {
	pool   *pgxpool.Pool
	texts  sync.Map // statements in PostgreSQL's dialect, keyed by those of queries.go
	closed atomic.Bool

	outcomeWait time.Duration
}

func openPostgres(ctx context.Context, rawURL string) (p *postgres, place string, err error) {
	config, place, err := parsePostgres(rawURL)
	if err != nil {
		return nil, "", err
	}
	pool, err := pgxpool.NewWithConfig(ctx, config) // connects on first use
	if err != nil {
		return nil, place, err
	}
	return &postgres{pool: pool, outcomeWait: outcomeWait}, place, nil
}

// close waits for running calls.
func (p *postgres) close() error {
	p.closed.Store(true)
	p.pool.Close()
	return nil
}

// soon has nothing to do: the server's WAL writer syncs lazy commits.
func (p *postgres) soon() {}

// tries is how often fn may run. Conflicts may repeat, as when many create a chat that is deleted
// again and again.
const tries = 10

// write runs fn again after a conflict, and once more if its connection turned out to be dead or
// its commit not to have been made. It does not repeat what may have been committed.
func (p *postgres) write(ctx context.Context, lazy bool, fn func(s session) error) error {
	lost := false
	for try := 1; ; try++ {
		s, err := p.with(ctx, func(s *postgresSession) error { return s.transaction(lazy, fn) })
		if s.unknown() {
			made, unknown := p.outcome(s)
			switch {
			case unknown != nil:
				return unknown
			case made:
				return nil
			case lost || ctx.Err() != nil:
				return errNotMade
			}
			lost = true
			continue
		}
		switch {
		case err == nil || try == tries || ctx.Err() != nil:
			return err
		case s.conflict():
		case s.lost() && !lost:
			lost = true
			p.pool.Reset() // the other connections are probably dead, too
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

// reading runs fn, and once more if its connection turned out to be dead.
func (p *postgres) reading(ctx context.Context, fn func(s *postgresSession) error) error {
	for lost := false; ; lost = true {
		s, err := p.with(ctx, fn)
		if err == nil || lost || !s.lost() || ctx.Err() != nil {
			return err
		}
		p.pool.Reset()
	}
}

// with runs fn with a connection, and returns the session for its outcome.
func (p *postgres) with(ctx context.Context, fn func(s *postgresSession) error) (*postgresSession, error) {
	s := &postgresSession{user: ctx, text: p.text, mark: rand.Int64()}
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

// postgresCalls are the placeholders of queries.go. Transactions do not commit in the order in
// which they write, so news are numbered by their transaction, and read only up to the oldest one
// that has not ended.
var postgresCalls = strings.NewReplacer(
	lockCall, "FOR UPDATE",
	ownerCall, "",
	newsCall, "(pg_current_xact_id()::text::bigint << 12)", // maxNews of each
	aheadCall, "(pg_snapshot_xmax(pg_current_snapshot())::text::bigint << 12)",
	settledCall, "(pg_snapshot_xmin(pg_current_snapshot())::text::bigint << 12)",
	tablesCall, "(SELECT tablename AS name FROM pg_tables WHERE schemaname = current_schema()) AS tables",
	"among(", "= ANY(", // its parameter has a number by now
)

// text returns a statement in PostgreSQL's dialect.
func (p *postgres) text(text string) string {
	if known, ok := p.texts.Load(text); ok {
		return known.(string)
	}
	own := postgresCalls.Replace(numbered(text, postgresClock, "$", 1))
	p.texts.Store(text, own)
	return own
}

func (p *postgres) remote() bool { return true }

func (p *postgres) clock(args []any) []any { return args }

func (p *postgres) erased(context.Context) {} // left to vacuum

func (p *postgres) lost() error { return nil }

// migrate lets one of several nodes that start at once migrate the schema, while the others wait,
// however long that takes. goose's own lock does not help: goose takes it only after it has
// created its version table.
func (p *postgres) migrate(ctx context.Context, s *schema) (made bool, err error) {
	config := p.pool.Config().ConnConfig
	for _, bound := range []string{"statement_timeout", "lock_timeout", "idle_in_transaction_session_timeout"} {
		config.RuntimeParams[bound] = "0"
	}
	db := stdlib.OpenDB(*config)
	defer func() { err = errors.Join(err, db.Close()) }()
	made, err = migrateLocked(ctx, db, s)
	if err != nil && ctx.Err() == nil {
		err = notTheCallers(err)
	}
	return made, err
}

func migrateLocked(ctx context.Context, db *sql.DB, s *schema) (made bool, err error) {
	lock, err := db.Conn(ctx)
	if err != nil {
		return false, err
	}
	defer lock.Close()
	var schema sql.NullString
	var readOnly bool
	err = lock.QueryRowContext(ctx, "SELECT current_schema(), current_setting('transaction_read_only')::boolean").Scan(&schema, &readOnly)
	switch { // otherwise goose would fail later and less clearly
	case err != nil:
		return false, err
	case !schema.Valid:
		return false, errNoSchema
	case readOnly:
		return false, errReadOnly
	}
	const key = "(hashtext('askgate migration'), hashtext(current_schema()))"
	if _, err := lock.ExecContext(ctx, "SELECT pg_advisory_lock"+key); err != nil {
		return false, err
	}
	defer func() { _, _ = lock.ExecContext(ctx, "SELECT pg_advisory_unlock"+key) }() // otherwise released when the connection closes
	return migrateUp(ctx, goose.DialectPostgres, "postgres", db, s)
}

func (p *postgres) fault(err error) fault {
	if e, ok := errors.AsType[*pgconn.PgError](err); ok {
		for _, n := range []int{5, 3, 2} {
			if f, ok := postgresFaults[e.Code[:min(n, len(e.Code))]]; ok {
				return f
			}
		}
		return fault{}
	}
	switch {
	case errors.Is(err, errClosed), errors.Is(err, errUnknown), errors.Is(err, errNotMade):
		return fault{}
	case errors.Is(err, errNoSchema):
		return postgresFaults["3F000"]
	case errors.Is(err, errReadOnly):
		return postgresFaults["25006"]
	case errors.Is(err, errSlow):
		return fault{faultOther, "see whether the server or the network is overloaded, or whether pool_max_conns in the URL is too low"}
	}
	return fault{faultOther, hintReach}
}
