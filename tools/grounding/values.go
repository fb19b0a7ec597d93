package grounding

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

const (
	maxDepth  = 16  // of arguments
	maxValues = 128 // values of a call that are judged
	maxHops   = 8   // references within a schema
)

// value is a value to judge.
type value struct {
	pointer string
	name    string // of the property
	of      any    // string or json.Number
	labels  []string
	enum    bool
	format  string
}

// walk collects the values of a call's required arguments.
type walk struct {
	root   any
	values []value
}

// required returns the values to judge. It returns none if the arguments or the schema cannot
// be read.
func required(arguments string, schema json.RawMessage) []value {
	var given map[string]any
	d := json.NewDecoder(strings.NewReader(arguments))
	d.UseNumber()
	if d.Decode(&given) != nil {
		return nil
	}
	var w walk
	d = json.NewDecoder(bytes.NewReader(schema))
	d.UseNumber()
	if d.Decode(&w.root) != nil {
		return nil
	}
	w.visit("", "", given, w.root, 0)
	return w.values
}

func (w *walk) visit(pointer, name string, given, schema any, depth int) {
	if depth > maxDepth || len(w.values) >= maxValues {
		return
	}
	rules := w.rules(schema)
	if settled(given, rules) {
		return
	}
	switch given := given.(type) {
	case map[string]any:
		w.object(pointer, given, rules, depth)
	case []any:
		items, prefix := any(nil), []any(nil)
		for _, r := range rules {
			if r["items"] != nil {
				items = r["items"]
			}
			if p, ok := r["prefixItems"].([]any); ok {
				prefix = p
			}
		}
		for i, item := range given {
			of := items
			if i < len(prefix) {
				of = prefix[i]
			}
			w.visit(pointer+"/"+strconv.Itoa(i), name, item, of, depth+1)
		}
	case string, json.Number:
		if text, ok := given.(string); ok && strings.TrimSpace(text) == "" {
			return
		}
		v := value{pointer: pointer, name: name, of: given}
		v.options(rules)
		w.values = append(w.values, v)
	}
}

func (w *walk) object(pointer string, given map[string]any, rules []map[string]any, depth int) {
	var names []string
	of := make(map[string]any)
	for _, r := range rules {
		list, _ := r["required"].([]any)
		for _, name := range list {
			if name, ok := name.(string); ok && !slices.Contains(names, name) && len(names) < maxValues {
				names = append(names, name)
			}
		}
		properties, _ := r["properties"].(map[string]any)
		for _, name := range names {
			if s := properties[name]; s != nil {
				of[name] = s
			}
		}
	}
	for _, r := range rules { // a name may be required by a later rule than the one with its property
		properties, _ := r["properties"].(map[string]any)
		for _, name := range names {
			if s := properties[name]; s != nil && of[name] == nil {
				of[name] = s
			}
		}
	}
	for _, name := range names {
		if child, there := given[name]; there {
			w.visit(pointer+"/"+escape(name), name, child, of[name], depth+1)
		}
	}
}

// escape returns s as an RFC 6901 reference token.
func escape(name string) string {
	return strings.ReplaceAll(strings.ReplaceAll(name, "~", "~0"), "/", "~1")
}

// rules returns the schema objects that apply at one place: the schema itself, its
// references, those in allOf, and the only one in anyOf or oneOf apart from null.
func (w *walk) rules(schema any) []map[string]any {
	var all []map[string]any
	left := maxHops
	var add func(schema any)
	add = func(schema any) {
		s, ok := schema.(map[string]any)
		if !ok || left == 0 {
			return
		}
		left--
		all = append(all, s)
		if ref, ok := s["$ref"].(string); ok {
			add(w.resolve(ref))
		}
		if of, ok := s["allOf"].([]any); ok {
			for _, part := range of {
				add(part)
			}
		}
		for _, key := range []string{"anyOf", "oneOf"} {
			of, _ := s[key].([]any)
			var one []any
			for _, part := range of {
				if p, ok := part.(map[string]any); ok && p["type"] != "null" {
					one = append(one, part)
				}
			}
			if len(one) == 1 {
				add(one[0])
			}
		}
	}
	add(schema)
	return all
}

// resolve follows a reference within the schema; nil if it has no target.
func (w *walk) resolve(ref string) any {
	rest, ok := strings.CutPrefix(ref, "#")
	if !ok {
		return nil
	}
	at := w.root
	for _, part := range strings.Split(rest, "/")[min(1, strings.Count(rest, "/")):] {
		if part == "" {
			continue
		}
		in, ok := at.(map[string]any)
		if !ok {
			return nil
		}
		at = in[strings.ReplaceAll(strings.ReplaceAll(part, "~1", "/"), "~0", "~")]
	}
	return at
}

// settled reports whether the schema itself determines the value.
func settled(given any, rules []map[string]any) bool {
	for _, r := range rules {
		if fixed, ok := r["const"]; ok && same(fixed, given) {
			return true
		}
		if standard, ok := r["default"]; ok && same(standard, given) {
			return true
		}
		if enum, ok := r["enum"].([]any); ok && len(enum) == 1 {
			return true
		}
	}
	return false
}

func same(a, b any) bool {
	x, isNumber := a.(json.Number)
	y, alsoNumber := b.(json.Number)
	if isNumber && alsoNumber {
		m, err := x.Float64()
		n, err2 := y.Float64()
		return err == nil && err2 == nil && m == n
	}
	return reflect.DeepEqual(a, b)
}

// options reads the rules for a value: whether it is one of a few options, the titles of
// these, and its format.
func (v *value) options(rules []map[string]any) {
	for _, r := range rules {
		if format, ok := r["format"].(string); ok {
			v.format = format
		}
		if enum, ok := r["enum"].([]any); ok {
			v.enum = true
			for _, key := range []string{"x-enumNames", "enumNames", "x-enum-varnames", "x-enum-names"} {
				names, _ := r[key].([]any)
				for i, of := range enum {
					if i < len(names) && same(of, v.of) {
						v.label(names[i])
					}
				}
			}
		}
		for _, key := range []string{"oneOf", "anyOf"} {
			of, _ := r[key].([]any)
			for _, option := range of {
				if o, ok := option.(map[string]any); ok && o["const"] != nil {
					v.enum = true
					if same(o["const"], v.of) {
						v.label(o["title"])
					}
				}
			}
		}
	}
}

func (v *value) label(of any) {
	if label, ok := of.(string); ok && label != "" {
		v.labels = append(v.labels, label)
	}
}
