package secret

import (
	_ "embed"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// class says what a word can do in a sentence: a set of classNames.
type class uint32

var classNames = strings.Fields("ask need wh is your me their def indef of with about modal polar manage attr that pron and please here no glue num part use open kept en other")

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
	kind      Kind   // a secret by itself
	head, not uint16 // a secret in the company of other words; what speaks against that: by family
	with      []company
}

// company makes the heads of a family a secret.
type company struct {
	family uint16
	kind   Kind
}

func (e *entry) add(o *entry) {
	if o != nil {
		e.class, e.head, e.not = e.class|o.class, e.head|o.head, e.not|o.not
		if e.kind == "" {
			e.kind = o.kind
		}
		e.with = append(e.with[:len(e.with):len(e.with)], o.with...)
	}
}

// phrase are words that follow one another; of kind "" it is no secret.
type phrase struct {
	words []string
	kind  Kind
}

type lexicon struct {
	words   map[string]*entry    // ">abc": what begins so, "abc<": what ends so
	phrases map[string][]phrase  // by their first word, the longest first
	weights map[string][]float64 // of the bits of signs
}

var (
	//go:embed lexicon.txt
	lexiconText string
	// weightsText has what each sign adds to the score, fitted by secreteval.
	//go:embed weights.txt
	weightsText string

	theLexicon = sync.OnceValue(func() *lexicon { return newLexicon(lexiconText, weightsText) })
)

// newLexicon reads lines such as "noun KIND:", "head FAMILY:", "with FAMILY KIND:",
// "not FAMILY:", "skip:" and "LANGUAGE CLASS:", each with its words.
func newLexicon(text, weights string) *lexicon {
	l := &lexicon{map[string]*entry{}, map[string][]phrase{}, map[string][]float64{}}
	var families []string
	for line := range strings.Lines(text) {
		name, list, ok := strings.Cut(line, ":")
		if !ok || strings.HasPrefix(line, "#") {
			continue
		}
		what := append(strings.Fields(name), "", "")
		family := uint16(0)
		if what[0] == "head" || what[0] == "with" || what[0] == "not" {
			if !slices.Contains(families, what[1]) {
				families = append(families, what[1])
			}
			family = 1 << slices.Index(families, what[1])
		}
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
				l.entry(w).head |= family
			case "not":
				l.entry(w).not |= family
			case "with":
				l.entry(w).with = append(l.entry(w).with, company{family, Kind(what[2])})
			default:
				l.entry(w).class |= classes(what[1])
			}
		}
	}
	for _, list := range l.phrases {
		slices.SortStableFunc(list, func(a, b phrase) int { return len(b.words) - len(a.words) })
	}
	for line := range strings.Lines(weights) {
		where, numbers, _ := strings.Cut(line, " ")
		for number := range strings.FieldsSeq(numbers) {
			w, _ := strconv.ParseFloat(number, 64)
			l.weights[where] = append(l.weights[where], w)
		}
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
			if e.add(end); end.head != 0 && i > 2 {
				rest := l.word(w[1:i])
				e.with, e.not = append(e.with, rest.with...), e.not|rest.not
			}
		}
	}
	return e
}
