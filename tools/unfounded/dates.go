package unfounded

import (
	"strconv"
	"strings"
	"time"
)

// about is what a mention says of a date.
type about uint8

const (
	exactly   about = iota + 1 // a: days since 1970
	yearly                     // a: month, b: day
	ofMonth                    // a: day
	onWeekday                  // a: weekday, b: 1 next, -1 last
	inDays                     // a: days from then on
	inMonths                   // a: months from then on
	inMonth                    // a: month, b: year or 0
	inYear                     // a: year
	weekOf                     // a: weeks from then on
	weekendOf                  // a: weekends from then on
	monthOf                    // a: months from then on
	yearOf                     // a: years from then on
)

// mention is something said of a date.
type mention struct {
	about about
	a, b  int32
	base  int32 // the day it was said; 0: unknown
}

var monthNames, weekdayNames = make(map[string]int32), make(map[string]int32)

// shortOnly are names of months that are words of their own, too: they count beside a day.
var shortOnly = make(map[string]bool)

// feasts are days of the year that have names.
var feasts = map[string][][2]int32{
	"christmas": {{12, 25}, {12, 24}}, "weihnachten": {{12, 25}, {12, 24}}, "noel": {{12, 25}, {12, 24}}, "navidad": {{12, 25}, {12, 24}},
	"heiligabend": {{12, 24}}, "nochebuena": {{12, 24}}, "silvester": {{12, 31}}, "nochevieja": {{12, 31}}, "neujahr": {{1, 1}},
	"xmas": {{12, 25}, {12, 24}}, "halloween": {{10, 31}}, "valentine": {{2, 14}}, "valentinstag": {{2, 14}},
}

func init() {
	list := func(into map[string]int32, first int32, names string) {
		for i, alternatives := range strings.Fields(names) {
			for name := range strings.SplitSeq(alternatives, "|") {
				into[name] = first + int32(i) // #nosec G115 -- of twelve
			}
		}
	}
	list(monthNames, 1, "january|jan february|feb march|mar april|apr may june|jun july|jul august|aug september|sep|sept october|oct november|nov december|dec")
	list(monthNames, 1, "januar|janner|jaenner februar marz|maerz april mai juni juli august september oktober|okt november dezember|dez")
	list(monthNames, 1, "janvier|janv fevrier|fev|fevr mars avril|avr mai juin juillet|juil aout septembre octobre novembre decembre")
	list(monthNames, 1, "enero|ene febrero marzo abril|abr mayo junio julio agosto|ago septiembre|setiembre octubre noviembre diciembre|dic")
	for name := range strings.FieldsSeq("may march mar mars sep sept jan dec jun ago ene dic set abr avr dez okt mai oct") {
		shortOnly[name] = true
	}
	list(weekdayNames, 0, "sunday monday|mon tuesday|tue|tues wednesday|wed|weds thursday|thu|thur|thurs friday|fri saturday")
	weekdayNames["lun"], weekdayNames["mie"], weekdayNames["jue"], weekdayNames["ven"] = 1, 3, 4, 5
	list(weekdayNames, 0, "sundays mondays tuesdays wednesdays thursdays fridays saturdays")
	list(weekdayNames, 0, "sonntag montag dienstag mittwoch donnerstag freitag samstag|sonnabend")
	list(weekdayNames, 0, "sonntags montags dienstags mittwochs donnerstags freitags samstags|sonnabends")
	for _, name := range strings.Fields("sonntag montag dienstag mittwoch donnerstag freitag samstag sonnabend") {
		for _, part := range strings.Fields("morgen fruh vormittag mittag nachmittag abend nacht") {
			weekdayNames[name+part] = weekdayNames[name]
		}
	}
	list(weekdayNames, 0, "dimanche|dimanches lundi|lundis mardi|mardis mercredi|mercredis jeudi|jeudis vendredi|vendredis samedi|samedis")
	list(weekdayNames, 0, "domingo|domingos lunes martes miercoles jueves viernes sabado|sabados")
}

func (s *scanner) say(about about, a, b int) {
	s.beside(about, int32(a), int32(b))                     // #nosec G115 -- parts of dates
	s.ranged(mention{about, int32(a), int32(b), s.base})    // #nosec G115 -- parts of dates
	s.f.mention(mention{about, int32(a), int32(b), s.base}) // #nosec G115 -- parts of dates
	if s.also != 0 && about != exactly && about != yearly && about != inYear {
		s.f.mention(mention{about, int32(a), int32(b), s.also}) // #nosec G115 -- parts of dates
	}
}

// ranged counts the nights between a day and the one that was named shortly before it.
func (s *scanner) ranged(m mention) {
	was, close := s.lastDay, s.cursor > s.lastDayAt && s.cursor-s.lastDayAt <= 8
	s.lastDay, s.lastDayAt = m, s.cursor
	if !close || was.about == 0 {
		return
	}
	y, month := 2001, time.January // whose length no year changes
	if s.base != 0 {
		y, month, _ = dateOf(s.base)
	}
	night := func(n int32) {
		if n > 0 && n <= 60 {
			s.nights(float64(n))
			if m.about != onWeekday {
				s.f.last = s.f.day
			}
		}
	}
	switch {
	case was.about == exactly && m.about == exactly:
		night(m.a - was.a)
	case was.about == yearly && m.about == yearly:
		night(civil(y, time.Month(m.a), int(m.b)) - civil(y, time.Month(was.a), int(was.b)))
		night(civil(y+1, time.Month(m.a), int(m.b)) - civil(y, time.Month(was.a), int(was.b)))
	case was.about == onWeekday && m.about == onWeekday:
		night((m.a - was.a + fullWeek) % fullWeek)
	case was.about == ofMonth && m.about == yearly:
		last := time.Month(m.a)
		if was.a > m.b {
			last--
		}
		night(civil(y, time.Month(m.a), int(m.b)) - civil(y, last, int(was.a)))
	case was.about == ofMonth && m.about == ofMonth && m.a > was.a:
		night(m.a - was.a)
	case was.about == ofMonth && m.about == ofMonth:
		for of := month - 1; of <= month+1; of++ {
			night(civil(y, of+1, int(m.a)) - civil(y, of, int(was.a)))
		}
	}
}

// bury notes numbers that a date or a time was made of.
func (s *scanner) bury(of ...int) {
	for _, v := range of {
		s.f.number(float64(v), buried)
	}
}

// small reads figures of at most two places, or one word, that say a number up to most.
func (s *scanner) small(i, most int) (v, next int, ok bool) {
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

// date reads a mention of a date at i.
func (s *scanner) date(i int) (next int) {
	if s.isDigits(i) {
		if next = s.figures(i); next > i {
			return next
		}
	}
	if next = s.dayAndMonth(i); next > i {
		return next
	}
	if s.t[i].class != word {
		return s.relative(i)
	}
	if next = s.monthAndDay(i); next > i {
		return next
	}
	if next = s.named(i); next > i {
		return next
	}
	if next = s.relative(i); next > i {
		return next
	}
	return s.period(i)
}

func valid(y, m, d int) bool {
	if m < 1 || m > 12 || d < 1 || d > 31 || y < 1 || y > 9999 {
		return false
	}
	return time.Date(y, time.Month(m), d, 0, 0, 0, 0, time.UTC).Day() == d
}

// year reads a year: of four figures, or of two behind an apostrophe or a mark of dates.
func (s *scanner) year(i int) (y, next int, ok bool) {
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

// figures reads dates of figures alone.
func (s *scanner) figures(i int) (next int) {
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

// ordinal steps over what makes a number a day: "3rd", "3.", "1er".
func (s *scanner) ordinal(i int) (next int, marked bool) {
	if s.is(i, "st", "nd", "rd", "th", "er", "eme", "e", "o", "a", ".") && s.tight(i) {
		return i + 1, true
	}
	return i, false
}

func (s *scanner) month(i int) (m int, ok bool) {
	if i < 0 || i >= len(s.t) {
		return 0, false
	}
	n, ok := monthNames[s.t[i].text]
	return int(n), ok
}

// dayAndMonth reads "3rd of April 2026", "3. bis 7. April", "1er avril", and a day alone.
func (s *scanner) dayAndMonth(i int) (next int) {
	d, j, ok := s.small(i, 31)
	if !ok || d == 0 || collectives[s.t[i].text] {
		return i
	}
	if numerals[s.t[i].text].rank == nth && s.t[i].capital && s.is(i-1, "am", "zum", "vom", "dem", "den", "ab", "bis", "seit") && (j >= len(s.t) || s.t[j].class == mark || !s.t[j].capital) { // "am Ersten"
		s.say(ofMonth, d, 0)
		return j
	}
	if numerals[s.t[j-1].text].rank == nth && s.is(i-1, "the") && s.is(i-2, "on", "from", "until", "till", "by", "before", "after", "since") && (j >= len(s.t) || s.t[j].class == mark || stops[s.t[j].text]) && !s.is(j, "of") { // "on the eleventh"
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
	// A day alone.
	if marked && !s.is(j-1, ".") || marked && s.listedDay(i) && !s.isDigits(j) || marked && s.is(i-1, "am", "den", "der", "zum", "vom", "bis", "dem", "ab") && !s.isDigits(j) ||
		(s.is(i-1, "le", "el", "dia", "al", "au", "del", "du") || s.is(i-1, "les", "los") && s.is(j, "et", "y", "au", "al") || s.listedDay(i) || i > 0 && weekdayAt(s, i-1)) && s.isDigits(i) && (j == len(s.t) || s.is(j-1, ".") || s.t[j].class == mark && !s.is(j, ":") || stops[s.t[j].text]) {
		s.say(ofMonth, d, 0)
		s.f.number(float64(d), free)
		return j
	}
	return i
}

// listedDay says whether another day of the month stands right before: "the 14th and 15th".
func (s *scanner) listedDay(i int) bool {
	return s.lastDay.about == ofMonth && i > s.lastDayAt && i-s.lastDayAt <= 4 && s.is(i-1, "and", "und", "et", "y", "&", "or", "oder", "ou", "o", ",")
}

// thatMonth reads "this month", "nächsten Monats", "du mois prochain".
func (s *scanner) thatMonth(i int) (n, next int, ok bool) {
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

// dated says a day of a month, with the year that may stand at j.
func (s *scanner) dated(j, m, d int) (next int) {
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

// monthAndDay reads "April 3rd, 2026", "April 3 to 7", and a month alone.
func (s *scanner) monthAndDay(i int) (next int) {
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
