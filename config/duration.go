package config

import (
	"encoding/json"
	"errors"
	"math"
	"strconv"
	"strings"
	"time"
)

const day = 24 * time.Hour

var errDuration = errors.New("no length of time")

// ParseDuration reads the notation of Duration: "30s", "1h30m", "90d", "1d12h".
// Not negative; "0s" is allowed, "" is not.
func ParseDuration(text string) (Duration, error) {
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
	return Duration(total), nil
}

// String is the shortest notation that ParseDuration reads back.
func (d Duration) String() string {
	rest := time.Duration(d)
	if rest < 0 {
		return rest.String()
	}
	text := ""
	if n := rest / day; n > 0 {
		text, rest = strconv.FormatInt(int64(n), 10)+"d", rest%day
		if rest == 0 {
			return text
		}
	}
	part := rest.String()
	if strings.HasSuffix(part, "m0s") {
		part = strings.TrimSuffix(part, "0s")
	}
	if strings.HasSuffix(part, "h0m") {
		part = strings.TrimSuffix(part, "0m")
	}
	return text + part
}

// MarshalJSON writes the notation, "" for 0.
func (d Duration) MarshalJSON() ([]byte, error) {
	if d == 0 {
		return []byte(`""`), nil
	}
	return json.Marshal(d.String())
}

// UnmarshalJSON reads the notation; "" is 0.
func (d *Duration) UnmarshalJSON(data []byte) error {
	var text string
	if err := json.Unmarshal(data, &text); err != nil {
		return err
	}
	if text == "" {
		*d = 0
		return nil
	}
	parsed, err := ParseDuration(text)
	*d = parsed
	return err
}
