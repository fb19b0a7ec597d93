package tools

import (
	"errors"
	"math"
	"strconv"
	"strings"
	"time"
)

const day = 24 * time.Hour

var errDuration = errors.New("not a duration")

// ParseDuration parses a duration as admins and models write it: "30s", "1h30m", "90d",
// "1d12h". It must not be negative. "0s" is allowed, "" is not.
func ParseDuration(text string) (time.Duration, error) {
	days, rest, ok := strings.Cut(text, "d")
	if !ok {
		rest, days = text, "0"
	}
	n, err := strconv.ParseUint(days, 10, 32)
	if err != nil || n > math.MaxInt64/uint64(day) {
		return 0, errDuration
	}
	total := time.Duration(n) * day
	if rest != "" || !ok {
		d, err := time.ParseDuration(rest)
		if err != nil || d < 0 || strings.HasPrefix(rest, "+") || strings.HasPrefix(rest, "-") || total+d < total {
			return 0, errDuration
		}
		total += d
	}
	return total, nil
}
