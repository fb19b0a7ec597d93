package storecopy

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/askgate/askgate/gateway/store/sqldb"
)

// side is one of the two stores.
type side struct {
	sqldb.Raw
	flag    string // that names it
	db      *sqldb.DB
	mark    sqldb.Mark
	version int64               // of its tables, 0: there are none
	columns map[string][]column // of each table, by name
}

// column is a column of a table, with its type in the database.
type column struct{ name, kind string }

// open opens one side. A SQLite file that does not exist is made only if create is true.
func open(ctx context.Context, flag, url string, create bool, secrets func() []string) (*side, error) {
	db, err := sqldb.Open(ctx, url, sqldb.Options{Existing: !create, Copying: true, AuditSecrets: secrets})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", flag, err)
	}
	s := &side{Raw: db.Raw(), flag: flag, db: db}
	if err := s.look(ctx); err != nil {
		_ = db.Close() // nothing was written
		return nil, err
	}
	return s, nil
}

// look reads the version of the tables and the mark.
func (s *side) look(ctx context.Context) (err error) {
	s.version, s.mark, err = s.Version(ctx)
	if err != nil {
		return s.errorf("%w", err)
	}
	if s.version != 0 && s.version != s.Newest() {
		return s.errorf("its tables have version %d, and this build copies version %d; update them first: askgate migrate --store URL", s.version, s.Newest())
	}
	return nil
}

func (s *side) errorf(text string, args ...any) error {
	return fmt.Errorf("%s: %s: "+text, append([]any{s.flag, s.Place()}, args...)...)
}

// describe reads the columns of all tables.
func (s *side) describe(ctx context.Context) error {
	s.columns = map[string][]column{}
	for _, t := range tables {
		text := `SELECT name, type FROM pragma_table_info('` + t.name + `')`
		if s.Postgres() {
			text = `SELECT column_name::text, data_type::text FROM information_schema.columns WHERE table_schema = current_schema() AND table_name = '` + t.name + `'`
		}
		list, err := s.Read(ctx, 2, text)
		if err != nil {
			return s.errorf("%w", err)
		}
		if len(list) == 0 {
			return s.errorf("the table %s is missing; restore a backup", t.name)
		}
		var columns []column
		for _, row := range list {
			columns = append(columns, column{asText(row[0]), strings.ToLower(asText(row[1]))})
		}
		slices.SortFunc(columns, func(a, b column) int { return strings.Compare(a.name, b.name) })
		s.columns[t.name] = columns
	}
	return nil
}

// row has the values of a row in the order of the columns' names: int64, string (texts and bytes)
// or nil.
type row []any

// size is about how many bytes a row has.
func (r row) size() (n int64) {
	for _, value := range r {
		if text, ok := value.(string); ok {
			n += int64(len(text))
		}
		n += 8
	}
	return n
}

// key returns the values of a table's key.
func (s *side) key(t table, r row) []any {
	key := make([]any, len(t.key))
	for i, name := range t.key {
		key[i] = r[slices.IndexFunc(s.columns[t.name], func(c column) bool { return c.name == name })]
	}
	return key
}

// ordered returns a table's key as terms of ORDER BY.
func (s *side) ordered(t table, suffix string) string {
	var terms []string
	for _, name := range t.key {
		terms = append(terms, s.byBytes(t, name)+suffix)
	}
	return strings.Join(terms, ", ")
}

// byBytes returns a column as it is compared: PostgreSQL's own texts otherwise sort by a language.
func (s *side) byBytes(t table, name string) string {
	if i := slices.IndexFunc(s.columns[t.name], func(c column) bool { return c.name == name }); s.columns[t.name][i].kind == "text" && s.Postgres() {
		return quote(name) + ` COLLATE "C"`
	}
	return quote(name)
}

// page returns up to limit rows of a table after a key, or from the first if that is nil.
func (s *side) page(ctx context.Context, t table, after []any, limit int) ([]row, error) {
	columns := s.columns[t.name]
	var names []string
	for _, c := range columns {
		names = append(names, quote(c.name))
	}
	text := `SELECT ` + strings.Join(names, ", ") + ` FROM ` + from(t)
	if after != nil {
		text += ` WHERE (` + s.ordered(t, "") + `) > (` + places(len(after)) + `)`
	}
	list, err := s.Read(ctx, len(columns), text+` ORDER BY `+s.ordered(t, "")+` LIMIT ?`, append(slices.Clone(after), limit)...)
	if err != nil {
		return nil, s.errorf("%w", err)
	}
	rows := make([]row, len(list))
	for i, values := range list {
		if rows[i], err = plain(values); err != nil {
			return nil, s.errorf("the table %s: %w", t.name, err)
		}
	}
	return rows, nil
}

// lastKey returns the statement for a table's greatest key.
func (s *side) lastKey(t table) string {
	var names []string
	for _, name := range t.key {
		names = append(names, quote(name))
	}
	return `SELECT ` + strings.Join(names, ", ") + ` FROM ` + from(t) + ` ORDER BY ` + s.ordered(t, " DESC") + ` LIMIT 1`
}

// empty reports whether there is no row of a gateway.
func (s *side) empty(ctx context.Context) (bool, error) {
	if s.version == 0 {
		return true, nil
	}
	for _, t := range tables {
		list, err := s.Read(ctx, 1, `SELECT 1 FROM `+t.name+` LIMIT 1`)
		if err != nil {
			return false, s.errorf("%w", err)
		}
		if len(list) > 0 {
			return false, nil
		}
	}
	return true, nil
}

// idle fails while a node has a lease.
func (s *side) idle(t sqldb.RawTx) error {
	node, left, err := t.Alive()
	if err != nil {
		return err
	}
	if node != "" {
		return s.errorf("a gateway is running on it: node %s holds a lease for another %v. Stop every gateway on it; after a crash, run this again when the lease has ended", node, left.Round(100*time.Millisecond))
	}
	return nil
}

func quote(name string) string { return `"` + name + `"` }

func places(n int) string { return strings.TrimSuffix(strings.Repeat("?, ", n), ", ") }

func from(t table) string {
	if query := summed[t.name]; query != "" {
		return query
	}
	return t.name
}

// plain turns the values of either driver into those of a row.
func plain(values []any) (row, error) {
	for i, value := range values {
		switch v := value.(type) {
		case nil, int64, string:
		case []byte:
			values[i] = string(v)
		case bool:
			values[i] = int64(0)
			if v {
				values[i] = int64(1)
			}
		default:
			return nil, fmt.Errorf("a value has the unknown type %T", value)
		}
	}
	return values, nil
}

func asText(value any) string {
	if bytes, ok := value.([]byte); ok {
		return string(bytes)
	}
	text, _ := value.(string)
	return text
}

// native turns a value into that of a column's type.
func native(kind string, value any) any {
	switch v := value.(type) {
	case int64:
		if kind == "boolean" {
			return v != 0
		}
	case string:
		if kind == "blob" {
			return []byte(v)
		}
	}
	return value
}
