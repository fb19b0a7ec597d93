package index

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"math"
	"strings"

	"github.com/askgate/askgate/tools/textsearch"
	"github.com/askgate/askgate/tooltypes/documents/passages"
)

// factTables hold what documents say about themselves. The passages of a document have the ids
// from its own id to last. begins and ends bound the days on which it is in force; said_from and
// said_to are what it says.
const factTables = `
CREATE TABLE IF NOT EXISTS documents (id INTEGER PRIMARY KEY, last INTEGER NOT NULL, file INTEGER NOT NULL, begins TEXT NOT NULL, ends TEXT NOT NULL, key TEXT NOT NULL, said_from TEXT NOT NULL, said_to TEXT NOT NULL, work_id TEXT NOT NULL, date TEXT NOT NULL, fields TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS documents_of_files ON documents (file);
CREATE INDEX IF NOT EXISTS documents_of_keys ON documents (key, said_from) WHERE key <> '';
CREATE TABLE IF NOT EXISTS facts (document INTEGER NOT NULL, field TEXT NOT NULL, value NOT NULL, said TEXT NOT NULL, PRIMARY KEY (document, field, value)) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS facts_of_fields ON facts (field, value, said);
CREATE TABLE IF NOT EXISTS stale_keys (key TEXT PRIMARY KEY) WITHOUT ROWID;`

const (
	always  = ""           // begins: before every day
	forever = "9999-12-31" // ends: after every day
)

// Document is what a passage's document says about itself, and when it is in force.
type Document struct {
	WorkID string // of the work, for people; ""
	Date   string // as 2026-01-31, or ""
	Fields map[string]passages.Value
	Key    string // what the versions of its work have in common; "": it has no versions
	// ValidFrom and ValidTo are the first and the last day in force, as 2026-01-31; "": no bound.
	ValidFrom, ValidTo string
	Never              bool // another version is in force on each of its days
}

// document inserts the document that a list of passages begins with.
func (u *update) document(id, file int64, list []passages.Passage) {
	last := id
	for _, p := range list[1:] {
		if p.First {
			break
		}
		last++
	}
	f := list[0].Facts
	if f == nil {
		f = &passages.Facts{}
	}
	fields := ""
	if len(f.Fields) > 0 {
		raw, err := json.Marshal(f.Fields)
		if err != nil && u.err == nil {
			u.err = err
		}
		fields = string(raw)
	}
	ends := f.To
	if ends == "" {
		ends = forever
	}
	u.exec(`INSERT INTO documents (id, last, file, begins, ends, key, said_from, said_to, work_id, date, fields) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		id, last, file, f.From, ends, f.Key, f.From, f.To, f.ID, f.Date, fields)
	u.touched(f.Key)
	for name, v := range f.Fields {
		for value, said := range stored(v) {
			u.exec(`INSERT OR IGNORE INTO facts (document, field, value, said) VALUES (?, ?, ?, ?)`, id, name, value, said)
		}
	}
}

// stored yields each value of a field in the form in which it is compared, with its text.
func stored(v passages.Value) func(yield func(value any, said string) bool) {
	return func(yield func(any, string) bool) {
		if v.Kind == passages.Number {
			if !math.IsNaN(v.Number) && !math.IsInf(v.Number, 0) {
				yield(v.Number, "")
			}
			return
		}
		for _, text := range v.Texts {
			if !yield(compared(v.Kind, text), text) {
				return
			}
		}
	}
}

// compared returns the form in which a text is compared: without case, accents and further spaces,
// unless it is a day.
func compared(kind passages.Kind, text string) string {
	if kind == passages.Date {
		return text
	}
	return textsearch.Fold(strings.Join(strings.Fields(text), " "))
}

// removeDocuments removes the documents of a file.
func (u *update) removeDocuments(file int64) {
	for _, key := range u.texts(`SELECT DISTINCT key FROM documents WHERE file = ? AND key <> ''`, file) {
		u.touched(key)
	}
	u.exec(`DELETE FROM facts WHERE document IN (SELECT id FROM documents WHERE file = ?)`, file)
	u.exec(`DELETE FROM documents WHERE file = ?`, file)
}

// texts returns the texts of a query's only column.
func (u *update) texts(query string, args ...any) (list []string) {
	if u.err != nil {
		return nil
	}
	rows, err := u.tx.QueryContext(u.ctx, query, args...)
	if err != nil {
		u.err = err
		return nil
	}
	defer rows.Close()
	for rows.Next() {
		var text string
		if u.err = rows.Scan(&text); u.err != nil {
			return nil
		}
		list = append(list, text)
	}
	u.err = rows.Err()
	return list
}

const selectOne = `SELECT p.name, f.path, p.work, p.title, p.anchor, p.link, p.text, p.heading, p.part, p.gap, d.work_id, d.date, d.fields, d.key, d.begins, d.ends FROM passages p JOIN files f ON f.id = p.file JOIN documents d ON d.id = p.document WHERE `

func one(row interface{ Scan(dest ...any) error }) (f Found, err error) {
	var fields string
	err = row.Scan(&f.ID, &f.Path, &f.Work, &f.Title, &f.Anchor, &f.Link, &f.Text, &f.Heading, &f.Part, &f.Gap, &f.WorkID, &f.Date, &fields, &f.Key, &f.ValidFrom, &f.ValidTo)
	if err == nil && fields != "" {
		err = json.Unmarshal([]byte(fields), &f.Fields)
	}
	f.bound()
	return f, err
}

// bound replaces the stored bounds by those for people.
func (d *Document) bound() {
	switch {
	case d.ValidFrom > d.ValidTo:
		d.Never, d.ValidFrom, d.ValidTo = true, "", ""
	case d.ValidTo == forever:
		d.ValidTo = ""
	}
}

// Values returns up to most values of a field, sorted, each once and in the first of its spellings.
func (x *Index) Values(ctx context.Context, field string, most int) (list []string, err error) {
	var value, said string
	const next = `SELECT value, said FROM facts WHERE field = ? AND value > ? ORDER BY value, said LIMIT 1`
	const first = `SELECT value, said FROM facts WHERE field = ? AND value >= ? ORDER BY value, said LIMIT 1`
	for query := first; len(list) < most; query = next {
		switch err := x.read.QueryRowContext(ctx, query, field, value).Scan(&value, &said); {
		case errors.Is(err, sql.ErrNoRows):
			return list, nil
		case err != nil:
			return nil, err
		}
		list = append(list, said)
	}
	return list, nil
}
