package storecopy

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"

	"github.com/askgate/askgate/gateway/files"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/gateway/store/sqldb"
)

// Options say what is copied.
type Options struct {
	From, To string // URLs of stores, as sqldb.Open takes them
	// AuditSecrets are those that check the HMACs of the audit. Optional.
	AuditSecrets []string
	// FilesFrom and FilesTo have the bytes of uploaded files. If FilesTo is nil, none are copied.
	FilesFrom, FilesTo files.Store
	// Progress is told of each table that is complete. Optional.
	Progress func(text string)

	rows  int               // of a batch; 0: maxRows
	reach func(step string) // for tests: called before and after everything that changes a store
}

// Report is what a copy has.
type Report struct {
	From, To string // names of the stores, without passwords
	Rows     map[string]int64
	Files    int64 // that were copied, or were there already
	Uploads  int64 // files of the store, copied or not
	Audit    store.AuditVerdict
}

// copying is a copy at work.
type copying struct {
	Options
	from, to *side
}

// Copy copies a store, or finishes a copy that was interrupted. Nothing is lost if it ends early:
// run it again with the same stores.
func Copy(ctx context.Context, o Options) (*Report, error) {
	c := &copying{Options: o}
	defer c.close()
	if err := c.begin(ctx); err != nil {
		return nil, err
	}
	report := &Report{From: c.from.Place(), To: c.to.Place()}
	if c.from.mark.Role() == sqldb.MarkSource {
		for _, step := range []func(context.Context, *Report) error{c.rowsOf, c.counters, c.uploads, c.verify} {
			if err := step(ctx, report); err != nil {
				return nil, err
			}
		}
	}
	return report, c.finish(ctx)
}

func (c *copying) close() {
	for _, s := range []*side{c.from, c.to} {
		if s != nil {
			_ = s.db.Close() // what was written is committed
		}
	}
}

// reached is a place where the process may end.
func (c *copying) reached(step string) {
	if c.reach != nil {
		c.reach(step)
	}
	crash(step)
}

func (c *copying) tell(text string, args ...any) {
	if c.Progress != nil {
		c.Progress(fmt.Sprintf(text, args...))
	}
}

// begin opens both stores and marks them, unless they have the marks of this copy already.
func (c *copying) begin(ctx context.Context) (err error) {
	if c.From == c.To {
		return errors.New("--from and --to name the same store; name an empty one with --to")
	}
	secrets := func() []string { return c.AuditSecrets }
	if c.from, err = open(ctx, "--from", c.From, false, secrets); err != nil {
		return err
	}
	if c.from.version == 0 {
		return c.from.errorf("it has no tables, so there is nothing to copy; name the store that the gateway used")
	}
	switch c.from.mark.Role() {
	case sqldb.MarkTarget, sqldb.MarkAbandoned:
		return c.from.errorf("it is itself an unfinished copy; name the store that it was copied from")
	}
	if c.to, err = open(ctx, "--to", c.To, true, secrets); err != nil {
		return err
	}
	c.reached("opened")
	if c.from.mark != 0 {
		err = c.again()
	} else {
		err = c.first(ctx)
	}
	if err != nil {
		return err
	}
	if err := c.from.describe(ctx); err != nil {
		return err
	}
	return c.to.describe(ctx)
}

// again checks that the stores have the marks of one copy.
func (c *copying) again() error {
	switch source, target := c.from.mark, c.to.mark; {
	case target == source.As(sqldb.MarkTarget):
		return nil
	case target == source.As(sqldb.MarkAbandoned):
		return c.to.errorf("the copy to it is being abandoned; run the same askgate copy with --abandon to open %s again", c.from.Place())
	case source.Role() == sqldb.MarkCopied:
		return c.from.errorf("it was copied already, and its copy is finished: start the gateway on the copy")
	}
	return c.from.errorf("it is being copied to another store than %s; name that one with --to, or open this one again by --abandon", c.to.Place())
}

// first marks two stores that are not in a copy.
func (c *copying) first(ctx context.Context) error {
	switch c.to.mark.Role() {
	case sqldb.MarkSource, sqldb.MarkCopied:
		return c.to.errorf("it was itself copied to another store; name an empty store")
	case sqldb.MarkAbandoned:
		return c.to.errorf("the copy to it was abandoned; delete the file or drop the tables, or name another store")
	}
	switch empty, err := c.to.empty(ctx); {
	case err != nil:
		return err
	case !empty && c.to.mark != 0:
		return c.to.errorf("it has a part of another copy; delete the file or drop the tables, or name another store")
	case !empty:
		return c.to.errorf("it has rows already; name an empty store, or one without tables")
	}
	for _, s := range []*side{c.from, c.to} { // remark looks again; here, nothing is changed yet
		if s.version == 0 {
			continue
		}
		if err := s.Write(ctx, s.idle); err != nil {
			return err
		}
	}
	if c.to.version == 0 {
		if _, err := sqldb.Migrate(ctx, c.To); err != nil {
			return fmt.Errorf("--to: %w", err)
		}
	}
	c.reached("tables")
	mark := sqldb.NewMark(sqldb.MarkTarget, number())
	if err := c.to.remark(ctx, c.to.mark, mark, true); err != nil {
		return err
	}
	c.reached("target marked")
	if err := c.from.look(ctx); err != nil {
		return err
	}
	if c.from.mark == mark {
		return errors.Join(errors.New("--from and --to name the same store; name an empty one with --to"), c.to.remark(ctx, mark, 0, false))
	}
	if err := c.from.remark(ctx, c.from.mark, mark.As(sqldb.MarkSource), true); err != nil {
		return errors.Join(err, c.to.remark(context.WithoutCancel(ctx), mark, 0, false)) // nothing was copied
	}
	c.reached("source marked")
	return nil
}

// number returns the number of a new copy.
func number() int64 {
	var bytes [8]byte
	_, _ = rand.Read(bytes[:]) // never fails
	return int64(binary.BigEndian.Uint64(bytes[:]))
}

// remark replaces the mark of a store, and with shut changes nothing while a node has a lease.
func (s *side) remark(ctx context.Context, from, to sqldb.Mark, shut bool) error {
	err := s.Write(ctx, func(t sqldb.RawTx) error {
		if from == 0 || to == 0 { // otherwise it is closed, and stays so
			s.unshut(t)
			if to != 0 {
				s.shut(t)
			}
		}
		if err := t.Remark(from, to); err != nil {
			return err
		}
		if shut {
			return s.idle(t) // behind the locks of the triggers, so that no heartbeat is on its way
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("%s: %w", s.flag, err)
	}
	s.mark = to
	return nil
}

// finish opens the target.
func (c *copying) finish(ctx context.Context) error {
	if c.from.mark.Role() == sqldb.MarkSource {
		if err := c.from.remark(ctx, c.from.mark, c.from.mark.As(sqldb.MarkCopied), false); err != nil {
			return err
		}
		c.reached("source copied")
	}
	if err := c.to.remark(ctx, c.to.mark, 0, false); err != nil {
		return err
	}
	c.reached("target open")
	return nil
}

// Abandon opens the source of an unfinished copy again and makes the target useless. It returns the
// names of the two stores.
func Abandon(ctx context.Context, o Options) (from, to string, err error) {
	c := &copying{Options: o}
	defer c.close()
	if c.from, err = open(ctx, "--from", o.From, false, nil); err != nil {
		return "", "", err
	}
	switch c.from.mark.Role() {
	case sqldb.MarkSource, sqldb.MarkCopied:
	default:
		return "", "", c.from.errorf("it is not being copied, so there is nothing to abandon")
	}
	if c.to, err = open(ctx, "--to", o.To, true, nil); err != nil {
		return "", "", err
	}
	source := c.from.mark
	switch c.to.mark {
	case source.As(sqldb.MarkTarget):
		if err := c.to.remark(ctx, c.to.mark, source.As(sqldb.MarkAbandoned), false); err != nil {
			return "", "", err
		}
		c.reached("target abandoned")
	case source.As(sqldb.MarkAbandoned):
	case 0:
		empty, err := c.to.empty(ctx)
		switch {
		case err != nil:
			return "", "", err
		case source.Role() == sqldb.MarkCopied:
			return "", "", c.from.errorf("its copy is finished, and questions may have been answered there, so this store stays closed; to return to it, copy the copy to a new store")
		case !empty:
			return "", "", c.to.errorf("it is not the store that %s is being copied to; name that one with --to", c.from.Place())
		}
		// It was emptied. No gateway has started on what it was: the source is not marked as copied.
	default:
		return "", "", c.to.errorf("it is not the store that %s is being copied to; name that one with --to", c.from.Place())
	}
	if err := c.from.remark(ctx, source, 0, false); err != nil {
		return "", "", err
	}
	c.reached("source open")
	return c.from.Place(), c.to.Place(), nil
}

// These bound a batch, and what is read at once: rows, and bytes after which no further row is
// taken.
const (
	maxRows   = 1000
	firstRows = 16
	maxBytes  = 4 << 20
)

// each calls fn with the rows of a table after a key, page by page. Pages become larger while their
// rows are small: some tables have rows of many megabytes.
func (c *copying) each(ctx context.Context, s *side, t table, after []any, fn func(page []row, after []any) error) error {
	most := maxRows
	if c.rows > 0 {
		most = c.rows
	}
	limit := min(firstRows, most)
	for {
		page, err := s.page(ctx, t, after, limit)
		if err != nil || len(page) == 0 {
			return err
		}
		if err := fn(page, after); err != nil {
			return err
		}
		after = s.key(t, page[len(page)-1])
		if size := sizeOf(page); size > maxBytes {
			limit = max(1, limit/4)
		} else if size < maxBytes/4 {
			limit = min(most, limit*2)
		}
	}
}

func sizeOf(page []row) (n int64) {
	for _, r := range page {
		n += r.size()
	}
	return n
}

// rowsOf copies the rows of all tables that the target lacks.
func (c *copying) rowsOf(ctx context.Context, _ *Report) error {
	for _, t := range tables {
		list, err := c.to.Read(ctx, len(t.key), c.to.lastKey(t))
		if err != nil {
			return c.to.errorf("%w", err)
		}
		after, err := keyIn(list)
		if err != nil {
			return err
		}
		err = c.each(ctx, c.from, t, after, func(page []row, after []any) error {
			c.reached("before a batch of " + t.name)
			err := c.batch(ctx, t, page, after)
			if err == nil {
				c.reached("after a batch of " + t.name)
			}
			return err
		})
		if err != nil {
			return err
		}
		c.tell("copied %s", t.name)
	}
	return nil
}

// keyIn returns the only row of a list as a key; nil for none.
func keyIn(list [][]any) ([]any, error) {
	if len(list) == 0 {
		return nil, nil
	}
	return plain(list[0])
}

// batch writes rows in one transaction, if the target's greatest key is still the one before them.
func (c *copying) batch(ctx context.Context, t table, page []row, after []any) error {
	columns := c.from.columns[t.name]
	var names, kinds []string
	for i, c := range c.to.columns[t.name] {
		if i >= len(columns) || columns[i].name != c.name {
			return errors.New("storecopy: " + t.name + " has other columns in the other database")
		}
		names, kinds = append(names, quote(c.name)), append(kinds, c.kind)
	}
	insert := `INSERT INTO ` + t.name + ` (` + strings.Join(names, ", ") + `)`
	if c.to.Postgres() && t.counter != "" {
		insert += ` OVERRIDING SYSTEM VALUE`
	}
	insert += ` VALUES (` + places(len(names)) + `)`
	err := c.to.Write(ctx, func(tx sqldb.RawTx) error {
		if err := tx.Hold(c.to.mark); err != nil {
			return err
		}
		list, err := tx.Read(len(t.key), c.to.lastKey(t))
		if err != nil {
			return err
		}
		if last, err := keyIn(list); err != nil || fmt.Sprint(last) != fmt.Sprint(after) {
			return errors.Join(err, fmt.Errorf("%s: %w", c.to.Place(), sqldb.ErrMarkChanged))
		}
		return c.to.quietly(tx, t.name, func() {
			for _, r := range page {
				values := make([]any, len(r))
				for i := range r {
					values[i] = native(kinds[i], r[i])
				}
				tx.Later(insert, values...)
			}
			c.reached("in a batch of " + t.name)
		})
	})
	if err != nil {
		return fmt.Errorf("--to: copying %s: %w", t.name, err)
	}
	return nil
}
