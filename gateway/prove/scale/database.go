package main

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/askgate/askgate/gateway/chat"
)

// database is this command's own.
type database struct {
	url   string
	name  string
	admin string // the URL of the database next to which it was created
	conn  *pgx.Conn
}

// settle bounds what is done after the measurements, also when they were interrupted.
const settle = time.Minute

func newDatabase(ctx context.Context, admin string) (*database, error) {
	u, err := url.Parse(admin)
	if err != nil {
		return nil, err
	}
	d := &database{admin: admin, name: "scale_" + strings.TrimPrefix(chat.NewID("d"), "d_")[:12]}
	u.Path = "/" + d.name
	d.url = u.String()
	if err := d.execute(ctx, "CREATE DATABASE "+d.name); err != nil {
		return nil, err
	}
	if d.conn, err = pgx.Connect(ctx, d.url); err != nil {
		d.drop()
		return nil, err
	}
	return d, nil
}

// drop removes the database.
func (d *database) drop() {
	ctx, cancel := context.WithTimeout(context.Background(), settle)
	defer cancel()
	if d.conn != nil {
		_ = d.conn.Close(ctx)
	}
	if err := d.execute(ctx, "DROP DATABASE "+d.name+" WITH (FORCE)"); err != nil {
		fmt.Println("drop it yourself:", err)
	}
}

// execute runs a statement from outside of the database.
func (d *database) execute(ctx context.Context, statement string) error {
	conn, err := pgx.Connect(ctx, d.admin)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	if _, err := conn.Exec(ctx, statement); err != nil {
		return fmt.Errorf("%s: %w", statement, err)
	}
	return nil
}

// number reads one number.
func (d *database) number(ctx context.Context, query string, args ...any) (n float64, err error) {
	if err := d.conn.QueryRow(ctx, query, args...).Scan(&n); err != nil {
		return 0, fmt.Errorf("%s: %w", query, err)
	}
	return n, nil
}

// transactions returns how many the nodes have made: all of the database's but this connection's.
func (d *database) transactions(ctx context.Context) (float64, error) {
	return d.number(ctx, "SELECT xact_commit + xact_rollback FROM pg_stat_database WHERE datname = current_database()")
}

// cpu returns the processor time that the nodes' connections have taken on the server, which runs on
// this machine.
func (d *database) cpu(ctx context.Context) (time.Duration, error) {
	rows, err := d.conn.Query(ctx, "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()")
	if err != nil {
		return 0, err
	}
	pids, err := pgx.CollectRows(rows, pgx.RowTo[int])
	var sum time.Duration
	for _, pid := range pids {
		sum += processor(pid)
	}
	return sum, err
}

// measure notes what a chat and a question take.
func (d *database) measure(ctx context.Context, chats int, got results) error {
	bytes, err := d.number(ctx, "SELECT pg_database_size(current_database())")
	if err != nil {
		return err
	}
	questions, err := d.number(ctx, "SELECT count(*) FROM clarifications")
	if err != nil {
		return err
	}
	asked, err := d.number(ctx, "SELECT pg_total_relation_size('clarifications')")
	got[bytesPerChat] = bytes / float64(chats)
	got[bytesPerQuestion] = asked / questions
	return err
}
