package secret

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/text/runes"
	"golang.org/x/text/unicode/norm"

	"github.com/askgate/askgate/tools/looks"
)

// word is a word of a text, or a mark: "?", "." at the end of a sentence, "," for the others.
type word struct {
	s string
	entry
	name string // what it is to the lexicon: a secret (#), or its classes
}

func (w word) ends() bool   { return w.s == "." || w.s == "?" }
func (w word) secret() bool { return strings.HasPrefix(w.name, "#") }

// letters are those that pass for others within a word: p@ssw0rd.
var letters = strings.NewReplacer("0", "o", "1", "i", "3", "e", "4", "a", "5", "s", "7", "t", "@", "a", "$", "s", "!", "i")

var (
	spaced = regexp.MustCompile(`\b\pL( \pL){2,}\b`) // a word in single letters
	read   = regexp.MustCompile(`([\pL\pN]+(?:[@$!]+[a-z][\pL\pN]*)*)|(\?)|([!;…]|\.(?:\s|$))|-\s|[,:()–—"«»“”]`)
)

// simple is s in small letters without accents, as it looks.
func simple(s string) string {
	s = spaced.ReplaceAllStringFunc(strings.ReplaceAll(s, "\n", ". "), func(s string) string { return strings.ReplaceAll(s, " ", "") })
	if strings.IndexFunc(s, func(r rune) bool { return r > unicode.MaxASCII }) < 0 {
		return strings.ToLower(s)
	}
	s = strings.ReplaceAll(strings.ToLower(looks.Latin(looks.Fold(s))), "ß", "ss")
	return runes.Remove(runes.In(unicode.Mn)).String(norm.NFD.String(s))
}

// words reads a text, with "password" for an admin's own names. A mark ends it.
func (r *Reader) words(raw string) (list []word) {
	for _, m := range read.FindAllStringSubmatch(simple(raw)+".", -1) {
		mark, last := word{s: ","}, len(list)-1
		if m[2] != "" {
			mark.s = "?"
		} else if m[3] != "" {
			mark.s = "."
		}
		if s := m[1]; s != "" {
			back := []byte(s)
			slices.Reverse(back)
			if plain := letters.Replace(s); plain != s && len(s) > 2 && r.lex.word(plain).kind != "" {
				s = plain
			} else if e := r.lex.words[string(back)]; e != nil && e.kind != "" && len(s) > 6 { // drowssap
				s = string(back)
			}
			list = append(list, word{s: s, entry: r.lex.word(s)})
		} else if last >= 0 && list[last].s == "," {
			list[last] = mark
		} else if last >= 0 && !list[last].ends() {
			list = append(list, mark)
		}
	}
	for i := 0; i < len(list); i++ {
		if p := phraseAt(list[i:], r.own); p.words != nil {
			list = slices.Replace(list, i, i+len(p.words), word{s: "password", entry: r.lex.word("password")})
		}
	}
	return list
}

// named are the words with their names. elsewhere is what other fields say.
func (r *Reader) named(list, elsewhere []word) []word {
	list = slices.Clone(list)
	for i := 0; i < len(list); i++ {
		w, n, kind := &list[i], 1, list[i].kind
		if p := phraseAt(list[i:], r.lex.phrases); p.words != nil {
			kind, n = p.kind, len(p.words)
		}
		for k := 0; k < len(w.head) && n == 1 && kind == ""; k++ {
			kind = beside(list, w.head[k], i, elsewhere)
		}
		switch {
		case kind != "":
			w.name = "#" + string(kind)
		case len(w.head) > 0:
			w.name = "#" + w.head[0]
		case w.class&^dull != 0:
			w.name = strconv.Itoa(int(w.class &^ dull))
		case w.ends() || w.s == ",":
			w.name = w.s
		default:
			w.name = "_"
		}
		for ; n > 1; n-- {
			i++
			list[i].name = w.name
		}
	}
	return list
}

// phraseAt is the one of a list that words begin with.
func phraseAt(words []word, list map[string][]phrase) phrase {
	for _, p := range list[words[0].s] {
		if len(p.words) <= len(words) && slices.EqualFunc(p.words, words[:len(p.words)], func(s string, w word) bool { return s == w.s }) {
			return p
		}
	}
	return phrase{}
}

// beside is the kind of the family's head at i, "" if it is none here. What makes it one is
// within the word, some words before or behind, elsewhere in the text, or elsewhere.
func beside(list []word, family string, i int, elsewhere []word) Kind {
	from, to := i, i+1 // of the sentence
	for from > 0 && !list[from-1].ends() {
		from--
	}
	for to < len(list) && !list[to].ends() {
		to++
	}
	against, near := list[max(from, i-3):min(to, i+5)], list[max(from, i-5):min(to, i+8)]
	for k, words := range [...][]word{against, list[i : i+1], near, list, elsewhere} {
		for _, w := range words {
			for _, c := range w.with {
				if c.family == family && (c.kind == "") == (k == 0) {
					return c.kind
				}
			}
		}
	}
	return ""
}
