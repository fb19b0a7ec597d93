package grounding

import (
	"encoding/json"
	"slices"
	"time"
)

// Find returns the values of a call's required arguments that were not said, as sorted RFC
// 6901 pointers into the arguments; nil if there are none. arguments is a JSON object, schema
// the parameters of the tool. If either cannot be read, Find returns nil. now is the time of
// the call; it is also used for texts of an unknown time.
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
