package main

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"time"

	"github.com/jackc/pgx/v5"
)

const (
	postgresVariable = "ASKGATE_TEST_POSTGRES"
	redisVariable    = "ASKGATE_TEST_REDIS"
)

// schema creates an empty schema in PostgreSQL. It returns the URL of a store in it, and a function that
// removes it.
func schema(ctx context.Context) (address string, remove func(), err error) {
	base := os.Getenv(postgresVariable)
	name := fmt.Sprintf("streambench_%d", time.Now().UnixNano())
	if err := execute(ctx, base, "CREATE SCHEMA "+name); err != nil {
		return "", nil, err
	}
	u, err := url.Parse(base)
	if err != nil {
		return "", nil, err
	}
	q := u.Query()
	q.Set("search_path", name)
	u.RawQuery = q.Encode()
	return u.String(), func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 30*time.Second)
		defer cancel()
		_ = execute(ctx, base, "DROP SCHEMA "+name+" CASCADE") // at worst it stays
	}, nil
}

func execute(ctx context.Context, base, statement string) error {
	conn, err := pgx.Connect(ctx, base)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	_, err = conn.Exec(ctx, statement)
	return err
}
