package index

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// Marks of the numbers of articles, as terms of the index. No text has them: they are signs for
// private use, which no word contains.
const (
	articleMark = "\ue000" // of a passage whose heading has the number
	mentionMark = "\ue001" // of a passage whose title has the number, but not at the beginning
	numberDash  = '\ue002' // stands for what is between the parts of a number
)

const (
	articleWord   = `(?:art[íi]culos?|articles?|artikel[ns]?|arts?\.?|sections?|secci[óo]n(?:es)?|sec\.|ss?\.|paragraph(?:en|s)?|clauses?|rules?|reglas?|règles?)`
	articleNumber = `((?:[lrd]\.? ?\*?)?\d+(?:[.-]\d+)*(?:[a-z]{1,2}\b)?(?:[ -]?(?:bis|ter|quater|quinquies|sexies|septies|octies|nonies|decies)\b)?)(?:\.?[ºª°])?`
	partWord      = `(?:abs(?:atz|\.)?|satz|s\.|nr\.?|nummer|halbsatz|buchst(?:abe|\.)?|lit\.|apartados?|apdo\.?|p[áa]rrafos?|letras?|inciso|n[úu]m(?:ero|\.)|subsections?|subsec\.|paragraphs?|para\.?|point|letter|alin[ée]as?|al\.|phrase)`
)

var (
	// cited finds articles in a query, in lower case: "art. 3", "§ 3", "3 §".
	cited = regexp.MustCompile(`(?:\b` + articleWord + `\s*|§+\s*)` + articleNumber + `|\b(\d+ ?[a-z]?) ?§`)
	// spaced is the letter of a number such as § 573 c.
	spaced = regexp.MustCompile(`^ ([a-z])(?:$|[ ,;.](?:$|[^)]))`)
	// headed finds the number at the beginning of a heading, in lower case.
	headed = regexp.MustCompile(`^(?:\([^)]*\) ?)?(?:(?:` + articleWord + `\s*|§+\s*)` + articleNumber + `|(\d+ ?[a-z]?) ?§)`)
	// numbered is a heading that begins with a number alone.
	numbered = regexp.MustCompile(`^(\d+(?:\.\d+)*[a-z]?)(?:[.:) ]|$)`)
	// further are more numbers of the same kind.
	further = regexp.MustCompile(`^\s*(?:,|y|e|und|bis|and|to|et|à|a|-|–)\s*(?:§\s*)?(\d+[a-z]?)(?:$|[^\w/.-]|\.(?:$|\s))`)
	// part is what a citation names of an article: "Abs. 2", "apartado 3", "(2)", "a)".
	part = regexp.MustCompile(`\b` + partWord + `\s*(?:n[º°.]\s*)?(\d+[a-z]?|[a-z]|[ivx]+)\b\)?|\(\s*(\d+[a-z]?|[a-z]|[ivx]+)\s*\)|\b[a-z]\)`)
	// roman is a part as German lawyers write it: § 433 II.
	roman = regexp.MustCompile(`^[IVX]+\b`)
)

// citation is an article that a query cites.
type citation struct {
	numbers []string // in the form of the index; the first is the likeliest
	part    string   // of the article, such as 2; ""
}

// normal returns the number of an article in the form of the index.
func normal(number string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '.' || r == '-':
			return numberDash
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			return r
		}
		return -1
	}, separators.Replace(number))
}

// separators removes what means nothing between the parts of a number.
var separators = strings.NewReplacer("l.", "l", "r.", "r", "d.", "d", "-bis", "bis", "-ter", "ter", "-qu", "qu", "1er", "1")

// readings returns what a cited number may mean: 3.2 is the number 3.2, or paragraph 2 of article 3, and
// 1.255 may also be article 1255.
func readings(number string) (c citation) {
	c.numbers = []string{normal(number)}
	if from, _, ok := strings.Cut(number, "-"); ok && '0' <= from[0] && from[0] <= '9' { // §§ 12-14
		c.numbers = append(c.numbers, normal(from))
		return c
	}
	whole, part, ok := strings.Cut(number, ".")
	if !ok || whole == "l" || whole == "r" || whole == "d" {
		return c
	}
	if len(part) == 3 && !strings.ContainsFunc(part, unicode.IsLetter) {
		c.numbers = append(c.numbers, normal(whole+part))
	}
	c.numbers = append(c.numbers, normal(whole))
	c.part, _, _ = strings.Cut(part, ".")
	return c
}

// cites returns the articles that a query cites, and the rest of it, which names the work. It
// returns nil if the query cites none.
func cites(query string) (list []citation, rest string) {
	const most = 4
	lower := strings.ToLower(query)
	if len(lower) != len(query) { // offsets would differ
		query = lower
	}
	r := &citing{query: query, lower: lower, kept: []byte(query)}
	var loose []citation // cited by the word paragraph, which may also mean a part of an article
	for len(list)+len(loose) < most {
		m := cited.FindStringSubmatchIndex(lower[r.at:])
		if m == nil {
			break
		}
		for i := range m {
			if m[i] >= 0 {
				m[i] += r.at
			}
		}
		if m[2] < 0 { // 3 §
			if rest := strings.TrimLeft(lower[m[1]:], " "); rest != "" && '0' <= rest[0] && rest[0] <= '9' {
				r.at = m[5] // it is "Abs. 3 § 5"
				continue
			}
			r.take(m[0], m[1])
			list = append(list, readings(strings.ReplaceAll(lower[m[4]:m[5]], " ", "")))
			continue
		}
		c := r.numbers(m)
		if strings.HasPrefix(lower[m[0]:], "para") {
			loose = append(loose, c...)
		} else {
			list = append(list, c...)
		}
	}
	if len(list) == 0 {
		list, loose = loose, nil
	}
	if len(list) == 0 {
		return nil, ""
	}
	if len(loose) > 0 && list[0].part == "" {
		list[0].part = loose[0].numbers[0]
	}
	for _, m := range part.FindAllStringIndex(strings.ToLower(string(r.kept)), -1) {
		r.take(m[0], m[1])
	}
	return list[:min(len(list), most)], string(r.kept)
}

// citing is the state of reading the citations of a query.
type citing struct {
	query, lower string
	kept         []byte // the query, with blanks for what was read
	at           int    // where to read on
}

// take marks a part of the query as read.
func (r *citing) take(from, to int) {
	for i := from; i < min(to, len(r.kept)); i++ {
		r.kept[i] = ' '
	}
	r.at = max(r.at, to)
}

// numbers reads the numbers of a match of cited, and the parts that are named after them.
func (r *citing) numbers(m []int) (list []citation) {
	number, end := r.lower[m[2]:m[3]], m[1]
	if whole, ok := strings.CutSuffix(number, "bis"); ok && further.MatchString("bis"+r.lower[end:]) { // §§ 3 bis 5
		number, end = strings.TrimRight(whole, " "), m[3]-len("bis")
	}
	if l := spaced.FindStringSubmatch(r.lower[end:]); l != nil && r.lower[m[0]] == "§"[0] && !strings.ContainsFunc(number, unicode.IsLetter) {
		number += l[1]
		end += 2
	}
	r.take(m[0], end)
	list = append(list, readings(number))
	for {
		more := further.FindStringSubmatchIndex(r.lower[r.at:])
		if more == nil {
			break
		}
		list = append(list, readings(r.lower[r.at+more[2]:r.at+more[3]]))
		r.take(r.at, r.at+more[3])
	}
	last := &list[len(list)-1]
	for {
		rest := r.lower[r.at:]
		from := r.at + len(rest) - len(strings.TrimLeft(rest, " ,"))
		if m := roman.FindStringIndex(r.query[from:]); m != nil {
			r.take(from, from+m[1])
			continue
		}
		m := part.FindStringSubmatchIndex(r.lower[from:])
		if len(m) == 0 || m[0] > 0 {
			return list
		}
		for i := 2; i < len(m); i += 2 {
			if m[i] >= 0 && last.part == "" {
				last.part = r.lower[from+m[i] : from+m[i+1]]
			}
		}
		r.take(from, from+m[1])
	}
}

// marks returns the terms for the numbers of a passage's articles: those of the nearest heading that has
// one.
func marks(heading, title string) (list []string) {
	segments := strings.Split(strings.ToLower(heading), " › ")
	slices.Reverse(segments)
	for _, pattern := range []*regexp.Regexp{headed, numbered} {
		for _, segment := range segments {
			if list := numbersOf(segment, pattern, articleMark); len(list) > 0 {
				return list
			}
			if pattern == numbered {
				break // headings above have numbers of chapters
			}
		}
	}
	if heading != "" {
		return nil
	}
	title = strings.ToLower(title)
	if list = numbersOf(title, headed, articleMark); len(list) > 0 {
		return list
	}
	for _, m := range cited.FindAllStringSubmatch(title, 3) {
		list = append(list, mentionMark+normal(m[1]+m[2]))
	}
	return list
}

// numbersOf returns the terms of the numbers that a heading begins with.
func numbersOf(heading string, pattern *regexp.Regexp, mark string) (list []string) {
	m := pattern.FindStringSubmatchIndex(heading)
	if m == nil {
		return nil
	}
	for i := 2; i < len(m); i += 2 {
		if m[i] >= 0 {
			list = append(list, mark+normal(heading[m[i]:m[i+1]]))
		}
	}
	const most = 10
	end := m[1]
	if whole, ok := strings.CutSuffix(heading[:end], "bis"); ok && further.MatchString(heading[len(whole):]) { // §§ 3 bis 5
		list[len(list)-1] = strings.TrimSuffix(list[len(list)-1], "bis")
		end = len(whole)
	}
	for len(list) < most {
		more := further.FindStringSubmatchIndex(heading[end:])
		if more == nil {
			break
		}
		list = append(list, mark+normal(heading[end+more[2]:end+more[3]]))
		end += more[3]
	}
	return list
}
