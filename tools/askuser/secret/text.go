package secret

import (
	"cmp"
	_ "embed"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/runes"
	"golang.org/x/text/unicode/norm"

	"github.com/askgate/askgate/tools/confusable"
)

// word is a word of a text, or punctuation: "?", "." at the end of a sentence, "," for all other marks.
type word struct {
	s string
	entry
	name string // its meaning in the lexicon: a secret (#), or its classes
}

func (w word) ends() bool   { return w.s == "." || w.s == "?" }
func (w word) secret() bool { return strings.HasPrefix(w.name, "#") }

// letters has characters that replace letters within a word: p@ssw0rd.
var letters = strings.NewReplacer("0", "o", "1", "i", "3", "e", "4", "a", "5", "s", "7", "t", "@", "a", "$", "s", "!", "i")

var (
	single = regexp.MustCompile(`[\pL\pN@$!]+|[^\pL\pN@$!]+`)
	read   = regexp.MustCompile(`([\pL\pN]+(?:[@$!]+[a-z][\pL\pN]*)*)|(\?)|([!;…]|\.(?:\s|$))|-\s|[,:()–—"«»“”]`)
)

// simple returns s in lower case without accents, by appearance.
func simple(s string) string {
	s = together(strings.ReplaceAll(s, "\n", ". "))
	if strings.IndexFunc(s, func(r rune) bool { return r > unicode.MaxASCII }) < 0 {
		return strings.ToLower(s)
	}
	s = strings.ReplaceAll(strings.ToLower(confusable.Latin(confusable.Fold(s))), "ß", "ss")
	return runes.Remove(runes.In(unicode.Mn)).String(norm.NFD.String(s))
}

// together joins the letters of words that are separated by a sign, which is the same within a
// word: "p a s s w o r d", "p.4.s.s". Another sign ends the word: "m-o-t d-e p-a-s-s-e".
func together(s string) string {
	pieces := single.FindAllString(s, -1)
	letter := func(i int) bool {
		r, size := utf8.DecodeRuneInString(pieces[i])
		return size == len(pieces[i]) && (unicode.IsLetter(r) || strings.ContainsRune("013457@$!", r))
	}
	var out strings.Builder
	for i := 0; i < len(pieces); {
		end := i // end of the separated letters from i on
		for end < len(pieces) && letter(end) && (end == i || utf8.RuneCountInString(pieces[end-1]) <= 3) {
			end += 2
		}
		if end-i < 2*3 || !strings.ContainsFunc(strings.Join(pieces[i:min(end, len(pieces))], ""), unicode.IsLetter) {
			out.WriteString(pieces[i])
			i++
			continue
		}
		sign := pieces[i+1]
		for ; i < end; i += 2 {
			out.WriteString(pieces[i])
			if i+2 < end && pieces[i+1] != sign {
				out.WriteByte(' ')
			}
		}
		i-- // the sign after the last letter
	}
	return out.String()
}

// words splits a text into words, with "password" in place of an admin's own names. The last one is punctuation.
func (r *Reader) words(raw string) (list []word) {
	for _, m := range read.FindAllStringSubmatch(simple(raw)+".", -1) {
		mark, last := word{s: cmp.Or(m[2], strings.Repeat(".", min(len(m[3]), 1)), ",")}, len(list)-1
		if s := m[1]; s != "" {
			back := []byte(s)
			slices.Reverse(back)
			if plain := letters.Replace(s); plain != s && len(s) > 2 && r.lex.word(plain).kind != "" {
				s = plain
			} else if e := r.lex.words[">"+string(back)+"<"]; e != nil && e.kind != "" && len(s) > 6 { // drowssap
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

// named returns the words with their names. elsewhere has the words of other fields.
func (r *Reader) named(list, elsewhere []word) []word {
	list = slices.Clone(list)
	for i := 0; i < len(list); i++ {
		w, n, kind := &list[i], 1, list[i].kind
		if p := phraseAt(list[i:], r.lex.phrases); p.words != nil {
			kind, n = p.kind, len(p.words)
		}
		for k := 0; k < len(w.head) && n == 1 && kind == ""; k++ {
			kind = inContext(list, w.head[k], i, elsewhere)
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
		for ; n > 1; n, i = n-1, i+1 {
			list[i+1].name = w.name
		}
	}
	return list
}

// phraseAt returns the phrase of a list at the start of words.
func phraseAt(words []word, list map[string][]phrase) phrase {
	for _, p := range list[words[0].s] {
		if len(p.words) <= len(words) && slices.EqualFunc(p.words, words[:len(p.words)], func(s string, w word) bool { return s == w.s }) {
			return p
		}
	}
	return phrase{}
}

// inContext returns the kind of the family's head at i, "" if it is not a secret here. The
// context is the word itself, some words before and after, the rest of the text, and elsewhere.
func inContext(list []word, family string, i int, elsewhere []word) Kind {
	against, near := list[max(0, i-3):min(len(list), i+5)], list[max(0, i-5):min(len(list), i+8)]
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

// class is the set of roles that a word can have in a sentence, from classNames.
type class uint32

var classNames = strings.Fields("ask need wh is your me their def indef of with about modal polar manage attr that pron and please here no glue num part use open kept en was")

// classes returns the set of some names.
func classes(names string) (c class) {
	for name := range strings.FieldsSeq(names) {
		c |= 1 << slices.Index(classNames, name)
	}
	return c
}

// entry is the entry of a word in the lexicon.
type entry struct {
	class
	kind Kind     // a secret by itself
	head []string // a secret together with other words, by family
	with []company
}

// company makes the head of a family a secret; kind "" prevents that.
type company struct {
	family string
	kind   Kind
}

// phrase is a sequence of words. With kind "" it is not a secret.
type phrase struct {
	words []string
	kind  Kind
}

type lexicon struct {
	words   map[string]*entry   // ">abc<" is a word, ">abc" a prefix, "abc<" a suffix
	phrases map[string][]phrase // by first word, the longest first
}

//go:embed lexicon.txt
var lexiconText string

// theLexicon has lines such as "noun KIND:", "head FAMILY:", "with FAMILY KIND:",
// "not FAMILY:", "skip:" and "LANGUAGE CLASS:", each with its words.
var theLexicon = sync.OnceValue(func() *lexicon {
	l := &lexicon{map[string]*entry{}, map[string][]phrase{}}
	for line := range strings.Lines(lexiconText) {
		name, list, ok := strings.Cut(line, ":")
		if !ok || strings.HasPrefix(line, "#") {
			continue
		}
		what := append(strings.Fields(name), "", "")
		for w := range strings.FieldsSeq(list) {
			several, e := strings.Split(w, "_"), l.entry(w)
			switch what[0] {
			case "noun", "skip":
				if e.kind = Kind(what[1]); len(several) > 1 || e.kind == "" {
					l.phrases[several[0]] = append(l.phrases[several[0]], phrase{several, e.kind})
				}
			case "head":
				e.head = append(e.head, what[1])
			case "with", "not":
				e.with = append(e.with, company{what[1], Kind(what[2])})
			default:
				e.class |= classes(what[1])
			}
		}
	}
	for _, list := range l.phrases {
		slices.SortStableFunc(list, func(a, b phrase) int { return len(b.words) - len(a.words) })
	}
	return l
})

// entry returns the entry of a word, a prefix ("abc*") or a suffix ("*abc").
func (l *lexicon) entry(w string) *entry {
	w = strings.TrimPrefix(strings.TrimSuffix(">"+w+"<", "*<"), ">*")
	if l.words[w] == nil {
		l.words[w] = &entry{}
	}
	return l.words[w]
}

// word returns everything that the lexicon has about a word. For the head of a compound, the
// part before it is its company.
func (l *lexicon) word(w string) (e entry) {
	whole := ">" + w + "<"
	for i := 1; i < len(whole); i++ {
		end := l.words[whole[i:]]
		for _, o := range [...]*entry{l.words[whole[:i+1]], end} {
			if o != nil {
				e = entry{e.class | o.class, cmp.Or(e.kind, o.kind), slices.Concat(e.head, o.head), slices.Concat(e.with, o.with)}
			}
		}
		if end != nil && end.head != nil && i > 2 {
			e.with = append(e.with, l.word(w[:i-1]).with...)
		}
	}
	return e
}
