package main

import (
	"context"
	"fmt"
	"hash/fnv"
	"regexp"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

// The template's person, whose chats all others have, too.
const (
	templateTenant  = "tenant-of-the-template"
	templateSubject = "person-of-the-template"
	templateChats   = 100
	tenantSize      = 1000 // people
)

// person returns the i-th copy of the template's person.
func person(i int) (tenant, subject string) {
	return fmt.Sprintf("tenant-%05d", i/tenantSize), fmt.Sprintf("person-%08d", i)
}

// changing matches what differs from copy to copy: people, and ids, which have a prefix and end with at
// least ten random characters.
var changing = regexp.MustCompile(`\b[a-z]+_[a-z0-9]{8,}[a-z2-7]{10}\b|` + templateTenant + `|` + templateSubject)

// another returns the i-th copy of an id. No two copies of an id are alike.
func another(id string, i int) string {
	const letters, random = "abcdefghijklmnopqrstuvwxyz234567", 10
	own := fnv.New64a()
	_, _ = own.Write([]byte(id))
	mixed := uint64(i)*0x9E3779B97F4A7C15 ^ own.Sum64() // an odd factor: each i has another product
	text := []byte(id)
	for at := len(text) - random; at < len(text); at++ {
		text[at] = letters[mixed%32]
		mixed /= 32
	}
	return string(text)
}

const (
	firstTime = 1_600_000_000_000 // ms since 1970; integers in between are times, or fences, which begin with one
	lastTime  = 2_000_000_000_000
	year      = 365 * 24 * time.Hour
)

// skipped are the tables that do not belong to chats, and those whose rows do not last: news, and what
// waits to be sent.
var skipped = map[string]bool{
	"nodes": true, "commits": true, "goose_db_version": true, "meters": true, "relayed": true,
	"news": true, "deliveries": true, "notices": true,
}

// pattern is a table with the template's rows.
type pattern struct {
	table   string
	columns []string
	rows    [][]cell
}

// cell is a value: one that is alike in all copies, a time, or pieces with things in between.
type cell struct {
	same   any
	time   int64
	pieces []string
	things []int // in the list of things, one after each piece but the last
}

// things are what differs from copy to copy.
type things struct {
	number map[string]int
	list   []string
}

func (t *things) of(s string) int {
	n, ok := t.number[s]
	if !ok {
		n = len(t.list)
		t.number[s], t.list = n, append(t.list, s)
	}
	return n
}

// copied returns the things of the i-th copy.
func (t *things) copied(i int) []string {
	list := make([]string, len(t.list))
	tenant, subject := person(i)
	for n, thing := range t.list {
		switch thing {
		case templateTenant:
			list[n] = tenant
		case templateSubject:
			list[n] = subject
		default:
			list[n] = another(thing, i)
		}
	}
	return list
}

// fill copies the template's rows until there are so many chats.
func fill(ctx context.Context, d *database, chats int) error {
	people := chats/templateChats - 1 // and the template
	all := &things{number: map[string]int{}}
	patterns, err := read(ctx, d.conn, all)
	if err != nil {
		return err
	}
	indexes, err := dropIndexes(ctx, d.conn)
	if err != nil {
		return err
	}
	// Neither foreign keys nor triggers: what triggers count is in the template's rows.
	statements := []string{"SET session_replication_role = replica", "SET synchronous_commit = off", "SET maintenance_work_mem = '1GB'"}
	for _, s := range statements {
		if _, err := d.conn.Exec(ctx, s); err != nil {
			return fmt.Errorf("%s: %w (the server's user must be a superuser)", s, err)
		}
	}
	const batch = 2000 // people; what they differ in is kept for all tables
	for first := 1; first <= people; first += batch {
		copies := make([][]string, min(batch, people+1-first))
		for i := range copies {
			copies[i] = all.copied(first + i)
		}
		for _, p := range patterns {
			if _, err := d.conn.CopyFrom(ctx, pgx.Identifier{p.table}, p.columns, p.source(first, people, copies)); err != nil {
				return fmt.Errorf("COPY %s: %w", p.table, err)
			}
		}
	}
	for _, s := range append(indexes, "VACUUM ANALYZE", "CHECKPOINT") { // as the server does on its own
		if _, err := d.conn.Exec(ctx, s); err != nil {
			return fmt.Errorf("%s: %w", s, err)
		}
	}
	return nil
}

// source returns the rows of copies, the first of which has that number.
func (p *pattern) source(first, people int, copies [][]string) pgx.CopyFromSource {
	copied, row := 0, -1
	values := make([]any, len(p.columns))
	return pgx.CopyFromFunc(func() ([]any, error) {
		if row++; row == len(p.rows) {
			copied, row = copied+1, 0
		}
		if copied == len(copies) {
			return nil, nil
		}
		earlier := year.Milliseconds() * int64(first+copied) / int64(people)
		for i, c := range p.rows[row] {
			switch {
			case c.time != 0:
				values[i] = c.time - earlier
			case c.things != nil:
				values[i] = c.with(copies[copied])
			default:
				values[i] = c.same
			}
		}
		return values, nil
	})
}

func (c *cell) with(things []string) []byte {
	size := 0
	for i, piece := range c.pieces {
		size += len(piece)
		if i < len(c.things) {
			size += len(things[c.things[i]])
		}
	}
	text := make([]byte, 0, size)
	for i, piece := range c.pieces {
		text = append(text, piece...)
		if i < len(c.things) {
			text = append(text, things[c.things[i]]...)
		}
	}
	return text
}

// read reads the rows about the template's chats and person from all tables that have some.
func read(ctx context.Context, conn *pgx.Conn, all *things) (patterns []pattern, err error) {
	rows, err := conn.Query(ctx, `SELECT table_name::text, array_agg(column_name::text ORDER BY ordinal_position)
		FROM information_schema.columns JOIN information_schema.tables USING (table_schema, table_name)
		WHERE table_schema = 'public' AND table_type = 'BASE TABLE' AND is_generated = 'NEVER' AND is_identity = 'NO'
			AND coalesce(column_default, '') NOT LIKE 'nextval%' GROUP BY table_name ORDER BY table_name`)
	if err != nil {
		return nil, err
	}
	tables, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (p pattern, err error) {
		return p, row.Scan(&p.table, &p.columns)
	})
	if err != nil {
		return nil, err
	}
	for _, p := range tables {
		if skipped[p.table] {
			continue
		}
		if err := p.read(ctx, conn, all); err != nil {
			return nil, fmt.Errorf("%s: %w", p.table, err)
		}
		if len(p.rows) > 0 {
			patterns = append(patterns, p)
		}
	}
	return patterns, nil
}

// read reads all rows: the template's are the only ones so far.
func (p *pattern) read(ctx context.Context, conn *pgx.Conn, all *things) error {
	var columns []string
	for _, c := range p.columns {
		columns = append(columns, pgx.Identifier{c}.Sanitize())
	}
	rows, err := conn.Query(ctx, "SELECT "+strings.Join(columns, ", ")+" FROM "+pgx.Identifier{p.table}.Sanitize())
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		values, err := rows.Values()
		if err != nil {
			return err
		}
		cells := make([]cell, len(values))
		for i, v := range values {
			cells[i] = all.cell(v)
		}
		p.rows = append(p.rows, cells)
	}
	return rows.Err()
}

func (t *things) cell(v any) cell {
	switch v := v.(type) {
	case int64:
		if v > firstTime && v < lastTime {
			return cell{time: v}
		}
	case []byte:
		var c cell
		rest := string(v)
		for at := changing.FindStringIndex(rest); at != nil; at = changing.FindStringIndex(rest) {
			c.pieces, c.things = append(c.pieces, rest[:at[0]]), append(c.things, t.of(rest[at[0]:at[1]]))
			rest = rest[at[1]:]
		}
		if c.things != nil {
			c.pieces = append(c.pieces, rest)
			return c
		}
	}
	return cell{same: v}
}

// dropIndexes drops the indexes that no constraint needs, and returns the statements that make them
// again.
func dropIndexes(ctx context.Context, conn *pgx.Conn) (again []string, err error) {
	rows, err := conn.Query(ctx, `SELECT indexname::text, indexdef FROM pg_indexes WHERE schemaname = 'public'
		AND NOT EXISTS (SELECT 1 FROM pg_constraint WHERE conindid = (quote_ident(schemaname) || '.' || quote_ident(indexname))::regclass)`)
	if err != nil {
		return nil, err
	}
	var name, definition string
	var names []string
	_, err = pgx.ForEachRow(rows, []any{&name, &definition}, func() error {
		names, again = append(names, name), append(again, definition)
		return nil
	})
	for _, n := range names {
		if err == nil {
			_, err = conn.Exec(ctx, "DROP INDEX "+pgx.Identifier{n}.Sanitize())
		}
	}
	return again, err
}
