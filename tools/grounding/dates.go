package grounding

import (
	"strconv"
	"time"
)

// dateReader reads dates.
type dateReader struct {
	*dayReader
	relative relativeReader
}

// date reads a mention of a date at i.
func (s *dateReader) date(i int) (next int) {
	if s.isDigits(i) {
		if next = s.figures(i); next > i {
			return next
		}
	}
	if next = s.dayAndMonth(i); next > i {
		return next
	}
	if s.t[i].class != word {
		return s.relative.relative(i)
	}
	if next = s.monthAndDay(i); next > i {
		return next
	}
	if next = s.relative.named(i); next > i {
		return next
	}
	if next = s.relative.relative(i); next > i {
		return next
	}
	return s.relative.period(i)
}

func valid(y, m, d int) bool {
	if m < 1 || m > 12 || d < 1 || d > 31 || y < 1 || y > 9999 {
		return false
	}
	return time.Date(y, time.Month(m), d, 0, 0, 0, 0, time.UTC).Day() == d
}

// figures reads dates that consist of figures only.
func (s *dateReader) figures(i int) (next int) {
	first := s.t[i].text
	if len(first) == 8 {
		y, _ := strconv.Atoi(first[:4])
		m, _ := strconv.Atoi(first[4:6])
		d, _ := strconv.Atoi(first[6:])
		if y >= 1900 && y <= 2100 && valid(y, m, d) {
			s.say(exactly, int(civil(y, time.Month(m), d)), 0)
			s.f.number(parse(first), free)
			return i + 1
		}
	}
	if !s.is(i+1, "-", "/", ".") || !s.isDigits(i+2) || len(s.t[i+2].text) > 2 || s.t[i+1].spaced {
		return i
	}
	sep, loose := s.t[i+1].text, s.t[i+2].spaced
	a, _ := strconv.Atoi(first)
	b, _ := strconv.Atoi(s.t[i+2].text)
	switch {
	case loose && sep != ".":
		return i
	case len(first) == 4 && s.is(i+3, sep) && s.isDigits(i+4) && len(s.t[i+4].text) <= 2:
		c, _ := strconv.Atoi(s.t[i+4].text)
		if !valid(a, b, c) {
			return i
		}
		s.say(exactly, int(civil(a, time.Month(b), c)), 0)
		s.bury(a, b, c)
		next = i + 5
		if s.is(next, "t") && s.tight(next) && s.isDigits(next+1) {
			next++
		}
		return next
	case len(first) > 2:
		return i
	case s.is(i+3, sep) && s.tight(i+3) && s.isDigits(i+4):
		y, end, ok := s.year(i + 4)
		if !ok {
			return i
		}
		told := false
		if valid(y, b, a) {
			s.say(exactly, int(civil(y, time.Month(b), a)), 0)
			told = true
		}
		if sep != "." && valid(y, a, b) {
			s.say(exactly, int(civil(y, time.Month(a), b)), 0)
			told = true
		}
		if !told {
			return i
		}
		s.bury(a, b, y)
		return end
	case sep == "." && (s.is(i+3, ".") || s.is(i-1, "am", "vom", "bis", "zum", "ab", "seit", "den", "der")) && valid(2000, b, a):
		s.say(yearly, b, a)
		s.bury(a, b)
		if s.is(i+3, ".") && s.tight(i+3) {
			return i + 4
		}
		return i + 3
	case sep == "/" && (valid(2000, b, a) || valid(2000, a, b)):
		if valid(2000, b, a) {
			s.say(yearly, b, a)
		}
		if valid(2000, a, b) {
			s.say(yearly, a, b)
		}
		s.bury(a, b)
		return i + 3
	}
	return i
}

// dayAndMonth reads "3rd of April 2026", "3. bis 7. April", "1er avril", and a day without a month.
func (s *dateReader) dayAndMonth(i int) (next int) {
	d, j, ok := s.small(i, 31)
	if !ok || d == 0 || collectives[s.t[i].text] {
		return i
	}
	if numerals[s.t[i].text].rank == nth && s.t[i].capital && s.is(i-1, "am", "zum", "vom", "dem", "den", "ab", "bis", "seit") && (j >= len(s.t) || s.t[j].class == mark || !s.t[j].capital) { // "am Ersten"
		s.say(ofMonth, d, 0)
		return j
	}
	if numerals[s.t[j-1].text].rank == nth && s.is(i-1, "the") && s.is(i-2, "on", "from", "until", "till", "by", "before", "after", "since") && (j >= len(s.t) || s.t[j].class == mark || stops(s.t[j].text)) && !s.is(j, "of") { // "on the eleventh"
		s.say(ofMonth, d, 0)
		return j
	}
	j, marked := s.ordinal(j)
	k := j
	if s.is(k, "of", "de", "d") {
		k++
	}
	if s.is(k, "'") {
		k++
	}
	if m, ok := s.month(k); ok && valid(2000, m, d) {
		end := s.dated(k+1, m, d)
		return end
	}
	// "The 10th of this month".
	if n, end, ok := s.thatMonth(k); ok && s.base != 0 {
		y, m, _ := dateOf(firstOf(s.base, n))
		if valid(y, int(m), d) {
			s.say(exactly, int(civil(y, m, d)), 0)
		}
		s.bury(d)
		return end
	}
	// The first of two days: "3 to 7 April".
	if s.is(j, "-", "to", "bis", "au", "al", "until", "and", "und", "et", "y", "through", "/") {
		if d2, k, ok := s.small(j+1, 31); ok {
			k, _ = s.ordinal(k)
			if s.is(k, "of", "de") {
				k++
			}
			if m, ok := s.month(k); ok && valid(2000, m, d) && valid(2000, m, d2) {
				s.nights(float64(d2 - d))
				s.dated(k+1, m, d)
				return j + 1
			}
		}
	}
	// A day without a month.
	if marked && !s.is(j-1, ".") || marked && s.listedDay(i) && !s.isDigits(j) || marked && s.is(i-1, "am", "den", "der", "zum", "vom", "bis", "dem", "ab") && !s.isDigits(j) ||
		(s.is(i-1, "le", "el", "dia", "al", "au", "del", "du") || s.is(i-1, "les", "los") && s.is(j, "et", "y", "au", "al") || s.listedDay(i) || i > 0 && s.weekdayAt(i-1)) && s.isDigits(i) && (j == len(s.t) || s.is(j-1, ".") || s.t[j].class == mark && !s.is(j, ":") || stops(s.t[j].text)) {
		s.say(ofMonth, d, 0)
		s.f.number(float64(d), free)
		return j
	}
	return i
}

// listedDay reports whether another day of the month comes right before: "the 14th and 15th".
func (s *dateReader) listedDay(i int) bool {
	return s.lastDay.about == ofMonth && i > s.lastDayAt && i-s.lastDayAt <= 4 && s.is(i-1, "and", "und", "et", "y", "&", "or", "oder", "ou", "o", ",")
}

// thatMonth reads "this month", "nächsten Monats", "du mois prochain".
func (s *dateReader) thatMonth(i int) (n, next int, ok bool) {
	for k := i; k <= i+2; k++ {
		if !s.is(k, "month", "monat", "monats", "mois", "mes") {
			continue
		}
		n = s.towards(k)
		if n == 0 && !s.is(k-1, "this", "the", "diesen", "dieses", "ce", "este") {
			return 0, i, false
		}
		next = k + 1
		if s.is(next, "prochain", "dernier", "pasado", "proximo") {
			next++
		}
		if s.is(next, "que") {
			next += 2
		}
		return n, min(next, len(s.t)), true
	}
	return 0, i, false
}

// dated records a day of a month, with the year at j if there is one.
func (s *dateReader) dated(j, m, d int) (next int) {
	k := j
	if s.is(k, ".") && s.tight(k) && len(s.t) > k+1 { // "Jan. 2026"
		k++
	}
	if s.is(k, ",") || s.is(k, "de", "del", "of") {
		k++
	}
	if y, end, ok := s.year(k); ok && (len(s.t[end-1].text) == 4 && y >= 1900 && y <= 2200 || s.is(end-2, "'") || y < 2000 && y > 1931 && s.ends(end)) {
		if valid(y, m, d) {
			s.say(exactly, int(civil(y, time.Month(m), d)), 0)
		}
		s.bury(y, m, d)
		return end
	}
	s.say(yearly, m, d)
	s.bury(m, d)
	return j
}

// monthAndDay reads "April 3rd, 2026", "April 3 to 7", and a month without a day.
func (s *dateReader) monthAndDay(i int) (next int) {
	m, ok := s.month(i)
	if !ok {
		return i
	}
	j := i + 1
	if s.is(j, ".") && s.tight(j) {
		j++
	}
	if s.is(j, "the") {
		j++
	}
	if d, k, ok := s.small(j, 31); ok && d > 0 && valid(2000, m, d) && !s.is(k, ":", "pm", "am", "h") {
		k, _ = s.ordinal(k)
		if s.is(k, "-", "to", "until", "and", "through") {
			if d2, l, ok := s.small(k+1, 31); ok && d2 > 0 && valid(2000, m, d2) {
				l, _ = s.ordinal(l)
				s.nights(float64(d2 - d))
				end := s.dated(l, m, d2)
				s.dated(l, m, d)
				return end
			}
		}
		return s.dated(k, m, d)
	}
	k := i + 1
	if s.is(k, "de", "del", "of", ",") {
		k++
	}
	if s.isDigits(k) && len(s.t[k].text) == 4 {
		y, _ := strconv.Atoi(s.t[k].text)
		s.say(inMonth, m, y)
		s.bury(y, m)
		return k + 1
	}
	if shortOnly[s.t[i].text] && !(s.is(i-1, "-") && s.is(i-2, "mid")) && !s.is(i-1, "fin", "debut", "ende", "anfang", "mitte", "end", "start", "finales", "principios", "in", "im", "of", "by", "until", "this", "next", "last", "during", "since", "en", "de", "early", "late", "mid", "whole", "entire", "ganzen", "tout", "todo") {
		return i
	}
	if !s.partOfMonth(i, m) {
		s.say(inMonth, m, 0)
	}
	s.bury(m)
	return i + 1
}

// partOfMonth reads the part of a month that comes before its name: "the first half of May", "la segunda
// quincena de agosto", "first week of May", "Mitte Mai".
func (s *dateReader) partOfMonth(i, m int) bool {
	k := i - 1
	for s.is(k, "of", "in", "de", "d", "'", "-", "des", "im") {
		k--
	}
	if s.base == 0 || k < 0 {
		return false
	}
	first := upcoming(s.base, yearly, int32(m), 15) - 14 // #nosec G115 -- a month
	y, of, _ := dateOf(first)
	n := int32(numerals[s.at1(k-1)].value)
	if numerals[s.at1(k-1)].rank != nth || n > 4 {
		n = 0
	}
	switch {
	case s.is(k, "mid", "middle", "mitte", "mi", "mediados"):
		s.say(exactly, int(first)+14, 0)
	case n == 1 && s.is(k, "half", "halfte", "quinzaine", "quincena", "mitad"):
		s.say(exactly, int(first), 0)
		s.say(exactly, int(first)+14, 0)
	case n == 2 && s.is(k, "half", "halfte", "quinzaine", "quincena", "mitad"):
		s.say(exactly, int(first)+15, 0)
		s.say(exactly, int(civil(y, of+1, 0)), 0)
	case n > 0 && s.is(k, "week", "woche", "semaine", "semana"):
		end := first + fullWeek*n - 1
		s.say(exactly, int(end)-6, 0)
		s.say(exactly, int(end), 0)
		s.f.mention(mention{weekOf, 0, 0, end}) // the week that begins within
	default:
		return false
	}
	return true
}
