package main

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/askgate/askgate/gateway/chat"
)

// The kinds of stores.
const (
	sqlite   = "sqlite"
	postgres = "postgres"
)

// databases creates empty stores of one kind, each of which disappears when it is closed.
type databases struct {
	kind string
	dir  string // for files
	base string // URL of the PostgreSQL database in which schemas are created
	few  bool   // each node takes few connections: there are many nodes
}

// newDatabases prepares for stores of that kind.
func newDatabases(kind, dir string) (databases, error) {
	d := databases{kind: kind, dir: dir, base: os.Getenv(postgresVariable)}
	switch {
	case kind != sqlite && kind != postgres:
		return d, fmt.Errorf("no store %q: use %s or %s", kind, sqlite, postgres)
	case kind == postgres && d.base == "":
		return d, fmt.Errorf("%s is not set: it says where PostgreSQL is, e.g. postgres://postgres@127.0.0.1:5432/test", postgresVariable)
	}
	return d, nil
}

// fresh creates an empty store and returns its URL and a function that removes it.
func (d databases) fresh(ctx context.Context) (address string, remove func(), err error) {
	name := "chaos_" + strings.TrimPrefix(chat.NewID("s"), "s_")[:16]
	if d.kind == sqlite {
		dir := filepath.Join(d.dir, name)
		if err := os.Mkdir(dir, 0o750); err != nil {
			return "", nil, err
		}
		return "sqlite:" + filepath.Join(dir, "askgate.db"), func() { _ = os.RemoveAll(dir) }, nil
	}
	if err := d.execute(ctx, "CREATE SCHEMA "+name); err != nil {
		return "", nil, err
	}
	u, err := url.Parse(d.base)
	if err != nil {
		return "", nil, err
	}
	q := u.Query()
	q.Set("search_path", name)
	if d.few {
		q.Set("pool_max_conns", "3")
	}
	u.RawQuery = q.Encode()
	return u.String(), func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 30*time.Second)
		defer cancel()
		_ = d.execute(ctx, "DROP SCHEMA "+name+" CASCADE") // at worst it stays
	}, nil
}

func (d databases) execute(ctx context.Context, statement string) error {
	conn, err := pgx.Connect(ctx, d.base)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	_, err = conn.Exec(ctx, statement)
	return err
}
