package askuser

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/askgate/askgate/tools"
)

// key reads the key of a question. If the model sent an invalid one, the question is asked
// without a key.
func (r *reader) key(path string, v any) string {
	s, isText := v.(string)
	if s = r.trim(s); v == nil || isText && s == "" {
		return ""
	}
	if tools.IsKey(s) {
		return s
	}
	if r.admins {
		r.refuse(ReasonWrongKind, path+fieldKey, " is %s: a key has 1 to %d of the characters A-Z, a-z, 0-9, _, . and -.", quoted(scalar(v)), tools.MaxKey)
	}
	r.repaired(RepairKey)
	return ""
}

// What the model is told of keys: names of this many, and this many code points together.
const (
	maxKnownKeys = 50
	maxKnownText = 2000
)

// knownKeys tells the model the admin's keys, on one line. The text depends on the language alone:
// a provider caches what it has read, as long as it stays the same.
func (t *Tool) knownKeys(language string) string {
	var known []string
	size := 0
	for _, k := range t.limits.Keys[:min(len(t.limits.Keys), maxKnownKeys)] {
		one := inJSON(k.Name)
		if k.Description != nil {
			if about := strings.Join(strings.Fields(tools.Clean(k.Description(language))), " "); about != "" {
				one += ": " + inJSON(about)
			}
		}
		if size += utf8.RuneCountInString(one); size > maxKnownText {
			break
		}
		known = append(known, one)
	}
	if len(known) == 0 {
		return ""
	}
	more := ""
	if left := len(t.limits.Keys) - len(known); left > 0 {
		more = fmt.Sprintf(", and %d more that are not listed", left)
	}
	return " Names in use: " + strings.Join(known, ", ") + more + ". Use one of them if it fits, or else a name of your own."
}

// inJSON returns a text as a JSON string.
func inJSON(s string) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(s) // a text and a Builder cannot fail
	return strings.TrimSuffix(b.String(), "\n")
}

// templateKey returns the key of a question from a template: the admin's, or else the model's.
func (r *reader) templateKey(path string, t Template, f map[string]any, admins string) string {
	if admins != "" || slices.Contains(t.Values, fieldKey) { // there it is a value
		return admins
	}
	return r.key(path, f[fieldKey])
}

// askAgain reads whether the call asks again.
func (r *reader) askAgain(path string, v any) {
	if r.boolean(path+fieldAgain, v) {
		r.again = true
	}
}
