package index

import (
	"encoding/json"
	"strings"
	"sync"

	"github.com/askgate/askgate/tooltypes/documents/passages"
)

// Bounds of the scopes that an index remembers.
const (
	maxScopes     = 16
	maxScopeBytes = 32 << 20
)

// scopes remembers which passages fit the newest filters and days, because most searches have the same
// ones. It is safe for concurrent use.
type scopes struct {
	mu   sync.Mutex
	list []scope // the most recently used first
}

// scope says which passages fit: those whose byte, at their id minus one, is 1. A byte each keeps the test
// of a match cheap: a search may make tens of thousands of them.
type scope struct {
	key     string
	changes int64 // state of the index
	fits    []byte
}

func (c *scopes) get(key string, changes int64) ([]byte, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i, s := range c.list {
		if s.key == key && s.changes == changes {
			copy(c.list[1:i+1], c.list[:i])
			c.list[0] = s
			return s.fits, true
		}
	}
	return nil, false
}

func (c *scopes) put(s scope) {
	c.mu.Lock()
	defer c.mu.Unlock()
	kept, size := []scope{s}, len(s.fits)
	for _, old := range c.list {
		size += len(old.fits)
		if old.key != s.key && old.changes >= s.changes && len(kept) < maxScopes && size <= maxScopeBytes {
			kept = append(kept, old)
		}
	}
	c.list = kept
}

// narrow sets the scope of a search.
func (s *search) narrow(q Query, known *scopes) error {
	if len(q.Filter) == 0 && q.AsOf == "" {
		return nil
	}
	key, err := json.Marshal([]any{q.Filter, q.AsOf})
	if err != nil {
		return err
	}
	var changes int64
	if err := s.tx.QueryRowContext(s.ctx, `SELECT changes FROM state`).Scan(&changes); err != nil {
		return err
	}
	fits, ok := known.get(string(key), changes)
	if !ok {
		if fits, err = s.fitting(q); err != nil {
			return err
		}
		known.put(scope{string(key), changes, fits})
	}
	s.scope, s.bound = ` AND substr(?, find.rowid, 1) = x'01'`, []any{fits}
	return nil
}

// fitting returns which passages fit.
func (s *search) fitting(q Query) ([]byte, error) {
	var where []string
	var args []any
	if q.AsOf != "" {
		where = append(where, `d.begins <= ? AND d.ends >= ?`)
		args = append(args, q.AsOf, q.AsOf)
	}
	for _, c := range q.Filter {
		test, values := c.test()
		where = append(where, `d.id IN (SELECT v.document FROM facts v WHERE v.field = ? AND `+test+`)`)
		args = append(append(args, c.Field), values...)
	}
	rows, err := s.tx.QueryContext(s.ctx, `SELECT d.id, d.last FROM documents d WHERE `+strings.Join(where, " AND "), args...) //nolint:gosec // constant texts: values are arguments
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	fits := []byte{}
	var id, last int64
	for rows.Next() {
		if err := rows.Scan(&id, &last); err != nil {
			return nil, err
		}
		if int64(len(fits)) < last {
			fits = append(fits, make([]byte, last-int64(len(fits)))...)
		}
		for i := id; i <= last; i++ {
			fits[i-1] = 1
		}
	}
	return fits, rows.Err()
}

// test returns a condition for v.value, with its arguments.
func (c Condition) test() (test string, args []any) {
	var tests []string
	if c.After != nil {
		tests = append(tests, `v.value > ?`)
		args = append(args, c.value(*c.After))
	}
	if c.Before != nil {
		tests = append(tests, `v.value < ?`)
		args = append(args, c.value(*c.Before))
	}
	if len(c.One) > 0 || len(tests) == 0 {
		for _, v := range c.One {
			args = append(args, c.value(v))
		}
		tests = append(tests, `v.value IN (`+strings.TrimSuffix(strings.Repeat(`?, `, len(c.One)), `, `)+`)`)
	}
	return strings.Join(tests, ` AND `), args
}

// value returns a value of a condition as it is compared.
func (c Condition) value(v passages.Value) any {
	if c.Kind == passages.Number {
		return v.Number
	}
	return compared(c.Kind, v.Texts[0])
}
