package unfounded

import (
	"math"
	"slices"
	"strings"
	"sync"
	"time"
)

// role is how a number was said.
type role uint8

const (
	free    role = 1 << iota // as a number
	buried                   // within a date or a time of day
	derived                  // in another unit
)

const (
	most       = 100_000 // different numbers, days or words that are known
	maxSayings = 4096    // different mentions of days that are not of one date
	maxStays   = 8       // different durations in days, which are added to dates
)

// facts are the numbers, dates and times that texts name.
type facts struct {
	numbers  map[float64]role
	seconds  map[float64]bool // durations
	times    [24 * 60]bool
	days     map[int32]bool   // dates
	mentions map[mention]bool // what else is said of days
	stays    []int32          // durations in days
	spans    []int32          // and in minutes, of hours at most
	instants []time.Time      // "in 20 minutes"
	ones     map[string]bool  // words behind an article: "a ticket"
}

func newFacts() *facts {
	return &facts{numbers: map[float64]role{}, seconds: map[float64]bool{}, days: map[int32]bool{}, mentions: map[mention]bool{}, ones: map[string]bool{}}
}

func (f *facts) clear() {
	clear(f.numbers)
	clear(f.seconds)
	clear(f.days)
	clear(f.mentions)
	f.stays, f.spans, f.instants = nil, nil, nil
	clear(f.ones)
	f.times = [24 * 60]bool{}
}

func (f *facts) number(v float64, as role) {
	if v = round(v); len(f.numbers) < most {
		f.numbers[v] |= as
	}
}

// round takes away what only arithmetic added.
func round(v float64) float64 {
	if r := math.Round(v * 1e6); math.Abs(r) < 1e15 {
		return r / 1e6
	}
	return v
}

func (f *facts) time(hour, minute int, ambiguous bool) {
	if hour == 24 {
		hour = 0
	}
	if hour < 0 || hour > 23 || minute < 0 || minute > 59 {
		return
	}
	f.times[hour*60+minute] = true
	if ambiguous && hour <= 12 {
		f.times[(hour+12)%24*60+minute] = true
	}
}

func (f *facts) mention(m mention) {
	switch {
	case m.about == exactly:
		if len(f.days) < most {
			f.days[m.a] = true
		}
	case len(f.mentions) < maxSayings:
		f.mentions[m] = true
	}
}

func (f *facts) instant(at time.Time) {
	if len(f.instants) < maxStays {
		f.instants = append(f.instants, at)
	}
}

// lasts notes a duration in seconds.
func (f *facts) lasts(v float64) {
	into, n := &f.stays, v/day
	if v < day {
		into, n = &f.spans, v/60
	}
	if n == math.Trunc(n) && n >= 1 && n <= 24*60 && len(*into) < maxStays && !slices.Contains(*into, int32(n)) {
		*into = append(*into, int32(n))
	}
}

// scanner reads the facts of a text.
type scanner struct {
	t    []token
	f    *facts
	base int32 // the day it was said; 0: unknown
	at   time.Time
	also int32 // where it was said it may have been this day; 0: no
	// What the scan consumed, for texts that are nothing but a number, date or time.
	dates, times, numbers, consumed int
	lastEnd                         int // behind the last duration
	lastSeconds                     float64
	people, groups                  float64 // who were counted: "two adults and a child"
}

// dayOf is the day of a time where it was measured.
func dayOf(t time.Time) int32 { return civil(t.Date()) }

// civil is a date as days since 1970, and impossible ones as what they overflow to.
func civil(y int, m time.Month, d int) int32 {
	return int32(time.Date(y, m, d, 0, 0, 0, 0, time.UTC).Unix() / day) // #nosec G115 -- years have at most four figures
}

func dateOf(days int32) (int, time.Month, int) {
	return time.Unix(int64(days)*day, 0).UTC().Date()
}

func weekday(days int32) time.Weekday { return time.Unix(int64(days)*day, 0).UTC().Weekday() }

// opens are the words at which a number, a date or a time of day may begin.
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
	for name, u := range units {
		if u.measure == months || u.measure == duration && u.factor >= day {
			all[name] = true
		}
	}
	for name := range strings.FieldsSeq(`a an ein eine einen einer einem un une una in dans en within dentro vor hace il
		today tonight heute hoy now currently end ende finales hour heure hora immediately asap jetzt sofort maintenant ahora aujourd tomorrow tmrw tmr demain
		ubermorgen uebermorgen morgen manana pasado yesterday gestern hier ayer vorgestern anteayer ce esta this weekend wochenende fin
		noon midday mittag mittags midi mediodia midnight mitternacht minuit medianoche
		half halb halbe halben halber halbes demi demie media medio mitad moitie halfte quarter viertel viertelstunde dreiviertelstunde quart cuarto`) {
		all[name] = true
	}
	return all
})

func (s *scanner) run() {
	for i := 0; i < len(s.t); {
		if t := s.t[i]; t.class == mark || t.class == word && !opens()[t.text] && !compound(t.text) {
			i++
			continue
		}
		next := s.date(i)
		if next > i {
			s.dates++
		} else if next = s.clock(i); next > i {
			s.times++
		} else if next = s.number(i); next > i {
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
		s.article(i)
		i++
	}
}

// is says whether the word at i is one of these.
func (s *scanner) is(i int, of ...string) bool {
	if i < 0 || i >= len(s.t) {
		return false
	}
	for _, w := range of {
		if s.t[i].text == w {
			return true
		}
	}
	return false
}

// tight says whether the token at i stands right behind the one before it.
func (s *scanner) tight(i int) bool { return i < len(s.t) && !s.t[i].spaced }

func (s *scanner) isDigits(i int) bool { return i >= 0 && i < len(s.t) && s.t[i].class == digits }

// article notes what is counted by an article alone.
func (s *scanner) article(i int) {
	if s.is(i, "a", "an", "ein", "eine", "einen", "einer", "einem", "un", "une", "una") && i+1 < len(s.t) && s.t[i+1].class == word && len(s.f.ones) < most {
		if u, ok := units[s.t[i+1].text]; ok && u.measure == duration && len(s.t[i+1].text) > 2 {
			s.unit(1, i, i+1)
		}
		s.persons(1, i+1)
		s.f.ones[stem(s.t[i+1].text)] = true
		if i+2 < len(s.t) && s.t[i+2].class == word {
			s.f.ones[stem(s.t[i+2].text)] = true
		}
	}
}

// persons adds up the people of a text.
func (s *scanner) persons(v float64, next int) {
	if next < len(s.t) && people[stem(s.t[next].text)] {
		s.people += v
		if s.groups++; s.groups > 1 {
			s.f.number(s.people, derived)
		}
	}
}

// stem is what a word begins with.
func stem(w string) string {
	if len(w) > 4 {
		return w[:4]
	}
	return w
}

// number reads a number with its unit.
func (s *scanner) number(i int) (next int) {
	if s.is(i, "hour", "heure", "hora") && s.is(i+1, "and", "et", "y") { // "hora y media"
		s.unit(1, i, i)
		return i
	}
	readings, next := s.written(i)
	if readings == nil {
		v, j, ok := s.spelled(i)
		if !ok {
			if v, j, ok = s.half(i); !ok {
				return i
			}
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
	for _, v := range readings {
		s.f.number(v, free)
		s.unit(v, i, next)
		s.persons(v, next)
	}
	if s.is(next, "%") || s.is(next, "percent", "prozent") || s.is(next, "pour", "por", "per") && s.is(next+1, "cent", "ciento") {
		next++
	}
	return next
}

// half reads "half", and "a quarter".
func (s *scanner) half(i int) (v float64, next int, ok bool) {
	switch {
	case s.is(i, "half", "halb", "halbe", "halben", "halber", "halbes", "demi", "demie", "media", "medio", "mitad", "moitie", "halfte"):
		return 0.5, i + 1, true
	case s.is(i, "viertelstunde"):
		s.measured(900, duration)
		return 0.25, i + 1, true
	case s.is(i, "dreiviertelstunde"):
		s.measured(2700, duration)
		return 0.75, i + 1, true
	case s.is(i, "quarter", "viertel", "quart", "cuarto"):
		return 0.25, i + 1, true
	}
	return 0, i, false
}

// multiply takes "k", "million" and "and a half" into the readings.
func (s *scanner) multiply(readings []float64, next int) int {
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

// unit takes what a number says together with the unit at next: in other units, too.
func (s *scanner) unit(v float64, i, next int) {
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

func (s *scanner) measured(v float64, m measure) {
	for _, step := range steps[m] {
		s.f.number(v/step, derived)
	}
	if m != duration || len(s.f.seconds) >= most {
		return
	}
	s.f.seconds[round(v)] = true
	s.f.lasts(v)
}
