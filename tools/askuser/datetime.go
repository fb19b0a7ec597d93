package askuser

import (
	"strings"
	"time"

	"github.com/askgate/askgate/tools"
)

// The faults of dates and times.
const (
	FaultTypeDatetime = "type_datetime" // not an RFC 3339 time with an offset
	FaultDatetimeMin  = "datetime_min"  // Min
	FaultDatetimeMax  = "datetime_max"  // Max
)

// moment is a way to write a point in time, with which answers and their bounds are read and
// compared.
type moment struct {
	read     func(s string) (normal string, ok bool)
	after    func(a, b string) bool
	min, max string // codes of the faults
	form     string // for messages: what a bound must be
}

var (
	calendarDate = moment{
		read:  func(s string) (string, bool) { return s, isDate(s) },
		after: func(a, b string) bool { return a > b },
		min:   FaultDateMin, max: FaultDateMax,
		form: `a calendar date as a text, such as "2026-12-31"`,
	}
	instant = moment{
		read: readInstant,
		after: func(a, b string) bool {
			at, _ := time.Parse(time.RFC3339Nano, a)
			from, _ := time.Parse(time.RFC3339Nano, b)
			return at.After(from)
		},
		min: FaultDatetimeMin, max: FaultDatetimeMax,
		form: `an RFC 3339 time with an offset, such as "2026-12-31T14:00:00+01:00"`,
	}
)

// timeForm is a date-time of RFC 3339. time.Parse alone also takes a comma before the fraction,
// an hour of one digit and offsets of a day or more. A leap second has no instant of its own in
// Go or JavaScript, so that :60 is refused, and a fraction has at most nanoseconds.
var timeForm = tools.Late(`^\d{4}-\d\d-\d\d[Tt](?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?(?:[Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d)$`)

// readInstant returns s with T and Z as capital letters. All else stays: the offset says where
// the person is.
func readInstant(s string) (normal string, ok bool) {
	if !timeForm().MatchString(s) {
		return s, false
	}
	s = strings.ToUpper(s)
	_, err := time.Parse(time.RFC3339Nano, s)
	return s, err == nil
}

// timeRange reads min and max of a date or time.
func (r *ruleReader) timeRange(use func(string) (string, any), to *tools.Validation, m moment) {
	for _, field := range []string{"min", "max"} {
		where, v := use(field)
		s, isText := v.(string)
		if isText {
			s = r.trim(s)
		}
		normal, ok := m.read(s)
		switch {
		case v == nil || isText && s == "":
		case !isText || !ok:
			r.refuse(ReasonBadRange, where, " must be %s.", m.form)
		case field == "min":
			to.Min = &tools.Bound{Date: normal}
		default:
			to.Max = &tools.Bound{Date: normal}
			if to.Min != nil && m.after(to.Min.Date, normal) {
				path := strings.TrimSuffix(where, ".max")
				r.refuse(ReasonBadRange, path+".min", " is %s and `%s.max` is %s: min must not be after max.", to.Min.Date, path, normal)
			}
		}
	}
}

func (c *checker) times(v *tools.Validation, s string, m moment) {
	switch {
	case v == nil:
	case v.Min != nil && m.after(v.Min.Date, s):
		c.rule(fieldValue, m.min, map[string]any{"Min": v.Min.Date})
	case v.Max != nil && m.after(s, v.Max.Date):
		c.rule(fieldValue, m.max, map[string]any{"Max": v.Max.Date})
	}
}

// spokenTime is a time as people type it: without seconds, with a space in place of the T. The
// offset must be there: where the writer is, is not known.
var spokenTime = tools.Late(`^(\S+)[Tt ]+(\d\d?:\d\d)(:\d\d(?:\.\d{1,9})?)? ?([Zz]|UTC|GMT|[+-]\d\d:?\d\d)$`)

// datetime reads an RFC 3339 time, or a date as readDate reads it with a time and an offset.
func (m message) datetime(tools.Part) []tools.Answer {
	s := bare(m.trimmed)
	if parts := spokenTime().FindStringSubmatch(s); parts != nil {
		if day, ok := readDate(parts[1], m.language); ok {
			clock, seconds, offset := parts[2], parts[3], parts[4]
			if len(clock) == len("9:00") {
				clock = "0" + clock
			}
			if seconds == "" {
				seconds = ":00"
			}
			switch {
			case len(offset) == len("+0100"):
				offset = offset[:3] + ":" + offset[3:]
			case len(offset) == len("UTC"):
				offset = "Z"
			}
			s = day + "T" + clock + seconds + offset
		}
	}
	s, ok := readInstant(s)
	return one(quote(s), ok)
}
