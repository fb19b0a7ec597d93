package askuser

import (
	"strings"
	"time"

	"github.com/askgate/askgate/tools"
)

// Limits of how long a question waits. An app's setting has the same maximum.
const (
	shortestExpiry = time.Second
	longestExpiry  = 3650 * 24 * time.Hour
)

// expiry reads how long the question waits. Questions that are shown together all wait for
// the shortest of their times.
func (r *reader) expiry(path string, v any) {
	if s, isText := v.(string); v == nil || isText && tools.Blank(s) {
		return
	}
	text, _ := v.(string)
	d, err := tools.ParseDuration(strings.ToLower(strings.ReplaceAll(text, " ", "")))
	if err != nil || d < shortestExpiry {
		r.refuse(ReasonBadExpiry, path+fieldExpiry, " is not a duration: write a text such as \"30m\", \"12h\" or \"7d\", at least \"1s\", or leave it out.")
		return
	}
	if d = min(d, longestExpiry); r.expires == 0 || d < r.expires {
		r.expires = d
	}
}
