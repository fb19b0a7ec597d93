package toolschema

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/askgate/askgate/tools"
)

// maxName is the most code points of a name in an error.
const maxName = 100

// maxProduct is how many branches the combination of two unions may have.
const maxProduct = 64

// flat returns a schema without $ref, allOf and oneOf: their schemas are merged into it. It returns nil
// if no value is valid. leave must be called when the schemas within it have been written; until then,
// its $refs count as entered.
func (w *writer) flat(v any, at string) (_ *object, leave func(), err error) {
	var inside []*object
	leave = func() {
		for _, target := range inside {
			w.entered[target]--
		}
		inside = nil
	}
	defer func() {
		if err != nil {
			leave()
		}
	}()
	f := &object{}
	fits, err := w.into(f, v, at, &inside, 0)
	if err != nil || !fits {
		return nil, leave, err
	}
	return f, leave, nil
}

// into merges a schema into f. It returns false if no value is valid for both.
func (w *writer) into(f *object, v any, at string, inside *[]*object, depth int) (bool, error) {
	if w.nodes++; w.nodes > maxNodes {
		return false, &limitError{fmt.Sprintf("with their $refs written out they have more than %d schemas; use fewer", maxNodes)}
	}
	if depth > maxDepth {
		return false, &limitError{at + " is merged from too many schemas; nest allOf and $ref less"}
	}
	if r, is := v.(raw); is && (r.Kind() == 't' || r.Kind() == 'f') {
		return r.Kind() == 't', nil
	}
	s, is := v.(*object)
	if !is {
		return false, fmt.Errorf("%s is not a schema; write an object", at)
	}
	fits, err := w.merge(f, s, at)
	if err != nil || !fits {
		return false, err
	}
	for _, branch := range s.list("allOf") {
		if fits, err := w.into(f, branch, at+".allOf", inside, depth+1); err != nil || !fits {
			return false, err
		}
	}
	ref, err := reference(s, at)
	if ref == "" || err != nil {
		return err == nil, err
	}
	target, err := w.resolve(ref, at)
	if err != nil {
		return false, err
	}
	if o, is := target.(*object); is {
		if w.entered[o] >= w.rounds {
			target = cut(o)
		} else {
			w.entered[o]++
			*inside = append(*inside, o)
		}
	}
	return w.into(f, target, at, inside, depth+1)
}

// cut returns the schema that replaces a recursive one where it is not written out any further.
func cut(o *object) *object {
	if kind, is := o.text("type"); is && kind != "null" {
		return &object{[]member{{"type", o.get("type")}}}
	}
	if o.object("properties") != nil {
		return &object{[]member{{"type", quote("object")}}}
	}
	return &object{}
}

// reference returns the reference of a schema, or "".
func reference(s *object, at string) (string, error) {
	for _, name := range []string{"$ref", "$recursiveRef", "$dynamicRef"} {
		if v := s.get(name); v != nil {
			ref, is := text(v)
			if !is {
				return "", fmt.Errorf("%s.%s is not a text; write a reference such as \"#/$defs/name\"", at, name)
			}
			return ref, nil
		}
	}
	return "", nil
}

// resolve finds the schema of a reference, which is a JSON pointer or an anchor in this document.
func (w *writer) resolve(ref, at string) (any, error) {
	unknown := func() error {
		return fmt.Errorf("%s refers to %q, which is not in the schema; refer to \"#/$defs/...\" and put it there", at, tools.Shorten(ref, maxName))
	}
	place := ref
	if id, is := w.root.text("$id"); is && id != "" {
		place = strings.TrimPrefix(place, strings.TrimSuffix(id, "#"))
	}
	if place == "" || place == "#" {
		return w.root, nil
	}
	place, is := strings.CutPrefix(place, "#")
	if plain, err := url.PathUnescape(place); err == nil {
		place = plain
	}
	if !is {
		return nil, unknown()
	}
	if place[0] != '/' {
		target, err := w.anchor(w.root, place)
		if target == nil && err == nil {
			err = unknown()
		}
		return target, err
	}
	var v any = w.root
	for token := range strings.SplitSeq(place[1:], "/") {
		token = strings.ReplaceAll(strings.ReplaceAll(token, "~1", "/"), "~0", "~")
		switch in := v.(type) {
		case *object:
			v = in.get(token)
			if err := w.spend(len(in.members)); err != nil {
				return nil, err
			}
		case []any:
			i, err := strconv.Atoi(token)
			if err != nil || i < 0 || i >= len(in) {
				return nil, unknown()
			}
			v = in[i]
		default:
			return nil, unknown()
		}
	}
	if v == nil {
		return nil, unknown()
	}
	return v, nil
}

// anchor finds the schema with an $anchor, or returns nil.
func (w *writer) anchor(v any, name string) (any, error) {
	if err := w.spend(1); err != nil {
		return nil, err
	}
	var values []any
	switch v := v.(type) {
	case *object:
		for _, key := range []string{"$anchor", "$dynamicAnchor"} {
			if s, is := v.text(key); is && s == name {
				return v, nil
			}
		}
		for _, m := range v.members {
			values = append(values, m.value)
		}
	case []any:
		values = v
	}
	for _, inner := range values {
		if found, err := w.anchor(inner, name); found != nil || err != nil {
			return found, err
		}
	}
	return nil, nil
}

// gone reports whether a keyword is left out, because flat has applied it, or because it only has a
// meaning together with others that the form changes.
func gone(keyword string) bool {
	switch keyword {
	case "definitions", "id", "allOf", "oneOf", "unevaluatedProperties", "unevaluatedItems", "discriminator", "additionalItems":
		return true
	}
	return strings.HasPrefix(keyword, "$")
}

// merge merges the keywords of s into f. If both have a keyword that cannot be merged, that of f stays,
// which is never stricter than both. It returns false if no value is valid for both.
func (w *writer) merge(f, s *object, at string) (bool, error) {
	if err := w.spend(pairs(len(s.members), len(f.members)+len(s.members))); err != nil {
		return false, err
	}
	if f.get("if") != nil {
		s = s.clone()
		s.remove("if", "then", "else")
	}
	for _, m := range s.members {
		name, v := m.name, m.value
		if name == "anyOf" || name == "oneOf" || name == "allOf" {
			if _, is := v.([]any); !is {
				return false, fmt.Errorf("%s.%s is not a list of schemas", at, name)
			}
		}
		if gone(name) {
			continue
		}
		if list, tuple := v.([]any); name == "items" && tuple { // drafts before 2020-12
			if old := s.get("additionalItems"); old != nil && f.get("items") == nil {
				f.set("items", old)
			}
			name, v = "prefixItems", list
		}
		old := f.get(name)
		if old == nil {
			f.members = append(f.members, member{name, v})
			continue
		}
		switch name {
		case "description":
			f.set(name, joined(old, v))
		case "properties":
			a, b := f.object(name), s.object(name)
			if a == nil || b == nil {
				return false, fmt.Errorf("%s.properties is not an object", at)
			}
			if err := w.both(f, a, b); err != nil {
				return false, err
			}
		case "required":
			a, _ := old.([]any)
			f.set(name, unique(slices.Concat(texts(a), texts(s.list(name)))))
		case "type":
			common := intersect(kinds(old), kinds(v))
			if len(common) == 0 {
				return false, nil
			}
			f.set(name, typeOf(common))
		case "anyOf":
			if err := w.product(f, s.list(name)); err != nil {
				return false, err
			}
		case "nullable":
			if r, is := v.(raw); is && r.Kind() == 'f' {
				f.set(name, v)
			}
		}
	}
	if list := s.list("oneOf"); list != nil {
		return true, w.product(f, list)
	}
	return true, nil
}

// both sets f's properties to those of a and b. A property of both must be valid for both.
func (w *writer) both(f, a, b *object) error {
	if err := w.spend(pairs(len(a.members), len(b.members))); err != nil {
		return err
	}
	all := a.clone()
	for _, p := range b.members {
		old := all.get(p.name)
		if old == nil {
			all.members = append(all.members, p)
			continue
		}
		same, err := w.equal(old, p.value)
		if err != nil {
			return err
		}
		if !same {
			all.set(p.name, &object{[]member{{"allOf", []any{old, p.value}}}})
		}
	}
	f.set("properties", all)
	return nil
}

// product combines f's union with another: each branch with each.
func (w *writer) product(f *object, list []any) error {
	old := f.list("anyOf")
	if old == nil {
		f.set("anyOf", list)
		return nil
	}
	if len(old)*len(list) > maxProduct {
		return nil // keeping only the first union is less strict
	}
	var all []any
	for _, a := range old {
		for _, b := range list {
			all = append(all, &object{[]member{{"allOf", []any{a, b}}}})
		}
	}
	f.set("anyOf", all)
	return w.spend(len(all))
}

// joined joins two descriptions, and leaves out the second if the first contains it.
func joined(a, b any) any {
	first, is := text(a)
	second, too := text(b)
	switch {
	case !is || first == "":
		return b
	case !too || strings.Contains(first, second):
		return a
	}
	return quote(first + "\n" + second)
}

func unique(names []string) []any {
	seen := map[string]bool{}
	return quoteAll(slices.DeleteFunc(names, func(name string) bool {
		was := seen[name]
		seen[name] = true
		return was
	}))
}
