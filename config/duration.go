package config

import (
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"github.com/askgate/askgate/tools"
)

const day = 24 * time.Hour

// Duration is a length of time in the notation of the files: that of Go ("30s",
// "1h30m"), optionally preceded by whole days ("90d", "1d12h"), because questions
// wait for people. A day is 24 hours.
type Duration time.Duration

// Std returns d as a time.Duration.
func (d Duration) Std() time.Duration { return time.Duration(d) }

// ParseDuration parses the notation of Duration, as tools.ParseDuration does.
func ParseDuration(text string) (Duration, error) {
	d, err := tools.ParseDuration(text)
	return Duration(d), err
}

// String returns the shortest notation that ParseDuration parses back to d.
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

// MarshalJSON returns the notation as a string, "" for 0.
func (d Duration) MarshalJSON() ([]byte, error) {
	if d == 0 {
		return []byte(`""`), nil
	}
	return json.Marshal(d.String())
}

// UnmarshalJSON parses the notation; "" is 0.
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
