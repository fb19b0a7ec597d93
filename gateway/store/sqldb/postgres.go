package sqldb

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"runtime"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgconn/ctxwatch"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"
)

// These time limits hold unless the URL sets others.
const (
	// connectWait is how long making a connection may take.
	connectWait = 5 * time.Second
	// answerWait is how long a whole write or read may take, including the wait for a
	// connection. Normally it takes milliseconds.
	answerWait = 15 * time.Second
	// cancelWait is how long the server may take to cancel a statement.
	cancelWait = time.Second
)

// serverBounds make the server end transactions of a node that is paused or cut off, since others
// wait for their locks.
var serverBounds = map[string]string{
	"application_name":                    "askgate",
	"lock_timeout":                        "10s",
	"statement_timeout":                   "15s",
	"idle_in_transaction_session_timeout": "3s",
}

// parsePostgres reads a URL that pgx understands. place names the database for people; neither
// it nor an error contains the password.
func parsePostgres(rawURL string) (config *pgxpool.Config, place string, err error) {
	u, err := url.Parse(rawURL)
	if err != nil {
		return nil, "", errors.New("the store's URL is malformed; write postgres://USER:PASSWORD@HOST/DATABASE, " +
			"with special characters of the password percent-encoded")
	}
	config, err = pgxpool.ParseConfig(rawURL)
	if err != nil {
		cause := errors.Unwrap(err)
		if cause == nil {
			cause = errors.New("it is not understood")
		}
		return nil, "", fmt.Errorf("the store's URL for %s is wrong: %w", u.Redacted(), cause)
	}
	if !u.Query().Has("pool_max_conns") {
		config.MaxConns = int32(min(max(8, 4*runtime.GOMAXPROCS(0)), 32))
	}
	c := config.ConnConfig
	if !u.Query().Has("connect_timeout") {
		c.ConnectTimeout = connectWait
	}
	for name, value := range serverBounds {
		if _, set := c.RuntimeParams[name]; !set {
			c.RuntimeParams[name] = value
		}
	}
	switch c.DefaultQueryExecMode {
	case pgx.QueryExecModeExec, pgx.QueryExecModeSimpleProtocol:
		return nil, "", errors.New("default_query_exec_mode of the store's URL must be one that knows the types: " +
			"leave it out, or write cache_describe for a pooler that cannot keep prepared statements")
	}
	config.PingTimeout = c.ConnectTimeout
	c.BuildContextWatcherHandler = func(conn *pgconn.PgConn) ctxwatch.Handler {
		return &pgconn.CancelRequestContextWatcherHandler{Conn: conn, DeadlineDelay: cancelWait}
	}
	config.AfterConnect = func(_ context.Context, conn *pgx.Conn) error {
		conn.TypeMap().RegisterType(&pgtype.Type{Name: "bytea", OID: pgtype.ByteaOID, Codec: byteText{}})
		return nil
	}
	return config, fmt.Sprintf("%s:%d/%s", c.Host, c.Port, c.Database), nil
}

// byteText scans bytea into strings.
type byteText struct{ pgtype.TextCodec }

func (byteText) PreferredFormat() int16 { return pgtype.BinaryFormatCode }

var (
	errNoSchema = errors.New("search_path names no schema that exists")
	errReadOnly = errors.New("transactions are read-only")
)

// errSlow reports that answerWait has passed.
var errSlow = fmt.Errorf("no answer within %v", answerWait)

// postgresFaults maps SQLSTATEs, or their first characters, to faults.
var postgresFaults = map[string]fault{
	"22": {faultRefused, ""}, // data
	"23": {faultRefused, ""}, // constraints
	"54": {faultRefused, ""}, // too large

	"40001": {faultBusy, "other writers are in the way; try again"},
	"40P01": {faultBusy, "other writers are in the way; try again"},
	"55P03": {faultBusy, "another transaction holds a lock; look for it in pg_stat_activity"},
	"57014": {faultBusy, "a statement took too long; look for what slows the server down in pg_stat_activity"},
	"25P03": {faultBusy, "a transaction of the gateway stood still for too long; the machine may be overloaded"},

	"25006": {faultOther, "it is read-only; name the primary server in the URL, not a standby"},
	"28":    {faultOther, "the user or the password is refused; correct them in the URL, or allow them in pg_hba.conf"},
	"3D000": {faultOther, "there is no such database; create it, or name another one in the URL"},
	"3F000": {faultOther, "there is no such schema; create it, or correct search_path in the URL"},
	"42501": {faultOther, "the user lacks a right; let it create and use tables in its schema"},
	"42P01": {faultOther, "a table is missing; restart the gateway, or run askgate migrate"},
	"42703": {faultOther, "a column is missing: the tables were changed; restore a backup"},
	"55000": {faultOther, hintClosed},
	"53100": {faultOther, "the server's disk is full; free some space"},
	"53300": {faultOther, "the server has no connection left; raise max_connections, or lower pool_max_conns in the URL"},
	"53":    {faultOther, "the server is short of memory or disk; look at its log"},
	"57P":   {faultOther, "the server is starting or shutting down; wait for it"},
	"58":    {faultOther, "the server's disk cannot be read or written; look at its log"},
	"XX":    {faultOther, "the server found its data damaged; look at its log, and restore a backup"},
}

const hintReach = "it cannot be reached; see that the server runs, and that the URL names its host and port"
