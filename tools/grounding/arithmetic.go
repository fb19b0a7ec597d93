package grounding

import (
	"math"
	"slices"
)

// Arithmetic: the results of "one more", "twice as many" or "two at 48 each", with numbers and
// times that were said nearby.

// reckon combines a text with the texts around it and keeps it for those that follow.
func (f *facts) reckon() {
	now := f.open
	f.open = sums{}
	if len(now.figures)+len(now.times)+len(now.steps)+len(now.factors) == 0 {
		return
	}
	f.apply(&now, &now, true)
	for i := range f.recent {
		f.apply(&now, &f.recent[i], false)
		f.apply(&f.recent[i], &now, false)
	}
	f.recent = append(f.recent, now)
	if len(f.recent) > around {
		f.recent = slices.Delete(f.recent, 0, 1)
	}
}

// breakOff is called between parts of a text. Tokens of two parts are never close to each other.
func (f *facts) breakOff() {
	for i := range f.open.figures {
		f.open.figures[i].from = -1
	}
}

// apply applies the steps of one text to the numbers and times of another.
func (f *facts) apply(steps, to *sums, same bool) {
	for _, step := range steps.steps {
		if step.minutes {
			for _, t := range to.times {
				f.times[((t+int(step.by))%(24*60)+24*60)%(24*60)] = true
			}
			continue
		}
		for i, n := range to.figures {
			if !same || i != step.of {
				if v := n.v + step.by; v > 0 {
					f.number(v, derived)
				}
			}
		}
	}
	for _, by := range steps.factors {
		for _, n := range to.figures {
			f.number(n.v*by, derived)
		}
	}
}

var (
	ups = wordSet(`more extra additional later longer higher warmer added mehr später länger höher wärmer zusätzlich más después mayor
		raise increase add extend up erhöhe erhöhen verlängere verlängern höher augmente augmenter monte monter ajoute rallonge prolonge sube subir aumenta añade alarga`)
	downs = wordSet(`less fewer earlier shorter lower cooler weniger früher kürzer niedriger kälter menos antes menor
		reduce decrease shorten down senke senken verkürze verkürzen baisse baisser diminue réduis raccourcis baja bajar reduce quita acorta`)
	verbs = wordSet(`raise increase add extend erhöhe erhöhen verlängere verlängern augmente augmenter monte monter ajoute rallonge prolonge sube subir aumenta añade alarga
		reduce decrease shorten senke senken verkürze verkürzen baisse baisser diminue réduis raccourcis baja bajar quita acorta`)
)

// reckoned records a number for arithmetic: whether it is a step, and its result with the
// number before it.
func (s *numberReader) reckoned(v float64, i, next int) {
	o := &s.f.open
	if len(o.figures) >= mostReckoned {
		return
	}
	s.against(v, i, next)
	o.figures = append(o.figures, figure{v, i, next})
	s.stepped(v, i, next)
}

// stepped records a number that says by how much something is more or less.
func (s *numberReader) stepped(v float64, i, next int) {
	o := &s.f.open
	at := s.unitAt(next)
	if u := units[s.at1(at)]; u.measure == duration && u.factor >= 60 && u.factor < day && len(o.steps) < mostReckoned { // of a time that follows
		if s.is(at+1, "before", "vor", "avant", "antes") {
			o.steps = append(o.steps, step{by: -v * u.factor / 60, minutes: true})
		} else if s.is(at+1, "after", "nach", "apres", "despues") {
			o.steps = append(o.steps, step{by: v * u.factor / 60, minutes: true})
		}
	}
	if sign := s.direction(i, next); sign != 0 && len(o.steps) < mostReckoned {
		o.steps = append(o.steps, step{by: sign * v, of: slices.IndexFunc(o.figures, func(n figure) bool { return n.from == i })})
		if u := units[s.at1(s.unitAt(next))]; u.measure == duration && u.factor >= 60 && u.factor < day {
			o.steps = append(o.steps, step{by: sign * v * u.factor / 60, minutes: true})
		}
	}
}

// unitAt returns the token of the unit of a number that ends at next: "half an hour", "half-hour".
func (s *numberReader) unitAt(next int) int {
	for s.is(next, "a", "an", "of", "de", "d", "-", "'", "einer") {
		next++
	}
	return next
}

// direction returns 1 if a number means that much more, -1 if it means that much less, and 0
// otherwise, as for "more than two" and "two or more".
func (s *numberReader) direction(i, next int) float64 {
	for k := next; k < min(next+4, len(s.t)); k++ {
		w := s.t[k].text
		switch {
		case s.is(k, ".", ",", ";", "?", "!", "or", "oder", "ou", "o"):
			k = len(s.t)
		case s.is(k, "plus") && (s.is(k-1, "de", "en") || s.is(k+1, "tard", "long", "haut")), ups[w] && !verbs[w]:
			return 1
		case s.is(k, "moins") && (s.is(k-1, "de", "en") || s.is(k+1, "tard", "long", "haut")) || s.is(k, "plus") && s.is(k+1, "tot", "court", "bas"), downs[w] && !verbs[w]:
			return -1
		}
	}
	if s.is(i-1, "another", "weitere", "encore", "otros", "otras", "otro", "otra") {
		return 1
	}
	for k := i - 1; k >= max(0, i-6) && !s.is(k, ".", ";", "?", "!"); k-- {
		if w := s.t[k].text; verbs[w] {
			if s.is(i-1, "to", "auf", "a", "at", "hasta") {
				return 0 // the target, not the difference
			}
			if ups[w] {
				return 1
			}
			return -1
		}
	}
	return 0
}

// against records the result of a number with the one before it: plus, minus, or times the
// price of each.
func (s *numberReader) against(v float64, i, next int) {
	o := &s.f.open
	j := i - 1
	if s.is(i-1, "of", "von", "de") { // "plus a tip of 15"
		for k := i - 2; k >= max(0, i-4) && j == i-1; k-- {
			if s.is(k, "plus", "minus", "moins", "menos") {
				j = k
			}
		}
	}
	for s.is(j, "the", "die", "den", "das", "les", "los", "las", "el", "le", "noch", "je", "$", "€", "£") {
		j--
	}
	switch {
	case s.is(j, "plus", "+") || s.is(j, "mas") || s.is(j, "and", "und", "et", "y") && s.is(j+1, "noch"):
		s.with(i, func(n float64) { s.f.number(n+v, derived) })
	case s.is(j, "minus", "less", "moins", "menos", "abzuglich", "weniger", "without", "-", "−") && !(s.is(j, "-") && s.tight(j)):
		s.with(i, func(n float64) { s.f.number(n-v, derived) })
	case s.is(j, "x", "×", "*", "times", "mal", "fois", "veces", "por"):
		s.with(i, func(n float64) { s.f.number(n*v, derived) })
	}
	if s.included(i, next) {
		s.with(i, func(n float64) { s.f.count(heads, n-v) })
	}
	if s.each(v, i, next) {
		for _, n := range o.figures {
			s.f.number(n.v*v, derived)
		}
	}
}

// included reports whether a number is part of the one before it: "six, two of them children".
func (s *numberReader) included(i, next int) bool {
	return s.is(i-1, "davon", "darunter", "dont", "including", "incl", "incluyendo", "incluidos", "incluidas", "cuales") ||
		s.is(i-1, "which", "whom", "them", "ellos", "ellas") && s.is(i-2, "of", "de") ||
		s.is(next, "of", "de", "von") && s.is(next+1, "them", "us", "whom", "which", "ellos", "ellas", "ihnen", "denen", "uns")
}

// with returns the last number before i, if it is close.
func (s *numberReader) with(i int, take func(float64)) {
	if o := s.f.open.figures; len(o) > 0 {
		if n := o[len(o)-1]; n.from >= 0 && i-n.next <= 5 {
			take(n.v)
		}
	}
}

// each reports whether a number is the price or amount for each of several things.
func (s *numberReader) each(v float64, i, next int) bool {
	if s.is(i-1, "je", "jeweils", "a", "@") && s.is(i-2, "zu") || s.is(i-1, "je", "jeweils", "@") {
		return true
	}
	if o := s.f.open.figures; len(o) > 0 && v != math.Trunc(v) && s.is(i-1, "at", "a", "zu") && i-o[len(o)-1].next <= 4 { // "two coffees at 3.80"
		return true
	}
	if s.is(i-1, "at", "a", "zu") && next < len(s.t) && money[s.t[next].text] || s.is(i-2, "at", "a", "zu") && money[s.t[i-1].text] {
		return true
	}
	for k := next; k < min(next+3, len(s.t)); k++ {
		if s.is(k, "each", "apiece", "chacun", "chacune", "piece", "jeweils", "stuck", "unite", "unidad") || s.is(k, "cada") && s.is(k+1, "uno", "una") {
			return true
		}
		if s.is(k, "per", "pro", "por", "par") && k+1 < len(s.t) && (people[stem(s.t[k+1].text)] || kinds[s.t[k+1].text] == heads) {
			return true
		}
	}
	return false
}

// multiples reads "twice as many", "doppelt so viel", "le double", "el triple".
func (s *numberReader) multiples() {
	for i := range s.t {
		by := 0.0
		k := i + 1
		for s.is(k, "-") {
			k++
		}
		switch {
		case s.is(i, "twice", "doppelt", "doppelte", "doppelten", "verdopple", "verdoppel", "verdoppeln", "doubled", "doubler", "doublez", "duplica", "duplicar", "duplicala"),
			s.is(i, "double", "doble") && (s.is(i-1, "the", "le", "el", "du") || s.is(k, "that", "it", "the", "as", "la", "le", "les")):
			by = 2
		case s.is(i, "triple", "dreifache", "dreifach", "verdreifache", "verdreifachen", "tripler", "triplez", "triplica", "triplicar") && !s.is(i+1, "room", "bed"):
			by = 3
		case s.is(i, "half", "halb") && s.is(i+1, "as", "so", "that", "of", "the"), s.is(i, "moitie", "mitad", "halfte") && !s.is(i-1, "zur"), s.is(i, "halve", "halved", "halbiere", "halbieren"):
			by = 0.5
		}
		if by > 1 {
			s.f.number(by, derived)
		}
		if by != 0 && len(s.f.open.factors) < mostReckoned {
			s.f.open.factors = append(s.f.open.factors, by)
		}
	}
}
