package index

import (
	"regexp"
	"slices"
	"strings"
)

// everyWord knows the stop words of all languages, which citations have between article and law.
var everyWord = &Words{languages: known}

// articles adds the passages of the articles that the query cites: of the works that it names, or of all
// works if it names none.
func (s *search) articles() error {
	list, rest := cites(s.text)
	if len(list) == 0 {
		return nil
	}
	named := &search{ctx: s.ctx, tx: s.tx, total: s.total, know: s.know, asking: readQuery(rest, everyWord)}
	if named.stops == 0 && len(named.words) > 0 && everyWord.stops(named.words[0].text) {
		named.words = nil // it has nothing else
	}
	if err := named.count(); err != nil {
		return err
	}
	if err := named.stand(); err != nil {
		return err
	}
	for _, c := range list {
		if err := s.article(named, c); err != nil {
			return err
		}
	}
	return nil
}

// article adds the passages of one article.
func (s *search) article(named *search, c citation) error {
	forms := []func(wanted) string{wanted.formed, wanted.any}
	if len(named.words) == 0 {
		forms = forms[:1]
	}
	for i, form := range forms {
		if i == 1 {
			if err := named.spellings(rare); err != nil {
				return err
			}
		}
		for _, number := range c.numbers {
			list, err := s.numbered(number, join(named.telling(), " AND ", form))
			if err != nil {
				return err
			}
			if len(list) > 0 {
				return s.addNamed(named, list, c, 0)
			}
		}
	}
	const least = 0.3 // part of the weight of the query's words that a title must have
	for _, number := range c.numbers {
		if len(named.words) < 2 {
			break
		}
		list, err := s.numbered(number, join(tellingMost(named.telling()), " OR ", wanted.any))
		if err != nil {
			return err
		}
		if len(list) > 0 {
			return s.addNamed(named, list, c, least)
		}
	}
	return nil
}

// holder is a passage of an article, with the number that was looked for.
type holder struct {
	id                   int64
	work, heading, title string
	workID               string // of the work, for people; ""
	strays               bool   // its title only mentions the number
	at                   int    // place in its work's title of the last of the words that name it
	scattered            bool   // it has them, but not one after the other
	words                int    // of the work's title
	has                  float64
	apart                bool // it lacks the part that is cited
}

// numbered returns the passages of articles with a number, whose titles match an expression, which
// may be "".
func (s *search) numbered(number, expression string) (list []*holder, err error) {
	match := `("` + articleMark + number + `" OR "` + mentionMark + number + `")`
	if expression != "" {
		match += " AND (" + expression + ")"
	}
	rows, err := s.tx.QueryContext(s.ctx, `SELECT p.id, p.work, p.heading, p.title, d.work_id FROM (SELECT rowid AS id FROM find WHERE find MATCH ?`+s.scope+` LIMIT ?) AS f JOIN passages p ON p.id = f.id JOIN documents d ON d.id = p.document ORDER BY p.id`, slices.Concat([]any{"{title} : (" + match + ")"}, s.bound, []any{ranked})...) //nolint:gosec // the scope is a constant text
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		h := &holder{}
		if err := rows.Scan(&h.id, &h.work, &h.heading, &h.title, &h.workID); err != nil {
			return nil, err
		}
		h.strays = !slices.Contains(marks(h.heading, h.title), articleMark+number)
		list = append(list, h)
	}
	return list, rows.Err()
}

// addNamed adds passages of an article, the likeliest first: those whose work is named by the first
// words of its title. Titles must have a part of the weight of the words.
func (s *search) addNamed(named *search, list []*holder, c citation, least float64) error {
	all := 0.0
	for i := range named.words {
		all += named.weigh(&named.words[i])
	}
	for _, h := range list {
		h.name(named, all)
	}
	if c.part != "" && len(list) <= ranked/10 {
		if err := s.parts(list, c.part); err != nil {
			return err
		}
	}
	list = slices.DeleteFunc(list, func(h *holder) bool { return h.has < least })
	slices.SortStableFunc(list, func(a, b *holder) int {
		switch {
		case a.has != b.has:
			return compare(b.has, a.has)
		case a.strays != b.strays:
			return order(a.strays)
		case a.scattered != b.scattered:
			return order(a.scattered)
		case a.at != b.at:
			return a.at - b.at
		case a.words != b.words:
			return a.words - b.words
		case a.work != b.work:
			return int(a.id - b.id)
		}
		return order(a.apart) - order(b.apart)
	})
	alike := len(s.found) == s.best
	for _, h := range list {
		if alike = alike && h.has == list[0].has && h.strays == list[0].strays && h.scattered == list[0].scattered && h.at == list[0].at; alike {
			s.best++
		}
		s.add(h.id)
	}
	return nil
}

func order(late bool) int {
	if late {
		return 1
	}
	return -1
}

// name finds the words that name the work in its title.
func (h *holder) name(named *search, all float64) {
	var said []string
	short := map[int]bool{} // words in parentheses: the short title
	title := h.title
	if h.heading != "" { // the last one has the number, and may cite other works
		title = title[:max(strings.LastIndex(title, " › "), len(h.work))]
	}
	if h.workID != "" {
		title += " (" + h.workID + ")"
	}
	pieces(title, func(p piece) bool {
		if !stopsAnywhere(p.folded) {
			if p.start > 0 && title[p.start-1] == '(' && strings.HasPrefix(title[p.end:], ")") {
				short[len(said)] = true
			}
			said = append(said, p.folded)
		}
		return true
	})
	h.words = len(said)
	h.scattered = true
	for i := range said {
		h.scattered = h.scattered && !named.stands(said[i:])
	}
	for i := range named.words {
		w := &named.words[i]
		at := slices.IndexFunc(said, w.means)
		if at < 0 {
			continue
		}
		if all > 0 {
			h.has += named.weigh(w) / all
		}
		if short[at] {
			at = 0
		}
		h.at = max(h.at, at)
	}
}

// stands reports whether words begin with those of the query.
func (s *search) stands(said []string) bool {
	if len(said) < len(s.words) {
		return false
	}
	for i := range s.words {
		if !s.words[i].means(said[i]) {
			return false
		}
	}
	return true
}

// means reports whether a word of a text is the word, or may stand for it.
func (w *wanted) means(word string) bool {
	return word == w.text || slices.Contains(w.spelt, word) || strings.HasPrefix(word, w.text) && len(w.text) > 2 ||
		slices.ContainsFunc(w.forms, func(f form) bool { return f.term[0] == word })
}

// parts notes which passages lack the cited part. Long articles have several passages.
func (s *search) parts(list []*holder, part string) error {
	begins, err := regexp.Compile(`(?mi)^\W{0,4}` + regexp.QuoteMeta(part) + `(?:[.)\s]|$)`)
	if err != nil {
		return err
	}
	for _, h := range list {
		var text string
		if err := s.tx.QueryRowContext(s.ctx, `SELECT text FROM passages WHERE id = ?`, h.id).Scan(&text); err != nil {
			return err
		}
		h.apart = !begins.MatchString(text)
	}
	return nil
}
