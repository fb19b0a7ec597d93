package config_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/tools/arguments"
)

var ruleSeeds = flag.Int("rule-seeds", 150, "how many random rules are tried")

// accepted reports whether a rule that allows has no fault.
func accepted(when any) bool {
	return config.AllowFaults([]byte(written(when))) == 0
}

// A random rule is accepted and, for arguments that fit it, each argument that it names decides:
// without it, under another name, or of another type, they do not fit. A rule in which one thing is
// changed so that it allows by silence is a fault.
func TestEachArgumentThatARuleNamesDecides(t *testing.T) {
	mutated, silent := 0, 0
	for seed := range *ruleSeeds {
		r := ruleMaker{rand.New(rand.NewPCG(uint64(seed), 35))}
		when := r.object(2)
		if !accepted(when) {
			t.Fatalf("seed %d: not accepted: %s", seed, written(when))
		}
		one := r.resolve(when).(object)
		args, fits := r.fit(one).(object)
		if !fits || !matches(t, one, args) {
			continue // its parts contradict each other
		}
		if !matches(t, when, args) {
			t.Fatalf("seed %d: %s fits %s, but not %s", seed, written(args), written(one), written(when))
		}
		for _, m := range mentions(one, args, nil) {
			for _, change := range m.changes() {
				changed := clone(args)
				change(m.container(changed))
				mutated++
				if matches(t, one, changed) {
					t.Errorf("seed %d: %s fits although %v was changed: %s", seed, written(one), m.path, written(changed))
				}
			}
		}
		for range 5 {
			broken := clone(when)
			if what := r.silenceOne(broken); what != "" {
				silent++
				if accepted(broken) {
					t.Errorf("seed %d: %s, and it is accepted: %s", seed, what, written(broken))
				}
			}
		}
	}
	if mutated < 4**ruleSeeds || silent < *ruleSeeds {
		t.Errorf("only %d changes of arguments and %d of rules were tried", mutated, silent)
	}
}

func written(v any) string {
	raw, _ := json.Marshal(v)
	return string(raw)
}

func clone(v object) (c object) {
	_ = json.Unmarshal([]byte(written(v)), &c)
	return c
}

func matches(t *testing.T, schema, args any) bool {
	t.Helper()
	s, err := arguments.Compile(json.RawMessage(written(schema)))
	if err != nil {
		t.Fatalf("%v: %s", err, written(schema))
	}
	return s.Check(written(args)) == nil
}

// ruleMaker makes random rules.
type ruleMaker struct{ *rand.Rand }

func (r ruleMaker) object(depth int) object {
	properties, required := object{}, []any{}
	for _, name := range []string{"a", "b", "c"}[:1+r.IntN(3)] {
		properties[name] = r.value(depth)
		required = append(required, name)
	}
	s := object{"properties": properties, "required": required}
	if r.IntN(6) == 0 {
		s["additionalProperties"] = object{"type": "string"}
	}
	if depth > 0 && r.IntN(3) == 0 {
		s["anyOf"] = []any{r.object(depth - 1), r.object(depth - 1)}
	}
	if depth > 0 && r.IntN(4) == 0 {
		s["allOf"] = []any{r.object(depth - 1)}
	}
	return s
}

func (r ruleMaker) value(depth int) object {
	switch n := r.IntN(9); {
	case n == 0:
		return object{"type": "number", "maximum": 50}
	case n == 1:
		return object{"type": "string", "pattern": "^x+$", "maxLength": 3}
	case n == 2:
		return object{"enum": []any{1, "x", nil}}
	case n == 3:
		return object{"const": object{"k": 1}}
	case n == 4:
		return object{"type": []any{"string", "null"}}
	case n == 5:
		return object{"type": []any{"integer", "string"}, "anyOf": []any{object{"type": "integer", "minimum": 1}, object{"type": "string", "minLength": 1}}}
	case n == 6 && depth > 0:
		return object{"type": "array", "minItems": 1, "items": r.value(depth - 1)}
	case n > 6 && depth > 0:
		s := r.object(depth - 1)
		s["type"] = "object"
		return s
	}
	return object{"type": "boolean"}
}

// resolve returns a schema with one branch of each anyOf in place of all.
func (r ruleMaker) resolve(v any) any {
	switch v := v.(type) {
	case object:
		c := object{}
		for key, value := range v {
			c[key] = r.resolve(value)
		}
		if branches, ok := c["anyOf"].([]any); ok {
			delete(c, "anyOf")
			all, _ := c["allOf"].([]any)
			c["allOf"] = append(all, branches[r.IntN(len(branches))])
		}
		return c
	case []any:
		c := make([]any, len(v))
		for i := range v {
			c[i] = r.resolve(v[i])
		}
		return c
	}
	return v
}

// fit returns a value that fits a schema without anyOf, unless its parts contradict each other.
func (r ruleMaker) fit(s object) any {
	all, _ := s["allOf"].([]any)
	if c, ok := s["const"]; ok {
		return c
	}
	if e, ok := s["enum"].([]any); ok {
		return e[r.IntN(len(e))]
	}
	types := typesOf(s)
	for _, branch := range all {
		if narrower := typesOf(branch.(object)); narrower != nil && types != nil {
			types = narrower
		}
	}
	if types == nil {
		types = []string{"object"}
	}
	switch types[r.IntN(len(types))] {
	case "number", "integer":
		return 7
	case "string":
		return "xx"
	case "null":
		return nil
	case "boolean":
		return true
	case "array":
		return []any{r.fit(s["items"].(object)), r.fit(s["items"].(object))}
	}
	value := object{}
	for _, branch := range all {
		if of, ok := r.fit(branch.(object)).(object); ok {
			maps.Copy(value, of)
		}
	}
	properties, _ := s["properties"].(object)
	for name, of := range properties {
		value[name] = r.fit(of.(object))
	}
	return value
}

// typesOf returns the types that a schema names, or of which are the values that it lists.
func typesOf(s object) (types []string) {
	listed, _ := s["enum"].([]any)
	if c, ok := s["const"]; ok {
		listed = append(listed, c)
	}
	for _, v := range listed {
		types = append(types, typeOf(v))
	}
	switch of := s["type"].(type) {
	case string:
		types = append(types, of)
	case []any:
		for _, one := range of {
			types = append(types, one.(string))
		}
	}
	return types
}

func typeOf(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case string:
		return "string"
	case []any:
		return "array"
	case object:
		return "object"
	}
	return "number"
}

// mention is an argument that a rule names: its path in the arguments, and the types that it may have.
type mention struct {
	path  []any
	types []string
}

func mentions(s object, value any, path []any) (list []mention) {
	all, _ := s["allOf"].([]any)
	for _, branch := range all {
		list = append(list, mentions(branch.(object), value, path)...)
	}
	switch value := value.(type) {
	case []any:
		if items, ok := s["items"].(object); ok {
			for i := range value {
				list = append(list, mentions(items, value[i], append(slices.Clone(path), i))...)
			}
		}
	case object:
		properties, _ := s["properties"].(object)
		for name, of := range properties {
			at := append(slices.Clone(path), name)
			list = append(list, mention{at, typesOf(of.(object))})
			list = append(list, mentions(of.(object), value[name], at)...)
		}
	}
	return list
}

// container returns the object in the arguments that has the mentioned one, and its name there.
func (m mention) container(args object) (object, string) {
	at := any(args)
	for _, step := range m.path[:len(m.path)-1] {
		if i, ok := step.(int); ok {
			at = at.([]any)[i]
		} else {
			at = at.(object)[step.(string)]
		}
	}
	return at.(object), m.path[len(m.path)-1].(string)
}

// changes returns what removes, renames or retypes it.
func (m mention) changes() []func(object, string) {
	changes := []func(object, string){
		func(in object, name string) { delete(in, name) },
		func(in object, name string) { in[name+"_"] = in[name]; delete(in, name) },
	}
	for _, v := range []any{nil, true, 7.5, "xx", []any{}, object{}} {
		of := typeOf(v)
		if !slices.Contains(m.types, of) && (of != "number" || !slices.Contains(m.types, "integer")) {
			changes = append(changes, func(in object, name string) { in[name] = v })
		}
	}
	return changes
}

// silenceOne changes one thing in a rule so that it allows by silence, and returns what, or "" if it
// found nothing to change.
func (r ruleMaker) silenceOne(when object) string {
	objects := []object{} // the schemas that have properties
	var collect func(v any)
	collect = func(v any) {
		switch v := v.(type) {
		case object:
			if _, ok := v["properties"]; ok {
				objects = append(objects, v)
			}
			for _, key := range slices.Sorted(maps.Keys(v)) {
				if key != "const" {
					collect(v[key])
				}
			}
		case []any:
			for _, one := range v {
				collect(one)
			}
		}
	}
	collect(when)
	s := objects[r.IntN(len(objects))]
	properties := s["properties"].(object)
	names := slices.Sorted(maps.Keys(properties))
	name := names[r.IntN(len(names))]
	of := properties[name].(object)
	switch r.IntN(9) {
	case 0:
		s["required"] = slices.DeleteFunc(s["required"].([]any), func(n any) bool { return n == name })
		return name + " is not required"
	case 1:
		delete(s, "required")
		return "nothing is required"
	case 2:
		if typesOf(of) == nil {
			return ""
		}
		delete(of, "type")
		delete(of, "enum")
		delete(of, "const")
		return name + " has no type"
	case 3:
		if of["maximum"] == nil && of["maxLength"] == nil && of["properties"] == nil && of["items"] == nil {
			return ""
		}
		of["type"] = []any{of["type"], "null"}
		return name + " may be null, which nothing judges"
	case 4:
		delete(properties, name)
		return name + " is only required"
	case 5:
		s["anyOf"] = []any{object{"title": "any"}, object{"properties": object{"z": object{"const": 1}}, "required": []any{"z"}}}
		return "a branch fits everything"
	case 6:
		key := []string{"not", "if", "$ref", "propertyNames", "contains", "dependentSchemas", "format", "minimim"}[r.IntN(8)]
		s[key] = map[string]any{"$ref": "#", "format": "email", "dependentSchemas": object{}}[key]
		if s[key] == nil {
			s[key] = object{"minimum": 1}
		}
		return fmt.Sprintf("%s is used", key)
	case 7:
		properties[name] = r.IntN(2) == 0
		return name + " has a boolean schema"
	default:
		if of["items"] == nil {
			return ""
		}
		delete(of, "minItems")
		return name + " may be an empty list"
	}
}
