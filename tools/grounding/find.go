package grounding

import (
	"encoding/json"
	"slices"
	"time"
)

// Find says which values of a call's required arguments nobody said: their places in the
// arguments (RFC 6901), sorted; nil where there are none. The arguments are an object, the
// schema the parameters of the tool; what cannot be read has no such values. Now is the
// time of the call; it counts for texts of an unknown time.
func (s *Said) Find(arguments string, schema json.RawMessage, now time.Time) []string {
	var found []string
	known := make(map[string]bool)
	for _, v := range required(arguments, schema) {
		key := v.key()
		said, judged := known[key]
		if !judged {
			said = s.said(v, now)
			known[key] = said
		}
		if !said {
			found = append(found, v.pointer)
		}
	}
	slices.Sort(found)
	return found
}
