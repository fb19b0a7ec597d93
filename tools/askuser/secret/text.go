package secret

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

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

// gaps are the marks that leave one; a full stop does only before white space.
var gaps = map[rune]gap{'?': asked, '¿': asked, '.': sentence, '!': sentence, ';': sentence, '…': sentence, '¡': sentence,
	':': colon, '(': colon, ')': colon, '–': colon, '—': colon, '"': colon, '«': colon, '»': colon, '“': colon, '”': colon, ',': comma}

type word struct {
	s string
	entry
	gap    gap
	joined bool // to the word before, by a hyphen
}

// text is a text by its words.
type text struct {
	lex     *lexicon
	words   []word
	asks    bool // ends with a question mark, or has one
	english bool
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
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return r
	}, norm.NFD.String(s))
}

// newText reads a text.
func newText(l *lexicon, s string) *text {
	t := &text{lex: l}
	s = simple(s)
	before, begin, joined := sentence, -1, false
	for i, r := range s + " " {
		next := byte(' ')
		if i+1 < len(s) {
			next = s[i+1]
		}
		switch inside := unicode.IsLetter(r) || unicode.IsDigit(r); {
		case inside && begin < 0:
			begin = i
		case inside || begin >= 0 && strings.ContainsRune("@$!", r) && 'a' <= next && next <= 'z': // p@ssword
		default:
			if begin >= 0 {
				t.words = append(t.words, word{s: s[begin:i], gap: before, joined: joined})
				before, begin, joined = space, -1, r == '-'
			} else if joined = false; r == '-' && next == ' ' {
				before = max(before, colon)
			}
			if g := gaps[r]; g != sentence || next == ' ' {
				before = max(before, g)
			}
			t.asks = t.asks || r == '?'
		}
	}
	for i := range t.words {
		w := &t.words[i]
		w.s = l.spelled(w.s)
		if w.entry = l.word(w.s); unicode.IsDigit(rune(w.s[0])) {
			w.class |= number
		} else if w.class == 0 {
			w.class = other
		}
		t.english = t.english || w.class&english != 0
	}
	return t
}

// spelled is the noun that a word is in disguise: passw0rd, drowssap.
func (l *lexicon) spelled(s string) string {
	back := []byte(s)
	slices.Reverse(back)
	for _, plain := range [...]string{s, letters.Replace(s), string(back)} {
		if l.word(plain).kind != "" && len(s) > 2 && (len(s) > 6 || plain != string(back)) {
			return plain
		}
	}
	return s
}

// mention is where a text names a secret.
type mention struct {
	kind     Kind
	from, to int // words
	far      int // how far off the company is that makes it one; 0: it needs none
}

// maxMentions bounds the work on a text that is full of them.
const maxMentions = 24

// mentions are the secrets that a text names. elsewhere is what other fields say.
func (t *text) mentions(elsewhere []word) (found []mention) {
	for i := 0; i < len(t.words) && len(found) < maxMentions; i++ {
		m := mention{kind: t.words[i].kind, from: i, to: i + 1}
		if p, ok := t.phraseAt(i); ok {
			m.kind, m.to = p.kind, i+len(p.words)
			i = m.to - 1
		} else if w := t.words[i]; w.kind == "" && w.head != 0 {
			for family := uint16(1); family <= w.head && m.kind == ""; family <<= 1 {
				if w.head&family != 0 {
					m.kind, m.far = t.company(family, i, elsewhere)
				}
			}
			for m.from > 0 && i-m.from < 3 && t.words[m.from].gap == space && len(t.words[m.from-1].with) > 0 && t.words[m.from-1].class&^adjective == 0 {
				m.from-- // "credit card number"
			}
		}
		for m.from > 0 && t.words[m.from].joined { // EC-Karten-PIN
			m.from--
		}
		if m.kind != "" {
			found = append(found, m)
		}
	}
	return found
}

// phraseAt is the one that begins at a word.
func (t *text) phraseAt(i int) (phrase, bool) {
	for _, p := range t.lex.phrases[t.words[i].s] {
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

// company is the kind of the family's head at i, "" if it is none here. It may stand some
// words before or behind, elsewhere in the text, or elsewhere.
func (t *text) company(family uint16, i int, elsewhere []word) (Kind, int) {
	from, to := t.around(i, i+1, sentence)
	near := t.words[max(from, i-5):min(to, i+8)]
	for _, w := range t.words[max(from, i-3):min(to, i+5)] {
		if w.not&family != 0 {
			return "", 0
		}
	}
	for far, words := range [...][]word{t.words[i : i+1], near, t.words, elsewhere} {
		for _, w := range words {
			for _, c := range w.with {
				if c.family == family {
					return c.kind, far
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
