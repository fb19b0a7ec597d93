package storecopy

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"reflect"

	"github.com/askgate/askgate/gateway/store/sqldb"
)

// count returns the last number of a table's counter: PostgreSQL's sequence, or SQLite's
// AUTOINCREMENT.
func (s *side) count(ctx context.Context, t table) (int64, error) {
	text := `SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = '` + t.name + `'`
	switch {
	case s.Postgres():
		text = `SELECT coalesce(max(last_value), 0) FROM pg_sequences WHERE schemaname = current_schema() AND sequencename = '` + t.name + `_` + t.counter + `_seq'`
	case t.again:
		text = `SELECT coalesce(max(` + t.counter + `), 0) FROM ` + t.name
	}
	list, err := s.Read(ctx, 1, text)
	if err != nil {
		return 0, s.errorf("%w", err)
	}
	n, _ := list[0][0].(int64)
	return n, nil
}

// counters lets the target count on from where the source stopped: the id of an erased record is
// never used again.
func (c *copying) counters(ctx context.Context, _ *Report) error {
	for _, t := range tables {
		if t.counter == "" || t.again && !c.to.Postgres() {
			continue
		}
		n, err := c.from.count(ctx, t)
		if err != nil {
			return err
		}
		// A target that was emptied may have counted further.
		if own, err := c.to.count(ctx, t); err != nil {
			return err
		} else if n <= own {
			continue
		}
		c.reached("before the counter of " + t.name)
		err = c.to.Write(ctx, func(tx sqldb.RawTx) error {
			if err := tx.Hold(c.to.mark); err != nil {
				return err
			}
			if c.to.Postgres() {
				_, err := tx.Read(1, `SELECT setval('`+t.name+`_`+t.counter+`_seq', ?)`, n)
				return err
			}
			tx.Later(`DELETE FROM sqlite_sequence WHERE name = '` + t.name + `'`)
			tx.Later(`INSERT INTO sqlite_sequence (name, seq) VALUES ('`+t.name+`', ?)`, n)
			return nil
		})
		if err != nil {
			return fmt.Errorf("--to: the counter of %s: %w", t.name, err)
		}
		c.reached("after the counter of " + t.name)
	}
	return nil
}

// digest is what is compared of a table.
type digest struct {
	rows int64
	sum  [sha256.Size]byte
}

// digest reads all rows of a table.
func (c *copying) digest(ctx context.Context, s *side, t table) (d digest, err error) {
	h := sha256.New()
	err = c.each(ctx, s, t, nil, func(page []row, _ []any) error {
		for _, r := range page {
			r.add(h)
		}
		d.rows += int64(len(page))
		return nil
	})
	h.Sum(d.sum[:0])
	return d, err
}

// add writes a row so that two rows are written alike only if they are equal.
func (r row) add(h hash.Hash) {
	var b []byte
	for _, value := range r {
		switch v := value.(type) {
		case nil:
			b = append(b[:0], 'n')
		case int64:
			b = binary.BigEndian.AppendUint64(append(b[:0], 'i'), uint64(v))
		case string:
			b = binary.BigEndian.AppendUint64(append(b[:0], 't'), uint64(len(v)))
			h.Write(b)
			b = append(b[:0], v...)
		}
		h.Write(b)
	}
}

// verify compares both stores: rows, counters, and the verdict on the audit.
func (c *copying) verify(ctx context.Context, report *Report) error {
	c.reached("before the check")
	report.Rows = map[string]int64{}
	for _, t := range tables {
		source, err := c.digest(ctx, c.from, t)
		if err != nil {
			return err
		}
		target, err := c.digest(ctx, c.to, t)
		if err != nil {
			return err
		}
		if source != target {
			return c.differs("the rows of %s differ: %d in the source, %d in the copy", t.name, source.rows, target.rows)
		}
		report.Rows[t.name] = source.rows
		if t.counter != "" {
			was, err := c.from.count(ctx, t)
			if err != nil {
				return err
			}
			is, err := c.to.count(ctx, t)
			if err != nil {
				return err
			}
			if is < was && (!t.again || c.to.Postgres()) {
				return c.differs("the counter of %s is behind: %d in the source, %d in the copy", t.name, was, is)
			}
		}
	}
	was, err := c.from.db.Audit().VerifyAudit(ctx)
	if err != nil {
		return c.from.errorf("checking the audit: %w", err)
	}
	report.Audit, err = c.to.db.Audit().VerifyAudit(ctx)
	if err != nil {
		return c.to.errorf("checking the audit: %w", err)
	}
	if !reflect.DeepEqual(was, report.Audit) {
		return c.differs("the audit check says %+v of the source and %+v of the copy", was, report.Audit)
	}
	c.tell("checked rows, counters and audit")
	c.reached("after the check")
	return nil
}

// differs is the error of a copy that is not like its source.
func (c *copying) differs(text string, args ...any) error {
	return c.to.errorf("the copy is wrong: "+text+". Run askgate copy with --abandon, then copy to an empty store", args...)
}

// uploads copies the bytes of the files that people uploaded, each unless it is there already.
func (c *copying) uploads(ctx context.Context, report *Report) error {
	const page = 500
	for after := ""; ; {
		list, err := c.from.Read(ctx, 1, `SELECT DISTINCT id FROM files WHERE size >= 0 AND conversation_id IS NOT NULL AND id > ? ORDER BY id LIMIT ?`, after, page)
		if err != nil {
			return c.from.errorf("%w", err)
		}
		for _, row := range list {
			after = asText(row[0])
			report.Uploads++
			if c.FilesTo == nil {
				continue
			}
			if err := c.upload(ctx, after); err != nil {
				return err
			}
			report.Files++
		}
		if len(list) < page {
			break
		}
	}
	if c.FilesTo != nil && report.Uploads > 0 {
		c.tell("copied %d uploaded files", report.Files)
	}
	return nil
}

// upload copies a file and compares what it wrote.
func (c *copying) upload(ctx context.Context, id string) error {
	was, err := c.sum(func() (io.ReadCloser, error) { return c.FilesFrom.Open(ctx, id) })
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("the uploaded file %s is not where the source keeps its files; correct files.store in the configuration, or omit --files and copy the files yourself", id)
	}
	if err != nil {
		return fmt.Errorf("reading the uploaded file %s: %w", id, err)
	}
	open := func() (io.ReadCloser, error) { return c.FilesTo.Open(ctx, id) }
	if is, err := c.sum(open); err == nil && is == was {
		return nil
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("--files: %w", err)
	}
	c.reached("before a file")
	r, err := c.FilesFrom.Open(ctx, id)
	if err != nil {
		return fmt.Errorf("reading the uploaded file %s: %w", id, err)
	}
	_, err = c.FilesTo.Put(ctx, id, r)
	if err = errors.Join(err, r.Close()); err != nil {
		return fmt.Errorf("--files: %w", err)
	}
	switch is, err := c.sum(open); {
	case err != nil:
		return fmt.Errorf("--files: %w", err)
	case is != was:
		return fmt.Errorf("--files: the uploaded file %s differs from its source after it was written; check that disk, and run the command again", id)
	}
	c.reached("after a file")
	return nil
}

// sum returns the digest of a file.
func (*copying) sum(open func() (io.ReadCloser, error)) (sum [sha256.Size]byte, err error) {
	r, err := open()
	if err != nil {
		return sum, err
	}
	h := sha256.New()
	_, err = io.Copy(h, r)
	h.Sum(sum[:0])
	return sum, errors.Join(err, r.Close())
}
