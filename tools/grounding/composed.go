package grounding

import (
	"strconv"
	"strings"
	"time"
)

// prose has words in the names of properties whose texts the assistant writes.
var prose = []string{
	"title", "subject", "summary", "description", "message", "body", "text", "note", "comment", "content", "query", "search", "prompt", "expression", "formula",
	"reason", "question", "betreff", "nachricht", "beschreibung", "titel", "sujet", "titre", "resume", "asunto", "mensaje", "descripcion", "titulo",
}

const (
	sentence  = 7   // number of words from which a text counts as composed
	maxStated = 256 // maximum number of facts of a composed text that are judged
)

// isComposed reports whether the assistant writes a text, rather than passing it on.
func isComposed(v value, tokens []token) bool {
	if len(words(tokens)) >= sentence {
		return true
	}
	name := strings.ToLower(camel(v.name))
	for _, w := range prose {
		if strings.Contains(name, w) {
			return true
		}
	}
	return false
}

// composed judges a text that was written for the user. The words are the assistant's, but the
// facts must have been said: numbers of two or more figures, dates, times and addresses. A
// short text without such facts must share a word with the chat.
func (s *Said) composed(of string, now time.Time) bool {
	for w := range strings.FieldsSeq(of) {
		w = strings.Trim(w, ".,;:!?()<>[]\"'")
		if strings.Contains(w, "@") && strings.Contains(w, ".") && !s.text(w) {
			return false
		}
	}
	tokens := lex(of, nil)
	stated, said := s.stated(tokens, now)
	return said && (stated > 0 || len(words(tokens)) >= sentence || s.touches(tokens))
}

// stated counts the facts of a composed text and reports whether all were said.
func (s *Said) stated(tokens []token, now time.Time) (facts int, said bool) {
	base := int32(0)
	if !now.IsZero() {
		base = dayOf(now)
	}
	scan := newScanner(tokens, newFacts(), base)
	for i := 0; i < len(tokens) && facts < maxStated; {
		from := i
		switch {
		case scan.days.figuresEnd(i) > i:
			i = scan.days.figuresEnd(i)
			said = s.phone(squash(tokens[from:i]))
		case tokens[i].class == word && scan.tight(i+1) && scan.isDigits(i+1): // a code
			for i++; i < len(tokens) && scan.tight(i) && tokens[i].class != mark; i++ {
			}
			said = s.index.has(squash(tokens[from:i]), false) || s.index.has(squash(tokens[from+1:i]), false)
		case scan.days.date(i) > i:
			i = scan.days.date(i)
			said = s.day(scan.f, scan.days.base)
		case scan.hours.clock(i) > i:
			i = scan.hours.clock(i)
			said = s.clock(scan.f)
		case scan.isDigits(i):
			i = scan.amounts.number(i)
			said = len(tokens[from].text) < 2 && i == from+1 || s.index.has(tokens[from].text, false) || s.anyNumber(scan.f)
		default:
			i++
			continue
		}
		facts++
		if !said {
			return facts, false
		}
		scan.f.clear()
	}
	return facts, true
}

// figuresEnd returns the end of the phone number that begins at i.
func (s *dateReader) figuresEnd(i int) int {
	if !s.isDigits(i) {
		return i
	}
	n, end := 0, i
	for j := i; j < len(s.t) && j < i+24; j++ {
		switch {
		case s.isDigits(j):
			n += len(s.t[j].text)
			end = j + 1
		case !s.is(j, "-", "/", "(", ")") || j > i && s.t[j].class == word:
			j = len(s.t)
		}
	}
	if n < 7 || n == 8 && s.figures(i) == end {
		return i
	}
	return end
}

// day reports whether one of the days was named.
func (s *Said) day(of *facts, now int32) bool {
	for on := range of.days {
		if s.facts.dated(on, now) {
			return true
		}
	}
	for m := range of.mentions {
		switch m.about {
		case yearly:
			y, _, _ := dateOf(now)
			for _, year := range []int{y - 1, y, y + 1} {
				if s.facts.dated(civil(year, time.Month(m.a), int(m.b)), now) {
					return true
				}
			}
		default:
			return true // it names no day itself
		}
	}
	return len(of.mentions)+len(of.days) == 0
}

func (s *Said) anyNumber(of *facts) bool {
	for n, as := range of.numbers {
		if as&free != 0 && s.facts.numbers[n] != 0 || s.index.has(strconv.FormatFloat(n, 'f', -1, 64), false) {
			return true
		}
	}
	return false
}

// touches reports whether a composed text relates to the chat: one of its words was said.
func (s *Said) touches(tokens []token) bool {
	content, tried := 0, 0
	for _, w := range words(tokens) {
		if stops(w) || len(w) < 4 {
			continue
		}
		content++
		if s.spelled(w) {
			return true
		}
		if tried++; tried > 30 {
			return true
		}
	}
	return content == 0
}
