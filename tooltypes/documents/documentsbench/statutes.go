package main

import (
	"embed"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// The folder statutes has, for each language, what laws are made of: what they are about (things of
// a kind), articles with a heading that does not tell their subject, and questions as people ask
// them, in other forms of the words, and in part in other words.
//
//go:embed statutes
var statutesFiles embed.FS

// languages lists the languages of the statutes.
var languages = []string{"es", "de", "en", "fr"}

// topic is the subject of an article.
type topic struct {
	heading    string
	texts, ask []string
}

// speech is what the laws of one language are made of.
type speech struct {
	language string
	things   [][]string // in titles, in texts, in questions
	kinds    [][]string // in titles, in questions
	topics   []topic
	filler   []string
}

func readSpeech(language string) speech {
	raw, err := statutesFiles.ReadFile("statutes/" + language + ".txt")
	if err != nil {
		panic(err) // it is embedded
	}
	s := speech{language: language}
	for line := range strings.Lines(string(raw)) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		var parts []string
		for part := range strings.SplitSeq(value, "|") {
			parts = append(parts, strings.TrimSpace(part))
		}
		switch key {
		case "thing":
			s.things = append(s.things, parts)
		case "kind":
			s.kinds = append(s.kinds, parts)
		case "topic":
			s.topics = append(s.topics, topic{heading: value})
		case "text":
			t := &s.topics[len(s.topics)-1]
			t.texts = append(t.texts, value)
		case "ask":
			t := &s.topics[len(s.topics)-1]
			t.ask = append(t.ask, value)
		case "filler":
			s.filler = append(s.filler, value)
		}
	}
	return s
}

// law is one statute.
type law struct {
	speech      *speech
	thing, kind []string
	number      int
	year        int
	path        string
	title       string
	cited       []string // how it is cited
	articles    []article
}

// article is one article of a law.
type article struct {
	number string
	topic  *topic // nil: of no subject that is asked for
}

// asked is a question with the passage that answers it.
type asked struct {
	query, want string
}

// statutes are laws with what can be asked about them.
type statutes struct {
	random *rand.Rand
	laws   []law
}

// newStatutes makes n laws, as many in each language, the same ones for a seed.
func newStatutes(n int, seed uint64) *statutes {
	s := &statutes{random: rand.New(rand.NewPCG(37, seed))}
	for _, language := range languages {
		sp := readSpeech(language)
		pairs := s.random.Perm(len(sp.things) * len(sp.kinds))
		for i := range min(n/len(languages), len(pairs)) {
			l := law{speech: &sp, thing: sp.things[pairs[i]%len(sp.things)], kind: sp.kinds[pairs[i]/len(sp.things)], number: i + 1, year: 1980 + s.random.IntN(40)}
			l.path = fmt.Sprintf("%s/%04d.md", language, i)
			l.name()
			subjects := s.random.Perm(len(sp.topics))[:12]
			at := 1
			for _, subject := range subjects {
				number := fmt.Sprint(at)
				switch s.random.IntN(12) {
				case 0:
					number += map[string]string{"es": " bis", "fr": " bis", "de": "a", "en": "A"}[language]
				case 1:
					l.articles = append(l.articles, article{number: number})
					at++
					number = fmt.Sprint(at)
				}
				l.articles = append(l.articles, article{number: number, topic: &sp.topics[subject]})
				at++
			}
			s.laws = append(s.laws, l)
		}
	}
	return s
}

// name names the law, and how it is cited.
func (l *law) name() {
	subject := l.thing[0] + " " + l.kind[0]
	switch l.speech.language {
	case "es":
		l.title = fmt.Sprintf("Ley %d/%d, de %d de marzo, de %s", l.number, l.year, l.number%28+1, subject)
		l.cited = []string{fmt.Sprintf("Ley %d/%d", l.number, l.year), fmt.Sprintf("de la Ley %d/%d", l.number, l.year), "de la Ley de " + subject}
	case "de":
		short := initials(subject) + "G"
		l.title = fmt.Sprintf("Gesetz über %s (%s)", subject, short)
		l.cited = []string{short, short, "des Gesetzes über " + subject}
	case "en":
		l.title = fmt.Sprintf("%s %s Act %d", l.thing[0], l.kind[0], l.year)
		l.cited = []string{l.title, "of the " + l.title, fmt.Sprintf("of the %s Act", subject)}
	case "fr":
		l.title = fmt.Sprintf("Loi n° %d-%d du %d mars %d relative aux %s", l.year, l.number, l.number%28+1, l.year, subject)
		l.cited = []string{fmt.Sprintf("loi n° %d-%d", l.year, l.number), fmt.Sprintf("de la loi %d-%d", l.year, l.number), "de la loi relative aux " + subject}
	}
}

// initials abbreviates a title as German laws do.
func initials(subject string) string {
	var b strings.Builder
	for word := range strings.FieldsSeq(subject) {
		runes := []rune(word)
		b.WriteString(strings.ToUpper(string(runes[:1])) + string(runes[1:min(3, len(runes))]))
	}
	return b.String()
}

// heading writes the heading of an article.
func (l *law) heading(number, text string) string {
	mark := map[string]string{"es": "Artículo %s. %s", "de": "§ %s %s", "en": "Section %s: %s", "fr": "Article %s – %s"}[l.speech.language]
	return fmt.Sprintf(mark, number, text)
}

func anchor(number string) string { return "a" + strings.ReplaceAll(number, " ", "") }

func (l *law) link(number string) string { return "https://x.example/" + l.path + "#" + anchor(number) }

// reference cites an article of a law in a text.
func (s *statutes) reference(language string) (heading, text string) {
	var l *law
	for l == nil || l.speech.language != language {
		l = &s.laws[s.random.IntN(len(s.laws))]
	}
	n := l.articles[s.random.IntN(len(l.articles))].number
	switch language {
	case "es":
		return fmt.Sprintf("Remisión al artículo %s de la Ley %d/%d", n, l.number, l.year), fmt.Sprintf("Lo dispuesto en el artículo %s de la %s, será de aplicación supletoria. Véase el artículo %s.", n, l.title, n)
	case "de":
		return fmt.Sprintf("Verhältnis zu § %s %s", n, l.cited[0]), fmt.Sprintf("§ %s des Gesetzes (%s), %s, gilt entsprechend. § %s %s bleibt unberührt.", n, l.cited[0], l.title, n, l.cited[0])
	case "en":
		return fmt.Sprintf("Relation to section %s of the %s", n, l.title), fmt.Sprintf("Section %s of the %s applies with the necessary changes. See section %s.", n, l.title, n)
	}
	return fmt.Sprintf("Renvoi à l'article %s de la loi n° %d-%d", n, l.year, l.number), fmt.Sprintf("L'article %s de la %s est applicable. Voir l'article %s.", n, l.title, n)
}

// text writes the law.
func (s *statutes) text(l *law) string {
	var b strings.Builder
	sp := l.speech
	fmt.Fprintf(&b, "# %s\n\n", l.title)
	for _, i := range s.random.Perm(len(sp.topics))[:6] { // a preamble mentions everything
		fmt.Fprintf(&b, "%s, ", strings.ToLower(sp.topics[i].heading))
	}
	fmt.Fprintf(&b, "%s %s.\n\n", l.thing[0], l.kind[0])
	chapter := 0
	for i, a := range l.articles {
		if i%5 == 0 {
			chapter++
			fmt.Fprintf(&b, "## %s %d\n\n", map[string]string{"es": "Capítulo", "de": "Abschnitt", "en": "Part", "fr": "Chapitre"}[sp.language], chapter)
		}
		var heading, text string
		switch {
		case a.topic == nil && s.random.IntN(2) == 0:
			heading, text = s.reference(sp.language)
		case a.topic == nil: // it promises what another article has
			heading, text = sp.topics[s.random.IntN(len(sp.topics))].heading, sp.filler[s.random.IntN(len(sp.filler))]
		default:
			heading = a.topic.heading
			text = strings.NewReplacer("{t}", l.thing[1], "{n}", fmt.Sprint(2+s.random.IntN(8))).Replace(a.topic.texts[s.random.IntN(len(a.topic.texts))])
		}
		fmt.Fprintf(&b, "### %s {#%s}\n\n", l.heading(a.number, heading), anchor(a.number))
		first, second, _ := strings.Cut(text, ". ")
		mark := "%d. %s\n\n"
		if sp.language == "de" || sp.language == "en" {
			mark = "(%d) %s\n\n"
		}
		fmt.Fprintf(&b, mark, 1, strings.TrimSuffix(first, ".")+".")
		if second == "" {
			second = sp.filler[s.random.IntN(len(sp.filler))]
		}
		fmt.Fprintf(&b, mark, 2, second)
	}
	heading, text := s.reference(sp.language)
	fmt.Fprintf(&b, "### %s\n\n%s\n", l.heading(fmt.Sprint(len(l.articles)+20), heading), text)
	return b.String()
}

// decree writes a text that carries out a law: its title has all the words of the law's.
func (s *statutes) decree(l *law) string {
	sp := l.speech
	title := map[string]string{"es": "Real Decreto por el que se desarrolla la %s", "de": "Verordnung zur Durchführung des Gesetzes: %s", "en": "Order under the %s", "fr": "Décret pris pour l'application de la %s"}[sp.language]
	var b strings.Builder
	fmt.Fprintf(&b, "# "+title+"\n\n", l.title)
	for n := range 6 {
		heading, text := s.reference(sp.language)
		if n%2 == 0 {
			heading, text = sp.topics[s.random.IntN(len(sp.topics))].heading, sp.filler[s.random.IntN(len(sp.filler))]
		}
		fmt.Fprintf(&b, "## %s\n\n%s\n\n", l.heading(fmt.Sprint(n+1), heading), text)
	}
	return b.String()
}

// write writes the laws, and a decree to each tenth of them, into a folder. It returns how many
// files these are.
func (s *statutes) write(dir string) (files int, err error) {
	put := func(path, text string) {
		path = filepath.Join(dir, path)
		if err == nil {
			err = os.MkdirAll(filepath.Dir(path), 0o755)
		}
		if err == nil {
			err = os.WriteFile(path, []byte(text), 0o644)
		}
		files++
	}
	for i := range s.laws {
		l := &s.laws[i]
		put(l.path, s.text(l))
		if i%10 == 0 {
			put(strings.Replace(l.path, "/", "/decree-", 1), s.decree(l))
		}
	}
	return files, err
}

// questions returns n questions in words.
func (s *statutes) questions(n int) (list []asked) {
	for len(list) < n {
		l := &s.laws[len(list)*len(s.laws)/n]
		a := l.articles[s.random.IntN(len(l.articles))]
		if a.topic == nil {
			continue
		}
		q := a.topic.ask[s.random.IntN(len(a.topic.ask))]
		list = append(list, asked{strings.ReplaceAll(q, "{q}", l.thing[2]+" "+l.kind[1]), l.link(a.number)})
	}
	return list
}

// forms are how an article is cited: %[1]s is its number, %[2]s its law.
var forms = map[string][]string{
	"es": {"art. %[1]s %[2]s", "artículo %[1]s %[2]s", "artículo %[1]s.2 %[2]s", "¿Qué dice el artículo %[1]s, apartado 1, %[2]s?", "art. %[1]s.1 a) %[2]s"},
	"de": {"§ %[1]s %[2]s", "§ %[1]s Abs. 2 %[2]s", "§ %[1]s Absatz 1 Satz 2 %[2]s", "§%[1]s %[2]s", "Paragraph %[1]s %[2]s", "%[2]s § %[1]s"},
	"en": {"section %[1]s %[2]s", "Section %[1]s(2) %[2]s", "s. %[1]s %[2]s", "sec. %[1]s, subsection 1, %[2]s"},
	"fr": {"article %[1]s %[2]s", "art. %[1]s %[2]s", "article %[1]s, alinéa 2, %[2]s", "Que dit l'article %[1]s %[2]s ?"},
}

// citations returns n citations of articles.
func (s *statutes) citations(n int) (list []asked) {
	for i := range n {
		l := &s.laws[i*len(s.laws)/n]
		a := l.articles[s.random.IntN(len(l.articles))]
		list = append(list, asked{fmt.Sprintf(pick(s.random, forms[l.speech.language]), a.number, pick(s.random, l.cited)), l.link(a.number)})
	}
	return list
}

func pick(r *rand.Rand, list []string) string { return list[r.IntN(len(list))] }

// place returns the place of a link among those of a page, from 1 on; 0: it is not there.
func place(links []string, want string) int { return slices.Index(links, want) + 1 }
