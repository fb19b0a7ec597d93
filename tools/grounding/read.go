package grounding

import (
	"slices"
	"strconv"
	"strings"
)

// small reads a number up to most: figures of at most two places, or one word.
func (s *passage) small(i, most int) (v, next int, ok bool) {
	if i < 0 || i >= len(s.t) {
		return 0, i, false
	}
	if s.isDigits(i) {
		if len(s.t[i].text) > 2 {
			return 0, i, false
		}
		v, _ = strconv.Atoi(s.t[i].text)
		return v, i + 1, v <= most
	}
	if s.t[i].class != word {
		return 0, i, false
	}
	f, next, ok := s.spelled(i)
	if !ok || f != float64(int(f)) || f > float64(most) || f < 0 {
		return 0, i, false
	}
	return int(f), next, true
}

// year reads a year: four figures, or two after an apostrophe or a date separator.
func (s *passage) year(i int) (y, next int, ok bool) {
	if s.is(i, "'") {
		i++
	}
	if !s.isDigits(i) {
		return 0, i, false
	}
	y, _ = strconv.Atoi(s.t[i].text)
	switch len(s.t[i].text) {
	case 4:
		return y, i + 1, y >= 1000
	case 2:
		if y < 70 {
			y += 100
		}
		return 1900 + y, i + 1, true
	}
	return 0, i, false
}

// ordinal skips the suffix that makes a number a day: "3rd", "3.", "1er".
func (s *passage) ordinal(i int) (next int, marked bool) {
	if s.is(i, "st", "nd", "rd", "th", "er", "eme", "e", "o", "a", ".") && s.tight(i) {
		return i + 1, true
	}
	return i, false
}

func (s *passage) month(i int) (m int, ok bool) {
	if i < 0 || i >= len(s.t) {
		return 0, false
	}
	n, ok := monthNames[s.t[i].text]
	return int(n), ok
}

// numberAt reports whether there is a number of one word at i.
func (s *passage) numberAt(i int) bool {
	_, next, ok := s.small(i, 24)
	return ok && next == i+1
}

// articles has the articles that count one.
var articles = strings.Fields("a an ein eine einen einer einem n ne nen nem ner un une una")

func (s *passage) isArticle(i int) bool {
	return i >= 0 && i < len(s.t) && slices.Contains(articles, s.t[i].text)
}

// towards returns 1 next to "next", -1 next to "last", and otherwise 0.
func (s *passage) towards(i int) int {
	switch {
	case s.is(i-1, "ubernachste", "ubernachsten", "ubernachster", "uebernachste", "uebernachsten", "uebernaechste", "uebernaechsten"), s.is(i+1, "after") && s.is(i+2, "next"):
		return 2
	case s.is(i-1, "next", "following", "nachsten", "nachste", "nachster", "nachstes", "nachstem", "naechsten", "naechste", "naechster", "naechstem", "kommenden", "kommende", "kommender", "kommendem", "prochain", "prochaine", "proximo", "proxima"),
		s.is(i+1, "prochain", "prochaine", "proximo", "proxima", "suivant", "suivante", "siguiente"),
		s.is(i+1, "que") && s.is(i+2, "viene"):
		return 1
	case s.is(i-1, "last", "previous", "past", "letzten", "letzte", "letzter", "letztes", "letztem", "vergangenen", "vergangene", "vergangenem", "vorigen", "vorige", "vorigem", "pasado", "pasada"),
		s.is(i+1, "dernier", "derniere", "passe", "passee", "pasado", "pasada", "precedent"):
		return -1
	}
	return 0
}

// count is like small, but an article counts as one.
func (s *passage) count(i int) (n, next int, ok bool) {
	if s.is(i, "a", "an", "ein", "eine", "einem", "einer", "un", "une", "una") {
		return 1, i + 1, true
	}
	return s.small(i, 99)
}
