package index

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/askgate/askgate/tools/textsearch"
	"github.com/askgate/askgate/tooltypes/documents/passages"
)

const (
	// MaxSkip is how many hits a search can skip at most.
	MaxSkip = 1000
	// ranked is how many matching passages are ranked: the first ones in the index. Ranking takes
	// most of the time, and a word that more passages have says little.
	ranked = MaxSkip + 1
)

// Found is a passage.
type Found struct {
	ID, Path, Work, Title, Anchor, Link, Text string
	Heading                                   string // those above the text; "" before the first one
	Part                                      int    // of its section, from 1
	Gap                                       string // between the part before and this one
	Snippet                                   string // of a hit
	Best                                      bool   // a hit of the first tier with hits, unless that is the last tier
	Document
}

// Query is what to look for.
type Query struct {
	Text        string
	Skip, Limit int
	// Filter has the conditions that the documents of all hits fulfil.
	Filter []Condition
	// Words is what is known of words; nil: nothing.
	Words *Words
	// AsOf is the day, as 2026-01-31, of which documents with versions are found; "": of every day.
	AsOf string
}

// Condition is a condition for a field of a document. A document without the field does not fulfil it.
type Condition struct {
	Field string
	Kind  passages.Kind
	// One lists values, of which the document must have one. Texts are compared without case and
	// accents.
	One []passages.Value
	// After and Before bound a date or a number, without the value itself; nil: no bound.
	After, Before *passages.Value
}

// Search returns up to q.Limit passages, the best first, after q.Skip others. more reports whether
// there are any after them.
func (x *Index) Search(ctx context.Context, q Query) (list []Found, more bool, err error) {
	tx, err := x.read.BeginTx(ctx, &sql.TxOptions{ReadOnly: true}) // one state for all tiers
	if err != nil {
		return nil, false, err
	}
	defer func() { _ = tx.Rollback() }() // a reader has nothing to commit
	s := &search{ctx: ctx, tx: tx, total: x.total.Load(), text: q.Text, know: q.Words, asking: readQuery(q.Text, q.Words), most: q.Skip + q.Limit + 1, seen: map[int64]bool{}}
	if err := s.narrow(q, &x.known); err != nil {
		return nil, false, err
	}
	if err := s.run(); err != nil {
		return nil, false, err
	}
	more = len(s.found) > q.Skip+q.Limit
	for i, id := range s.found[min(q.Skip, len(s.found)):min(q.Skip+q.Limit, len(s.found))] {
		f, err := one(tx.QueryRowContext(ctx, selectOne+`p.id = ?`, id))
		if err != nil {
			return nil, false, err
		}
		f.Snippet, f.Best = snippet(f.Text, s.words), q.Skip+i < s.best
		list = append(list, f)
	}
	return list, more, nil
}

// Passage returns the passage with an id, or false if there is none.
func (x *Index) Passage(ctx context.Context, id string) (Found, bool, error) {
	f, err := one(x.read.QueryRowContext(ctx, selectOne+`p.name = ?`, id))
	if errors.Is(err, sql.ErrNoRows) {
		return Found{}, false, nil
	}
	return f, err == nil, err
}

// search is one search.
type search struct {
	ctx   context.Context //nolint:containedctx // of the search
	tx    *sql.Tx
	total int64
	text  string // the query
	know  *Words
	asking
	most  int
	found []int64
	best  int // how many of found are from the first tier with hits
	seen  map[int64]bool
	scope string // a condition for find.rowid, which begins with AND, or ""
	bound []any  // the arguments of scope
}

func (s *search) run() error {
	if len(s.words) == 0 {
		return nil
	}
	if err := s.count(); err != nil {
		return err
	}
	if err := s.articles(); err != nil || s.enough() {
		return err
	}
	if s.isQuestion() {
		return s.question()
	}
	all := s.telling()
	exact := join(all, " AND ", wanted.exact)
	if err := s.tier("{title} : ("+exact+")", s.phrase("{title} : ")); err != nil || s.enough() {
		return err
	}
	if err := s.tier(exact, s.phrase("")); err != nil || s.enough() {
		return err
	}
	if err := s.stand(); err != nil {
		return err
	}
	if formed := join(all, " AND ", wanted.formed); formed != exact {
		if err := s.tier("{title} : ("+formed+")", ""); err != nil || s.enough() {
			return err
		}
		if err := s.tier(formed, ""); err != nil || s.enough() {
			return err
		}
	}
	if err := s.spellings(rare); err != nil {
		return err
	}
	all = s.telling()
	beginnings := join(all, " AND ", wanted.prefix)
	if err := s.tier("{title} : ("+beginnings+")", ""); err != nil || s.enough() {
		return err
	}
	if err := s.tier(join(all, " AND ", wanted.any), ""); err != nil || s.enough() {
		return err
	}
	if len(all) < 2 {
		return nil
	}
	fit := len(s.found)
	err := s.tier(join(tellingMost(all), " OR ", wanted.any), "")
	s.best = min(s.best, fit) // passages with any of the words differ too much
	return err
}

// phrase returns an expression for the words of the query as they stand, or "" if it is one word.
func (s *search) phrase(column string) string {
	const most = 12
	if len(s.said) < 2 || len(s.said) > most {
		return ""
	}
	list := make([]string, len(s.said))
	for i, p := range s.said {
		list[i] = wanted{text: p.folded, run: p.run}.exact()
	}
	return column + "(" + strings.Join(list, " + ") + ")"
}

func (s *search) enough() bool { return len(s.found) >= s.most }

// tier adds the passages that match an expression; those first that match a narrower one, too, which
// may be "".
func (s *search) tier(expression, narrower string) error {
	list, err := s.match(expression)
	if err != nil {
		return err
	}
	if narrower != "" && len(list) > 1 {
		first, err := s.match(narrower)
		if err != nil {
			return err
		}
		list = append(first, list...)
	}
	for _, id := range list {
		if s.enough() {
			break
		}
		s.add(id)
	}
	if s.best == 0 {
		s.best = len(s.found)
	}
	return nil
}

// match returns passages that match an expression, the best first.
func (s *search) match(expression string) (list []int64, err error) {
	return s.ids(`SELECT id FROM (SELECT rowid AS id, bm25(find, 8.0, 1.0) AS far FROM find WHERE find MATCH ?`+s.scope+` LIMIT ?) ORDER BY far, id LIMIT ?`, slices.Concat([]any{expression}, s.bound, []any{ranked, s.most + len(s.found)})...)
}

// ids returns the ids that a query finds.
func (s *search) ids(query string, args ...any) (list []int64, err error) {
	rows, err := s.tx.QueryContext(s.ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var id int64
		if err := rows.Scan(&id); err != nil {
			return nil, err
		}
		list = append(list, id)
	}
	return list, rows.Err()
}

// add adds a passage, unless it was found before.
func (s *search) add(id int64) {
	if !s.seen[id] {
		s.seen[id] = true
		s.found = append(s.found, id)
	}
}

func join(words []wanted, sign string, form func(wanted) string) string {
	list := make([]string, len(words))
	for i, w := range words {
		list[i] = form(w)
	}
	return strings.Join(list, sign)
}

// count looks up how many passages contain each word.
func (s *search) count() error {
	for i := range s.words {
		w := &s.words[i]
		term := w.text
		if list := pairs(w.text, false); w.run && len(list) > 0 {
			term = list[0]
		}
		var err error
		if w.n, err = s.passagesWith(term); err != nil {
			return err
		}
		w.common = int64(w.n) > ranked/10 && int64(w.n)*3 > s.total
	}
	return nil
}

// passagesWith returns how many passages contain a term.
func (s *search) passagesWith(term string) (n int, err error) {
	err = s.tx.QueryRowContext(s.ctx, `SELECT n FROM terms WHERE term = ?`, term).Scan(&n)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, nil
	}
	return n, err
}

// terms returns the terms of a query.
func (s *search) terms(query string, args ...any) (list []term, err error) {
	rows, err := s.tx.QueryContext(s.ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var t term
		if err := rows.Scan(&t.text, &t.n); err != nil {
			return nil, err
		}
		list = append(list, t)
	}
	return list, rows.Err()
}

// telling returns the words that are not common, or all if there is no other.
func (s *search) telling() []wanted {
	list := slices.DeleteFunc(slices.Clone(s.words), func(w wanted) bool { return w.common })
	if len(list) == 0 {
		return s.words
	}
	return list
}

// tellingMost returns the rarest words, as many as can be ranked together.
func tellingMost(words []wanted) []wanted {
	list := slices.Clone(words)
	slices.SortStableFunc(list, func(a, b wanted) int { return a.n - b.n })
	sum := 0
	for i, w := range list {
		if sum += w.n; sum > ranked && i > 0 {
			return list[:i]
		}
	}
	return list
}

// rare reports whether so few passages have a word that another may be meant.
func rare(w *wanted) bool { return w.n <= 3 }

// spellings finds terms that may be meant by some words.
func (s *search) spellings(of func(*wanted) bool) error {
	const take = 8
	for i := range s.words {
		w := &s.words[i]
		if w.run || !of(w) || !spells(w.text) {
			continue
		}
		terms, err := s.alike(w.text)
		if err != nil {
			return err
		}
		w.spelt = nearest(w.text, terms, take)
	}
	return nil
}

// alike returns terms that may be similar to a word: terms that have two adjacent trigrams of it,
// or the first and the last, and terms that contain it. For short words, of which one typing error
// leaves hardly a trigram, it adds terms with the same first letter.
func (s *search) alike(word string) ([]term, error) {
	const (
		most  = 300    // terms for one pair
		scan  = 20_000 // terms of one letter
		short = 8      // letters
	)
	all := trigrams("_" + word + "_")
	queries := []string{`"` + strings.Join(trigrams(word), `" AND "`) + `"`, `"` + all[0] + `" AND "` + all[len(all)-1] + `"`}
	for i := range all[1:] {
		queries = append(queries, `"`+all[i]+`" AND "`+all[i+1]+`"`)
	}
	found := map[string]int{}
	add := func(query string, args ...any) error {
		terms, err := s.terms(query, args...)
		for _, t := range terms {
			found[t.text] = t.n
		}
		return err
	}
	for _, q := range queries {
		if err := add(`SELECT term, n FROM terms WHERE id IN (SELECT rowid FROM trigrams WHERE trigrams MATCH ? LIMIT ?)`, q, most); err != nil {
			return nil, err
		}
	}
	if n := utf8.RuneCountInString(word); n < short {
		first, _ := utf8.DecodeRuneInString(word)
		if err := add(`SELECT term, n FROM (SELECT term, n FROM terms WHERE term >= ? AND term < ? LIMIT ?) WHERE length(term) BETWEEN ? AND ?`, string(first), string(first+1), scan, n-1, n+1); err != nil {
			return nil, err
		}
	}
	list := make([]term, 0, len(found))
	for text, n := range found {
		list = append(list, term{text, n})
	}
	return list, nil
}

// trigrams returns each three adjacent letters of a word.
func trigrams(word string) (list []string) {
	runes := []rune(word)
	for i := 0; i+3 <= len(runes); i++ {
		list = append(list, string(runes[i:i+3]))
	}
	return list
}

// term is a word of the index.
type term struct {
	text string
	n    int
}

// nearest returns the terms that differ from a word in few letters, or that contain it.
func nearest(word string, terms []term, most int) (list []string) {
	w := []rune(word)
	slack := 1
	if len(w) >= 8 {
		slack = 2
	}
	type candidate struct {
		term
		far int
	}
	var near []candidate
	for _, t := range terms {
		switch d := textsearch.Distance(w, []rune(t.text), slack); {
		case t.text == word:
		case d <= slack:
			near = append(near, candidate{t, d})
		case strings.Contains(t.text, word):
			near = append(near, candidate{t, slack + 1})
		}
	}
	slices.SortStableFunc(near, func(a, b candidate) int {
		if a.far != b.far {
			return a.far - b.far
		}
		if a.n != b.n {
			return b.n - a.n
		}
		return strings.Compare(a.text, b.text)
	})
	for _, c := range near[:min(len(near), most)] {
		list = append(list, c.text)
	}
	return list
}
