package grounding

import "math"

// number reads a number with its unit.
func (s *numberReader) number(i int) (next int) {
	if _, of := units[s.t[i].text]; of && s.is(i+1, "and", "und", "et", "y") { // "hora y media", "un kilo y cuarto"
		if _, _, ok := s.half(i + 2); ok {
			s.unit(1, i, i)
		}
		return i
	}
	if s.is(i, "every") && s.is(i+1, "other") {
		s.f.number(2, free)
		return i + 2
	}
	readings, next := s.written(i)
	if s.is(i, "par") && s.is(i-1, "un") && s.is(i+1, "de") {
		readings, next = []float64{2}, i+1
	}
	if readings == nil {
		v, j, ok := s.spelled(i)
		if !ok {
			if v, j, ok = s.half(i); !ok {
				return i
			}
			v, j = s.halfOf(v, j)
		} else {
			v, j = s.fraction(v, j)
		}
		readings, next = []float64{v}, j
	}
	next = s.multiply(readings, next)
	if s.is(i-1, "-", "minus", "moins", "menos", "negative") {
		for _, v := range readings {
			s.f.number(-v, free)
		}
	}
	if s.is(next, "st", "nd", "rd", "th", "er", "eme", "e") && s.tight(next) {
		next++
	}
	of := next
	if collectives[s.t[next-1].text] && s.is(next, "of", "de", "d") {
		for of++; s.is(of, "'", "the", "les"); of++ {
		}
	}
	for _, v := range readings {
		s.f.number(v, free)
		s.unit(v, i, of)
		s.persons(v, of)
		if s.is(next, "couples", "pairs", "paare", "paaren", "ehepaare", "paires", "parejas", "matrimonios") {
			s.f.number(2*v, derived)
		}
		s.cents(v, next)
	}
	s.reckoned(readings[0], i, next)
	if v := readings[0]; v == math.Trunc(v) && v > 0 && v <= 31 && len(s.f.bare) < maxStays && (next >= len(s.t) || s.t[next].class == mark && !s.is(next, "-", ":", "/")) {
		s.f.bare = append(s.f.bare, int32(v))
	}
	if s.is(next, "%") || s.is(next, "percent", "prozent") || s.is(next, "pour", "por", "per") && s.is(next+1, "cent", "ciento") {
		next++
	}
	return next
}

// collectives are nouns that are numbers. The things that they count follow "of".
var collectives = wordSet("couple pair par paire dozen dutzend docena decena quincena veintena dizaine douzaine quinzaine vingtaine trentaine quarantaine cinquantaine centaine")

// cents reads the number after a currency: "12 Euro 50", "zwölf Euro fünfzig".
func (s *numberReader) cents(v float64, next int) {
	if next >= len(s.t) || !money[s.t[next].text] || v != math.Trunc(v) {
		return
	}
	j := next + 1
	if s.is(j, "and", "und", "et", "con", "y") {
		j++
	}
	if c, k, ok := s.small(j, 99); ok && c > 0 && (k >= len(s.t) || units[s.t[k].text].measure == 0) {
		s.f.number(v+float64(c)/100, free)
	}
}

// half reads "half", and "a quarter".
func (s *numberReader) half(i int) (v float64, next int, ok bool) {
	switch {
	case s.is(i, "half", "halb", "halbe", "halben", "halber", "halbes", "demi", "demie", "media", "medio", "mitad", "moitie", "halfte"):
		s.f.count("percent", 50)
		return 0.5, i + 1, true
	case s.is(i, "viertelstunde"):
		s.measured(900, duration)
		return 0.25, i + 1, true
	case s.is(i, "dreiviertelstunde"):
		s.measured(2700, duration)
		return 0.75, i + 1, true
	case s.is(i, "dreiviertel"):
		return 0.75, i + 1, true
	case s.is(i, "quarter", "viertel", "quart", "cuarto"):
		return 0.25, i + 1, true
	}
	return 0, i, false
}

// halfOf reads the number after a half: "half a dozen", "une demi-douzaine", "half a million".
func (s *numberReader) halfOf(v float64, j int) (float64, int) {
	k := j
	for s.is(k, "a", "-", "une", "un", "ein") {
		k++
	}
	if k < len(s.t) {
		if n, ok := numerals[s.t[k].text]; ok && (collectives[s.t[k].text] && n.value >= 10 || n.rank == scale) {
			return v * n.value, k + 1
		}
	}
	return v, j
}

// fraction reads the fraction after a number in words: "drei Komma fünf", or as in prices,
// "ninety-nine ninety-nine".
func (s *numberReader) fraction(v float64, j int) (float64, int) {
	if s.is(j, "komma", "point", "virgule", "coma", "punto", "comma") {
		if n, k, ok := s.small(j+1, 99); ok {
			if n < 10 {
				return v + float64(n)/10, k
			}
			return v + float64(n)/100, k
		}
	}
	if j < len(s.t) && s.t[j].class == word && v >= 1 && v < 1000 {
		if n, _, ok := s.small(j, 99); ok && n >= 10 {
			s.f.number(v+float64(n)/100, derived)
		}
	}
	return v, j
}

// multiply applies "k", "million" and "and a half" to the readings.
func (s *numberReader) multiply(readings []float64, next int) int {
	by := 1.0
	switch {
	case s.is(next, "k") && s.tight(next):
		by = 1000
		next++
	case next < len(s.t) && s.t[next].class == word:
		if n, ok := numerals[s.t[next].text]; ok && (n.rank == scale || n.rank == hundred || n.value == 12 && n.rank == whole) {
			by = n.value
			next++
		}
	}
	add := 0.0
	if s.is(next, "and", "und", "et", "y") {
		j := next + 1
		if s.is(j, "a", "ein", "eine", "un", "une") {
			j++
		}
		if v, k, ok := s.half(j); ok && v == 0.5 {
			if n := numerals[s.t[next-1].text]; by == 1 && n.rank == whole && n.value >= 10 { // a dozen and a half
				v *= n.value
			}
			add, next = v, k
		}
	}
	if s.is(next, "quarters", "quarts", "cuartos", "viertel") {
		by, next = by*0.25, next+1
	}
	if add != 0 && next < len(s.t) && numerals[s.t[next].text].rank == scale { // two and a half thousand
		by, next = by*numerals[s.t[next].text].value, next+1
	}
	for i := range readings {
		readings[i] = (readings[i] + add) * by
	}
	return next
}

// unit records a number with the unit at next, converted to other units as well.
func (s *numberReader) unit(v float64, i, next int) {
	if next >= len(s.t) {
		next = len(s.t)
	}
	if s.is(next, "%", "percent", "prozent") || s.is(next, "pour", "por") && s.is(next+1, "cent", "ciento") {
		s.f.number(v/100, derived)
		return
	}
	if next < len(s.t) && money[s.t[next].text] || i > 0 && money[s.t[i-1].text] {
		s.f.number(v*100, derived)
		return
	}
	for v < 1 && s.is(next, "of", "a", "an", "d", "'", "de", "einer") { // a quarter of an hour
		next++
	}
	if next >= len(s.t) {
		return
	}
	u, ok := units[s.t[next].text]
	if !ok {
		return
	}
	if s.is(next+1, "and", "und", "et", "y") { // an hour and a half
		j := next + 2
		if s.is(j, "a", "ein", "eine", "un", "une") {
			j++
		}
		if h, _, ok := s.half(j); ok {
			v += h
		}
	}
	s.measured(v*u.factor, u.measure)
	s.minutes(v, next)
	if u.measure == bytes1000 {
		s.f.number(v*1024, derived) // in the next smaller unit, as for memory
	}
	if u.measure == length && u.factor == 1000 && s.isDigits(next+1) && s.tight(next+1) { // 1m80
		s.measured(v*1000+parse(s.t[next+1].text)*10, length)
	}
	if u.measure != duration {
		return
	}
	total := v * u.factor
	if s.lastEnd > 0 && i-s.lastEnd <= 1 && total < s.lastSeconds {
		total += s.lastSeconds
		s.measured(total, duration)
	}
	s.lastEnd, s.lastSeconds = next+1, total
	// 1h30
	if s.isDigits(next+1) && s.tight(next+1) {
		s.measured(total+parse(s.t[next+1].text)*u.factor/60, duration)
	}
}

// minutes reads the part after the hours: "an hour and ten", "eine Stunde zwanzig".
func (s *numberReader) minutes(v float64, next int) {
	if u := units[s.t[next].text]; u.measure != duration || u.factor != 3600 || v != math.Trunc(v) {
		return
	}
	if s.is(next+1, "and", "und", "et", "y") {
		next++
	}
	if m, k, ok := s.small(next+1, 59); ok && s.ends(k) {
		s.measured(v*3600+float64(m)*60, duration)
	}
}

func (s *numberReader) measured(v float64, m measure) {
	for _, step := range steps[m] {
		s.f.number(v/step, derived)
	}
	if m != duration || len(s.f.seconds) >= most {
		return
	}
	s.f.seconds[round(v)] = true
	s.f.lasts(v)
}

// article counts a thing with an article and no number. After an amount it is a rate: "90 a night".
func (s *numberReader) article(i int) {
	if !s.isArticle(i) || i+1 >= len(s.t) || s.t[i+1].class != word || s.isAmount(i-1) {
		return
	}
	n, j := 1.0, i+1
	if s.is(j, "paar") && !s.t[j].capital {
		n, j = few, j+1
	}
	if n == 1 && j < len(s.t) {
		if u, ok := units[s.t[j].text]; ok && (u.measure == duration || u.measure == mass || u.measure == volume) && len(s.t[j].text) > 2 {
			s.unit(1, i, j)
			s.stepped(1, i, j)
		}
		s.persons(1, j)
	}
	// At most two adjectives precede the noun.
	for k := j; k < min(j+3, len(s.t)) && s.t[k].class == word && !stops(s.t[k].text); k++ {
		s.f.count(kindOf(s.t[k].text), n)
	}
}

// isAmount reports whether the token at i ends an amount: figures, a number word, a currency.
func (s *numberReader) isAmount(i int) bool {
	if i < 0 {
		return false
	}
	t := s.t[i]
	_, is := numerals[t.text]
	_, _, half := s.half(i)
	return t.class == digits || money[t.text] || is && t.class == word || half
}

// persons adds up the people of a text: "two adults and a child".
func (s *numberReader) persons(v float64, next int) {
	if next < len(s.t) && people[stem(s.t[next].text)] {
		s.people += v
		if s.groups++; s.groups > 1 {
			s.f.number(s.people, derived)
		}
	}
}
