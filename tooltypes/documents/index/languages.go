package index

import (
	"embed"
	"fmt"
	"slices"
	"strings"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/english"
	"github.com/blevesearch/snowballstem/french"
	"github.com/blevesearch/snowballstem/german"
	"github.com/blevesearch/snowballstem/spanish"
)

// The folder stopwords has lists of stop words. ask.txt adds words that begin questions but that laws
// hardly have: otherwise they would count as rare words, which weigh the most.
//
//go:embed stopwords/*.txt
var stopFiles embed.FS

// language is what is known of a language.
type language struct {
	name    string
	stem    func(*snowballstem.Env) bool
	accents map[string]string // endings that lost their accent, which the stemmer needs
	stop    map[string]bool   // folded
}

var known = []*language{
	{name: "de", stem: german.Stem},
	{name: "en", stem: english.Stem},
	{name: "es", stem: spanish.Stem, accents: map[string]string{"cion": "ción", "sion": "sión", "ia": "ía", "ias": "ías", "ian": "ían"}},
	{name: "fr", stem: french.Stem, accents: map[string]string{"ee": "ée", "ees": "ées"}},
}

func init() {
	asks, err := stopFiles.ReadFile("stopwords/ask.txt")
	if err != nil {
		panic(err) // it is embedded
	}
	for _, l := range known {
		list, err := stopFiles.ReadFile("stopwords/" + l.name + ".txt")
		if err != nil {
			panic(err)
		}
		l.stop = map[string]bool{}
		for line := range strings.Lines(string(asks)) {
			if words, ok := strings.CutPrefix(line, l.name+" "); ok {
				list = append(list, words...)
			}
		}
		pieces(string(list), func(p piece) bool {
			l.stop[p.folded] = true
			return true
		})
	}
}

// Languages are the names of the languages whose words are known.
func Languages() (names []string) {
	for _, l := range known {
		names = append(names, l.name)
	}
	return names
}

// Words is what a search knows of words: languages and synonyms. It is never changed. A nil one knows
// nothing.
type Words struct {
	languages []*language
	synonyms  *Synonyms
	terms     map[string][]synonym // of the synonyms, by the stems of their first words
}

// NewWords returns what is known of words in some languages, and of synonyms, which may be nil.
func NewWords(languages []string, synonyms *Synonyms) (*Words, error) {
	w := &Words{synonyms: synonyms}
	for _, name := range languages {
		i := slices.IndexFunc(known, func(l *language) bool { return l.name == name })
		if i < 0 {
			return nil, fmt.Errorf("unknown language %q; known: %s", name, strings.Join(Languages(), ", "))
		}
		w.languages = append(w.languages, known[i])
	}
	w.terms = w.bySense()
	return w, nil
}

// stops reports whether a word is a stop word in one of the languages.
func (w *Words) stops(folded string) bool {
	return w != nil && slices.ContainsFunc(w.languages, func(l *language) bool { return l.stop[folded] })
}

// stopsAnywhere reports whether a word is a stop word in any known language.
func stopsAnywhere(folded string) bool {
	return slices.ContainsFunc(known, func(l *language) bool { return l.stop[folded] })
}

// stems returns what is left of a folded word without its endings, in each language.
func (w *Words) stems(folded string) (list []string) {
	if w == nil {
		return nil
	}
	add := func(stem string) {
		if !slices.Contains(list, stem) {
			list = append(list, stem)
		}
	}
	for _, l := range w.languages {
		for _, form := range l.forms(folded) {
			e := snowballstem.NewEnv(form)
			l.stem(e)
			add(fold(e.Current()))
		}
	}
	return list
}

// forms returns the forms of a folded word to stem: the word with the accents of its ending and, for a
// German verb form with -t, or with ge- and -t, which the stemmer leaves unchanged, the infinitive.
func (l *language) forms(word string) []string {
	list := []string{word}
	for i := range word {
		if i < 3 {
			continue
		}
		if with, ok := l.accents[word[i:]]; ok {
			list[0] = word[:i] + with
			break
		}
	}
	if l.name != "de" || len(word) < 6 {
		return list
	}
	if base, ok := strings.CutSuffix(word, "t"); ok {
		list = append(list, strings.TrimSuffix(base, "e")+"en")
		if bare, ok := strings.CutPrefix(base, "ge"); ok && len(bare) > 3 {
			list = append(list, bare+"en")
		}
	}
	return list
}
