package askuser

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/askgate/askgate/tools"
)

// findings collects what was repaired in a call's arguments and what is refused.
type findings struct {
	listing bool // the arguments are a list of questions
	index   int  // of the current part
	repairs []string
	faults  []*fault
	spelled map[string]string // the caller's name of a field, by its path
	placed  map[string]string // the path where a field was sent, by the path where it belongs
	sources []tools.OptionSource
}

func (r *findings) repaired(kind string) {
	if !slices.Contains(r.repairs, kind) {
		r.repairs = append(r.repairs, kind)
	}
}

// refuse adds a fault of a field. Its text is the field's path followed by format.
func (r *findings) refuse(reason, path, format string, args ...any) {
	r.faults = append(r.faults, &fault{
		reason: reason, path: path, part: r.index, params: params(args), text: "`" + path + "`" + fmt.Sprintf(format, args...),
	})
}

// refusal returns all faults as one error.
func (r *findings) refusal() *tools.Error {
	var b strings.Builder
	for i, f := range r.faults {
		if i == maxFaults {
			fmt.Fprintf(&b, "And %d more. ", len(r.faults)-i)
			break
		}
		b.WriteString(f.text)
		b.WriteByte(' ')
	}
	b.WriteString("The user has seen nothing. Correct this and call the tool again.")
	return &tools.Error{Code: tools.CodeInvalidClarification, Message: b.String(), Reason: r.faults[0].reason, Fields: r.fieldErrors()}
}

// atMost refuses s if it has more than limit characters.
func (r *findings) atMost(path, s string, limit int, hint string) bool {
	if len(s) <= limit {
		return true
	}
	if n := count(s); n > limit {
		r.refuse(ReasonTooLong, path, " has %d characters, the limit is %d: %s.", n, limit, hint)
		return false
	}
	return true
}

// fields returns an object's members by the names in docs/protocol.md. A field's own name
// takes precedence over its aliases, and the first alias over later ones. null counts as
// missing, and unknown keys are ignored.
func (r *findings) fields(o *object, known map[string]string) map[string]any {
	out := make(map[string]any, len(o.keys))
	aliases := false
	for _, key := range o.keys {
		switch {
		case o.values[key] == nil:
		case known[canonical(key)] == key:
			out[key] = o.values[key]
		default:
			aliases = true
		}
	}
	if !aliases {
		return out
	}
	called := map[string]string{}
	for _, key := range o.keys {
		field, ok := known[canonical(key)]
		if _, taken := out[field]; ok && !taken && o.values[key] != nil {
			out[field], called[field] = o.values[key], key
			r.repaired(RepairKeyName)
		}
	}
	if len(called) > 0 {
		out[spelling] = called
	}
	return out
}

// unnest parses a text that contains a JSON array or object, or a Python list, tuple or
// dict. It returns all other values unchanged.
func (r *findings) unnest(v any) any {
	for range maxNested {
		s, ok := v.(string)
		if !ok {
			break
		}
		s = strings.TrimSpace(s)
		if s == "" || !strings.ContainsRune("[{(\"", rune(s[0])) {
			break
		}
		inner, err := parse(s)
		if err != nil {
			if s[0] == '"' {
				break
			}
			if inner, ok = python(s); !ok {
				break
			}
		}
		r.repaired(RepairNestedJSON)
		v = inner
	}
	return v
}

// trim removes white space at both ends.
func (r *findings) trim(s string) string {
	t := strings.TrimSpace(s)
	if t != "" && len(t) < len(s) {
		r.repaired(RepairWhiteSpace)
	}
	return t
}

// shown returns a text that is safe to show to a person.
func (r *findings) shown(s string) string {
	c := tools.Clean(s)
	if len(c) < len(s) {
		r.repaired(RepairCharacters)
	}
	return r.trim(c)
}

// cosmetic reads a text that helps the user but decides nothing. It is cut if it is too
// long, and left out if it is blank.
func (r *findings) cosmetic(path string, v any, limit int) string {
	var s string
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		s = r.shown(v)
	case json.Number, bool:
		s = scalar(v)
		r.repaired(RepairText)
	default:
		r.refuse(ReasonWrongKind, path, " must be a text: send a JSON string or leave it out.")
		return ""
	}
	if tools.Blank(s) {
		return ""
	}
	if short := cut(s, limit); len(short) < len(s) {
		r.repaired(RepairCut)
		return strings.TrimSpace(short)
	}
	return s
}

// boolean reads true and false.
func (r *findings) boolean(path string, v any) bool {
	switch v := v.(type) {
	case nil:
		return false
	case bool:
		return v
	case string, json.Number:
		switch strings.ToLower(strings.TrimSpace(scalar(v))) {
		case "true", "yes", "1":
			r.repaired(RepairBoolean)
			return true
		case "false", "no", "0", "":
			r.repaired(RepairBoolean)
			return false
		}
	}
	r.refuse(ReasonWrongKind, path, " must be true or false.")
	return false
}

// finite reads a bound: a number, or a number in a text.
func (r *findings) finite(path string, v any) (float64, bool) {
	var literal string
	switch v := v.(type) {
	case nil:
		return 0, false
	case json.Number:
		literal = v.String()
	case string:
		literal = strings.TrimSpace(v)
		if literal == "" {
			return 0, false
		}
	}
	n, err := strconv.ParseFloat(literal, 64)
	switch {
	case errors.Is(err, strconv.ErrRange) || err == nil && (math.IsInf(n, 0) || math.IsNaN(n)):
		r.refuse(ReasonBadRange, path, " is not finite: send a finite number or leave it out.")
		return 0, false
	case err != nil:
		r.refuse(ReasonBadRange, path, " must be a number: send a JSON number or leave it out.")
		return 0, false
	}
	return n, true
}

// spelling is the entry of an object's fields that has the caller's own names, of the fields
// that it sent under an alias. No field has this name.
const spelling = ""

// spell records the caller's names of the fields at a path, which is empty or ends in a dot.
func (r *findings) spell(path string, f map[string]any) {
	called, _ := f[spelling].(map[string]string)
	for field, key := range called {
		if r.spelled == nil {
			r.spelled = map[string]string{}
		}
		r.spelled[path+field] = key
	}
}

// place records that a field which belongs at a path was sent at another one.
func (r *findings) place(path, at string) {
	if r.placed == nil {
		r.placed = map[string]string{}
	}
	r.placed[path] = at
}

// fieldErrors returns the faults for programs: the path of each field is relative to its
// question and spelled as the caller sent it.
func (r *findings) fieldErrors() []tools.FieldError {
	list := make([]tools.FieldError, len(r.faults))
	for i, f := range r.faults {
		list[i] = tools.FieldError{Question: f.part, Field: r.asSpelled(f.path, f.part), Code: f.reason, Params: f.params}
	}
	return list
}

func (r *findings) asSpelled(path string, part int) string {
	if at, ok := r.placed[path]; ok {
		path = at
	}
	names := strings.Split(path, ".")
	at := ""
	for i, name := range names {
		field, index, indexed := strings.Cut(name, "[")
		if key, ok := r.spelled[at+field]; ok {
			names[i] = key
			if indexed {
				names[i] += "[" + index
			}
		}
		at += name + "."
	}
	if within := fmt.Sprintf("questions[%d].", part); strings.HasPrefix(path, within) {
		names = names[1:]
	}
	return tools.Shorten(strings.Join(names, "."), maxFieldPath)
}

// maxFieldPath is the limit of the path of a fault, in characters: callers choose the names of values.
const maxFieldPath = 200
