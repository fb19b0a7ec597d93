package sqldb

import (
	"context"
	"database/sql"
	"reflect"
	"time"
)

// Pragma runs a statement on the writer's connection.
func (d *DB) Pragma(ctx context.Context, statement string) error {
	return d.writer.use(ctx, func(s *session) error {
		_, err := s.one(ctx, func(scanner) error { return nil }, statement)
		return err
	})
}

// Plans is what the database says about how it carries out each statement.
func (d *DB) Plans(ctx context.Context) (map[string][]string, error) {
	plans := make(map[string][]string)
	v := reflect.ValueOf(q)
	for i := range v.NumField() {
		name := v.Type().Field(i).Name
		err := d.read(ctx, func(s *session) error {
			return s.each(ctx, func(scan scanner) error {
				var id, parent, unused int
				var detail string
				err := scan(&id, &parent, &unused, &detail)
				plans[name] = append(plans[name], detail)
				return err
			}, "EXPLAIN QUERY PLAN "+v.Field(i).String(), make([]any, countArgs(numbered(v.Field(i).String())))...)
		})
		if err != nil {
			return nil, err
		}
	}
	return plans, nil
}

func countArgs(query string) (n int) {
	for _, r := range query {
		if r == '?' {
			n++
		}
	}
	return n
}

// SetLockWait shortens the wait for other processes.
func (d *DB) SetLockWait(wait time.Duration) { d.lockWait = wait }

// MigrateTo makes the tables of a version.
func MigrateTo(ctx context.Context, url string, version int64) error {
	file, err := parseSQLite(url)
	if err != nil {
		return err
	}
	pool, err := sql.Open("sqlite", file.dsn())
	if err != nil {
		return err
	}
	defer pool.Close()
	provider, err := sqliteDialect.provider(pool)
	if err == nil {
		_, err = provider.UpTo(ctx, version)
	}
	return err
}
