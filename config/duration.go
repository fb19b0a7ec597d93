package config

import (
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"github.com/askgate/askgate/tools"
)

const day = 24 * time.Hour

// Duration is a length of time as the files write it: Go's notation ("30s",
// "1h30m") and, because questions wait for people, whole days in front
// ("90d", "1d12h"; a day is 24 hours).
type Duration time.Duration

// Std is d as the standard library's type.
func (d Duration) Std() time.Duration { return time.Duration(d) }

// ParseDuration reads the notation of Duration, by the rule of tools.ParseDuration.
func ParseDuration(text string) (Duration, error) {
	d, err := tools.ParseDuration(text)
	return Duration(d), err
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
