package grounding

import (
	"strings"
	"time"
)

// easterly has the days that move with Easter, as the number of days after it: as one word, or
// as the word next to a weekday ("vendredi saint").
var easterly = make(map[string]int)

// yearlyFeasts has phrases for days of the year, by month and day.
var yearlyFeasts = make(map[string][2]int32)

// feastStarts are the first words of the phrases.
var feastStarts = make(map[string]bool)

func init() {
	for line := range strings.Lines(`0 easter ostern ostersonntag osterwochenende paques pascua
1 ostermontag
-2 karfreitag
-1 karsamstag
-3 grundonnerstag
39 ascension himmelfahrt
49 pentecost pfingsten pfingstsonntag pfingstwochenende pentecote pentecostes
50 pfingstmontag
60 fronleichnam
-48 rosenmontag
-46 aschermittwoch
-7 palmsonntag
`) {
		fields := strings.Fields(line)
		after := int(parse(strings.TrimPrefix(fields[0], "-")))
		if fields[0][0] == '-' {
			after = -after
		}
		for _, name := range fields[1:] {
			easterly[name] = after
			feastStarts[name] = true
		}
	}
	for line := range strings.Lines(`12 31 new year eve|new years eve|new year s eve|sylvestre|saint sylvestre|fin de ano
1 1 new year|new years|new year s day|nouvel an|jour de l an|ano nuevo
12 24 christmas eve|veille de noel
12 25 christmas day|jour de noel|dia de navidad|erster weihnachtstag|ersten weihnachtstag
12 26 boxing day|zweiter weihnachtstag|zweiten weihnachtstag|stephanstag|san esteban
11 1 toussaint|allerheiligen|todos los santos|all saints
1 6 epiphany|dreikonigstag|heilige drei konige|dia de reyes|reyes|epiphanie
12 6 nikolaus|nikolaustag|saint nicolas
5 1 may day|maifeiertag|tag der arbeit|labour day|fete du travail|dia del trabajo
8 15 assomption|asuncion|maria himmelfahrt
6 24 dia de san juan|noche de san juan|saint jean|johannistag
7 14 bastille day
7 4 independence day
3 17 st patrick|saint patrick
10 3 tag der deutschen einheit
10 31 reformationstag
2 14 saint valentin|san valentin|st valentine
12 8 inmaculada
10 12 dia de la hispanidad
`) {
		fields := strings.SplitN(strings.TrimSpace(line), " ", 3)
		for name := range strings.SplitSeq(fields[2], "|") {
			yearlyFeasts[name] = [2]int32{int32(parse(fields[0])), int32(parse(fields[1]))}
			first, _, _ := strings.Cut(name, " ")
			feastStarts[first] = true
		}
	}
	feastStarts["thanksgiving"] = true
}

// easter returns Easter Sunday, by the algorithm of Meeus, Jones and Butcher for the Gregorian
// calendar (Nature, 20 April 1876).
func easter(y int) int32 {
	a, b, c := y%19, y/100, y%100
	h := (19*a + b - b/4 - (b-(b+8)/25+1)/3 + 15) % 30
	l := (32 + 2*(b%4) + 2*(c/4) - h - c%4) % 7
	m := (a + 11*h + 22*l) / 451
	n := h + l - 7*m + 114
	return civil(y, time.Month(n/31), n%31+1)
}

// feast reads the name of a day that recurs each year.
func (s *dayReader) feast(i int) (next int) {
	if !feastStarts[s.t[i].text] || s.base == 0 {
		return i
	}
	y, _, _ := dateOf(s.base)
	if s.is(i, "thanksgiving") {
		s.everyYear(i, func(y int) int32 { return nthWeekday(y, time.November, int32(time.Thursday), 4) }, y)
		return i + 1
	}
	if after, ok := easterly[s.t[i].text]; ok {
		if after == 0 || after == 49 {
			for _, k := range []int{i + 1, i - 1, i - 2} {
				if k >= 0 && k < len(s.t) && s.weekdayAt(k) && (k != i-2 || s.is(i-1, "de")) {
					w := int(weekdayNames[s.t[k].text])
					if w > 1 { // Monday is the day after, all others are before
						w -= fullWeek
					}
					after += w
					break
				}
			}
		}
		days := []int{0}
		if (after == 0 || after == 49) && s.over(i) {
			days = []int{-2, -1, 0, 1}
		}
		for _, offset := range days {
			s.everyYear(i, func(y int) int32 { return easter(y) + int32(after+offset) }, y) // #nosec G115 -- of two months
		}
		return i + 1
	}
	best, name, k := 0, "", i
	for k < min(i+5, len(s.t)) {
		if s.t[k].class != mark {
			name = strings.TrimPrefix(name+" "+s.t[k].text, " ")
			if _, ok := yearlyFeasts[name]; ok {
				best = k + 1
			}
		}
		k++
	}
	if best == 0 {
		return i
	}
	name = ""
	for _, t := range s.t[i:best] {
		if t.class != mark {
			name = strings.TrimPrefix(name+" "+t.text, " ")
		}
	}
	md := yearlyFeasts[name]
	s.everyYear(i, func(y int) int32 { return civil(y, time.Month(md[0]), int(md[1])) }, y)
	return best
}

// over reports whether a feast includes the days around it: "over Easter", "Easter weekend".
func (s *dayReader) over(i int) bool {
	return strings.HasSuffix(s.t[i].text, "wochenende") || s.is(i+1, "weekend", "wochenende", "holidays", "break") || s.is(i-1, "over", "during", "uber", "ueber", "pendant", "durante") ||
		s.is(i-1, "de", "a") && s.is(i-2, "end", "puente", "weekend") || s.is(i-1, "the") && s.is(i-2, "over")
}

// everyYear records a day in year y, and in the year after if the day has passed or "next"
// precedes it.
func (s *dayReader) everyYear(i int, day func(y int) int32, y int) {
	s.f.feast = day(y)
	if s.f.feast < s.base {
		s.f.feast = day(y + 1)
	}
	s.say(exactly, int(day(y)), 0)
	if day(y) < s.base || s.towards(i) == 1 {
		s.say(exactly, int(day(y+1)), 0)
	}
}

// holyWeekday returns the number of days after Easter of a named weekday: "Good Friday".
func (s *dayReader) holyWeekday(i int, w int32) (after, next int, ok bool) {
	switch {
	case s.is(i-1, "good") && w == 5:
		return -2, i + 1, true
	case s.is(i-1, "maundy") && w == 4:
		return -3, i + 1, true
	case s.is(i-1, "whit") && w <= 1:
		return 49 + int(w), i + 1, true
	case s.is(i-1, "shrove") && w == 2, s.is(i, "mardi") && s.is(i+1, "gras"):
		return -47, i + 2, true
	case s.is(i-1, "ash") && w == 3:
		return -46, i + 1, true
	case s.is(i-1, "palm") && w == 0, s.is(i+1, "de") && s.is(i+2, "ramos"):
		return -7, i + 1, true
	case s.is(i+1, "saint", "santo") && w >= 4:
		return int(w) - fullWeek, i + 2, true
	}
	return 0, i, false
}
