package toolschema

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/askgate/askgate/tools"
)

// known lists the keywords of Gemini's Schema that stay unchanged, by type; "" is for all types.
var known = map[string][]string{
	"":        {"type", "title", "description", "default", "example"},
	"string":  {"minLength", "maxLength", "pattern"},
	"number":  {"minimum", "maximum"},
	"integer": {"minimum", "maximum"},
	"array":   {"minItems", "maxItems"},
	"object":  {"minProperties", "maxProperties"},
}

// formats lists the formats that Gemini accepts, by type.
var formats = map[string][]string{"string": {"date-time"}, "number": {"float", "double"}, "integer": {"int32", "int64"}}

// propertyName matches the names of arguments that Gemini accepts.
var propertyName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]{0,63}$`)

// silent lists keywords that are left out without a text.
var silent = []string{"additionalProperties", "propertyOrdering", "minContains", "maxContains", "deprecated"}

// gemini converts a schema of the form to Gemini's Schema.
func (w *writer) gemini(o *object, at string) (*object, error) {
	if branches := o.list("anyOf"); branches != nil {
		return w.geminiUnion(o, branches, at)
	}
	kind, _ := o.text("type")
	node := &object{}
	var words []string
	for _, m := range o.members {
		where := at + "." + m.name
		name, _ := text(m.value)
		switch {
		case slices.Contains(known[""], m.name), slices.Contains(known[kind], m.name),
			m.name == "format" && slices.Contains(formats[kind], name):
			node.members = append(node.members, m)
		case m.name == "properties":
			properties, err := w.geminiProperties(m.value.(*object), where)
			if err != nil {
				return nil, err
			}
			if len(properties.members) > 0 {
				node.set("properties", properties)
			}
		case m.name == "items" && o.get("prefixItems") == nil:
			item, err := w.gemini(m.value.(*object), where)
			if err != nil {
				return nil, err
			}
			node.set("items", item)
		case m.name == "prefixItems":
			item, err := w.geminiTuple(o, m.value.([]any), where)
			if err != nil {
				return nil, err
			}
			node.set("items", item)
			words = append(words, said(m))
		case m.name == "items": // handled with prefixItems
		case (m.name == "enum" || m.name == "const") && kind == "string" && named(o):
			values, _ := valuesOf(o)
			node.set("enum", values)
		case m.name == "required":
			if required := o.requirable(m.value.([]any)); len(required) > 0 {
				node.set("required", required)
			}
		case slices.Contains(silent, m.name) && kindOf(m.value) != "object":
		default:
			words = append(words, said(m))
		}
	}
	if len(words) > 0 {
		node.set("description", joined(node.get("description"), quote(strings.Join(words, "; "))))
	}
	return node, nil
}

// requirable returns the names of existing properties, since Gemini refuses others.
func (o *object) requirable(names []any) []any {
	has := map[string]bool{}
	if properties := o.object("properties"); properties != nil {
		for _, p := range properties.members {
			has[p.name] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(names), func(v any) bool {
		name, is := text(v)
		return !is || !has[name]
	})
}

// named reports whether all values of a text are valid for Gemini's enum.
func named(o *object) bool {
	values, _ := valuesOf(o)
	return len(values) > 0 && !slices.ContainsFunc(values, func(v any) bool {
		s, is := text(v)
		return !is || s == ""
	})
}

// said returns a keyword that Gemini does not know as words for the description.
func said(m member) string {
	return tools.Shorten(m.name+": "+string(appendValue(nil, m.value, maxWords)), maxWords)
}

func (w *writer) geminiProperties(given *object, at string) (*object, error) {
	all := &object{}
	for _, p := range given.members {
		if !propertyName.MatchString(p.name) {
			return nil, fmt.Errorf("%s has the name %q, which Gemini does not accept; rename it: a letter or _, then up to 63 letters, digits and _", at, tools.Shorten(p.name, maxName))
		}
		one, err := w.gemini(p.value.(*object), at+"."+p.name)
		if err != nil {
			return nil, err
		}
		all.members = append(all.members, member{p.name, one})
	}
	return all, nil
}

// geminiUnion writes a union. Gemini accepts no keyword next to it, so each branch gets its
// description.
func (w *writer) geminiUnion(o *object, branches []any, at string) (*object, error) {
	var all []any
	for _, v := range branches {
		b := v.(*object)
		if about := o.get("description"); about != nil {
			b = b.clone()
			b.set("description", joined(about, b.get("description")))
		}
		one, err := w.gemini(b, at+".anyOf")
		if err != nil {
			return nil, err
		}
		if all, err = w.add(all, one); err != nil {
			return nil, err
		}
	}
	if len(all) == 1 {
		return all[0].(*object), nil
	}
	return &object{[]member{{"anyOf", all}}}, nil
}

// geminiTuple writes one schema for all items of a tuple.
func (w *writer) geminiTuple(o *object, list []any, at string) (*object, error) {
	var all []any
	var err error
	for _, v := range append(slices.Clone(list), o.get("items")) {
		if v == nil {
			continue
		}
		inner := []any{v}
		if branches := v.(*object).list("anyOf"); branches != nil {
			inner = branches
		}
		for _, b := range inner {
			if all, err = w.add(all, b); err != nil {
				return nil, err
			}
		}
	}
	if len(all) == 1 {
		return w.gemini(all[0].(*object), at)
	}
	return w.geminiUnion(&object{}, all, at)
}
