package grounding

import (
	"strings"
	"sync"
	"time"
)

// monthWeekdays has German compounds of a month and a weekday: "dezemberfreitag".
var monthWeekdays = sync.OnceValue(func() map[string][2]int32 {
	all := make(map[string][2]int32)
	for _, m := range strings.Fields("januar februar marz april mai juni juli august september oktober november dezember") {
		for _, w := range strings.Fields("sonntag montag dienstag mittwoch donnerstag freitag samstag sonnabend") {
			all[m+w] = [2]int32{monthNames[m], weekdayNames[w]}
		}
	}
	return all
})

// ordinalWeekday reads "the last Thursday of the month", "le deuxième samedi d'octobre", "am
// zweiten Dezemberfreitag". i is the weekday.
func (s *relativeReader) ordinalWeekday(i int) (next int) {
	var w, m int32
	next = i + 1
	if of, ok := monthWeekdays()[s.t[i].text]; ok {
		m, w = of[0], of[1]
	} else {
		w = weekdayNames[s.t[i].text]
	}
	n := s.ordinalBefore(i)
	if n == 0 || s.base == 0 {
		return i
	}
	y, now, _ := dateOf(s.base)
	if m == 0 {
		k := i + 1
		for s.is(k, "of", "in", "im", "the", "des", "du", "de", "d", "'", "del", "en", "this", "next", "dieses", "nachsten", "este") {
			k++
		}
		switch {
		case k < len(s.t) && monthNames[s.t[k].text] != 0:
			m, next = monthNames[s.t[k].text], k+1
		case s.is(k, "month", "monats", "monat", "mois", "mes"):
			of := firstOf(s.base, s.towards(k))
			y, now, _ = dateOf(of)
			m, next = int32(now), k+1
		default:
			return i
		}
	}
	if y2, end, ok := s.year(next); ok && len(s.t[end-1].text) == 4 {
		s.say(exactly, int(nthWeekday(y2, time.Month(m), w, n)), 0)
		return end
	}
	for _, of := range []int{y, y + 1} {
		if on := nthWeekday(of, time.Month(m), w, n); on >= s.base || of == y && time.Month(m) >= now {
			s.say(exactly, int(on), 0)
			break
		}
	}
	return next
}

// ordinalBefore returns which of the month's weekdays the one at i is: 1 to 5, -1 for the last, 0 if not said.
func (s *relativeReader) ordinalBefore(i int) int {
	if i == 0 {
		return 0
	}
	if s.is(i-1, "last", "letzten", "letzter", "dernier", "ultimo") {
		return -1
	}
	if n, ok := numerals[s.t[i-1].text]; ok && n.rank == nth && n.value <= 5 {
		return int(n.value)
	}
	if s.is(i-1, "st", "nd", "rd", "th", ".", "er", "e", "eme") && s.isDigits(i-2) && len(s.t[i-2].text) == 1 {
		return int(s.t[i-2].text[0] - '0')
	}
	return 0
}

// nthWeekday returns the nth of a weekday in a month, the last one if n is -1.
func nthWeekday(y int, m time.Month, w int32, n int) int32 {
	if n < 0 {
		last := civil(y, m+1, 0)
		return last - (int32(weekday(last))-w+fullWeek)%fullWeek
	}
	first := civil(y, m, 1)
	return first + (w-int32(weekday(first))+fullWeek)%fullWeek + fullWeek*int32(n-1) // #nosec G115 -- of five
}

// weekdayOff reads a weekday some weeks later: "Friday week", "a week on Friday",
// "dimanche en huit", "Freitag in acht Tagen".
func (s *relativeReader) weekdayOff(i int) (weeks, next int) {
	switch {
	case s.is(i+1, "week") && !s.is(i+2, "-", "end"):
		return 1, i + 2
	case s.is(i+1, "fortnight"):
		return 2, i + 2
	case s.is(i+1, "en") && s.is(i+2, "huit", "8"):
		return 1, i + 3
	case s.is(i+1, "en") && s.is(i+2, "quinze", "15"):
		return 2, i + 3
	case s.is(i+1, "in") && s.is(i+2, "acht", "8") && s.is(i+3, "tagen"):
		return 1, i + 4
	case s.is(i+1, "in") && s.is(i+2, "vierzehn", "14") && s.is(i+3, "tagen"):
		return 2, i + 4
	}
	j := i - 1
	for s.is(j, "on", "from", "this", "next", "ab", "nach", "am") {
		j--
	}
	if j < i-1 && s.is(j, "week", "weeks", "woche", "wochen") && j > 0 {
		if n, _, ok := s.count(j - 1); ok {
			return n, i + 1
		}
	}
	return 0, i
}

// nextDay reads days relative to a named one: "the day after", "le lendemain", "la veille".
func (s *relativeReader) nextDay(i int) (days, next int) {
	switch {
	case s.is(i, "day") && s.is(i+1, "after", "following") && !s.is(i+2, "tomorrow"), s.is(i, "next", "following") && s.is(i+1, "day"):
		return 1, i + 2
	case s.is(i, "day") && s.is(i+1, "before") && !s.is(i+2, "yesterday"), s.is(i, "previous") && s.is(i+1, "day"):
		return -1, i + 2
	case s.is(i, "lendemain"):
		return 1, i + 1
	case s.is(i, "veille"), s.is(i, "vispera"), s.is(i, "vortag"):
		return -1, i + 1
	case s.is(i, "tag") && s.is(i+1, "danach", "darauf", "drauf", "nachher"), s.is(i, "dia") && s.is(i+1, "siguiente", "despues"), s.is(i, "jour") && s.is(i+1, "suivant", "apres"):
		return 1, i + 2
	case s.is(i, "tag") && s.is(i+1, "davor", "zuvor", "vorher"), s.is(i, "dia") && s.is(i+1, "anterior", "antes"), s.is(i, "jour") && s.is(i+1, "avant"):
		return -1, i + 2
	}
	return 0, i
}

// sameWeek records a weekday some weeks after the day named before it: "on the 20th, and back
// the following week, on Sunday".
func (s *relativeReader) sameWeek(n int, w int32) {
	if s.f.day != 0 {
		s.f.mention(mention{about: exactly, a: monday(s.f.day) + fullWeek*int32(n) + (w+6)%fullWeek, base: s.base}) // #nosec G115 -- of weeks
	}
}
