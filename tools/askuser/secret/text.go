package secret

import (
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

type word struct {
	s   string
	gap gap
	class
	joined bool // to the word before, by a hyphen
}

// text is a text by its words.
type text struct {
	lex   *lexicon
	own   []phrase // the admin's
	words []word
	mask  uint8 // its languages
	asks  bool  // has a question mark
}

// letters are those that pass for others within a word.
var letters = strings.NewReplacer("0", "o", "1", "l", "3", "e", "4", "a", "5", "s", "7", "t", "@", "a", "$", "s", "!", "i")

// simple is s in small letters without accents, as it looks.
func simple(s string) string {
	ascii := true
	for i := range len(s) {
		ascii = ascii && s[i] < 0x80
	}
	if ascii {
		return strings.ToLower(s)
	}
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return r
	}, strings.ToLower(norm.NFD.String(strings.ReplaceAll(strings.ReplaceAll(looks.Latin(looks.Fold(strings.ReplaceAll(s, "\n", ". "))), "ß", "ss"), "ẞ", "ss"))))
}

// newText reads a text.
func newText(l *lexicon, own []phrase, s string) *text {
	t := &text{lex: l, own: own}
	s = simple(s)
	before, begin, joined := sentence, -1, false
	end := func(i int) {
		if begin >= 0 {
			t.words = append(t.words, word{s: s[begin:i], gap: before, joined: joined})
			before, begin, joined = space, -1, i < len(s) && s[i] == '-'
		}
	}
	for i, r := range s {
		inside := unicode.IsLetter(r) || unicode.IsDigit(r)
		if !inside && begin >= 0 && (r == '@' || r == '$' || r == '!') && i+1 < len(s) && s[i+1] > ' ' && s[i+1] < 0x80 && unicode.IsLetter(rune(s[i+1])) {
			inside = true // p@ssword
		}
		if inside {
			if begin < 0 {
				begin = i
			}
			continue
		}
		end(i)
		switch r {
		case '?', '¿':
			before = max(before, asked)
			t.asks = true
		case '.', '!', ';', '\n', '…', '¡':
			if i+1 == len(s) || s[i+1] == ' ' || s[i+1] == '\n' || r == ';' || r == '\n' {
				before = max(before, sentence)
			}
		case '-':
			if i > 0 && s[i-1] == ' ' && i+1 < len(s) && s[i+1] == ' ' {
				before = max(before, colon)
			}
		case ' ':
			joined = false
		case ':', '(', ')', '–', '—', '"', '«', '»', '“', '”':
			before = max(before, colon)
		case ',':
			before = max(before, comma)
		}
	}
	end(len(s))
	t.join()
	for i := range t.words {
		t.words[i].s = t.spelled(t.words[i].s)
	}
	t.classify()
	return t
}

// known says whether the lexicon has the word at all, as a secret if it is long.
func (t *text) known(s string) bool {
	if _, ok := t.lex.nounKind(s); ok {
		return true
	}
	for _, p := range t.own {
		if p.words[0] == s {
			return true
		}
	}
	return false
}

// join puts a word together that was spelled in single letters, or in two halves.
func (t *text) join() {
	out := t.words[:0]
	for i := 0; i < len(t.words); i++ {
		w, j := t.words[i], i
		if len(w.s) == 1 {
			for j < len(t.words) && len(t.words[j].s) == 1 {
				j++
			}
			var b strings.Builder
			for _, one := range t.words[i:j] {
				b.WriteString(one.s)
			}
			for from := 0; j-i > 2 && from+2 < b.Len(); from++ { // "a p i n": without what stands before it
				if s := t.spelled(b.String()[from:]); t.known(s) {
					out = append(out, t.words[i:i+from]...)
					w, i = word{s: s, gap: w.gap}, j-1
					break
				}
			}
		} else if i+1 < len(t.words) && len(w.s) >= 4 && len(t.words[i+1].s) >= 4 && !t.known(w.s) {
			if s := w.s + t.words[i+1].s; t.lex.nouns.whole[s] {
				w.s, i = s, i+1
			}
		}
		out = append(out, w)
	}
	t.words = out
}

// spelled is the noun that a word is in disguise: passw0rd, drowssap, pasword.
func (t *text) spelled(s string) string {
	if len(s) < 3 || t.known(s) {
		return s
	}
	if strings.ContainsAny(s, "013457@$!") && strings.ContainsAny(s, "abcdefghijklmnopqrstuvwxyz") {
		plain := letters.Replace(s)
		if t.known(plain) {
			return plain
		}
		if plain = strings.ReplaceAll(plain, "l", "i"); t.known(plain) {
			return plain
		}
	}
	if len(s) < 7 || len(s) > 24 || t.lex.classOf(s, 0xff) != 0 {
		return s
	}
	back := []byte(s)
	for i, j := 0, len(back)-1; i < j; i, j = i+1, j-1 {
		back[i], back[j] = back[j], back[i]
	}
	if t.known(string(back)) {
		return string(back)
	}
	for _, noun := range [...]string{"password", "passwort", "kennwort", "passphrase", "passcode", "credentials", "contrasena", "zugangsdaten"} {
		if slip(s, noun) {
			return noun
		}
	}
	return s
}

// slip says whether one letter is missing, too many, wrong or out of place in s.
func slip(s, noun string) bool {
	if len(s) > len(noun) {
		s, noun = noun, s
	}
	if len(noun)-len(s) > 1 || noun == "passport" || s == "passport" {
		return false
	}
	i := 0
	for i < len(s) && s[i] == noun[i] {
		i++
	}
	if len(s) < len(noun) {
		return s[i:] == noun[i+1:]
	}
	return i == len(s) || s[i+1:] == noun[i+1:] || i+1 < len(s) && s[i] == noun[i+1] && s[i+1] == noun[i] && s[i+2:] == noun[i+2:]
}

// classify gives each word its classes, in the language that the text seems to be in.
func (t *text) classify() {
	var counts [5]int
	for _, w := range t.words {
		for i := 1; i < len(counts); i++ {
			if t.lex.classes[i][w.s] != 0 {
				counts[i]++
			}
		}
	}
	most := max(counts[1], counts[2], counts[3], counts[4])
	var mask uint8
	for i := 1; i < len(counts); i++ {
		if counts[i] == most {
			mask |= 1 << i
		}
	}
	t.mask = mask
	for i := range t.words {
		w := &t.words[i]
		if w.class = t.lex.classOf(w.s, mask); w.s[0] >= '0' && w.s[0] <= '9' {
			w.class |= num
		} else if w.class == 0 {
			w.class = other
		}
		if i > 0 && w.gap == space { // how long
			if c := t.lex.classOf(t.words[i-1].s+"_"+w.s, mask); c != 0 {
				t.words[i-1].class, w.class = c, c
			}
		}
	}
}

// mention is where a text names a secret.
type mention struct {
	kind     Kind
	from, to int // words
	far      int // how far off the company is that makes it one; 0: it needs none
}

// mentions are the secrets that a text names. company is what other fields say.
func (t *text) mentions(company []word) []mention {
	var found []mention
	for i := 0; i < len(t.words) && len(found) < maxMentions; i++ {
		if p, ok := t.phraseAt(i); ok {
			if p.kind != "" {
				found = append(found, mention{kind: p.kind, from: t.first(i), to: i + len(p.words)})
			}
			i += len(p.words) - 1
			continue
		}
		if kind, ok := t.lex.nounKind(t.words[i].s); ok {
			if kind != "" {
				found = append(found, mention{kind: kind, from: t.first(i), to: i + 1})
			}
			continue
		}
		for _, f := range t.lex.families {
			if rest, ok := f.head.has(t.words[i].s); ok {
				if kind, far := t.inCompany(f, rest, i, company); kind != "" {
					from := i // of "credit card number"
					for from > 0 && i-from < 3 && t.words[from].gap == space && f.hasCompany(t.words[from-1].s) {
						from--
					}
					found = append(found, mention{kind, t.first(from), i + 1, far})
					break
				}
			}
		}
	}
	return found
}

// first is where a compound begins whose last word is at i: EC-Karten-PIN.
func (t *text) first(i int) int {
	for i > 0 && t.words[i].joined {
		i--
	}
	return i
}

// maxMentions bounds the work on a text that is full of them.
const maxMentions = 24

func (t *text) phraseAt(i int) (phrase, bool) {
	fits := func(p phrase) bool {
		if i+len(p.words) > len(t.words) {
			return false
		}
		for k, w := range p.words {
			at := t.words[i+k]
			if end, wild := strings.CutPrefix(w, "*"); wild && !strings.HasSuffix(at.s, end) || !wild && at.s != w || k > 0 && at.gap > space {
				return false
			}
		}
		return true
	}
	for _, p := range t.own {
		if fits(p) {
			return p, true
		}
	}
	for _, p := range t.lex.phrases[t.words[i].s] {
		if fits(p) {
			return p, true
		}
	}
	return phrase{}, false
}

// How far the company of a noun may stand from it, in words.
const (
	companyBefore = 5
	companyAfter  = 9
)

// inCompany is the kind of the family's head at i, "" if it is none here. rest is what
// stands before it in a compound.
func (t *text) inCompany(f *family, rest string, i int, elsewhere []word) (kind Kind, far int) {
	if rest != "" {
		if _, ok := f.except.has(rest); ok {
			return "", 0
		}
		for _, c := range f.with {
			if _, ok := c.has(rest); ok {
				return c.kind, 0
			}
		}
	}
	from, to := i, i+1
	for from > 0 && i-from < companyBefore && t.words[from].gap < sentence {
		from--
	}
	for to < len(t.words) && to-i < companyAfter && t.words[to].gap < sentence {
		to++
	}
	for k := max(from, i-3); k < min(to, i+6); k++ {
		if _, ok := f.except.has(t.words[k].s); ok && k != i {
			return "", 0
		}
	}
	for far, near := range [...][]word{t.words[from:to], t.words, elsewhere} {
		for _, c := range f.with {
			for k := range near {
				if _, ok := c.has(near[k].s); ok && &near[k] != &t.words[i] {
					return c.kind, far + 1
				}
			}
		}
	}
	return "", 0
}
