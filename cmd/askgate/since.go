package main

import (
	"strings"
	"time"

	"github.com/askgate/askgate/gateway/report"
)

// instants lists for a help text the ways to write a point in time.
const instants = "2026-02-06 (its beginning, in UTC), 2026-02-06T10:30:00+01:00, yesterday, today, or how long ago, like 36h or 30d"

// instant is the value of a flag for a point in time.
type instant time.Time

// String implements pflag.Value.
func (i *instant) String() string {
	if time.Time(*i).IsZero() {
		return ""
	}
	return time.Time(*i).Format(time.RFC3339)
}

// Type implements pflag.Value.
func (*instant) Type() string { return "time" }

// Set implements pflag.Value.
func (i *instant) Set(s string) error {
	t, err := report.ParseSince(strings.TrimSpace(s), time.Now())
	if err == nil {
		*i = instant(t)
	}
	return err
}
