package secret

import (
	_ "embed"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// class says what a word can do in a sentence.
type class uint32

// The classes, in the order of the columns of weights.txt.
var classNames = strings.Fields("ask need wh is your me their def indef of with about modal polar manage attr that pron and please here no glue num part use")

const (
	ask class = 1 << iota
	need
	wh
	is
	your
	me
	their
	def
	indef
	of
	with
	about
	modal
	polar
	manage
	attr
	that
	pron
	and
	please
	here
	no
	glue
	num
	part
	use
	other // any word that the lexicon does not have
)

// The columns of words by language; the first is for all of them.
const languages = "*endefres"

// family is a noun that is a secret in company only.
type family struct {
	name   string
	head   words
	with   []company
	except words
}

func (f *family) hasCompany(word string) bool {
	return slices.ContainsFunc(f.with, func(c company) bool { _, ok := c.has(word); return ok })
}

type company struct {
	kind Kind
	words
}

// words are some by themselves, some by how they begin or end.
type words struct {
	whole          map[string]bool
	begins, ending []string
}

func (w *words) add(word string) {
	switch {
	case strings.HasPrefix(word, "*"):
		w.ending = append(w.ending, word[1:])
	case strings.HasSuffix(word, "*"):
		w.begins = append(w.begins, word[:len(word)-1])
	default:
		if w.whole == nil {
			w.whole = map[string]bool{}
		}
		w.whole[word] = true
	}
}

// has says whether word is one of them; rest is what stands before the ending that made it one.
func (w *words) has(word string) (rest string, ok bool) {
	if w.whole[word] {
		return "", true
	}
	for _, b := range w.begins {
		if strings.HasPrefix(word, b) {
			return "", true
		}
	}
	for _, e := range w.ending {
		if rest, ok := strings.CutSuffix(word, e); ok {
			return rest, true
		}
	}
	return "", false
}

// phrase are words that follow one another; of kind "" it is no secret.
type phrase struct {
	words []string
	kind  Kind
}

type lexicon struct {
	classes  [5]map[string]class // by language
	endings  [5]map[string]class
	nouns    words // of one word
	kinds    map[string]Kind
	phrases  map[string][]phrase // by their first word, the longest first
	families []*family
	weights  map[string]float64
}

//go:embed lexicon.txt
var lexiconText string

// weightsText has what each sign adds to the score, fitted by secreteval.
//
//go:embed weights.txt
var weightsText string

var theLexicon = sync.OnceValue(func() *lexicon { return newLexicon(lexiconText, weightsText) })

// newLexicon reads the lines of the lexicon: "noun KIND:", "head FAMILY:", "with FAMILY
// KIND:", "not FAMILY:", "skip:" and "LANGUAGE CLASS:".
func newLexicon(text, weights string) *lexicon {
	l := &lexicon{kinds: map[string]Kind{}, phrases: map[string][]phrase{}, weights: map[string]float64{}}
	for i := range l.classes {
		l.classes[i], l.endings[i] = map[string]class{}, map[string]class{}
	}
	for line := range strings.Lines(text) {
		name, list, ok := strings.Cut(line, ":")
		if !ok || strings.HasPrefix(line, "#") {
			continue
		}
		what := append(strings.Fields(name), "")
		for w := range strings.FieldsSeq(list) {
			switch what[0] {
			case "noun":
				l.noun(strings.Split(w, "_"), Kind(what[1]))
			case "skip":
				l.noun(strings.Split(w, "_"), "")
			case "head":
				l.family(what[1]).head.add(w)
			case "not":
				l.family(what[1]).except.add(w)
			case "with":
				f := l.family(what[1])
				if n := len(f.with); n == 0 || f.with[n-1].kind != Kind(what[2]) {
					f.with = append(f.with, company{kind: Kind(what[2])})
				}
				f.with[len(f.with)-1].add(w)
			default:
				at := (strings.Index(languages, what[0]) + 1) / 2
				bit := class(1) << slices.Index(classNames, what[1])
				if strings.HasPrefix(w, "*") {
					l.endings[at][w[1:]] |= bit
				} else {
					l.classes[at][w] |= bit
				}
			}
		}
	}
	for _, list := range l.phrases {
		slices.SortStableFunc(list, func(a, b phrase) int { return len(b.words) - len(a.words) })
	}
	for line := range strings.Lines(weights) {
		if f := strings.Fields(line); len(f) == 2 {
			l.weights[f[0]], _ = strconv.ParseFloat(f[1], 64)
		}
	}
	return l
}

func (l *lexicon) family(name string) *family {
	for _, f := range l.families {
		if f.name == name {
			return f
		}
	}
	l.families = append(l.families, &family{name: name})
	return l.families[len(l.families)-1]
}

// noun adds a secret by its name.
func (l *lexicon) noun(p []string, kind Kind) {
	if len(p) == 1 {
		l.nouns.add(p[0])
		l.kinds[strings.Trim(p[0], "*")] = kind
	}
	first := strings.Trim(p[0], "*")
	l.phrases[first] = append(l.phrases[first], phrase{p, kind})
}

// nounKind is the kind of a noun of one word: by itself, or as the last of a compound.
func (l *lexicon) nounKind(word string) (Kind, bool) {
	if l.nouns.whole[word] {
		return l.kinds[word], true
	}
	for _, e := range l.nouns.ending {
		if strings.HasSuffix(word, e) {
			return l.kinds[e], true
		}
	}
	return "", false
}

// classOf is what a word can be in the languages of mask.
func (l *lexicon) classOf(word string, mask uint8) class {
	c := l.classes[0][word]
	for i := 1; i < len(l.classes); i++ {
		if mask&(1<<i) == 0 {
			continue
		}
		c |= l.classes[i][word]
		for e, bit := range l.endings[i] {
			if len(word) > len(e)+2 && strings.HasSuffix(word, e) {
				c |= bit
			}
		}
	}
	return c
}
