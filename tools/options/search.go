package options

import (
	"strings"
	"unicode"

	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tools/confusable"
	"github.com/askgate/askgate/tools/textsearch"
)

// MaxQuery is the maximum length of a query in code points, the same as of a label.
const MaxQuery = 100

// Of returns a list of the given options.
func Of(at []tools.Option) *List {
	l := &List{byValue: map[string]int32{}}
	var labels confusable.Set
	for _, o := range at {
		l.add(o, &labels)
	}
	return l
}

// Search finds the options whose label or value contains every word of the query, regardless
// of case and accents: first those whose label begins with the query, then those in which a
// word does, then the others, each in the list's order. It returns up to limit of them from
// skip on, and the total number of matches. A query without words matches all options.
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

// fold returns a text in the form for searching, with one space for each run of white space and control characters.
func fold(s string) string {
	return strings.Join(strings.FieldsFunc(textsearch.Fold(s), func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }), " ")
}
