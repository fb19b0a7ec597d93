package grounding

import (
	"math"
	"slices"
	"time"
)

// role is the way in which a number was said.
type role uint8

const (
	free    role = 1 << iota // as a number
	buried                   // within a date or a time of day
	derived                  // in another unit
)

const (
	most       = 100_000 // different numbers, days or words that are kept
	maxSayings = 4096    // different mentions of days, apart from exact dates
	maxStays   = 8       // different durations in days, which are added to dates
)

// facts are the numbers, dates and times that texts name.
type facts struct {
	numbers  map[float64]role
	seconds  map[float64]bool // durations
	times    [24 * 60]bool
	days     map[int32]bool   // dates
	mentions map[mention]bool // other mentions of days
	stays    []int32          // durations in days
	spans    []int32          // durations below a day, in minutes
	instants []time.Time      // "in 20 minutes"
	counts   map[counted]bool // how many of what
	open     sums             // of the current text
	recent   []sums           // of the texts before
	shifts   []int32          // days relative to a named one: "the day after"
	day      int32            // the day named last, in its most likely meaning; 0: none
	feast    int32            // likewise, the last feast
	last     int32            // likewise, the second of two days
	bare     []int32          // numbers without a word after them: "two." as the answer to "how many nights?"
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

// round removes rounding errors.
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

// shift records a number of days relative to a named day.
func (f *facts) shift(days int32) {
	if len(f.shifts) < maxStays && !slices.Contains(f.shifts, days) {
		f.shifts = append(f.shifts, days)
	}
}

// lasts records a duration in seconds.
func (f *facts) lasts(v float64) {
	into, n := &f.stays, v/day
	if v < day {
		into, n = &f.spans, v/60
	}
	if n == math.Trunc(n) && n >= 1 && n <= 24*60 && len(*into) < maxStays && !slices.Contains(*into, int32(n)) {
		*into = append(*into, int32(n))
	}
}

// dayOf returns the day of a time, in its own time zone.
func dayOf(t time.Time) int32 { return civil(t.Date()) }

// civil returns a date as days since 1970. Impossible dates overflow, as in time.Date.
func civil(y int, m time.Month, d int) int32 {
	return int32(time.Date(y, m, d, 0, 0, 0, 0, time.UTC).Unix() / day) // #nosec G115 -- years have at most four figures
}

func dateOf(days int32) (int, time.Month, int) {
	return time.Unix(int64(days)*day, 0).UTC().Date()
}

func weekday(days int32) time.Weekday { return time.Unix(int64(days)*day, 0).UTC().Weekday() }

const (
	around       = 2  // number of texts before and after one that arithmetic combines it with
	mostReckoned = 16 // numbers, times or steps of a text used for arithmetic: the first ones
)

// figure is a number at its position in a text.
type figure struct {
	v          float64
	from, next int // tokens; -1: of an earlier part of the text
}

// step is an amount by which something is more or less.
type step struct {
	by      float64
	of      int  // index of its number in the text
	minutes bool // of a time of day
}

// sums has the numbers, times and steps of a text that are used for arithmetic.
type sums struct {
	figures []figure
	times   []int // minutes of the day
	steps   []step
	factors []float64
}

// counted is a count of things that was said without a number: by an article ("a room"), by
// naming people ("my wife and me"), by two days ("from the 3rd to the 7th"). It counts only
// for a property that is named after the same things, or after none.
type counted struct {
	of string // the kind of the things
	n  float64
}

const (
	few     = -1 // "ein paar": two or more
	mostFew = 9  // at most this many
)

// count records a count of the things that a noun names.
func (f *facts) count(of string, n float64) {
	if len(f.counts) < most {
		f.counts[counted{of, n}] = true
		f.counts[counted{"", n}] = true
	}
}
