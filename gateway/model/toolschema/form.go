package toolschema

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/askgate/askgate/tools"
)

// allKinds lists the types in the order in which a place without a type gets them.
var allKinds = []string{"string", "number", "boolean", "object", "array"}

// family has the type that a keyword applies to. Keywords for all types are not in it.
var family = map[string]string{
	"minLength": "string", "maxLength": "string", "pattern": "string", "format": "string", "contentEncoding": "string", "contentMediaType": "string", "contentSchema": "string",
	"minimum": "number", "maximum": "number", "exclusiveMinimum": "number", "exclusiveMaximum": "number", "multipleOf": "number",
	"items": "array", "prefixItems": "array", "minItems": "array", "maxItems": "array", "uniqueItems": "array", "contains": "array", "minContains": "array", "maxContains": "array",
	"properties": "object", "required": "object", "additionalProperties": "object", "patternProperties": "object", "minProperties": "object", "maxProperties": "object",
	"propertyNames": "object", "dependentRequired": "object", "dependentSchemas": "object", "dependencies": "object", "propertyOrdering": "object",
}

// says reports whether a keyword applies to a type. format also applies to numbers.
func says(keyword, kind string) bool {
	of := family[keyword]
	return of == "" || of == kind || kind == "integer" && of == "number" || keyword == "format" && (kind == "number" || kind == "integer")
}

// notes lists keywords that restrict nothing. They stay next to anyOf.
var notes = []string{"title", "description", "default", "examples", "example", "deprecated", "readOnly", "writeOnly"}

// conditions lists keywords whose schemas are not converted, because a less strict condition can make
// the whole schema stricter. They stay unchanged or are left out.
var conditions = []string{"not", "if", "then", "else", "contains", "propertyNames", "dependentSchemas", "dependencies", "contentSchema"}

// schema writes a schema in the form. node is nil if no value except null is valid. null reports
// whether null is valid.
func (w *writer) schema(v any, at string, depth int) (node *object, null bool, err error) {
	if depth > maxDepth {
		return nil, false, &limitError{at + " is nested too deeply (limit " + strconv.Itoa(maxDepth) + ")"}
	}
	f, leave, err := w.flat(v, at)
	if f == nil || err != nil {
		return nil, false, err
	}
	defer leave()
	return w.flatSchema(f, at, depth)
}

func (w *writer) flatSchema(f *object, at string, depth int) (*object, bool, error) {
	if err := w.spend(len(f.members)); err != nil {
		return nil, false, err
	}
	if f.get("anyOf") != nil {
		if !onlyConditions(f) {
			return w.union(f, at, depth)
		}
		f = w.together(f)
	}
	list, null, err := types(f, at)
	if err != nil || len(list) == 0 {
		return nil, null, err
	}
	if len(list) == 1 {
		node, err := w.typed(f, list[0], at, depth)
		return node, null, err
	}
	parts := f.clone()
	parts.remove(append([]string{"type"}, notes...)...)
	union := keep(f, notes)
	for _, kind := range list {
		part := &object{[]member{{"type", quote(kind)}}}
		for _, m := range parts.members {
			if says(m.name, kind) {
				part.members = append(part.members, m)
			}
		}
		union.set("anyOf", append(union.list("anyOf"), part))
	}
	node, _, err := w.union(union, at, depth)
	return node, null, err
}

// keep returns a copy of o with only these members.
func keep(o *object, names []string) *object {
	kept := &object{}
	for _, m := range o.members {
		if slices.Contains(names, m.name) {
			kept.members = append(kept.members, m)
		}
	}
	return kept
}

// union writes a place that accepts any of several schemas. Keywords next to anyOf are moved into each
// branch, except notes, which stay.
func (w *writer) union(f *object, at string, depth int) (node *object, null bool, err error) {
	rest := f.clone()
	rest.remove(append([]string{"anyOf"}, notes...)...)
	kept := keep(f, notes)
	var branches []any
	for i, branch := range f.list("anyOf") {
		if len(rest.members) > 0 {
			branch = &object{[]member{{"allOf", []any{branch, rest}}}}
		}
		one, nothing, err := w.schema(branch, at+".anyOf["+strconv.Itoa(i)+"]", depth+1)
		if err != nil {
			return nil, false, err
		}
		null = null || nothing
		if one == nil {
			continue
		}
		inner := []any{one}
		if list := one.list("anyOf"); list != nil && len(one.members) == 1 {
			inner = list
		}
		for _, b := range inner {
			if branches, err = w.add(branches, b); err != nil {
				return nil, false, err
			}
		}
	}
	branches = oneEnum(branches)
	switch len(branches) {
	case 0:
		return nil, null, nil
	case 1:
		only := branches[0].(*object).clone()
		for _, m := range kept.members {
			if old := only.get(m.name); old != nil && m.name == "description" {
				m.value = joined(m.value, old)
			}
			only.set(m.name, m.value)
		}
		return tidy(only), null, nil
	}
	kept.set("anyOf", branches)
	return tidy(kept), null, nil
}

// add adds a branch, unless the list has it already.
func (w *writer) add(branches []any, b any) ([]any, error) {
	for _, old := range branches {
		if same, err := w.equal(old, b); same || err != nil {
			return branches, err
		}
	}
	return append(branches, b), nil
}

// oneEnum joins branches into one if all of them only list values, of the same type.
func oneEnum(branches []any) []any {
	if len(branches) < 2 {
		return branches
	}
	var kind string
	var values []any
	seen := map[string]bool{}
	for _, b := range branches {
		o := b.(*object)
		k, _ := o.text("type")
		list := o.list("enum")
		if v := o.get("const"); v != nil {
			list = []any{v}
		}
		if len(o.members) != 2 || list == nil || kind != "" && k != kind {
			return branches
		}
		kind = k
		for _, v := range list {
			if written := string(appendValue(nil, v, MaxBytes)); !seen[written] {
				seen[written] = true
				values = append(values, v)
			}
		}
	}
	return []any{&object{[]member{{"type", quote(kind)}, {"enum", values}}}}
}

// tidy removes titles and descriptions that are not texts, and a default of null.
func tidy(o *object) *object {
	for _, name := range []string{"title", "description"} {
		if v := o.get(name); v != nil {
			if _, is := text(v); !is {
				o.remove(name)
			}
		}
	}
	if r, is := o.get("default").(raw); is && r.Kind() == 'n' {
		o.remove("default")
	}
	return o
}

// kinds returns the types in a keyword type.
func kinds(v any) []string {
	if one, is := text(v); is {
		return []string{one}
	}
	list, _ := v.([]any)
	return texts(list)
}

func typeOf(list []string) any {
	if len(list) == 1 {
		return quote(list[0])
	}
	return quoteAll(list)
}

// intersect returns the types that are in both lists. An integer is also a number.
func intersect(a, b []string) []string {
	var all []string
	for _, kind := range a {
		switch {
		case slices.Contains(b, kind) || kind == "integer" && slices.Contains(b, "number"):
			all = append(all, kind)
		case kind == "number" && slices.Contains(b, "integer"):
			all = append(all, "integer")
		}
	}
	return all
}

// types returns the types of a place, and whether null is valid there. If the place has no type, they
// are the types of its values, or those that its keywords apply to, or all.
func types(f *object, at string) (list []string, null bool, err error) {
	if named := f.get("type"); named != nil {
		for _, kind := range kinds(named) {
			switch {
			case kind == "null":
				null = true
			case kind != "integer" && !slices.Contains(allKinds, kind):
				return nil, false, fmt.Errorf("%s has the type %q; write string, number, integer, boolean, object or array", at, tools.Shorten(kind, maxName))
			case !slices.Contains(list, kind):
				list = append(list, kind)
			}
		}
		if len(list) == 0 && !null {
			return nil, false, fmt.Errorf("%s.type is not a type or a list of types", at)
		}
		if slices.Contains(list, "number") {
			list = slices.DeleteFunc(list, func(kind string) bool { return kind == "integer" })
		}
	}
	if r, is := f.get("nullable").(raw); is && r.Kind() == 't' {
		null = true
	}
	values, limited := valuesOf(f)
	if limited {
		var have []string
		for _, v := range values {
			if kind := kindOf(v); kind == "null" {
				null = null || f.get("type") == nil
			} else if !slices.Contains(have, kind) {
				have = append(have, kind)
			}
		}
		if f.get("type") == nil {
			return have, null, nil
		}
		list = slices.DeleteFunc(list, func(kind string) bool {
			return !slices.ContainsFunc(values, func(v any) bool { return isKind(v, kind) })
		})
		return list, null, nil
	}
	if f.get("type") != nil {
		return list, null, nil
	}
	for _, kind := range allKinds {
		if slices.ContainsFunc(f.members, func(m member) bool { return family[m.name] == kind }) {
			list = append(list, kind)
		}
	}
	if list == nil {
		list = slices.Clone(allKinds)
	}
	return list, null, nil
}

// valuesOf returns the values that enum or const allows. limited reports whether there is such a
// keyword.
func valuesOf(f *object) (values []any, limited bool) {
	if v := f.get("const"); v != nil {
		return []any{v}, true
	}
	list, limited := f.get("enum").([]any)
	return list, limited
}

func kindOf(v any) string {
	switch v := v.(type) {
	case *object:
		return "object"
	case []any:
		return "array"
	case raw:
		switch v.Kind() {
		case 'n':
			return "null"
		case 't', 'f':
			return "boolean"
		case '"':
			return "string"
		}
	}
	return "number"
}

func isKind(v any, kind string) bool {
	if kind != "integer" {
		return kindOf(v) == kind
	}
	r, is := v.(raw)
	n, err := strconv.ParseFloat(string(r), 64)
	return is && err == nil && n == math.Trunc(n)
}

// typed writes a schema of one type.
func (w *writer) typed(f *object, kind, at string, depth int) (*object, error) {
	node, absent := &object{}, map[string]bool{}
	if f.get("type") == nil {
		node.set("type", quote(kind))
	}
	for _, m := range f.members {
		v, err := w.keyword(f, m, kind, at, depth, absent)
		if err != nil {
			return nil, err
		}
		if v != nil {
			node.members = append(node.members, member{m.name, v})
		}
	}
	if list, is := node.get("required").([]any); is {
		names := slices.DeleteFunc(texts(list), func(name string) bool { return absent[name] })
		if list := unique(names); len(list) > 0 {
			node.set("required", list)
		} else {
			node.remove("required")
		}
	}
	if kind == "array" && node.get("items") == nil {
		node.set("items", anyItem())
	}
	return tidy(node), nil
}

// anyItem returns the schema of items that the tool's schema does not describe. It accepts all but
// lists, whose own items would need such a schema, too.
func anyItem() *object {
	var branches []any
	for _, kind := range allKinds {
		if kind != "array" {
			branches = append(branches, &object{[]member{{"type", quote(kind)}}})
		}
	}
	return &object{[]member{{"anyOf", branches}}}
}

// keyword writes one keyword of a schema of one type, or returns nil to leave it out. absent gets the
// names of properties that are not required, because null is valid for them, or no value.
func (w *writer) keyword(f *object, m member, kind, at string, depth int, absent map[string]bool) (any, error) {
	where := at + "." + m.name
	if !says(m.name, kind) {
		return nil, nil
	}
	if slices.Contains(conditions, m.name) {
		plain, err := w.plain(m.value)
		if !plain || err != nil {
			return nil, err
		}
		return m.value, nil
	}
	switch m.name {
	case "type":
		return quote(kind), nil
	case "nullable":
		return nil, nil
	case "const":
		return m.value, nil
	case "enum":
		if f.get("const") != nil {
			return nil, nil
		}
		list, _ := m.value.([]any)
		list = slices.DeleteFunc(slices.Clone(list), func(v any) bool { return !isKind(v, kind) })
		if len(list) == 0 {
			return nil, nil
		}
		return list, nil
	case "properties", "patternProperties":
		return w.properties(m, where, depth, absent)
	case "items":
		item, _, err := w.schema(m.value, where, depth+1)
		if item == nil || err != nil {
			return nil, err
		}
		return item, nil
	case "prefixItems":
		return w.tuple(m.value, where, depth)
	case "additionalProperties":
		if r, is := m.value.(raw); is && (r.Kind() == 't' || r.Kind() == 'f') {
			return r, nil
		}
		if o, is := m.value.(*object); is && len(o.members) == 0 {
			return raw("true"), nil
		}
		one, _, err := w.schema(m.value, where, depth+1)
		if one == nil || err != nil {
			return nil, err
		}
		return one, nil
	case "required":
		if _, is := m.value.([]any); !is { // a boolean of draft 3
			return nil, nil
		}
	}
	return m.value, nil
}

func (w *writer) properties(m member, where string, depth int, absent map[string]bool) (any, error) {
	given, is := m.value.(*object)
	if !is {
		return nil, fmt.Errorf("%s is not an object; write one schema for each name", where)
	}
	all := &object{}
	for _, p := range given.members {
		one, null, err := w.schema(p.value, where+"."+tools.Shorten(p.name, maxName), depth+1)
		if err != nil {
			return nil, err
		}
		if m.name == "properties" && (null || one == nil) {
			absent[p.name] = true
		}
		if one != nil {
			all.members = append(all.members, member{p.name, one})
		}
	}
	return all, nil
}

func (w *writer) tuple(v any, where string, depth int) (any, error) {
	list, is := v.([]any)
	if !is {
		return nil, fmt.Errorf("%s is not a list of schemas", where)
	}
	var all []any
	for i, item := range list {
		one, _, err := w.schema(item, where+"["+strconv.Itoa(i)+"]", depth+1)
		if err != nil {
			return nil, err
		}
		if one == nil {
			one = anyItem()
		}
		all = append(all, one)
	}
	if len(all) == 0 {
		return nil, nil
	}
	return all, nil
}

// plain reports whether a condition can stay unchanged: it has no references and no lists of types.
func (w *writer) plain(v any) (bool, error) {
	if err := w.spend(1); err != nil {
		return false, err
	}
	var values []any
	switch v := v.(type) {
	case *object:
		for _, m := range v.members {
			_, list := m.value.([]any)
			if gone(m.name) || m.name == "type" && list {
				return false, nil
			}
			values = append(values, m.value)
		}
	case []any:
		values = v
	}
	for _, inner := range values {
		if is, err := w.plain(inner); !is || err != nil {
			return false, err
		}
	}
	return true, nil
}
