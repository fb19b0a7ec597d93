package index

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/base32"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/askgate/askgate/tooltypes/documents/passages"
)

const (
	// Readers is how many searches run at the same time.
	Readers = 4
	// version is the version of the tables and of the folding of words. Each has files of its own.
	version = 3
)

const tables = `
CREATE TABLE IF NOT EXISTS files (id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, size INTEGER NOT NULL, changed INTEGER NOT NULL, sum BLOB NOT NULL, documents INTEGER NOT NULL, faults INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS passages (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, file INTEGER NOT NULL, document INTEGER NOT NULL, part INTEGER NOT NULL, gap TEXT NOT NULL, work TEXT NOT NULL, heading TEXT NOT NULL, title TEXT NOT NULL, anchor TEXT NOT NULL, link TEXT NOT NULL, text TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS passages_of_files ON passages (file);
CREATE VIRTUAL TABLE IF NOT EXISTS find USING fts5 (title, text, content='', contentless_delete=1, tokenize="unicode61 remove_diacritics 2 categories 'L* N* Co M*'");
INSERT INTO find (find, rank) VALUES ('hashsize', 16777216);
CREATE VIRTUAL TABLE IF NOT EXISTS vocabulary USING fts5vocab (find, row);
CREATE TABLE IF NOT EXISTS terms (id INTEGER PRIMARY KEY, term TEXT NOT NULL UNIQUE, n INTEGER NOT NULL);
CREATE VIRTUAL TABLE IF NOT EXISTS trigrams USING fts5 (term, content='terms', content_rowid='id', tokenize='trigram', detail=none, columnsize=0);
CREATE TABLE IF NOT EXISTS state (stale INTEGER NOT NULL, changes INTEGER NOT NULL);
INSERT INTO state SELECT 1, 0 WHERE NOT EXISTS (SELECT 1 FROM state);` + factTables

// Index is one index. It is safe for concurrent use, but only one goroutine may call Update, Same
// and Settle.
type Index struct {
	path  string // "": in memory
	write *sql.DB
	read  *sql.DB

	total atomic.Int64 // passages
	stale atomic.Int64 // passages that changed since the terms were counted
	known scopes

	unclear map[string]string // by file, what is wrong with its validity, since the last call of Unclear
}

// Stamp identifies the state of a file that was read.
type Stamp struct {
	Size    int64
	Changed int64 // Unix nanoseconds; 0: it may have changed in the same moment
	Sum     [sha256.Size]byte
}

// File is a file that was read.
type File struct {
	Path     string
	Stamp    Stamp
	Passages []passages.Passage
	Faults   int // lines that were left out
}

// Open opens the index at a path, and creates it if needed. With the path "" the index is in
// memory, under a name that no other has.
func Open(path, name string) (*Index, error) {
	x := &Index{path: path}
	if path == "" {
		dsn := "file:/" + url.PathEscape(name) + "?vfs=memdb&_pragma=temp_store(memory)"
		db, err := sql.Open("sqlite", dsn)
		if err != nil {
			return nil, err
		}
		db.SetMaxOpenConns(1) // without WAL, a reader would wait for the writer or fail
		db.SetConnMaxIdleTime(0)
		x.write, x.read = db, db
		return x, x.prepare()
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600) // SQLite gives the WAL files the same mode
	if err != nil {
		return nil, err
	}
	_ = f.Close() // nothing was written
	dsn := "file:" + (&url.URL{Path: filepath.ToSlash(path)}).EscapedPath() + "?"
	v := url.Values{
		"_busy_timeout": {"10000"}, "_journal_mode": {"WAL"}, "_synchronous": {"NORMAL"}, "_txlock": {"immediate"}, "_dqs": {"0"}, "_error_rc": {"1"},
		"_pragma": {"temp_store(memory)", "journal_size_limit(4194304)", "cache_size(-8000)"},
	}
	if x.write, err = sql.Open("sqlite", dsn+v.Encode()); err != nil {
		return nil, err
	}
	x.write.SetMaxOpenConns(1)
	v.Del("_txlock")
	v.Add("_pragma", "query_only(on)")
	if x.read, err = sql.Open("sqlite", dsn+v.Encode()); err != nil {
		return nil, err
	}
	x.read.SetMaxOpenConns(Readers)
	x.read.SetMaxIdleConns(Readers)
	return x, x.prepare()
}

func (x *Index) prepare() error {
	if _, err := x.write.ExecContext(context.Background(), tables); err != nil {
		x.Close()
		return err
	}
	var total, stale int64
	err := x.write.QueryRowContext(context.Background(), `SELECT (SELECT count(*) FROM passages), (SELECT stale FROM state)`).Scan(&total, &stale)
	if err != nil {
		x.Close()
		return err
	}
	x.total.Store(total)
	x.stale.Store(stale)
	return nil
}

// Name returns the file name of the index of a folder with these settings.
func Name(id string, settings ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(settings, "\x00")))
	return fmt.Sprintf("%s-%x-v%d.db", id, sum[:4], version)
}

// Close closes the index.
func (x *Index) Close() {
	_ = x.write.Close() // an error does not matter for a cache
	if x.read != nil {
		_ = x.read.Close()
	}
}

// Discard closes the index and removes its files.
func (x *Index) Discard() error {
	x.Close()
	return Remove(x.path)
}

// Remove removes the files of an index that this process has not open.
func Remove(path string) error {
	if path == "" {
		return nil
	}
	var errs []error
	for _, suffix := range []string{"-wal", "-shm", "-journal", ""} {
		if err := os.Remove(path + suffix); err != nil && !errors.Is(err, os.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// Damaged reports whether an error means that the file cannot be used any more.
func Damaged(err error) bool {
	e, ok := errors.AsType[*sqlite.Error](err)
	if !ok {
		return false
	}
	switch e.Code() & 0xff {
	case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_FORMAT:
		return true
	case sqlite3.SQLITE_ERROR: // another program changed the tables
		return strings.Contains(e.Error(), "no such table") || strings.Contains(e.Error(), "no such column") || strings.Contains(e.Error(), "vtable constructor failed")
	}
	return false
}

// Check reads the whole index, and returns an error if it is damaged.
func (x *Index) Check(ctx context.Context) error {
	var said string
	if err := x.read.QueryRowContext(ctx, `PRAGMA quick_check(1)`).Scan(&said); err != nil {
		return err
	}
	if said != "ok" {
		return errUnsound
	}
	return nil
}

var errUnsound = errors.New("the index is damaged")

// ID returns the id of a passage. It stays the same while the path of its file and its key in the
// file do, and reveals neither.
func ID(path, key string) string {
	sum := sha256.Sum256([]byte(path + "\x00" + key))
	const long = 10 // bytes
	return strings.ToLower(base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(sum[:long]))
}
