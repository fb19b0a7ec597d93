package toolschema

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/askgate/askgate/tools"
)

// maxWords is the most code points of the text for one union or keyword.
const maxWords = 1000

// top writes the whole schema: one object without a union.
func (w *writer) top() (*object, error) {
	f, leave, err := w.flat(w.root, "parameters")
	if err != nil {
		return nil, err
	}
	defer leave()
	if f == nil {
		return nil, errors.New("no value is valid for them; correct the schema")
	}
	if f, err = w.merged(f, "parameters", 0); err != nil {
		return nil, err
	}
	f.remove("enum", "const", "not", "nullable")
	if f.get("type") == nil {
		f.put("type", quote("object"))
	}
	list, _, err := types(f, "parameters")
	if err != nil {
		return nil, err
	}
	if !slices.Contains(list, "object") {
		return nil, fmt.Errorf("at the top, %s is not an object; a tool takes one object", strings.Join(list, " or "))
	}
	if f.get("properties") == nil {
		f.set("properties", &object{})
	}
	return w.typed(f, "object", "parameters", 0)
}

// merged returns an object's schema without its union. The properties of the branches are added to f,
// and the description says which of them belong together.
func (w *writer) merged(f *object, at string, depth int) (*object, error) {
	list, is := f.get("anyOf").([]any)
	if !is {
		return f, nil
	}
	if depth > maxDepth {
		return nil, &limitError{at + " has unions that are nested too deeply; nest fewer"}
	}
	var branches []*object
	var inside []func()
	defer func() {
		for _, leave := range inside {
			leave()
		}
	}()
	for i, v := range list {
		where := at + ".anyOf[" + strconv.Itoa(i) + "]"
		b, leave, err := w.flat(v, where)
		if err != nil {
			return nil, err
		}
		inside = append(inside, leave)
		if b == nil || b.get("type") != nil && !slices.Contains(kinds(b.get("type")), "object") {
			continue
		}
		if b, err = w.merged(b, where, depth+1); err != nil {
			return nil, err
		}
		branches = append(branches, b)
	}
	if len(branches) == 0 {
		return nil, fmt.Errorf("%s: no branch of anyOf or oneOf is an object", at)
	}
	f = f.clone()
	f.remove("anyOf")
	united, err := w.united(branches)
	if err != nil {
		return nil, err
	}
	if fits, err := w.merge(f, united, at); !fits || err != nil {
		return nil, err
	}
	if words := groups(branches); words != "" {
		f.set("description", joined(f.get("description"), quote(words)))
	}
	return f, nil
}

// united returns a schema that is less strict than each of the branches: it has the properties of all
// of them, and requires only what all require.
func (w *writer) united(branches []*object) (*object, error) {
	if len(branches) == 1 {
		return branches[0], nil
	}
	all, properties := &object{}, &object{}
	required, closed := texts(branches[0].list("required")), true
	for _, b := range branches {
		closed = closed && isFalse(b.get("additionalProperties"))
		has := texts(b.list("required"))
		if err := w.spend(pairs(len(required), len(has))); err != nil {
			return nil, err
		}
		required = slices.DeleteFunc(required, func(name string) bool { return !slices.Contains(has, name) })
		given := b.object("properties")
		if given == nil {
			continue
		}
		if err := w.spend(pairs(len(given.members), len(properties.members)+len(given.members))); err != nil {
			return nil, err
		}
		for _, p := range given.members {
			old := properties.get(p.name)
			if old == nil {
				properties.members = append(properties.members, p)
				continue
			}
			either := []any{old}
			if o, is := old.(*object); is && len(o.members) == 1 && o.list("anyOf") != nil {
				either = slices.Clone(o.list("anyOf"))
			}
			more, err := w.add(either, p.value)
			if err != nil {
				return nil, err
			}
			if len(more) > 1 {
				properties.set(p.name, &object{[]member{{"anyOf", more}}})
			}
		}
	}
	all.set("properties", properties)
	if len(required) > 0 {
		all.set("required", quoteAll(required))
	}
	if closed {
		all.set("additionalProperties", raw("false"))
	}
	return all, nil
}

func isFalse(v any) bool {
	r, is := v.(raw)
	return is && r.Kind() == 'f'
}

// groups returns a text that says which arguments belong together, or "" if the branches do not show
// it.
func groups(branches []*object) string {
	var said []string
	seen := map[string]bool{}
	for _, b := range branches {
		if words := group(b); words != "" && !seen[words] {
			seen[words] = true
			said = append(said, words)
		}
	}
	if len(said) == 0 || len(branches) == 1 {
		return ""
	}
	return tools.Shorten("Give the arguments of one of these groups: "+strings.Join(said, "; ")+".", maxWords)
}

// group names the arguments that one branch requires, or else all that it has, with the values that it
// fixes.
func group(b *object) string {
	names := texts(b.list("required"))
	properties := b.object("properties")
	if properties == nil {
		properties = &object{}
	}
	if len(names) == 0 {
		for _, p := range properties.members {
			names = append(names, p.name)
		}
	}
	for i, name := range names {
		if p := properties.object(name); p != nil {
			values, limited := valuesOf(p)
			if limited && len(values) == 1 {
				names[i] += " = " + string(appendValue(nil, values[0], maxWords))
			}
		}
	}
	words := strings.Join(names, ", ")
	about, is := b.text("description")
	if !is {
		about, is = b.text("title")
	}
	if about = strings.TrimRight(strings.TrimSpace(about), "."); is && about != "" && words != "" {
		words += " (" + about + ")"
	}
	return words
}

// onlyConditions reports whether the union of an object only says which of its properties belong
// together. As at the top, a text says that better than a copy of the object for each branch.
func onlyConditions(f *object) bool {
	if f.get("properties") == nil || f.get("type") != nil && !slices.Equal(kinds(f.get("type")), []string{"object"}) {
		return false
	}
	for _, v := range f.list("anyOf") {
		b, is := v.(*object)
		if !is || slices.ContainsFunc(b.members, func(m member) bool {
			return m.name != "required" && m.name != "description" && m.name != "title" && m.name != "type" && m.name != "not"
		}) {
			return false
		}
	}
	return true
}

// together returns an object with conditions only, with a text in place of its union.
func (w *writer) together(f *object) *object {
	var branches []*object
	for _, v := range f.list("anyOf") {
		branches = append(branches, v.(*object))
	}
	f = f.clone()
	f.remove("anyOf")
	if words := groups(branches); words != "" {
		f.set("description", joined(f.get("description"), quote(words)))
	}
	return f
}
