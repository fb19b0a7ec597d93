package extract

import (
	"regexp"
	"strconv"
	"strings"
)

// maxListLevel is the most levels of a list: Word has nine.
const maxListLevel = 9

// listed says to which list a paragraph belongs, and at which level. Either is -1 if it is not said;
// the list 0 is none.
type listed struct{ id, level int }

var noList = listed{-1, -1}

func (l *listed) read(e event) {
	switch e.name {
	case "numId":
		l.id = e.number("val")
	case "ilvl":
		l.level = e.number("val")
	}
}

func (l *listed) inherit(from listed) {
	if l.id < 0 {
		l.id = from.id
	}
	if l.level < 0 {
		l.level = from.level
	}
}

// lists numbers the paragraphs of lists, as Word does when it shows them.
type lists struct {
	abstract map[int]int // the definition of each list
	levels   map[int]*[maxListLevel]listLevel
	starts   map[listed]int // of single lists
	counts   map[int]*[maxListLevel]int
}

type listLevel struct {
	format string
	text   string // "%1.%2"
	start  int
}

func (d *docx) numbering(part string) (*lists, error) {
	l := &lists{map[int]int{}, map[int]*[maxListLevel]listLevel{}, map[listed]int{}, map[int]*[maxListLevel]int{}}
	definition, list, level := -1, -1, -1
	err := d.walk(part, func(e event) {
		if !e.open {
			return
		}
		switch e.name {
		case "abstractNum":
			definition, list = e.number("abstractNumId"), -1
			l.levels[definition] = &[maxListLevel]listLevel{}
		case "num":
			definition, list = -1, e.number("numId")
		case "abstractNumId":
			l.abstract[list] = e.number("val")
		case "lvl", "lvlOverride":
			level = e.number("ilvl")
		case "startOverride":
			l.starts[listed{list, level}] = max(e.number("val"), 0)
		}
		if level < 0 || level >= maxListLevel || l.levels[definition] == nil {
			return
		}
		switch at := &l.levels[definition][level]; e.name {
		case "lvl":
			at.start = 1
		case "start":
			at.start = max(e.number("val"), 0)
		case "numFmt":
			at.format = e.attr("val")
		case "lvlText":
			at.text = e.attr("val")
		}
	})
	return l, err
}

var levelMark = regexp.MustCompile(`%[1-9]`)

// mark returns the sign of a paragraph of a list, "- " or its number, and counts it.
func (l *lists) mark(of listed) string {
	if l == nil || of.id <= 0 {
		return ""
	}
	at := min(max(of.level, 0), maxListLevel-1)
	definition, ok := l.abstract[of.id]
	levels := l.levels[definition]
	if !ok || levels == nil {
		return "- "
	}
	counts := l.counts[definition]
	if counts == nil {
		counts = &[maxListLevel]int{}
		for i := range counts {
			counts[i] = levels[i].start - 1
		}
		l.counts[definition] = counts
	}
	if start, ok := l.starts[listed{of.id, at}]; ok { // a list that begins again
		counts[at] = start - 1
		delete(l.starts, listed{of.id, at})
	}
	counts[at]++
	for i := at + 1; i < maxListLevel; i++ {
		counts[i] = levels[i].start - 1
	}
	switch levels[at].format {
	case "none", "":
		return ""
	case "bullet":
		return "- "
	}
	text := levelMark.ReplaceAllStringFunc(levels[at].text, func(m string) string {
		i := int(m[1] - '1')
		return ordinal(levels[i].format, max(counts[i], levels[i].start))
	})
	if text = strings.TrimSpace(text); text == "" || len(text) > maxHeading {
		return ""
	}
	return text + " "
}

// ordinal returns a number in a format of Word, or in digits if the format is none of the common ones.
func ordinal(format string, n int) string {
	const most = 3999 // of Roman numerals
	switch {
	case n <= 0 || n > most:
	case strings.HasSuffix(format, "Roman"):
		return cased(format, roman(n))
	case strings.HasSuffix(format, "Letter"):
		return cased(format, strings.Repeat(string(rune('A'+(n-1)%26)), min((n-1)/26+1, 20)))
	case format == "decimalZero" && n < 10:
		return "0" + strconv.Itoa(n)
	}
	return strconv.Itoa(n)
}

func cased(format, s string) string {
	if strings.HasPrefix(format, "lower") {
		return strings.ToLower(s)
	}
	return s
}

func roman(n int) string {
	var b strings.Builder
	for _, d := range []struct {
		n int
		s string
	}{{1000, "M"}, {900, "CM"}, {500, "D"}, {400, "CD"}, {100, "C"}, {90, "XC"}, {50, "L"}, {40, "XL"}, {10, "X"}, {9, "IX"}, {5, "V"}, {4, "IV"}, {1, "I"}} {
		for ; n >= d.n; n -= d.n {
			b.WriteString(d.s)
		}
	}
	return b.String()
}
