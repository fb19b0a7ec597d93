package index

import (
	"context"
	"database/sql"
	"strings"
	"unicode/utf8"

	"github.com/askgate/askgate/tooltypes/documents/passages"
)

// leastTerm and mostTerm bound the length of terms that are searched for other spellings.
const (
	leastTerm = 4
	mostTerm  = 40
)

// Known returns the files in the index.
func (x *Index) Known(ctx context.Context) (map[string]Stamp, error) {
	rows, err := x.read.QueryContext(ctx, `SELECT path, size, changed, sum FROM files`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	known := map[string]Stamp{}
	for rows.Next() {
		var path string
		var s Stamp
		var sum []byte
		if err := rows.Scan(&path, &s.Size, &s.Changed, &sum); err != nil {
			return nil, err
		}
		copy(s.Sum[:], sum)
		known[path] = s
	}
	return known, rows.Err()
}

// Counts is the content of the index in numbers.
type Counts struct {
	Documents, Passages, Faulty int
}

// Count counts the content. Faulty counts the lines and files that were left out.
func (x *Index) Count(ctx context.Context) (c Counts, err error) {
	err = x.read.QueryRowContext(ctx, `SELECT coalesce(sum(documents), 0), (SELECT count(*) FROM passages), coalesce(sum(faults), 0) FROM files`).Scan(&c.Documents, &c.Passages, &c.Faulty)
	return c, err
}

// Update replaces the passages of files, and removes those of files that are gone, in one
// transaction.
func (x *Index) Update(ctx context.Context, files []File, gone []string) error {
	tx, err := x.write.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // has no effect after Commit
	u := &update{ctx: ctx, tx: tx, few: x.stale.Load() == 0 && len(files)+len(gone) <= few, terms: map[string]int{}}
	for _, path := range gone {
		u.remove(path)
	}
	for i := range files {
		u.put(&files[i])
	}
	stale := 0
	if u.few {
		u.count()
		u.resolve()
	} else {
		stale = u.changed
		u.postpone()
	}
	u.exec(`UPDATE state SET stale = stale + ?, changes = changes + 1`, stale)
	if u.err != nil {
		return u.err
	}
	var total int64 // counted, because another process may have changed the same files
	if err := tx.QueryRowContext(ctx, `SELECT count(*) FROM passages`).Scan(&total); err != nil {
		return err
	}
	if err := tx.Commit(); err != nil {
		return err
	}
	x.note(u.unclear)
	x.stale.Add(int64(stale))
	x.total.Store(total)
	return nil
}

// few is the most files of an update whose terms are counted at once.
const few = 50

// update is one transaction.
type update struct {
	ctx     context.Context //nolint:containedctx // of the transaction
	tx      *sql.Tx
	made    map[string]*sql.Stmt
	few     bool
	terms   map[string]int // by word, how many more passages contain it
	last    int64          // id of the passage that was written last; 0: unknown
	changed int
	folder  writer
	keys    map[string]bool   // of versions that came or went
	unclear map[string]string // see Index.unclear
	err     error
}

func (u *update) exec(query string, args ...any) int64 {
	if u.err != nil {
		return 0
	}
	s := u.made[query]
	if s == nil {
		if s, u.err = u.tx.PrepareContext(u.ctx, query); u.err != nil {
			return 0
		}
		if u.made == nil {
			u.made = map[string]*sql.Stmt{}
		}
		u.made[query] = s // closed with the transaction
	}
	var result sql.Result
	if result, u.err = s.ExecContext(u.ctx, args...); u.err != nil {
		return 0
	}
	id, _ := result.LastInsertId() // SQLite always has it
	return id
}

// remove removes a file. It returns the id of the first of its passages, and how many there were.
func (u *update) remove(path string) (first, n int64) {
	if u.err != nil {
		return 0, 0
	}
	var id int64
	switch err := u.tx.QueryRowContext(u.ctx, `SELECT id FROM files WHERE path = ?`, path).Scan(&id); {
	case err == sql.ErrNoRows:
		return 0, 0
	case err != nil:
		u.err = err
		return 0, 0
	}
	if u.few {
		u.uncount(id)
	}
	u.removeDocuments(id)
	u.exec(`DELETE FROM find WHERE rowid IN (SELECT id FROM passages WHERE file = ?)`, id)
	if u.err == nil {
		u.err = u.tx.QueryRowContext(u.ctx, `SELECT coalesce(min(id), 0), count(*) FROM passages WHERE file = ?`, id).Scan(&first, &n)
	}
	u.exec(`DELETE FROM passages WHERE file = ?`, id)
	u.changed += int(n)
	u.exec(`DELETE FROM files WHERE id = ?`, id)
	return first, n
}

// put inserts a file, or replaces it. Its passages get the ids of those before if there are not more of
// them: a search takes memory for all ids up to the highest one.
func (u *update) put(f *File) {
	first, n := u.remove(f.Path)
	if int64(len(f.Passages)) > n {
		first = u.next(len(f.Passages))
	}
	documents := 0
	for i := range f.Passages {
		if f.Passages[i].First {
			documents++
		}
	}
	file := u.exec(`INSERT INTO files (path, size, changed, sum, documents, faults) VALUES (?, ?, ?, ?, ?, ?)`,
		f.Path, f.Stamp.Size, f.Stamp.Changed, f.Stamp.Sum[:], documents, f.Faults)
	var document int64
	for i := range f.Passages {
		id := first + int64(i)
		if f.Passages[i].First || i == 0 {
			document = id
			u.document(id, file, f.Passages[i:])
		}
		u.passage(id, file, document, f.Path, &f.Passages[i])
	}
}

// next returns the id of the next passage, of n.
func (u *update) next(n int) int64 {
	if u.last == 0 && u.err == nil {
		u.err = u.tx.QueryRowContext(u.ctx, `SELECT coalesce(max(id), 0) FROM passages`).Scan(&u.last)
	}
	u.last += int64(n)
	return u.last - int64(n) + 1
}

func (u *update) passage(id, file, document int64, path string, p *passages.Passage) {
	u.exec(`INSERT INTO passages (id, name, file, document, part, gap, work, heading, title, anchor, link, text) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		id, ID(path, p.Key), file, document, p.Part, p.Gap, p.Work, p.Heading, p.Title, p.Anchor, p.Link, p.Text)
	workID := ""
	if p.Facts != nil {
		workID = p.Facts.ID
	}
	title, text := u.indexed(p.Title, workID, p.Heading, p.Text)
	u.exec(`INSERT INTO find (rowid, title, text) VALUES (?, ?, ?)`, id, title, text)
	u.changed++
	if u.few {
		u.tally(title, text, 1)
	}
}

// indexed returns the title and the text of a passage in the form that the index stores.
func (u *update) indexed(title, workID, heading, text string) (words, rest string) {
	return u.folder.indexed(title+" "+workID) + strings.Join(marks(heading, title), " "), u.folder.indexed(text)
}

// tally adds n to the passages that contain a word, for each word of a passage.
func (u *update) tally(title, text string, n int) {
	seen := map[string]bool{}
	for _, word := range append(strings.Fields(title), strings.Fields(text)...) {
		if !seen[word] {
			seen[word] = true
			u.terms[word] += n
		}
	}
}

// uncount takes the passages of a file out of those that contain a word.
func (u *update) uncount(file int64) {
	rows, err := u.tx.QueryContext(u.ctx, `SELECT p.title, d.work_id, p.heading, p.text FROM passages p JOIN documents d ON d.id = p.document WHERE p.file = ?`, file)
	if err != nil {
		u.err = err
		return
	}
	defer rows.Close()
	for rows.Next() {
		var title, workID, heading, text string
		if u.err = rows.Scan(&title, &workID, &heading, &text); u.err != nil {
			return
		}
		title, text = u.indexed(title, workID, heading, text)
		u.tally(title, text, -1)
	}
	u.err = rows.Err()
}

// count stores how many more passages contain each word, or how many fewer. A word that none contains
// any more stays until the next full count (Settle), and finds nothing.
func (u *update) count() {
	for term, n := range u.terms {
		if u.err != nil {
			return
		}
		if n == 0 {
			continue
		}
		var id int64
		switch err := u.tx.QueryRowContext(u.ctx, `SELECT id FROM terms WHERE term = ?`, term).Scan(&id); {
		case err == nil:
			u.exec(`UPDATE terms SET n = max(0, n + ?) WHERE id = ?`, n, id)
		case err == sql.ErrNoRows && n > 0:
			id = u.exec(`INSERT INTO terms (term, n) VALUES (?, ?)`, term, n)
			if spells(term) {
				u.exec(`INSERT INTO trigrams (rowid, term) VALUES (?, ?)`, id, "_"+term+"_")
			}
		case err != sql.ErrNoRows:
			u.err = err
		}
	}
}

// spells reports whether a term is considered as another spelling.
func spells(term string) bool {
	n := utf8.RuneCountInString(term)
	return leastTerm <= n && n <= mostTerm && !strings.HasPrefix(term, articleMark) && !strings.HasPrefix(term, mentionMark)
}

// Same updates the stamp of a file whose time has changed, but not its content.
func (x *Index) Same(ctx context.Context, path string, s Stamp) error {
	_, err := x.write.ExecContext(ctx, `UPDATE files SET size = ?, changed = ? WHERE path = ?`, s.Size, s.Changed, path)
	return err
}

// Settle does, at the end of a pass, what Update postpones if many passages change: it counts all terms,
// and resolves when the changed versions are in force.
func (x *Index) Settle(ctx context.Context) error {
	if x.stale.Load() == 0 {
		return nil
	}
	tx, err := x.write.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // has no effect after Commit
	for _, statement := range []string{
		`INSERT INTO trigrams (trigrams) VALUES ('delete-all')`,
		`DELETE FROM terms`,
		`INSERT INTO terms (term, n) SELECT term, doc FROM vocabulary`,
		`INSERT INTO trigrams (rowid, term) SELECT id, '_' || term || '_' FROM terms WHERE length(term) BETWEEN 4 AND 40 AND unicode(term) < 0x2E80`,
		`UPDATE state SET stale = 0, changes = changes + 1`,
	} {
		if _, err := tx.ExecContext(ctx, statement); err != nil {
			return err
		}
	}
	u := &update{ctx: ctx, tx: tx}
	u.resolveAll()
	if u.err != nil {
		return u.err
	}
	if err := tx.Commit(); err != nil {
		return err
	}
	x.note(u.unclear)
	x.stale.Store(0)
	return nil
}
