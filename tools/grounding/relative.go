package grounding

import "time"

// relativeReader reads days that are named relative to other days.
type relativeReader struct{ *dayReader }

// named reads weekdays and feasts.
func (s *relativeReader) named(i int) (next int) {
	if days, next := s.nextDay(i); next > i {
		s.f.shift(int32(days)) // #nosec G115 -- one
		return next
	}
	w, ok := weekdayNames[s.t[i].text]
	if _, compound := monthWeekdays()[s.t[i].text]; ok || compound {
		if next := s.ordinalWeekday(i); next > i {
			return next
		}
	}
	if ok && s.base != 0 {
		if after, next, ok := s.holyWeekday(i, w); ok {
			y, _, _ := dateOf(s.base)
			s.everyYear(i, func(y int) int32 { return easter(y) + int32(after) }, y) // #nosec G115 -- of two months
			return next
		}
	}
	if ok {
		if n, next := s.weekdayOff(i); n != 0 && s.base != 0 {
			first := s.base + (w-int32(weekday(s.base))+2*fullWeek-1)%fullWeek + 1 // the next one
			s.say(exactly, int(first)+fullWeek*n, 0)
			return next
		}
		if n, ok := s.weekBefore(i); ok && s.base != 0 {
			s.sameWeek(n, w)
			s.say(exactly, int(monday(s.base))+fullWeek*n+(int(w)+6)%fullWeek, 0)
			return i + 1
		}
		if n, next, ok := s.week(i + 1); ok && s.base != 0 {
			s.sameWeek(n, w)
			s.say(exactly, int(monday(s.base))+fullWeek*n+(int(w)+6)%fullWeek, 0)
			return next
		}
		n := s.towards(i)
		if n == 2 && s.base != 0 { // a week after the next one, or two weeks after this week's
			next := s.base + (w-int32(weekday(s.base))+2*fullWeek-1)%fullWeek + 1
			s.say(exactly, int(next)+fullWeek, 0)
			s.say(exactly, int(monday(s.base))+2*fullWeek+(int(w)+6)%fullWeek, 0)
			return i + 1
		}
		s.say(onWeekday, int(w), n)
		return i + 1
	}
	if next := s.feast(i); next > i {
		return next
	}
	for _, md := range feasts[s.t[i].text] {
		s.say(yearly, int(md[0]), int(md[1]))
		if s.towards(i) == 1 && s.base != 0 { // or the following one
			y, _, _ := dateOf(s.base)
			s.say(exactly, int(civil(y+1, time.Month(md[0]), int(md[1]))), 0)
		}
		next = i + 1
	}
	return max(next, i)
}

// week reads the week of a weekday: "next week", "in two weeks", "de la semana que viene".
func (s *relativeReader) week(i int) (n, next int, ok bool) {
	for s.is(i, "of", "de", "la", "der", "in", "dans", "en") && !s.is(i+1, "a", "einer", "zwei", "two", "une", "deux", "una", "dos") {
		i++
	}
	if s.is(i, "in", "dans", "en") {
		if n, k, ok := s.count(i + 1); ok && s.is(k, "week", "weeks", "woche", "wochen", "semaine", "semaines", "semana", "semanas") {
			return n, k + 1, true
		}
		return 0, i, false
	}
	for k := i; k <= i+1; k++ {
		if s.is(k, "week", "woche", "semaine", "semana") && (k > i || s.towards(k) != 0) {
			if n = s.towards(k); n != 0 || s.is(k-1, "this", "diese", "dieser", "cette", "esta") {
				next = k + 1
				if s.is(k+1, "prochaine", "derniere", "pasada", "proxima") {
					next++
				}
				if s.is(k+1, "que") {
					next = k + 3
				}
				return n, min(next, len(s.t)), true
			}
		}
	}
	return 0, i, false
}

// weekBefore reads the week that precedes a weekday: "next week Wednesday",
// "nächste Woche Mittwoch", "la semaine prochaine, mercredi".
func (s *relativeReader) weekBefore(i int) (n int, ok bool) {
	j := i - 1
	for s.is(j, ",", "on", "am", "el", "le", "den") {
		j--
	}
	for k := j; k >= max(0, j-2); k-- {
		if s.is(k, "week", "woche", "semaine", "semana") {
			n = s.towards(k)
			return n, n != 0
		}
	}
	return 0, false
}

// relative reads "tomorrow", "in two weeks", "3 days ago".
func (s *relativeReader) relative(i int) (next int) {
	if n, next, ok := s.adverb(i); ok {
		s.say(inDays, n, 0)
		return next
	}
	sign := 0
	j := i
	switch {
	case s.is(i, "in", "dans", "en", "within"):
		sign, j = 1, i+1
	case s.is(i, "ici") && s.is(i-2, "d"):
		sign, j = 1, i+1
	case s.is(i, "dentro") && s.is(i+1, "de"):
		sign, j = 1, i+2
	case s.is(i, "vor", "hace"):
		sign, j = -1, i+1
	case s.is(i, "il") && s.is(i+1, "y") && s.is(i+2, "a"):
		sign, j = -1, i+3
	}
	if n, next, ok := s.lately(i); ok {
		s.say(inDays, n, 0)
		return next
	}
	n, k, ok := s.count(j)
	if !ok || k >= len(s.t) {
		return i
	}
	if u := units[s.t[k].text]; sign == 1 && u.measure == duration && u.factor >= 60 && u.factor < day && !s.at.IsZero() {
		s.f.instant(s.at.Add(time.Duration(float64(n) * u.factor * float64(time.Second))))
		return i // it is also a duration
	}
	u, ok := units[s.t[k].text]
	if !ok || u.measure != months && (u.measure != duration || u.factor < day) {
		return i
	}
	if sign == 0 {
		switch {
		case s.is(k+1, "later", "hence"), s.is(k+1, "from") && s.is(k+2, "now", "today"):
			sign = 1
		case s.is(k+1, "ago", "before", "earlier"):
			sign = -1
		default:
			return i
		}
	}
	if u.measure == months {
		s.say(inMonths, sign*n*int(u.factor), 0)
	} else {
		s.say(inDays, sign*n*int(u.factor)/day, 0)
		if j == i { // or relative to a named day
			s.f.shift(int32(sign * n * int(u.factor) / day)) // #nosec G115 -- of weeks
		}
	}
	if u.factor == 7*day {
		s.say(weekOf, sign*n, 0)
	}
	s.f.number(float64(n), free)
	return k + 1
}

// lately reads "the last seven days", "die nächsten zwei Wochen", "les 7 derniers jours".
func (s *relativeReader) lately(i int) (days, next int, ok bool) {
	n, k, ok := s.small(i, 99)
	if !ok {
		return 0, i, false
	}
	sign := s.towards(i)
	if s.is(k, "derniers", "dernieres", "ultimos", "ultimas") {
		sign, k = -1, k+1
	}
	if s.is(k, "prochains", "prochaines", "proximos", "proximas") {
		sign, k = 1, k+1
	}
	if s.is(i-1, "ultimos", "ultimas") {
		sign = -1
	}
	if sign == 0 || k >= len(s.t) {
		return 0, i, false
	}
	u := units[s.t[k].text]
	if u.measure != duration || u.factor < day {
		return 0, i, false
	}
	s.f.number(float64(n), free)
	return sign * n * int(u.factor) / day, k + 1, true
}

func (s *relativeReader) adverb(i int) (days, next int, ok bool) {
	switch s.t[i].text {
	case "today", "tonight", "tonite", "heute", "heut", "hoy", "now", "currently", "immediately", "asap", "jetzt", "sofort", "maintenant", "ahora":
		if s.is(i+1, "nacht") {
			s.say(inDays, 1, 0)
		}
		return 0, i + 1, true
	case "aujourd":
		return 0, min(i+3, len(s.t)), s.is(i+2, "hui")
	case "tomorrow", "tomorow", "tommorow", "tommorrow", "tomoz", "tmw", "tmrw", "tmr", "demain", "ubermorgen", "uebermorgen", "morgen", "manana", "pasado":
		return s.morrow(i)
	case "yesterday", "gestern", "hier", "ayer":
		if s.is(i-1, "avant") || s.is(i-2, "avant") {
			return -2, i + 1, true
		}
		return -1, i + 1, true
	case "vorgestern", "anteayer":
		return -2, i + 1, true
	case "day":
		if s.is(i+1, "after") && s.is(i+2, "tomorrow") {
			return 2, i + 3, true
		}
		if s.is(i+1, "before") && s.is(i+2, "yesterday") {
			return -2, i + 3, true
		}
	}
	if s.is(i, "anoche") || s.is(i, "last") && s.is(i+1, "night") {
		return -1, i + 1, true
	}
	if s.is(i, "ce", "cet", "cette", "esta", "this") && s.is(i+1, "soir", "noche", "tarde", "matin", "manana", "apres", "aprem", "nuit", "evening", "afternoon", "morning") {
		if s.is(i+1, "nuit") { // or of the following day
			s.say(inDays, 1, 0)
		}
		return 0, i + 2, true
	}
	return 0, i, false
}

// morrow distinguishes tomorrow, the day after, and the morning.
func (s *relativeReader) morrow(i int) (days, next int, ok bool) {
	switch s.t[i].text {
	case "ubermorgen", "uebermorgen":
		return 2, i + 1, true
	case "pasado":
		if s.is(i-2, "manana") && s.is(i-1, "y", "o", "ni") { // "mañana o pasado"
			return 2, i + 1, true
		}
		return 2, i + 2, s.is(i+1, "manana")
	case "demain":
		if s.is(i-1, "apres") || s.is(i-1, "-") && s.is(i-2, "apres") {
			return 2, i + 1, true
		}
	case "morgen", "manana":
		if s.is(i-1, "la", "heute", "am", "guten", "gestern") || s.is(i-1, "de") && s.is(i-2, "la") || i > 0 && s.weekdayAt(i-1) {
			return 0, i, false
		}
	}
	return 1, i + 1, true
}

// period reads "next week", "this weekend", "last month", "nächstes Jahr".
func (s *relativeReader) period(i int) (next int) {
	if s.is(i, "weekend", "wochenende", "finde") || s.is(i, "week") && s.is(i+1, "-") && s.is(i+2, "end") || s.is(i, "fin") && s.is(i+1, "de") && s.is(i+2, "semana") {
		n := s.towards(i)
		for j := i; j <= min(i+2, len(s.t)-1) && n == 0; j++ {
			n = s.towards(j)
		}
		s.say(weekendOf, n, 0)
		return i + 1
	}
	if s.is(i, "monatsende") {
		s.say(monthOf, 0, 0)
		return i + 1
	}
	if s.is(i, "quartalsende", "jahresende") {
		s.endOf(s.is(i, "quartalsende"))
		return i + 1
	}
	if s.is(i, "end", "ende", "fin", "finales") { // of the month
		j := i + 1
		for s.is(j, "of", "the", "this", "next", "des", "dieses", "der", "dieser", "nachsten", "du", "de", "la", "l", "'", "d", "del", "este", "esta", "proximo") {
			j++
		}
		if s.is(j, "month", "monats", "monat", "mois", "mes") {
			s.say(monthOf, s.towards(j), 0)
			return j + 1
		}
		if s.is(j, "week", "woche", "semaine", "semana") && j >= i+2 && s.base != 0 && s.towards(j) == 0 { // Friday, or Sunday
			s.say(exactly, int(monday(s.base))+4, 0)
			s.say(exactly, int(monday(s.base))+6, 0)
			return j + 1
		}
		if quarter := s.is(j, "quarter", "quartals", "trimestre"); (quarter || s.is(j, "year", "jahres", "annee", "ano")) && s.towards(j) == 0 {
			s.endOf(quarter)
			return j + 1
		}
		return i
	}
	n := s.towards(i)
	if n == 0 && !s.is(i-1, "this", "diese", "dieser", "diesen", "dieses", "cette", "ce", "esta", "este") {
		return i
	}
	switch u := units[s.t[i].text]; {
	case u.measure == duration && u.factor == 7*day:
		named := s.f.day
		s.say(weekOf, n, 0)
		s.say(inDays, fullWeek*n, 0)
		if named != 0 { // a week does not name a day
			s.f.day = named
		}
	case u.measure == months && u.factor == 1:
		s.say(monthOf, n, 0)
		s.say(inMonths, n, 0)
	case u.measure == months:
		s.say(yearOf, n, 0)
		s.say(inMonths, 12*n, 0)
	default:
		return i
	}
	return i + 1
}

// endOf records the last day of this quarter or year.
func (s *relativeReader) endOf(quarter bool) {
	if s.base == 0 {
		return
	}
	y, m, _ := dateOf(s.base)
	if quarter {
		s.say(exactly, int(civil(y, (m+2)/3*3+1, 0)), 0)
		return
	}
	s.say(exactly, int(civil(y, time.December, 31)), 0)
}
