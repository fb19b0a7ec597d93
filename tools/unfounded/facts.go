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
	counts   map[counted]bool // how many of what
	open     sums             // of the text that is read
	recent   []sums           // of the texts before it
	shifts   []int32          // days beside those that were named: "the day after"
	day      int32            // that was named last, as it is meant most likely; 0: none
	feast    int32            // likewise, of a day with a name
	last     int32            // likewise, the second of two days
	bare     []int32          // numbers behind which no word stands: "two." to "how many nights?"
}

func newFacts() *facts {
	return &facts{numbers: map[float64]role{}, seconds: map[float64]bool{}, days: map[int32]bool{}, mentions: map[mention]bool{}, counts: map[counted]bool{}}
}

func (f *facts) clear() {
	clear(f.numbers)
	clear(f.seconds)
	clear(f.days)
	clear(f.mentions)
	f.stays, f.spans, f.instants = nil, nil, nil
	clear(f.counts)
	f.open, f.recent, f.bare = sums{}, nil, nil
	f.shifts, f.day, f.feast, f.last = nil, 0, 0, 0
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
	if len(f.open.times) < mostReckoned {
		f.open.times = append(f.open.times, hour*60+minute)
	}
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

// shift notes a number of days beside a day that was named.
func (f *facts) shift(days int32) {
	if len(f.shifts) < maxStays && !slices.Contains(f.shifts, days) {
		f.shifts = append(f.shifts, days)
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
	cursor                          int     // the token that is looked at
	lastDay                         mention // and where it stands
	lastDayAt                       int
	lastClock                       int // minutes
	lastClockEnd                    int // 0: none
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

func (s *scanner) run() {
	s.parties()
	s.multiples()
	for i := 0; i < len(s.t); {
		if t := s.t[i]; t.class == mark || t.class == word && !opens()[t.text] && !compound(t.text) {
			i++
			continue
		}
		s.cursor = i
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

// number reads a number with its unit.
func (s *scanner) number(i int) (next int) {
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

// collectives are nouns that are numbers: what they count stands behind "of".
var collectives = wordSet("couple pair par paire dozen dutzend docena decena quincena veintena dizaine douzaine quinzaine vingtaine trentaine quarantaine cinquantaine centaine")

// cents reads what follows the currency: "12 Euro 50", "zwölf Euro fünfzig".
func (s *scanner) cents(v float64, next int) {
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
func (s *scanner) half(i int) (v float64, next int, ok bool) {
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

// halfOf reads what half is said of: "half a dozen", "une demi-douzaine", "half a million".
func (s *scanner) halfOf(v float64, j int) (float64, int) {
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

// fraction reads what follows a number in words: "drei Komma fünf", and as prices are
// said, "ninety-nine ninety-nine".
func (s *scanner) fraction(v float64, j int) (float64, int) {
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
	s.minutes(v, next)
	if u.measure == bytes1000 {
		s.f.number(v*1024, derived) // in the next smaller unit, as memory is counted
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
func (s *scanner) minutes(v float64, next int) {
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
