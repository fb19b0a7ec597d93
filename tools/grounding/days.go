package grounding

import "time"

// dayReader records mentions of days.
type dayReader struct {
	*passage
	base      int32 // the day it was said; 0: unknown
	at        time.Time
	also      int32   // another day that it may have been for the user; 0: none
	cursor    int     // the current token
	lastDay   mention // the last day, and its token
	lastDayAt int
}

func (s *dayReader) say(about about, a, b int) {
	s.nearby(about, int32(a), int32(b))                     // #nosec G115 -- parts of dates
	s.ranged(mention{about, int32(a), int32(b), s.base})    // #nosec G115 -- parts of dates
	s.f.mention(mention{about, int32(a), int32(b), s.base}) // #nosec G115 -- parts of dates
	if s.also != 0 && about != exactly && about != yearly && about != inYear {
		s.f.mention(mention{about, int32(a), int32(b), s.also}) // #nosec G115 -- parts of dates
	}
}

// ranged counts the nights between a day and one named shortly before it.
func (s *dayReader) ranged(m mention) {
	was, close := s.lastDay, s.cursor > s.lastDayAt && s.cursor-s.lastDayAt <= 8
	s.lastDay, s.lastDayAt = m, s.cursor
	if !close || was.about == 0 {
		return
	}
	y, month := 2001, time.January // January: the same length in every year
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

// nearby reads a weekday relative to the day named before it: "on Saturday, and back on the
// Tuesday". After a feast, it can also be the weekday before it: "for Easter, from Friday on".
// After two days with a month, it can also be the last one before the second: "from the 18th
// to the 22nd, no, until Thursday".
func (s *dayReader) nearby(about about, a, b int32) {
	if s.base == 0 {
		return
	}
	switch about {
	case onWeekday:
		after := func(day int32) int32 { return day + (a-int32(weekday(day))+2*fullWeek-1)%fullWeek + 1 }
		for _, day := range []int32{s.f.day, s.f.feast - fullWeek - 1, s.f.last - fullWeek} {
			if day > 0 {
				s.f.mention(mention{about: exactly, a: after(day), base: s.base})
			}
		}
		s.f.day = after(s.base)
		return
	case exactly:
		s.f.day = a
	case inDays:
		s.f.day = s.base + a
	case yearly, ofMonth:
		s.f.day = upcoming(s.base, about, a, b)
	default:
		return
	}
	if n := s.weekNearby(); n != 0 {
		s.f.mention(mention{weekOf, n, 0, s.f.day})
		if weekday(s.f.day) == time.Sunday && n < 0 { // the week that ends with it
			s.f.mention(mention{weekOf, 0, 0, s.f.day})
		}
	}
}

// weekNearby reads "the week after" and "the week before" preceding a day.
func (s *dayReader) weekNearby() int32 {
	k := s.cursor - 1
	for s.is(k, "the", "de", "la", "el", "le", "dem", "den") {
		k--
	}
	switch {
	case !s.is(k-1, "week", "woche", "semaine", "semana"):
		return 0
	case s.is(k, "after", "following", "nach", "apres", "despues"):
		return 1
	case s.is(k, "before", "vor", "avant", "antes"):
		return -1
	}
	return 0
}

// nights records the number of nights between two named days.
func (s *dayReader) nights(n float64) {
	s.f.count("night", n)
	s.f.count("day", n)
	s.f.count("day", n+1) // including the first and the last
}

// upcoming returns the next day of the year, or of a month, on or after base.
func upcoming(base int32, about about, a, b int32) int32 {
	y, m, _ := dateOf(base)
	if about == yearly {
		if on := civil(y, time.Month(a), int(b)); on >= base {
			return on
		}
		return civil(y+1, time.Month(a), int(b))
	}
	if on := civil(y, m, int(a)); on >= base {
		return on
	}
	return civil(y, m+1, int(a))
}
