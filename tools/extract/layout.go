package extract

import (
	"math"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	maxLevel   = 6
	maxHeading = 400 // bytes of a line that may be a heading
	boldWeight = 600 // of fonts: 400 is regular, 700 bold
	// larger is how many times the usual size makes a heading.
	larger = 1.15
	// mostHeadings is the part of the lines that may be headings: if more are, they cannot be told.
	mostHeadings = 0.3
)

// shown returns the size of letters of a font that is scaled by the matrix whose second row is c, d.
func shown(size, c, d float64) float64 { return size * math.Hypot(c, d) }

// laidOut makes parts of the lines of a PDF. A line is a heading if it is larger than most of the text, or
// bold where most of the text is not, and if it is not repeated like the head of a page.
func laidOut(lines []line) []Part {
	levels := headings(lines)
	var parts []Part
	var text []string
	flush := func() {
		if len(parts) > 0 {
			parts[len(parts)-1].Text = joined(text)
		}
		text = nil
	}
	for i, l := range lines {
		level := levels[i]
		begins := len(parts) == 0 || parts[len(parts)-1].Page != l.page
		if last := len(parts) - 1; level > 0 && !begins && levels[i-1] == level && lines[i-1].size == l.size && len(text) == 0 && len(parts[last].Heading) < maxHeading {
			parts[last].Heading += " " + strings.TrimSpace(l.text) // its second line
			continue
		}
		if begins || level > 0 {
			flush()
			p := Part{Page: l.page}
			if level > 0 {
				p.Heading, p.Level = strings.TrimSpace(l.text), level
			}
			parts = append(parts, p)
		}
		if level == 0 {
			text = append(text, l.text)
		}
	}
	flush()
	return slices.DeleteFunc(parts, func(p Part) bool { return p.Heading == "" && p.Text == "" })
}

var digits = regexp.MustCompile(`[0-9]+`)

// headings returns the level of each line, 0 for text.
func headings(lines []line) []int {
	levels := make([]int, len(lines))
	letters := map[float64]int{} // by size; lines that differ only in digits count once, such as heads of pages
	repeated := map[string]int{} // how often a line comes
	seen := map[string]bool{}
	bold := 0
	all := 0
	for i := range lines {
		l := &lines[i]
		l.size = math.Round(l.size*2) / 2
		n := len(l.text)
		if kind := digits.ReplaceAllString(l.text, ""); !seen[kind] {
			seen[kind] = true
			letters[l.size] += n
		}
		all += n
		if l.bold {
			bold += n
		}
		repeated[strings.TrimSpace(l.text)]++
	}
	usual := 0.0
	for size, n := range letters {
		if size > 0 && (n > letters[usual] || n == letters[usual] && size < usual || usual == 0) {
			usual = size
		}
	}
	var sizes []float64
	candidates := 0
	for i, l := range lines {
		word := strings.TrimSpace(l.text)
		isLarge := usual > 0 && l.size >= usual*larger
		isBold := l.bold && l.size >= usual && bold < all/2 && len(word) <= maxHeading/3 && !strings.HasSuffix(word, ".") && !strings.HasSuffix(word, ",")
		if !isLarge && !isBold || len(l.text) > maxHeading || !strings.ContainsFunc(word, unicode.IsLetter) || repeated[word] > 2 {
			continue
		}
		levels[i] = 1
		candidates++
		if isLarge && !slices.Contains(sizes, l.size) {
			sizes = append(sizes, l.size)
		}
	}
	if float64(candidates) > mostHeadings*float64(len(lines)) && candidates > maxLevel {
		return make([]int, len(lines))
	}
	slices.SortFunc(sizes, func(a, b float64) int { return int(math.Copysign(1, b-a)) })
	for i := range levels {
		if levels[i] > 0 {
			at := slices.Index(sizes, lines[i].size)
			if at < 0 {
				at = len(sizes)
			}
			levels[i] = min(at+1, maxLevel)
		}
	}
	return levels
}

// hyphens divide a word at the end of a line: what PDFium writes for a hyphen there, a soft hyphen, and
// the hyphen that browsers print for one. A "-" that PDFium leaves belongs to the word.
const hyphens = "\x02\ufffe\u00ad\u2010"

// joined joins lines, and the words that are divided between them.
func joined(lines []string) string {
	var b strings.Builder
	divided := false
	for _, l := range lines {
		l = strings.TrimRight(l, " ")
		switch first, _ := utf8.DecodeRuneInString(l); {
		case b.Len() == 0 || divided && unicode.IsLower(first):
		case divided:
			b.WriteByte('-') // as of a name with two parts
		default:
			b.WriteByte('\n')
		}
		rest := strings.TrimRight(l, hyphens)
		divided = rest != l
		b.WriteString(strings.Map(func(r rune) rune {
			switch r {
			case '\x02', '\ufffe':
				return '-'
			case '\u00ad':
				return -1
			}
			return r
		}, rest))
	}
	return strings.TrimSpace(b.String())
}

var (
	named    = regexp.MustCompile(`(?i)^(microsoft (word|powerpoint|excel) - |.*\.(docx?|pdf|odt|rtf|indd|tex|dvi|qxd|html?|pptx?|xlsx?)$)`)
	nameless = regexp.MustCompile(`(?i)^(untitled|unbenannt|sans titre|sin título|document|dokument|titel|title|title of document|word document|\(anonymous\)|about:blank|https?://.*)[\s\d]*$`)
)

// sensible returns the title of a file's properties, or "" if a program has set it: to the name of the
// file, or to a placeholder.
func sensible(title string) string {
	title = strings.Join(strings.Fields(strings.ToValidUTF8(strings.ReplaceAll(title, "\x00", ""), "")), " ")
	if len(title) > 2*maxHeading || !strings.ContainsFunc(title, unicode.IsLetter) || named.MatchString(title) || nameless.MatchString(title) {
		return ""
	}
	return title
}
