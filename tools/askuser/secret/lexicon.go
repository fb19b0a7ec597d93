package secret

import (
	"cmp"
	_ "embed"
	"slices"
	"strings"
	"sync"
)

// class says what a word can do in a sentence: a set of classNames.
type class uint32

var classNames = strings.Fields("ask need wh is your me their def indef of with about modal polar manage attr that pron and please here no glue num part use open kept en was")

// classes is the set of some names.
func classes(names string) (c class) {
	for name := range strings.FieldsSeq(names) {
		c |= 1 << slices.Index(classNames, name)
	}
	return c
}

// entry is what the lexicon says of a word.
type entry struct {
	class
	kind Kind     // a secret by itself
	head []string // a secret in the company of other words, by family
	with []company
}

// company makes the heads of a family a secret; of kind "" it speaks against that.
type company struct {
	family string
	kind   Kind
}

func (e *entry) add(o *entry) {
	if o != nil {
		*e = entry{e.class | o.class, cmp.Or(e.kind, o.kind), slices.Concat(e.head, o.head), slices.Concat(e.with, o.with)}
	}
}

// phrase are words that follow one another; of kind "" it is no secret.
type phrase struct {
	words []string
	kind  Kind
}

type lexicon struct {
	words   map[string]*entry   // ">abc": what begins so, "abc<": what ends so
	phrases map[string][]phrase // by their first word, the longest first
}

var (
	//go:embed lexicon.txt
	lexiconText string

	theLexicon = sync.OnceValue(func() *lexicon { return newLexicon(lexiconText) })
)

// newLexicon reads lines such as "noun KIND:", "head FAMILY:", "with FAMILY KIND:",
// "not FAMILY:", "skip:" and "LANGUAGE CLASS:", each with its words.
func newLexicon(text string) *lexicon {
	l := &lexicon{map[string]*entry{}, map[string][]phrase{}}
	for line := range strings.Lines(text) {
		name, list, ok := strings.Cut(line, ":")
		if !ok || strings.HasPrefix(line, "#") {
			continue
		}
		what := append(strings.Fields(name), "", "")
		for w := range strings.FieldsSeq(list) {
			several := strings.Split(w, "_")
			switch what[0] {
			case "noun", "skip":
				if what[0] == "noun" && len(several) == 1 {
					l.entry(w).kind = Kind(what[1])
				} else {
					l.phrases[several[0]] = append(l.phrases[several[0]], phrase{several, Kind(what[1])})
				}
			case "head":
				l.entry(w).head = append(l.entry(w).head, what[1])
			case "with", "not":
				l.entry(w).with = append(l.entry(w).with, company{what[1], Kind(what[2])})
			default:
				l.entry(w).class |= classes(what[1])
			}
		}
	}
	for _, list := range l.phrases {
		slices.SortStableFunc(list, func(a, b phrase) int { return len(b.words) - len(a.words) })
	}
	return l
}

// entry is that of a word, or of what words begin ("abc*") or end with ("*abc").
func (l *lexicon) entry(w string) *entry {
	if end, ok := strings.CutPrefix(w, "*"); ok {
		w = end + "<"
	} else if begin, ok := strings.CutSuffix(w, "*"); ok {
		w = ">" + begin
	}
	if l.words[w] == nil {
		l.words[w] = &entry{}
	}
	return l.words[w]
}

// word is all that the lexicon says of a word. The head of a compound has what stands
// before it in its company.
func (l *lexicon) word(w string) (e entry) {
	e.add(l.words[w])
	w = ">" + w + "<"
	for i := 1; i < len(w)-1; i++ {
		e.add(l.words[w[:i+1]])
		if end := l.words[w[i:]]; end != nil {
			if e.add(end); end.head != nil && i > 2 {
				e.add(&entry{with: l.word(w[1:i]).with})
			}
		}
	}
	return e
}
