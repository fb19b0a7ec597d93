package index

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/askgate/askgate/tools/textsearch"
)

const maxWord = 64 // bytes of a folded word: what is longer is no word

// unspaced are scripts that write no spaces between words.
var unspaced = []*unicode.RangeTable{unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar}

// piece is a stretch of a text that words are made of: one word, or a run of a script
// without spaces.
type piece struct {
	start, end int // bytes
	folded     string
	run        bool
}

// pieces visits those of a text in order, until yield says false.
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

// joins says that a sign belongs to whatever stands before it.
func joins(r rune) bool { return unicode.IsMark(r) || r == 'ー' }

// fold is a word without case, width and accents.
func fold(word string) string {
	return strings.Map(func(r rune) rune {
		if !isWord(r) { // what a ligature hid
			return -1
		}
		return r
	}, norm.NFC.String(textsearch.Fold(word)))
}

// writer writes texts as the index gets them.
type writer struct {
	b     strings.Builder
	known map[string]string // words with accents, folded
}

// indexed is a text as the index gets it: folded words, and what is written without spaces
// by twos.
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
	const most = 10_000 // words that are remembered
	if folded, ok := w.known[word]; ok {
		return folded
	}
	folded := fold(word)
	if len(w.known) < most && len(word) <= maxWord {
		w.known[strings.Clone(word)] = folded
	}
	return folded
}

// pairs are each two signs that stand beside each other; last: and the last one alone, so
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
	n      int      // passages that have it
	spelt  []string // terms that may be meant, where it is rare
	common bool     // it says nothing
}

// exact is the word in FTS5's syntax: between quotation marks, and no word has any.
func (w wanted) exact() string {
	if !w.run {
		return `"` + w.text + `"`
	}
	if list := pairs(w.text, false); len(list) > 0 {
		return `"` + strings.Join(list, " ") + `"`
	}
	return `"` + w.text + `" *`
}

// prefix is the word as a beginning. One that many passages have is meant as it is.
func (w wanted) prefix() string {
	if w.run || w.n > ranked || utf8.RuneCountInString(w.text) < 3 {
		return w.exact()
	}
	return `"` + w.text + `" *`
}

// any is the word, or what may be meant by it.
func (w wanted) any() string {
	list := []string{w.prefix()}
	for _, s := range w.spelt {
		list = append(list, `"`+s+`"`)
	}
	if len(list) == 1 {
		return list[0]
	}
	return "(" + strings.Join(list, " OR ") + ")"
}

// HasWords says whether a query has anything that can be looked for.
func HasWords(query string) bool { return len(readQuery(query)) > 0 }

// readQuery reads the words of a query, each once.
func readQuery(query string) (list []wanted) {
	const most = 32
	seen := map[string]bool{}
	pieces(query, func(p piece) bool {
		if !seen[p.folded] && len(p.folded) <= maxWord {
			seen[p.folded] = true
			list = append(list, wanted{text: p.folded, run: p.run})
		}
		return len(list) < most
	})
	return list
}
