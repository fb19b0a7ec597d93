package grounding

import "strconv"

// clockReader reads times of day.
type clockReader struct {
	*passage
	amounts      *numberReader
	lastClock    int // minutes
	lastClockEnd int // 0: none
}

// clock reads a time of day at i.
func (s *clockReader) clock(i int) (next int) {
	switch {
	case s.is(i, "noon", "midday", "mittag", "mittags", "midi", "mediodia"):
		return s.twelfth(12, i+1)
	case s.is(i, "midnight", "mitternacht", "minuit", "medianoche"):
		return s.twelfth(24, i+1)
	case s.is(i, "una") && s.is(i-1, "la") && s.is(i+1, "y", "menos", "de", "en", "por"):
		return s.spoken(i, 1, i+1)
	case s.is(i, "una") && s.is(i-1, "la"):
		return s.clocked(i, 1, 0, i+1)
	case s.is(i, "une") && s.is(i+1, "heure"):
		return s.oClock(i, 1, i+1)
	}
	if next = s.phrase(i); next > i {
		return next
	}
	if t := s.t[i]; t.class == digits && len(t.text) == 4 && (s.is(i-1, "at", "um", "by", "until", "till") || s.is(i+1, "hrs", "hours", "h", "uhr")) { // "at 1930"
		h, _ := strconv.Atoi(t.text[:2])
		m, _ := strconv.Atoi(t.text[2:])
		if h < 24 && m < 60 {
			s.f.time(h, m, false)
		}
	}
	h, j, ok := s.small(i, 24)
	if !ok || collectives[s.t[i].text] {
		return i
	}
	figures := s.isDigits(i)
	if figures && s.is(j, ":", "h", "u") && s.isDigits(j+1) && len(s.t[j+1].text) == 2 && (s.tight(j) && s.tight(j+1) || s.is(j, "h")) {
		m, _ := strconv.Atoi(s.t[j+1].text)
		if s.is(j, "h") { // or how long
			s.amounts.measured(float64(h*60+m)*60, duration)
		}
		return s.clocked(i, h, m, j+2)
	}
	if figures && s.is(j, ".") && s.tight(j) && s.isDigits(j+1) && s.tight(j+1) && len(s.t[j+1].text) == 2 && (s.is(j+2, "uhr", "am", "pm", "h", "hrs") || s.is(i-1, "um", "gegen", "ab", "at", "since", "about", "around", "from", "until", "till", "by", "before", "after", "seit", "bis", "vor", "nach") || s.inPart(j+2)) {
		m, _ := strconv.Atoi(s.t[j+1].text)
		return s.clocked(i, h, m, j+2)
	}
	if _, is := s.halves(j); is {
		return s.clocked(i, h, 0, j)
	}
	switch {
	case s.is(j, "uhr", "heures", "heure", "h", "oclock"), s.is(j, "o") && s.is(j+1, "'", "clock"):
		return s.oClock(i, h, j)
	case s.is(j, "y", "menos", "in", "de", "du", "en", "por", "am", "et"), s.is(j, "thirty", "fifteen", "forty", "ten", "twenty"):
		return s.spoken(i, h, j)
	}
	if s.before(i) != "" && h > 0 {
		return s.clocked(i, h, 0, j)
	}
	if s.inPart(j) || s.is(i-1, "de", "von") && s.is(j, "a", "bis") && s.numberAt(j+1) || s.is(i-1, "a", "bis") && s.is(i-3, "de", "von") && s.numberAt(i-2) || s.is(i-1, "punkt", "schlag") || s.is(j, "sharp", "ish", "pile") || s.is(j, "-") && s.is(j+1, "ish") || s.is(i-1, "auf") && s.ends(j) || s.is(i-1, "it") && s.is(i-2, "make") && s.ends(j) || s.is(i-1, "at", "um", "around", "about", "by", "gegen", "vers", "ab", "till", "until", "from", "after", "before", "since", "to", "bis", "nach", "vor", "a", "between", "zwischen", "entre") || s.is(i-1, "and", "und", "et", "y") && s.is(i-3, "between", "zwischen", "entre") || s.is(i-1, "las", "la") {
		// It can be a time or a number.
		if !s.isDigits(i) || len(s.t[i].text) <= 2 {
			s.f.time(h, 0, true)
		}
	}
	return i
}

// twelfth reads the words after noon or midnight: "midi et demi".
func (s *clockReader) twelfth(h, j int) (next int) {
	switch {
	case s.is(j, "et", "y") && s.is(j+1, "demi", "demie", "media"):
		s.f.time(h%24, 30, false)
		return j + 2
	case s.is(j, "et", "y") && s.is(j+1, "quart", "cuarto"):
		s.f.time(h%24, 15, false)
		return j + 2
	case s.is(j, "moins") && s.is(j+1, "le") && s.is(j+2, "quart"):
		s.f.time(h-1, 45, false)
		return j + 3
	}
	s.f.time(h%24, 0, false)
	s.since(j-1, h*60, "")
	s.between(j-1, h*60, j)
	return j
}

// halves reads "pm", "a.m." and the like.
func (s *clockReader) halves(j int) (next int, is bool) {
	if s.is(j, "am", "pm") {
		// German "am" is a preposition.
		return j + 1, s.is(j, "pm") || s.tight(j) || !s.isWordOrDigit(j+1) || !(s.weekdayAt(j+1) || s.isDigits(j+1))
	}
	if s.is(j, "a", "p") && (s.is(j+1, ".") && s.is(j+2, "m") || s.is(j+1, "m")) {
		end := j + 2
		if s.is(j+1, ".") {
			end++
		}
		if s.is(end, ".") && s.tight(end) {
			end++
		}
		return end, true
	}
	return j, false
}

// clocked records a time. The words at j decide whether it is before or after noon.
func (s *clockReader) clocked(i, h, m, j int) (next int) {
	if m > 59 || h > 24 {
		return i
	}
	if s.is(j, ":") && s.tight(j) && s.isDigits(j+1) { // seconds
		j += 2
		if s.is(j, ".") && s.tight(j) && s.isDigits(j+1) {
			j += 2
		}
	}
	if s.is(j, "uhr", "heures") {
		j++
		if v, k, ok := s.small(j, 59); ok && m == 0 {
			m, j = v, k
		}
	}
	end, is := s.halves(j)
	half := s.t[min(j, len(s.t)-1)].text
	if !is {
		half, end = s.partOfDay(j)
	}
	if half == "" {
		half = s.before(i)
	}
	s.bury(h, m)
	s.since(i, h*60+m, half)
	s.between(i, h*60+m, end)
	switch {
	case half == "":
		// "09:30" is in the morning, "9:30" may not be.
		s.f.time(h, m, h >= 1 && h <= 12 && !(s.isDigits(i) && len(s.t[i].text) == 2 && h < 10))
	case half[0] == 'p':
		if h < 12 {
			h += 12
		}
		s.f.time(h, m, false)
	default:
		if h == 12 {
			h = 0
		}
		s.f.time(h, m, false)
	}
	return end
}

// since reads the first of two times if only the second is marked as a time: "2-3pm".
func (s *clockReader) since(i, until int, half string) {
	if !s.is(i-1, "-", "to", "and", "till", "until", "und", "bis", "a", "et", "y") {
		return
	}
	h, next, ok := s.small(i-2, 24)
	if !ok || next != i-1 {
		return
	}
	if half != "" && half[0] == 'p' && h < 12 {
		h += 12
	}
	s.f.time(h, 0, half == "" && h >= 1 && h <= 12)
	s.lasting(h*60, until)
}

// between records the duration from the last time to the one at i, if they are the two ends
// of something: "9:00-10:30".
func (s *clockReader) between(i, until, end int) {
	if s.lastClockEnd > 0 && i > s.lastClockEnd && i-s.lastClockEnd <= 3 {
		for k := s.lastClockEnd; k < i; k++ {
			if s.is(k, "-", "to", "till", "until", "bis", "a", "hasta", "and", "und", "et", "y") {
				s.lasting(s.lastClock, until)
				break
			}
		}
	}
	s.lastClock, s.lastClockEnd = until, end
}

// lasting records the duration between two times of day, each of which may be after noon.
func (s *clockReader) lasting(from, until int) {
	if minutes := ((until-from)%(12*60) + 12*60) % (12 * 60); minutes > 0 {
		s.amounts.measured(float64(minutes)*60, duration)
	}
}

// partOfDay reads "in the morning", "abends", "de la tarde". It returns "a", "p", or "".
func (s *clockReader) partOfDay(j int) (half string, next int) {
	for k := j; k <= j+3 && k < len(s.t); k++ {
		switch s.t[k].text {
		case "in", "the", "at", "am", "de", "la", "du", "l", "'", "en", "por", "apres", "-", "this", "tomorrow", "ce", "cet", "heute", "esta":
			continue
		case "morning", "morgens", "fruh", "vormittag", "vormittags", "matin", "manana", "madrugada":
			return "a", k + 1
		case "afternoon", "aprem", "evening", "night", "nachmittag", "nachmittags", "abend", "abends", "midi", "soir", "tarde", "noche":
			return "p", k + 1
		}
		break
	}
	return "", j
}

// inPart reports whether there is a part of the day at j.
func (s *clockReader) inPart(j int) bool {
	half, _ := s.partOfDay(j)
	return half != ""
}

// before reads the part of the day before a time: "afternoon 3", "abends um 8".
func (s *clockReader) before(i int) string {
	i--
	for s.is(i, "um", "at", "gegen", "around", "ab", "by") {
		i--
	}
	switch {
	case s.is(i, "morning", "morgens", "vormittags", "fruh"):
		return "a"
	case s.is(i, "afternoon", "evening", "nachmittags", "abends"):
		return "p"
	}
	return ""
}

// oClock reads "3 Uhr 20", "trois heures et demie", "3 o'clock".
func (s *clockReader) oClock(i, h, j int) (next int) {
	hours := s.is(j, "heures", "heure", "h") // may also be a duration
	if s.is(j, "o") {
		if !s.is(j+1, "'") && !s.is(j+1, "clock") {
			return i
		}
		for s.is(j+1, "'", "clock") {
			j++
		}
	}
	if hours {
		s.amounts.unit(float64(h), i, j)
		s.f.number(float64(h), free)
		s.amounts.reckoned(float64(h), i, j)
	}
	j++
	m := 0
	switch {
	case s.is(j, "et") && s.is(j+1, "demie", "demi"):
		m, j = 30, j+2
	case s.is(j, "et") && s.is(j+1, "quart"):
		m, j = 15, j+2
	case s.is(j, "moins"):
		k := j + 1
		if s.is(k, "le") {
			k++
		}
		if s.is(k, "quart") {
			h, m, j = h-1+twelve(h), 45, k+1
		} else if v, l, ok := s.small(k, 30); ok && v > 0 {
			h, m, j = h-1+twelve(h), 60-v, l
		}
	default:
		if v, k, ok := s.small(j, 59); ok && (s.t[j].class == digits && len(s.t[j].text) == 2 || s.t[j].class == word) {
			m, j = v, k
		}
	}
	return s.clocked(i, h, m, j)
}

// spoken reads "three thirty", "tres y media", "las ocho menos cuarto", "3 in the afternoon".
func (s *clockReader) spoken(i, h, j int) (next int) {
	atHour := s.is(i-1, "las", "la", "at", "by", "around", "about", "until", "till", "from")
	switch {
	case s.is(j, "y") && s.is(j+1, "media", "cuarto") && (atHour || s.t[i].class == word):
		m := 30
		if s.is(j+1, "cuarto") {
			m = 15
		}
		if !atHour { // or how many
			s.f.number(float64(h)+float64(m)/60, derived)
		}
		return s.clocked(i, h, m, j+2)
	case s.is(j, "y") && atHour:
		if v, k, ok := s.small(j+1, 59); ok {
			return s.clocked(i, h, v, k)
		}
	case s.is(j, "menos"):
		if s.is(j+1, "cuarto") {
			return s.clocked(i, h-1+twelve(h), 45, j+2)
		}
		if v, k, ok := s.small(j+1, 30); ok && v > 0 {
			return s.clocked(i, h-1+twelve(h), 60-v, k)
		}
	case s.t[j].class == word && numerals[s.t[j].text].value >= 10:
		if v, k, ok := s.small(j, 59); ok && h <= 12 && h > 0 {
			return s.clocked(i, h, v, k)
		}
	default:
		if half, _ := s.partOfDay(j); half != "" {
			return s.clocked(i, h, 0, j)
		}
	}
	if atHour {
		s.f.time(h, 0, true)
	}
	return i
}

// phrase reads "half past three", "halb vier", "quarter to", "zehn nach acht".
func (s *clockReader) phrase(i int) (next int) {
	var m, j int
	switch {
	case s.is(i, "half") && s.is(i+1, "past"):
		m, j = 30, i+2
	case s.is(i, "halb"):
		if h, k, ok := s.small(i+1, 12); ok && h > 0 {
			return s.clocked(i, h-1+twelve(h), 30, k)
		}
		return i
	case s.is(i, "half") && !s.is(i+1, "past"): // British: "at half seven"
		h, k, ok := s.small(i+1, 12)
		if ok && h > 0 && (s.is(i-1, "at", "about", "around", "by", "until", "till", "from") || k >= len(s.t) || s.t[k].class == mark || s.is(k, "till", "until", "to", "tonight", "tomorrow", "on", "in", "pm")) {
			return s.clocked(i, h, 30, k)
		}
		return i
	case s.is(i, "drei") && s.is(i+1, "viertel") && s.numberAt(i+2): // "drei viertel acht"
		return s.phrase(i + 1)
	case s.is(i, "dreiviertel"), s.is(i, "viertel") && s.numberAt(i+1) && !s.is(i+1, "vor", "nach"): // "viertel acht"
		h, k, ok := s.small(i+1, 12)
		if !ok || h == 0 {
			return i
		}
		m = 15
		if s.is(i, "dreiviertel") || s.is(i-1, "drei") {
			m = 45
		}
		return s.clocked(i, h-1+twelve(h), m, k)
	case s.is(i, "quarter", "viertel"):
		m, j = 15, i+1
	default:
		v, k, ok := s.small(i, 59)
		if !ok || v == 0 {
			return i
		}
		if s.is(k, "minutes", "minuten", "min") {
			k++
		}
		m, j = v, k
	}
	sign := 0
	switch {
	case s.is(j-1, "past"):
		sign = 1
	case s.is(j, "past", "after", "nach") && m < 60:
		sign = 1
		j++
	case s.is(j, "to", "till", "before", "vor") && m < 31 && (m%5 == 0 || s.is(i, "quarter", "viertel")):
		sign = -1
		j++
	}
	if sign == 0 {
		return i
	}
	if s.is(j, "halb") { // "fünf vor halb neun"
		if h, k, ok := s.small(j+1, 12); ok && h > 0 && m <= 15 {
			return s.clocked(i, h-1+twelve(h), 30+sign*m, k)
		}
	}
	h, k, ok := s.small(j, 24)
	if !ok || h == 0 || m > 30 && sign > 0 {
		return i
	}
	if s.is(j-1, "to", "till", "before", "after") && s.isDigits(i) && s.isDigits(j) {
		return i // a range of numbers
	}
	if sign < 0 {
		return s.clocked(i, h-1+twelve(h), 60-m, k)
	}
	return s.clocked(i, h, m, k)
}

// twelve returns 12 as the hour before 1.
func twelve(h int) int {
	if h == 1 {
		return 12
	}
	return 0
}
