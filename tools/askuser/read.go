package askuser

import (
	"fmt"
	"slices"
	"strings"

	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tools/askuser/pattern"
)

// longestChoice is the maximum length of a message that can name options, in bytes. It is
// far above the length of all labels of a question together.
const longestChoice = 8 << 10

// Read implements tools.Resumer: it reads a plain message as an answer (docs/protocol.md).
// It tries, in this order: an option's exact value, its label, label or value in any letter
// case, its number; yes and no in the language and in English; a number or date as written
// in the language; a word for skipping, if allow_skip is set; a text. If allow_other is set,
// anything else is free text; in a multiselect, next to the options that the message names.
// Otherwise it is not an answer. A message never answers a form of several parts.
func (t *Tool) Read(q tools.Question, text, language string) (tools.Answer, bool) {
	if len(q.Parts) != 1 || tools.Blank(text) {
		return tools.Answer{}, false
	}
	p := q.Parts[0]
	matcher := &pattern.Matcher{}
	for _, a := range t.readings(p, text, language) {
		if checked, err := t.check(q, a, matcher); err == nil {
			return checked, true
		}
	}
	return tools.Answer{}, false
}

// readings returns the ways to read text as an answer to p, the best first.
func (t *Tool) readings(p tools.Part, text, language string) []tools.Answer {
	m := message{raw: text, trimmed: strings.TrimSpace(text), language: language, words: t.wordsOf(language)}
	m.skip = p.AllowSkip && slices.ContainsFunc(m.words.SkipWords, func(w string) bool {
		return strings.EqualFold(strings.TrimSpace(w), bare(m.trimmed))
	})
	var list []tools.Answer
	if read := types[p.InputType].read; read != nil {
		list = read(m, p)
	}
	if m.skip {
		list = append(list, tools.Answer{Skipped: true})
	}
	if p.AllowOther {
		list = append(list, tools.Answer{Other: text})
	}
	return list
}

// yesOrNo returns the value of a confirm for a text that means yes or no, in the language or
// in English, and "" for other texts.
func (w *Words) yesOrNo(s string) string {
	word := bare(s)
	is := func(w string) bool { return strings.EqualFold(strings.TrimSpace(w), word) }
	yes := slices.ContainsFunc(append([]string{w.Yes, "yes", "y", "true"}, w.YesWords...), is)
	no := slices.ContainsFunc(append([]string{w.No, "no", "n", "false"}, w.NoWords...), is)
	switch {
	case yes && !no:
		return valueYes
	case no && !yes:
		return valueNo
	}
	return ""
}

// readOption returns the value of the option that s names. A name that matches two options,
// such as "pdf" for PDF and Pdf, matches none.
func readOption(options []tools.Option, s string) (string, bool) {
	if len(s) > longestChoice {
		return "", false
	}
	word := bare(s)
	for _, fits := range []func(tools.Option) bool{
		func(o tools.Option) bool { return o.Value == s },
		func(o tools.Option) bool { return o.Label == s },
		func(o tools.Option) bool { return strings.EqualFold(o.Label, s) },
		func(o tools.Option) bool { return strings.EqualFold(o.Value, s) },
		func(o tools.Option) bool { return strings.EqualFold(o.Label, word) || strings.EqualFold(o.Value, word) },
		func(o tools.Option) bool { return strings.EqualFold(named(o), s) },
	} {
		found := -1
		for i, o := range options {
			if !fits(o) {
				continue
			}
			if found >= 0 {
				return "", false
			}
			found = i
		}
		if found >= 0 {
			return options[found].Value, true
		}
	}
	if n := position(s); n >= 1 && n <= len(options) {
		return options[n-1].Value, true
	}
	return "", false
}

// bare removes quotes and final punctuation: "Yes!" becomes "Yes".
func bare(s string) string {
	s = strings.TrimRight(strings.TrimSpace(s), ".!;,")
	return strings.TrimSpace(strings.Trim(s, `"'“”„«»‘’`))
}

var positionForm = tools.Late(`^[(#]?([0-9]{1,4})[.)]?$`)

// position reads the number of an option, from 1: "2", "2.", "2)", "(2)", "#2". It returns 0
// for other texts.
func position(s string) int {
	m := positionForm().FindStringSubmatch(s)
	if m == nil {
		return 0
	}
	n := 0
	for _, digit := range m[1] {
		n = n*10 + int(digit-'0')
	}
	return n
}

var (
	listMarks = tools.Late(`[,;\n\r\x{85}\x{2028}\x{2029}、，]+`)
	listWords = tools.Late(`(?i)\s+(?:and|und|et|y|e|&|\+)\s+`)
	bullet    = tools.Late(`^(?:[-*•–]|(?i:and|und|et|y|e)\b)\s*`)
)

// readOptions reads several options, separated by commas, semicolons, line breaks, or "and"
// in one of the languages. It tries the whole text first, since a label can contain such a
// separator. rest has the pieces that are not options; adjacent ones stay unchanged.
func readOptions(options []tools.Option, s string) (values []string, rest string) {
	if len(s) > longestChoice {
		return nil, ""
	}
	if v, ok := readOption(options, s); ok {
		return []string{v}, ""
	}
	var others []string
	from, at := -1, 0 // start of the current run of others, -1 outside one; start of the current piece
	for _, mark := range append(listMarks().FindAllStringIndex(s, -1), []int{len(s), len(s)}) {
		piece, begins := strings.TrimSpace(s[at:mark[0]]), at
		at = mark[1]
		read := readPiece(options, piece)
		switch {
		case piece == "":
		case len(read) > 0:
			values, from = append(values, read...), -1
		case from >= 0:
			others[len(others)-1] = strings.TrimSpace(s[from:mark[0]])
		default:
			from, others = begins, append(others, piece)
		}
	}
	return values, strings.Join(others, ", ")
}

// readPiece reads one option, or several with "and" between them. It returns nil if any part
// of the piece is not an option.
func readPiece(options []tools.Option, piece string) (values []string) {
	if v, ok := readOption(options, piece); ok {
		return []string{v}
	}
	for _, word := range listWords().Split(bullet().ReplaceAllString(piece, ""), -1) {
		v, ok := readOption(options, strings.TrimSpace(word))
		if !ok {
			return nil
		}
		values = append(values, v)
	}
	return values
}

var (
	dotDate   = tools.Late(`^(\d{1,2})\. ?(\d{1,2})\. ?(\d{4})$`)
	slashDate = tools.Late(`^(\d{1,2})/(\d{1,2})/(\d{4})$`)
)

// readDate reads a date: ISO, 31.12.2026, and 31/12/2026 in languages where no one writes
// the month first.
func readDate(s, language string) (string, bool) {
	s = bare(s)
	m := dotDate().FindStringSubmatch(s)
	if m == nil && slices.Contains([]string{"de", "fr", "es"}, baseLanguage(language)) {
		m = slashDate().FindStringSubmatch(s)
	}
	if m != nil {
		s = fmt.Sprintf("%s-%02s-%02s", m[3], m[2], m[1])
	}
	return s, isDate(s)
}
