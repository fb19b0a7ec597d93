package secret

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxWords is how much of a text is read, in words. The longest text of a question
// has 500 characters (contract 6.1).
const maxWords = 256

// maxWord is the longest word that is looked up, in bytes. German's longest here
// is half of that.
const maxWord = 64

// scanner walks through the words of a text without allocating.
type scanner struct {
	text   string
	at     int
	folded [maxWord]byte // the word, without case and accents
	length int           // of it; above maxWord where it did not fit
	caps   bool          // no letter of it is small
	figure bool          // it is a number
	accent bool          // it lost one: cómo, où
	gap    gap           // before it
	marked bool          // with a question mark in it
	joined bool          // nothing but a hyphen or apostrophe before it
}

// gap is what parts two words.
type gap uint8

const (
	space gap = iota
	clause
	sentence
)

// next finds the next word.
func (s *scanner) next() bool {
	s.length, s.caps, s.figure, s.accent, s.gap, s.marked, s.joined = 0, true, true, false, space, false, false
	for s.at < len(s.text) {
		c := s.text[s.at]
		switch {
		case c >= 'a' && c <= 'z':
			s.caps, s.figure = false, false
			s.put(c)
		case c >= 'A' && c <= 'Z':
			s.figure = false
			s.put(c + 'a' - 'A')
		case c >= '0' && c <= '9':
			s.put(c)
		case c < utf8.RuneSelf:
			if s.length > 0 {
				return true
			}
			s.part(c)
		default:
			r, size := utf8.DecodeRuneInString(s.text[s.at:])
			if !s.rune(r) {
				return true
			}
			s.at += size - 1
		}
		s.at++
	}
	return s.length > 0
}

func (s *scanner) put(c byte) {
	if s.length < maxWord {
		s.folded[s.length] = c
	}
	s.length++
}

// part notes what stands between words.
func (s *scanner) part(c byte) {
	switch c {
	case '?', '!', '\n':
		s.gap, s.marked = sentence, s.marked || c == '?'
	case '.':
		// In 3.5 and example.org it parts nothing.
		if s.at+1 == len(s.text) || s.text[s.at+1] <= ' ' {
			s.gap = sentence
		}
	case ',', ';', ':', '(', ')', '/':
		s.gap = max(s.gap, clause)
	}
	s.joined = c == '-' || c == '\''
}

// rune takes what is not ASCII: false where it ends a word.
func (s *scanner) rune(r rune) bool {
	switch {
	case r >= 0xC0 && r < 0x180 && r != '×' && r != '÷':
		s.figure = false
		s.caps, s.accent = s.caps && unicode.IsUpper(r), true
		for _, c := range []byte(latin[r-0xC0]) {
			s.put(c)
		}
	case r >= 'Ａ' && r <= 'ｚ' && unicode.IsLetter(r): // full width
		s.caps, s.figure = false, false
		s.put(byte(unicode.ToLower(r) - 'ａ' + 'a'))
	case unicode.In(r, unicode.Mn, unicode.Cf): // loose accents, soft hyphens, zero width
	case unicode.IsLetter(r):
		s.caps, s.figure = false, false
		if i := strings.IndexRune(lookalikes, unicode.ToLower(r)); i >= 0 {
			s.put(looksLike[utf8.RuneCountInString(lookalikes[:i])])
		} else {
			s.put(0xFF)
		}
	case s.length > 0:
		return false
	case r == '\u2019' || r == '\u2010' || r == '\u2011':
		s.joined = true
	case r == '\u2013' || r == '\u2014':
		s.gap = max(s.gap, clause)
	case r == '¿' || r == '¡' || r == '\u2028' || r == '。' || r == '？':
		s.gap = sentence
	default:
		s.joined = false
	}
	return true
}

// Cyrillic and Greek letters that look like Latin ones.
const (
	lookalikes = "асеорхуіѕԁкмтвнαορτκικν"
	looksLike  = "aceopxyisdkmtbhaoptkikv"
)

// latin are the letters from U+00C0 without their accents.
var latin = func() (table [0x180 - 0xC0]string) {
	const plain = "aaaaaaaceeeeiiiidnooooo*ouuuuytsaaaaaaaceeeeiiiidnooooo*ouuuuyty" +
		"aaaaaaccccccccddddeeeeeeeeeegggggggghhhhiiiiiiiiiiiijjkkklllllllllnnnnnnnnnoooooooorrrrrrssssssssttttttuuuuuuuuuuuuwwyyyzzzzzzs"
	for i, c := range plain {
		table[i] = string(c)
	}
	table['ß'-0xC0], table['æ'-0xC0], table['œ'-0xC0] = "ss", "ae", "oe"
	return table
}()

// speaks says whether a text has a word that can be a secret's name. It is what an
// ordinary question costs.
func speaks(text string) bool {
	for i := 0; i < len(text); i++ {
		from := i
		for i < len(text) && inWord[text[i]] == letter {
			i++
		}
		if i < len(text) && inWord[text[i]] == foreign {
			s := scanner{text: text, at: from}
			if s.next() && s.names() {
				return true
			}
			i = max(from, s.at-1)
			continue
		}
		if i-from < 3 || i-from > maxWord {
			continue
		}
		if at := ending(text[from:i]); endings[at/64]>>(at%64)&1 != 0 {
			s := scanner{text: text[:i], at: from}
			if s.next() && s.names() {
				return true
			}
		}
	}
	return false
}

// What a byte is to a word.
const (
	gapByte = iota
	letter
	foreign // not ASCII: the scanner knows
)

var inWord = func() (table [256]uint8) {
	for c := range table {
		switch b := byte(c); {
		case b >= utf8.RuneSelf:
			table[c] = foreign
		case b|0x20 >= 'a' && b|0x20 <= 'z' || b >= '0' && b <= '9':
			table[c] = letter
		}
	}
	return table
}()

// names says whether the word of a scanner can be a secret's name.
func (s *scanner) names() bool {
	if s.length > maxWord {
		return false
	}
	w := s.folded[:s.length]
	switch string(w) {
	case "tan":
		return s.caps
	case "passe", "word":
		return true
	}
	return words[string(w)]&nouns != 0 || head(w) != ""
}

// head is the last noun of a compound, "" for what is none.
func head(w []byte) string {
	for _, h := range heads {
		if len(w) > len(h)+2 && string(w[len(w)-len(h):]) == h {
			return h
		}
	}
	return ""
}

// word is one of a text, by what it can be.
type word struct {
	class  class
	gap    gap // before it
	joined bool
	caps   bool
	figure bool
	marked bool // a question mark follows
	adverb bool // or a participle, by its ending in English
}

// known says that a word is in the lexicon or a number: it has no other matter.
func (w word) known() bool { return w.class != 0 || w.figure }

// read makes words of a text, with what several of them are together.
func read(text string, list []word) []word {
	s := scanner{text: text}
	var before, last string // the two words before, as far as they matter
	for len(list) < maxWords && s.next() {
		var spelled string
		w := word{gap: s.gap, joined: s.joined, caps: s.caps, figure: s.figure}
		if s.length <= maxWord {
			folded := s.folded[:s.length]
			spelled, w.class = joints[string(folded)], classify(folded)
			w.adverb = len(folded) > 4 && (bytes.HasSuffix(folded, ly) || bytes.HasSuffix(folded, ed) || bytes.HasSuffix(folded, ing))
		}
		if s.marked && len(list) > 0 {
			list[len(list)-1].marked = true
		}
		list = append(list, w)
		together(list, before, last, spelled, s.accent)
		before, last = last, spelled
	}
	if s.marked && len(list) > 0 {
		list[len(list)-1].marked = true
	}
	return list
}

var ly, ed, ing = []byte("ly"), []byte("ed"), []byte("ing")

// joints are the words that together looks at.
var joints = func() map[string]string {
	m := map[string]string{}
	for w := range strings.FieldsSeq("passe de mots word pass time one in tan como ou tu il s t a das da me nos nous faut faudrait falta hace haria have i ich konnte kann darf that") {
		m[w] = w
	}
	return m
}()

// together mends what the last word of a list is, by the words before it.
func together(list []word, before, last, spelled string, accent bool) {
	n := len(list) - 1
	w := &list[n].class
	if last == "that" && *w&nouns != 0 {
		list[n-1].class = article | english
	}
	switch spelled {
	case "passe":
		if last == "de" && n >= 2 { // mot de passe, phrase de passe
			list[n-2].class = password | other
			if before == "mots" {
				list[n-2].class |= plural
			}
			list[n-1].class, *w = glue, glue
		}
	case "word":
		if last == "pass" {
			list[n-1].class, *w = password|english, glue
		}
	case "time":
		if last == "one" {
			list[n-1].class, *w = once|glue, once|glue
		}
	case "in":
		if n > 0 && list[n-1].class&hand != 0 { // type in
			*w = glue
		}
	case "tan":
		if list[n].caps {
			*w = oneTime
		}
	case "como", "ou":
		if accent { // cómo, où
			*w = about | other
		}
	case "tu":
		if accent {
			*w = glue | other
		}
	case "il":
		if last == "s" { // s'il vous plaît
			list[n-1].class = glue
		}
	case "t":
		if last == "a" && list[n].joined { // a-t-il
			list[n-1].class = polar | other
		}
	case "das", "da":
		if last == "me" || last == "nos" { // ¿me das?
			*w = hand | other
		}
	case "faut", "faudrait":
		if last == "me" || last == "nous" { // il me faut
			*w = hand | other
		}
	case "falta":
		if last == "hace" || last == "haria" {
			*w = hand | other
		}
	case "have":
		if last == "i" || last == "me" { // could I have, let me have
			*w = hand | english
		}
	case "ich":
		if last == "konnte" || last == "kann" || last == "darf" { // darf ich um ... bitten
			*w |= hand
		}
	}
}

// pronouns are those that Spanish joins to a verb: introdúcelo, envíamela.
var pronouns = []string{"melo", "mela", "me", "nos", "lo", "la"}

// classify looks a word up, and a compound by its head.
func classify(w []byte) class {
	if c, ok := words[string(w)]; ok {
		return c
	}
	h := head(w)
	if h == "" {
		for _, us := range pronouns {
			if stem, ok := strings.CutSuffix(string(w), us); ok {
				return words[stem] & (hand | other)
			}
		}
		return 0
	}
	kind := words[h] | other
	stem := w[:len(w)-len(h)]
	of, ok := words[string(stem)]
	if !ok {
		of = words[strings.TrimRight(string(stem), "s")] // Bestätigung-s-code
	}
	const company = ofCode | ofKey | ofPhrase | ofSecret | ofCard | ofPerson | ofLogin | once | card | pin | oneTime
	if kind&password == 0 && of&company == 0 {
		return 0 // Fehlercode, Primärschlüssel, Kundennummer
	}
	return kind | of&(company&^(pin|oneTime)) | ofCodeOf(of)
}

// ofCodeOf says that a PIN or TAN before a head makes it one's code or number.
func ofCodeOf(of class) class {
	if of&(pin|oneTime) != 0 {
		return ofCode
	}
	return 0
}
