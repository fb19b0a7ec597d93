package secret

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/runes"
	"golang.org/x/text/unicode/norm"

	"github.com/askgate/askgate/tools/looks"
)

// gap is what stands before a word.
type gap uint8

const (
	space gap = iota
	comma
	colon
	sentence // the end of one
	asked    // likewise, with a question mark
)

// gaps are the marks that leave one; a full stop and a dash do only before white space.
var gaps = map[rune]gap{'?': asked, '¿': asked, '.': sentence, '!': sentence, ';': sentence, '…': sentence, '¡': sentence,
	':': colon, '-': colon, '(': colon, ')': colon, '–': colon, '—': colon, '"': colon, '«': colon, '»': colon, '“': colon, '”': colon, ',': comma}

type word struct {
	s string
	entry
	gap gap
}

// text is a text by its words.
type text struct {
	lex   *lexicon
	words []word
	asks  bool // has a question mark
}

// letters are those that pass for others within a word.
var letters = strings.NewReplacer("0", "o", "1", "i", "3", "e", "4", "a", "5", "s", "7", "t", "@", "a", "$", "s", "!", "i")

// spaced is a word in single letters.
var spaced = regexp.MustCompile(`\b\pL( \pL){2,}\b`)

// simple is s in small letters without accents, as it looks.
func simple(s string) string {
	s = spaced.ReplaceAllStringFunc(strings.ReplaceAll(s, "\n", ". "), func(s string) string { return strings.ReplaceAll(s, " ", "") })
	if strings.IndexFunc(s, func(r rune) bool { return r > unicode.MaxASCII }) < 0 {
		return strings.ToLower(s)
	}
	s = strings.ReplaceAll(strings.ToLower(looks.Latin(looks.Fold(s))), "ß", "ss")
	return runes.Remove(runes.In(unicode.Mn)).String(norm.NFD.String(s))
}

// newText reads a text.
func newText(l *lexicon, s string) *text {
	t := &text{lex: l}
	s = simple(s) + " "
	before, begin := sentence, -1
	for i, r := range s {
		next := s[min(i+1, len(s)-1)]
		switch inside := unicode.IsLetter(r) || unicode.IsDigit(r); {
		case inside && begin < 0:
			begin = i
		case inside || begin >= 0 && strings.ContainsRune("@$!", r) && 'a' <= next && next <= 'z': // p@ssword
		default:
			if begin >= 0 {
				t.words = append(t.words, word{s: s[begin:i], gap: before})
				before, begin = space, -1
			}
			if next == ' ' || r != '.' && r != '-' {
				before = max(before, gaps[r])
			}
			t.asks = t.asks || r == '?'
		}
	}
	for i := range t.words {
		w := &t.words[i]
		w.s = l.spelled(w.s)
		if w.entry = l.word(w.s); w.class == 0 {
			w.class = other
		}
	}
	return t
}

// spelled is the noun that a word is in disguise: passw0rd, drowssap.
func (l *lexicon) spelled(s string) string {
	back := []byte(s)
	slices.Reverse(back)
	if plain := letters.Replace(s); plain != s && len(s) > 2 && l.word(plain).kind != "" {
		return plain
	}
	if e := l.words[string(back)]; e != nil && e.kind != "" && len(s) > 6 {
		return string(back)
	}
	return s
}

// mention is where a text names a secret.
type mention struct {
	kind     Kind
	from, to int // words
	far      int // how far off the company is that makes it one; 0: it needs none
}

// mentions are the secrets that a text names, up to 8. elsewhere is what other fields say.
func (t *text) mentions(elsewhere []word) (found []mention) {
	for i := 0; i < len(t.words) && len(found) < 8; i++ {
		m := mention{kind: t.words[i].kind, from: i, to: i + 1}
		if p, ok := t.phraseAt(i, t.lex.phrases); ok {
			m.kind, m.to = p.kind, i+len(p.words)
			i = m.to - 1
		} else if w := t.words[i]; w.kind == "" && w.head != nil {
			for k := 0; k < len(w.head) && m.kind == ""; k++ {
				m.kind, m.far = t.company(w.head[k], i, elsewhere)
			}
		}
		if m.kind != "" {
			found = append(found, m)
		}
	}
	return found
}

// phraseAt is the one of a list that begins at a word.
func (t *text) phraseAt(i int, list map[string][]phrase) (phrase, bool) {
	for _, p := range list[t.words[i].s] {
		k := 1
		for k < len(p.words) && i+k < len(t.words) && t.words[i+k].s == p.words[k] && t.words[i+k].gap == space {
			k++
		}
		if k == len(p.words) {
			return p, true
		}
	}
	return phrase{}, false
}

// company is the kind of the family's head at i, "" if it is none here. What makes it one is
// within the word, some words before or behind, elsewhere in the text, or elsewhere.
func (t *text) company(family string, i int, elsewhere []word) (Kind, int) {
	from, to := t.around(i, i+1, sentence)
	against, near := t.words[max(from, i-3):min(to, i+5)], t.words[max(from, i-5):min(to, i+8)]
	for far, words := range [...][]word{against, t.words[i : i+1], near, t.words, elsewhere} {
		for _, w := range words {
			for _, c := range w.with {
				if c.family == family && (c.kind == "") == (far == 0) {
					return c.kind, far - 1
				}
			}
		}
	}
	return "", 0
}

// around are the bounds of the sentence, or of what is as far as a gap of that size.
func (t *text) around(from, to int, size gap) (begin, end int) {
	for begin = from; begin > 0 && t.words[begin].gap < size; begin-- {
	}
	for end = to; end < len(t.words) && t.words[end].gap < size; end++ {
	}
	return begin, end
}
