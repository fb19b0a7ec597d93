package index

import (
	"math"
	"slices"
	"strconv"
	"strings"
)

// How much a form says, compared with the word itself.
const (
	strong      = 0.5  // from here on, a form counts as the word
	inflected   = 0.85 // another form of the word
	sameSense   = 0.85
	misspelt    = 0.7
	beginsAlike = 0.4 // a word that begins with the stem
)

// isQuestion reports whether the query is a question in words, rather than a list of words that a passage
// must have: it has many words, or stop words between the others. "Contract of sale" is too short for
// one.
func (s *search) isQuestion() bool {
	const many = 4
	n := len(s.words)
	return len(s.found) == 0 && (n >= many || n > 1 && s.stops > 0 && n+s.stops >= many)
}

// stand finds what may stand for the words of the query: other forms of them, and synonyms.
func (s *search) stand() error {
	if s.know == nil {
		return nil
	}
	said := make([]string, len(s.said))
	for i, p := range s.said {
		said[i] = p.folded
	}
	for i := range s.words {
		w := &s.words[i]
		if w.run {
			continue
		}
		if err := s.inflect(w, w.text, inflected); err != nil {
			return err
		}
	}
	for i := range said {
		terms, long := s.know.alternatives(said, i)
		for k := range s.words {
			w := &s.words[k]
			if w.at < i || w.at >= i+long {
				continue
			}
			for _, term := range terms {
				if len(term) == 1 {
					n, err := s.passagesWith(term[0])
					if err != nil {
						return err
					}
					w.stand(form{term, sameSense, n})
					if err := s.inflect(w, term[0], sameSense); err != nil {
						return err
					}
				} else {
					w.stand(form{term, sameSense, 0})
				}
			}
		}
	}
	return nil
}

// stand adds a form, unless it is there.
func (w *wanted) stand(f form) {
	const most = 40
	if len(f.term) == 1 && (f.term[0] == w.text || f.n == 0) || len(w.forms) == most || slices.ContainsFunc(w.forms, func(g form) bool { return slices.Equal(f.term, g.term) }) {
		return
	}
	w.forms = append(w.forms, f)
}

// inflect adds the terms of the index that are forms of a word, or begin with its stem.
func (s *search) inflect(w *wanted, text string, weight float64) error {
	const (
		scan   = 300 // terms with one beginning
		longer = 6   // letters of an ending
		least  = 5   // letters of a stem that other words may begin with
		take   = 8
	)
	stems := s.know.stems(text)
	var near []form
	for k, stem := range stems {
		begin := stem
		if k == 0 {
			for !strings.HasPrefix(text, begin) {
				begin = begin[:len(begin)-1]
			}
		}
		if len([]rune(begin)) < 3 {
			continue
		}
		terms, err := s.terms(`SELECT term, n FROM terms WHERE term >= ? AND term < ? AND length(term) <= ? LIMIT ?`, begin, begin+"\U0010ffff", len([]rune(text))+longer, scan)
		if err != nil {
			return err
		}
		for _, t := range terms {
			switch of := s.know.stems(t.text); {
			case slices.ContainsFunc(of, func(other string) bool { return slices.Contains(stems, other) }):
				near = append(near, form{[]string{t.text}, weight, t.n})
			case len(stem) >= least && strings.HasPrefix(t.text, stem):
				near = append(near, form{[]string{t.text}, weight * beginsAlike, t.n})
			}
		}
	}
	slices.SortStableFunc(near, func(a, b form) int {
		if a.weight != b.weight {
			return int(math.Copysign(1, b.weight-a.weight))
		}
		return b.n - a.n
	})
	formsOf, others := 0, 0
	for _, f := range near {
		if f.weight >= strong && formsOf < 2*take {
			formsOf++
			w.stand(f)
		} else if f.weight < strong && others < take {
			others++
			w.stand(f)
		}
	}
	return nil
}

// weigh returns how much a word says: the rarer, the more.
func (s *search) weigh(w *wanted) float64 {
	n := float64(w.n)
	for _, f := range w.forms {
		if f.weight >= strong {
			n += float64(f.n)
		}
	}
	return s.rarity(n)
}

// rarity returns how much a word says that n passages have.
func (s *search) rarity(n float64) float64 {
	n = min(n, float64(s.total))
	return math.Log(1 + (float64(s.total)-n+0.5)/(n+0.5))
}

// clusters counts runs of neighbouring passages. A word in the title of a work is in all of its passages:
// that is one run, so the word counts as rarer than one in the texts of as many works.
func clusters(ids []int64) (n float64) {
	for i, id := range ids {
		if i == 0 || ids[i-1]+1 != id {
			n++
		}
	}
	return n
}

// question adds the passages that have any of the words. Those whose words together weigh the most are
// ranked by their texts.
func (s *search) question() error {
	const (
		weighed = 120    // passages whose texts are read
		rows    = 40_000 // matches of all words together
	)
	if err := s.stand(); err != nil {
		return err
	}
	if err := s.spellUnknown(); err != nil {
		return err
	}
	slots := make([]slot, 0, len(s.words))
	for i := range s.words {
		if w := &s.words[i]; w.n > 0 || len(w.forms) > 0 || w.run {
			slots = append(slots, slot{wanted: w, weight: s.weigh(w)})
		}
	}
	if len(slots) == 0 {
		return nil
	}
	byWeight := make([]int, len(slots))
	for i := range slots {
		byWeight[i] = i
	}
	slices.SortStableFunc(byWeight, func(a, b int) int { return -compare(slots[a].weight, slots[b].weight) })
	have := map[int64]uint32{} // the slots whose words a passage has
	left := rows
	for k, i := range byWeight {
		if k > 0 && left <= 0 {
			break
		}
		ids, err := s.having(slots[i].expression(), max(left, ranked))
		if err != nil {
			return err
		}
		left -= len(ids)
		if len(ids) > 0 {
			slots[i].weight = s.rarity(clusters(ids))
		}
		for _, id := range ids {
			have[id] |= 1 << i
		}
	}
	groups := map[uint32][]int64{}
	for id, mask := range have {
		groups[mask] = append(groups[mask], id)
	}
	masks := make([]uint32, 0, len(groups))
	for mask := range groups {
		masks = append(masks, mask)
	}
	slices.SortFunc(masks, func(a, b uint32) int {
		if d := compare(together(slots, b), together(slots, a)); d != 0 {
			return d
		}
		return int(int64(a) - int64(b))
	})
	var first []int64
	rest := 0
	for ; rest < len(masks) && len(first) < weighed; rest++ {
		group := groups[masks[rest]]
		if len(group) > weighed-len(first) {
			best, err := s.bestOf(slots, masks[rest], weighed-len(first))
			if err != nil {
				return err
			}
			first = append(first, best...)
			break
		}
		slices.Sort(group)
		first = append(first, group...)
	}
	if err := s.rank(slots, first); err != nil {
		return err
	}
	for ; rest < len(masks) && !s.enough(); rest++ {
		group := groups[masks[rest]]
		slices.Sort(group)
		for _, id := range group {
			if s.enough() {
				break
			}
			s.add(id)
		}
	}
	return nil
}

// slot is a word of a question that the index has, with how much it says.
type slot struct {
	*wanted
	weight float64
}

// expression returns an expression for the word and its forms; for a rare one, with words that begin
// like it.
func (s slot) expression() string {
	const rare = 30 // passages
	n := s.n
	for _, f := range s.forms {
		if f.weight >= strong {
			n += f.n
		}
	}
	if n > rare {
		return s.formed()
	}
	list := []string{s.exact()}
	for _, f := range s.forms {
		list = append(list, `"`+strings.Join(f.term, " ")+`"`)
	}
	return either(list)
}

// together returns the weight of the words of a mask.
func together(slots []slot, mask uint32) (weight float64) {
	for i := range slots {
		if mask>>i&1 == 1 {
			weight += slots[i].weight
		}
	}
	return weight
}

func compare(a, b float64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// having returns the passages that match an expression, in the order of the index.
func (s *search) having(expression string, most int) ([]int64, error) {
	var list string
	err := s.tx.QueryRowContext(s.ctx, `SELECT coalesce(group_concat(id), '') FROM (SELECT rowid AS id FROM find WHERE find MATCH ?`+s.scope+` LIMIT ?)`, slices.Concat([]any{expression}, s.bound, []any{most})...).Scan(&list)
	if err != nil || list == "" {
		return nil, err
	}
	ids := make([]int64, 0, strings.Count(list, ",")+1)
	for text := range strings.SplitSeq(list, ",") {
		id, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return nil, err
		}
		ids = append(ids, id)
	}
	return ids, nil
}

// bestOf returns the passages that have the words of a mask, first those that have them often.
func (s *search) bestOf(slots []slot, mask uint32, most int) (ids []int64, err error) {
	var list []string
	for i := range slots {
		if mask>>i&1 == 1 {
			list = append(list, slots[i].expression())
		}
	}
	return s.ids(`SELECT id FROM (SELECT rowid AS id, bm25(find, 2.0, 1.0) AS far FROM find WHERE find MATCH ?`+s.scope+` LIMIT ?) ORDER BY far, id LIMIT ?`, slices.Concat([]any{strings.Join(list, " AND ")}, s.bound, []any{ranked, most})...)
}

// spellUnknown finds terms that words which no passage has may be misspellings of.
func (s *search) spellUnknown() error {
	if err := s.spellings(func(w *wanted) bool { return w.n == 0 && len(w.forms) == 0 }); err != nil {
		return err
	}
	for i := range s.words {
		w := &s.words[i]
		for _, term := range w.spelt {
			n, err := s.passagesWith(term)
			if err != nil {
				return err
			}
			w.stand(form{[]string{term}, misspelt, n})
		}
	}
	return nil
}
