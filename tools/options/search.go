package options

import (
	"strings"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tools/looks"
)

// MaxQuery is the length of a query in code points: a label's.
const MaxQuery = 100

// Of makes a list of options that are at hand.
func Of(at []tools.Option) *List {
	l := &List{byValue: map[string]int32{}}
	var labels looks.Set
	for _, o := range at {
		l.add(o, &labels)
	}
	return l
}

// Search finds the options whose label or value contains every word of the query,
// without regard to case and accents: first those whose label begins with the query,
// then those in which a word does, then the others, each in the list's order. Of all
// that fit, total, those from skip on are returned, up to limit of them. A query without
// words fits all.
func (l *List) Search(query string, skip, limit int) (found []tools.Option, total int) {
	query = fold(query)
	if query == "" {
		skip = min(skip, len(l.options))
		return l.options[skip:min(skip+limit, len(l.options))], len(l.options)
	}
	words := strings.Fields(query)
	inside := " " + query
	var ranks [3][]int32
	for i, key := range l.keys {
		if !contains(key, words) {
			continue
		}
		rank := 2
		switch {
		case strings.HasPrefix(key, query):
			rank = 0
		case strings.Contains(key, inside):
			rank = 1
		}
		ranks[rank] = append(ranks[rank], int32(i))
	}
	for _, fits := range ranks {
		from := min(max(skip-total, 0), len(fits))
		to := min(from+limit-len(found), len(fits))
		for _, i := range fits[from:to] {
			found = append(found, l.options[i])
		}
		total += len(fits)
	}
	return found, total
}

func contains(key string, words []string) bool {
	for _, w := range words {
		if !strings.Contains(key, w) {
			return false
		}
	}
	return true
}

// fold is a text as a search sees it: compatibility forms and accents taken off, case
// folded, each run of white space and what cannot be seen as one space.
func fold(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	space := false
	put := func(r rune) {
		switch {
		case unicode.IsSpace(r) || unicode.IsControl(r):
			space = true
			return
		case unicode.Is(unicode.Cf, r):
			return
		}
		if space && b.Len() > 0 {
			b.WriteByte(' ')
		}
		space = false
		b.WriteRune(r)
	}
	for i := range len(s) {
		if s[i] < 0x80 {
			continue
		}
		for _, r := range cases.Fold().String(norm.NFKD.String(s)) {
			if !unicode.Is(unicode.Mn, r) {
				put(r)
			}
		}
		return b.String()
	}
	for i := range len(s) {
		c := s[i]
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		put(rune(c))
	}
	return b.String()
}
