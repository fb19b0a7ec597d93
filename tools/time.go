package tools

import "time"

// Time is a time whose JSON is RFC 3339 in UTC with milliseconds.
type Time time.Time

// MarshalJSON writes 2026-02-06T10:30:00.000Z.
func (t Time) MarshalJSON() ([]byte, error) {
	return []byte(time.Time(t).UTC().Format(`"2006-01-02T15:04:05.000Z"`)), nil
}

// UnmarshalJSON reads the form that MarshalJSON writes.
func (t *Time) UnmarshalJSON(b []byte) error { return (*time.Time)(t).UnmarshalJSON(b) }
