package grounding

import (
	"math"
	"slices"
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

const (
	around       = 2  // texts in front of one and behind it, which it is reckoned with
	mostReckoned = 16 // numbers, times or steps of a text that are reckoned with: the first
)

// figure is a number as it stands in a text.
type figure struct {
	v          float64
	from, next int // tokens; -1: of an earlier part of the text
}

// step is by how much something is more, or less.
type step struct {
	by      float64
	of      int  // its number, of the text's
	minutes bool // of a time of day
}

// sums is what a text has to be reckoned with.
type sums struct {
	figures []figure
	times   []int // minutes of the day
	steps   []step
	factors []float64
}

// counted is a number of things that was said without a number that counts for all: by an
// article ("a room"), by who they are ("my wife and me"), by two days ("from the 3rd to the
// 7th"). It counts only for a property that is named after the things, or after none.
type counted struct {
	of string // the kind of the things
	n  float64
}

const (
	few     = -1 // "ein paar": two or more
	mostFew = 9  // of these
)

// count notes a number of things that a noun names.
func (f *facts) count(of string, n float64) {
	if len(f.counts) < most {
		f.counts[counted{of, n}] = true
		f.counts[counted{"", n}] = true
	}
}
