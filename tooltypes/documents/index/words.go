package index

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/askgate/askgate/tools/textsearch"
)

const maxWord = 64 // bytes of a folded word; longer ones are ignored

// unspaced lists scripts without spaces between words.
var unspaced = []*unicode.RangeTable{unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar}

// piece is a stretch of a text: one word, or a run of a script without spaces.
type piece struct {
	start, end int // bytes
	folded     string
	run        bool
}

// pieces calls yield with the pieces of a text in order, until it returns false.
func pieces(text string, yield func(piece) bool) { piecesBy(text, fold, yield) }

func piecesBy(text string, fold func(string) string, yield func(piece) bool) {
	for i := 0; i < len(text); {
		start, ascii := i, true
		r, size := utf8.DecodeRuneInString(text[i:])
		run := r >= utf8.RuneSelf && unicode.In(r, unspaced...)
		for i < len(text) && isWord(r) && (r < utf8.RuneSelf || joins(r) || unicode.In(r, unspaced...) == run) {
			if r < utf8.RuneSelf && run {
				break
			}
			ascii = ascii && r < utf8.RuneSelf
			i += size
			r, size = utf8.DecodeRuneInString(text[i:])
		}
		if i == start {
			i += max(size, 1)
			continue
		}
		p := piece{start: start, end: i, run: run}
		if ascii {
			p.folded = strings.ToLower(text[start:i])
		} else {
			p.folded = fold(text[start:i])
		}
		if p.folded != "" && !yield(p) {
			return
		}
	}
}

func isWord(r rune) bool {
	if r < utf8.RuneSelf {
		return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9'
	}
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r))
}

// joins reports whether a sign belongs to the one before it.
func joins(r rune) bool { return unicode.IsMark(r) || r == 'ー' }

// fold removes case, width and accents from a word.
func fold(word string) string {
	return strings.Map(func(r rune) rune {
		if !isWord(r) { // it came out of a ligature
			return -1
		}
		return r
	}, norm.NFC.String(textsearch.Fold(word)))
}

// writer writes texts in the form that the index stores.
type writer struct {
	b     strings.Builder
	known map[string]string // words with accents, folded
}

// indexed returns a text in the form that the index stores: folded words, and runs without spaces
// as pairs of signs.
func (w *writer) indexed(text string) string {
	if w.known == nil {
		w.known = map[string]string{}
	}
	w.b.Reset()
	piecesBy(text, w.fold, func(p piece) bool {
		if p.run {
			for _, pair := range pairs(p.folded, true) {
				w.b.WriteString(pair)
				w.b.WriteByte(' ')
			}
		} else if len(p.folded) <= maxWord {
			w.b.WriteString(p.folded)
			w.b.WriteByte(' ')
		}
		return true
	})
	return w.b.String()
}

func (w *writer) fold(word string) string {
	const most = 10_000 // words to remember
	if folded, ok := w.known[word]; ok {
		return folded
	}
	folded := fold(word)
	if len(w.known) < most && len(word) <= maxWord {
		w.known[strings.Clone(word)] = folded
	}
	return folded
}

// pairs returns each two adjacent signs of a run. If last is set, it adds the last sign alone, so
// that a search for one sign finds it, too.
func pairs(run string, last bool) (list []string) {
	before := -1
	for i, r := range run {
		if before >= 0 {
			list = append(list, run[before:i+utf8.RuneLen(r)])
		}
		before = i
	}
	if last && before >= 0 {
		list = append(list, run[before:])
	}
	return list
}

// wanted is a word of a query.
type wanted struct {
	text   string // folded
	run    bool
	at     int      // which word of the query it is
	n      int      // passages that have it
	spelt  []string // terms that may be meant, if it is rare
	forms  []form   // what may stand for it
	common bool     // too frequent to say anything
}

// form is what may stand for a word: another form of it, or a synonym.
type form struct {
	term   []string // folded words
	weight float64  // 1: as much as the word itself
	n      int      // passages that have it, if it is one word
}

// exact returns the word in FTS5's syntax, in quotation marks, which no word contains.
func (w wanted) exact() string {
	if !w.run {
		return `"` + w.text + `"`
	}
	if list := pairs(w.text, false); len(list) > 0 {
		return `"` + strings.Join(list, " ") + `"`
	}
	return `"` + w.text + `" *`
}

// prefix returns an expression for terms that begin with the word. For a word that many passages
// have, it returns exact.
func (w wanted) prefix() string {
	if w.run || w.n > ranked || utf8.RuneCountInString(w.text) < 3 {
		return w.exact()
	}
	return `"` + w.text + `" *`
}

// any returns an expression for the word or a term that may be meant by it.
func (w wanted) any() string {
	list := []string{w.prefix()}
	for _, s := range w.spelt {
		list = append(list, `"`+s+`"`)
	}
	for _, f := range w.forms {
		list = append(list, `"`+strings.Join(f.term, " ")+`"`)
	}
	return either(list)
}

// formed returns an expression for the word, or what may stand for it.
func (w wanted) formed() string {
	list := []string{w.exact()}
	for _, f := range w.forms {
		if f.weight >= strong {
			list = append(list, `"`+strings.Join(f.term, " ")+`"`)
		}
	}
	return either(list)
}

// either returns an expression for any of some expressions.
func either(list []string) string {
	if len(list) == 1 {
		return list[0]
	}
	return "(" + strings.Join(list, " OR ") + ")"
}

// HasWords reports whether a query has words to search for.
func HasWords(query string) bool { return len(readQuery(query, nil).words) > 0 }

// asking is a query as it is read.
type asking struct {
	said  []piece  // all words, in order
	words []wanted // each once, without stop words, unless it has no other words
	stops int      // how many words were left out
}

// readQuery reads a query.
func readQuery(query string, know *Words) (q asking) {
	const most = 32
	seen := map[string]bool{}
	lower := strings.ContainsFunc(query, unicode.IsLower)
	var little []wanted
	pieces(query, func(p piece) bool {
		if len(p.folded) > maxWord {
			return true
		}
		q.said = append(q.said, p)
		if seen[p.folded] {
			return len(q.said) < 8*most
		}
		seen[p.folded] = true
		w := wanted{text: p.folded, run: p.run, at: len(q.said) - 1}
		// The name of a law can be spelled like such a word: WEG.
		if name := lower && len(p.folded) > 1 && !strings.ContainsFunc(query[p.start:p.end], unicode.IsLower); know.stops(p.folded) && !name {
			little = append(little, w)
		} else {
			q.words = append(q.words, w)
		}
		return len(q.words) < most && len(little) < most
	})
	if len(q.words) == 0 {
		q.words = little
	} else {
		q.stops = len(little)
	}
	return q
}
