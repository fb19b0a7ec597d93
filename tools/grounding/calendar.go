package grounding

import "time"

const fullWeek = 7

// dated reports whether a day was named, given the days that today may be.
func (f *facts) dated(on int32, now int32) bool {
	if f.names(on, now) {
		return true
	}
	for _, n := range f.shifts {
		if f.names(on-n, now) {
			return true
		}
	}
	// The end of a stay that begins on a named day.
	for _, n := range f.stays {
		if f.names(on-n, now) || f.names(on+n, now) {
			return true
		}
	}
	return false
}

func (f *facts) names(on, now int32) bool {
	if f.days[on] {
		return true
	}
	y, m, d := dateOf(on)
	days, inside := false, false
	weekdays, weeks := false, false
	for said := range f.mentions {
		base := said.base
		if base == 0 {
			base = now
		}
		switch said.about {
		case ofMonth:
			if int(said.a) == d {
				if soon(on, base, d) {
					return true
				}
				days = true
			}
		case onWeekday:
			if int32(weekday(on)) == said.a {
				if said.weekday(on, base) {
					return true
				}
				weekdays = true
			}
		case inMonth:
			if int(said.a) == int(m) && (said.b != 0 && int(said.b) == y || said.b == 0 && closest(on, base)) {
				inside = true
				if d == 1 || lastOf(y, m) == d {
					return true
				}
			}
		case monthOf:
			first := firstOf(base, int(said.a))
			if fy, fm, _ := dateOf(first); fy == y && fm == m {
				inside = true
				if d == 1 || lastOf(y, m) == d {
					return true
				}
			}
		case weekOf:
			monday := monday(base) + fullWeek*said.a
			if on >= monday && on < monday+fullWeek {
				weeks = true
				if w := weekday(on); w == time.Monday || w == time.Sunday || w == time.Friday {
					return true
				}
			}
		default:
			if said.matches(on, base, y, m, d) {
				return true
			}
		}
	}
	return days && inside || weekdays && weeks
}

// matches handles mentions of one day or a few.
func (said mention) matches(on, base int32, y int, m time.Month, d int) bool {
	switch said.about {
	case yearly:
		return int(said.a) == int(m) && int(said.b) == d && closest(on, base)
	case inDays:
		return on == base+said.a
	case inMonths:
		by, bm, bd := dateOf(base)
		return on == civil(by, bm+time.Month(said.a), bd)
	case inYear:
		return y == int(said.a) && (m == 1 && d == 1 || m == 12 && d == 31)
	case yearOf:
		by, _, _ := dateOf(base)
		return y == by+int(said.a) && (m == 1 && d == 1 || m == 12 && d == 31)
	case weekendOf:
		saturday := monday(base) + 5 + fullWeek*said.a
		return on >= saturday-1 && on <= saturday+1 || said.a == 1 && on >= saturday-1-fullWeek && on <= saturday+1-fullWeek
	}
	return false
}

// weekday reports whether a day is the one that its weekday means.
func (said mention) weekday(on, base int32) bool {
	switch {
	case base == 0:
		return true
	case said.b == 1:
		return on > base && on <= base+2*fullWeek
	case said.b == -1:
		return on < base && on >= base-2*fullWeek
	}
	return on >= base-fullWeek && on <= base+fullWeek
}

func monday(of int32) int32 { return of - (int32(weekday(of))+6)%fullWeek }

func firstOf(base int32, months int) int32 {
	y, m, _ := dateOf(base)
	return civil(y, m+time.Month(months), 1)
}

func lastOf(y int, m time.Month) int {
	_, _, d := dateOf(civil(y, m+1, 0))
	return d
}

// closest reports whether a day of the year is the next one, or the one before.
func closest(on, base int32) bool { return base == 0 || on > base-366 && on < base+366 }

// soon reports whether a day of a month is one of the next two with its number, or the last one.
func soon(on, base int32, d int) bool {
	if base == 0 {
		return true
	}
	y, m, bd := dateOf(base)
	oy, om, _ := dateOf(on)
	months := (oy-y)*12 + int(om) - int(m)
	if d >= bd {
		return months >= -1 && months <= 1
	}
	return months >= 0 && months <= 2
}
