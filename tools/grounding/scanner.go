package grounding

import (
	"strings"
	"sync"
)

// scanner reads the facts of a text.
type scanner struct {
	*passage
	amounts numberReader
	hours   clockReader
	days    dateReader
	guests  partyReader
	// The tokens that the scan consumed, for texts that consist of a number, date or time.
	dates, times, numbers, consumed int
}

// newScanner returns a scanner that adds the facts of tokens to f. base is the day on which they were said, 0 if unknown.
func newScanner(t []token, f *facts, base int32) *scanner {
	p := &passage{t, f}
	s := &scanner{passage: p, amounts: numberReader{passage: p}, guests: partyReader{p}}
	s.hours = clockReader{passage: p, amounts: &s.amounts}
	d := &dayReader{passage: p, base: base}
	s.days = dateReader{dayReader: d, relative: relativeReader{d}}
	return s
}

func (s *scanner) run() {
	s.guests.parties()
	s.amounts.multiples()
	for i := 0; i < len(s.t); {
		if t := s.t[i]; t.class == mark || t.class == word && !opens()[t.text] && !compound(t.text) {
			i++
			continue
		}
		s.days.cursor = i
		next := s.days.date(i)
		if next > i {
			s.dates++
		} else if next = s.hours.clock(i); next > i {
			s.times++
		} else if next = s.amounts.number(i); next > i {
			s.numbers++
		}
		if next > i {
			for _, t := range s.t[i:next] {
				if t.class != mark {
					s.consumed++
				}
			}
			i = next
			continue
		}
		s.amounts.article(i)
		i++
	}
}

// opens has the words at which a number, a date or a time of day may begin.
var opens = sync.OnceValue(func() map[string]bool {
	all := make(map[string]bool)
	for name := range numerals {
		all[name] = true
	}
	for name := range monthNames {
		all[name] = true
	}
	for name := range weekdayNames {
		all[name] = true
	}
	for name := range feasts {
		all[name] = true
	}
	for name := range feastStarts {
		all[name] = true
	}
	for name := range monthWeekdays() {
		all[name] = true
	}
	for name, u := range units {
		if u.measure == months || u.measure == duration && u.factor >= day || (u.measure == mass || u.measure == volume) && len(name) > 2 {
			all[name] = true
		}
	}
	for name := range strings.FieldsSeq(`a an n nem ner ein eine einen einer einem ne nen par un une una in dans en within dentro ici vor hace il
		today tonight tonite heute heut hoy now currently end ende finales hour heure hora immediately asap jetzt sofort maintenant ahora aujourd tomorrow tomorow tommorow tommorrow tomoz tmw tmrw tmr demain
		ubermorgen uebermorgen morgen manana pasado yesterday gestern hier ayer vorgestern anteayer ce cet cette esta this weekend wochenende finde fin
		anoche last monatsende quartalsende jahresende every dreiviertel lendemain veille vispera vortag next following previous
		noon midday mittag mittags midi mediodia midnight mitternacht minuit medianoche
		half halb halbe halben halber halbes demi demie media medio mitad moitie halfte quarter viertel viertelstunde dreiviertelstunde quart cuarto`) {
		all[name] = true
	}
	return all
})
