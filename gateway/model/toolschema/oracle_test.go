package toolschema_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/askgate/askgate/gateway/model/toolschema"
	"github.com/askgate/askgate/tools"
)

type dict = map[string]any

// generator creates random schemas, and values for them. It is closed: a value has no properties
// beyond those of its schema, as a model gives none.
type generator struct {
	*rand.Rand
	defs dict
}

func (g *generator) one(list ...any) any { return list[g.IntN(len(list))] }

// schema returns a schema and a function that creates values for it; values need not be valid.
func (g *generator) schema(depth int) (any, func() any) {
	kinds := []string{"string", "number", "integer", "boolean", "enum", "const", "types", "any"}
	if depth > 0 {
		kinds = append(kinds, "object", "object", "array", "tuple", "anyOf", "oneOf", "allOf", "ref", "recursion", "map", "not", "nullable", "groups")
	}
	switch kind := kinds[g.IntN(len(kinds))]; kind {
	case "string":
		s := dict{"type": "string", "description": "d"}
		if g.IntN(3) == 0 {
			s["minLength"] = 1
		}
		if g.IntN(3) == 0 {
			s["pattern"] = "^[a-z]"
		}
		return s, g.text
	case "number", "integer":
		return dict{"type": kind, "minimum": g.IntN(3)}, g.number
	case "boolean":
		return dict{"type": "boolean"}, func() any { return g.IntN(2) == 0 }
	case "enum":
		list := []any{"a", 1, true, "b", 2.5, nil}[:2+g.IntN(4)]
		return dict{"enum": list}, func() any { return g.one(list...) }
	case "const":
		v := g.one("a", 2, false, []any{"x"})
		return dict{"const": v}, func() any { return v }
	case "types":
		return dict{"type": []any{"string", "integer", "null", "array"}, "minLength": 1, "minimum": 0, "maxItems": 3}, g.anything
	case "any":
		return g.one(dict{}, true, dict{"description": "d"}), g.anything
	case "object":
		return g.object(depth)
	case "array":
		s, v := g.schema(depth - 1)
		return dict{"type": "array", "items": s, "maxItems": 3}, func() any { return g.many(v) }
	case "tuple":
		a, va := g.schema(depth - 1)
		b, vb := g.schema(depth - 1)
		return dict{"type": "array", "prefixItems": []any{a, b}, "items": dict{"type": "string"}}, func() any { return []any{va(), vb(), g.text()}[:g.IntN(4)] }
	case "anyOf", "oneOf":
		a, va := g.schema(depth - 1)
		b, vb := g.schema(depth - 1)
		s := dict{kind: []any{a, b, dict{"type": "null"}}}
		if g.IntN(3) == 0 {
			s["description"] = "alongside"
		}
		return s, func() any { return g.one(va(), vb()) }
	case "allOf":
		a, va := g.object(depth - 1)
		b, vb := g.object(depth - 1)
		return dict{"allOf": []any{a, b}, "description": "both"}, func() any { return both(va(), vb()) }
	case "ref":
		name := fmt.Sprintf("d%d", len(g.defs))
		g.defs[name] = dict{} // until it is created
		s, v := g.schema(depth - 1)
		g.defs[name] = s
		return dict{"$ref": "#/$defs/" + name}, v
	case "recursion":
		name := fmt.Sprintf("d%d", len(g.defs))
		ref := dict{"$ref": "#/$defs/" + name}
		g.defs[name] = dict{}
		s, v := g.schema(depth - 1)
		g.defs[name] = dict{"type": "object", "properties": dict{"v": s, "next": ref, "list": dict{"type": "array", "items": ref}}, "additionalProperties": false}
		var make func(n int) any
		make = func(n int) any {
			o := dict{"v": v()}
			if n > 0 && g.IntN(3) > 0 {
				o["next"] = make(n - 1)
			}
			if n > 0 && g.IntN(3) == 0 {
				o["list"] = []any{make(n - 1)}
			}
			return o
		}
		return ref, func() any { return make(5) }
	case "map":
		s, v := g.schema(depth - 1)
		return dict{"type": "object", "additionalProperties": s}, func() any { return dict{"x y": v(), "z": v()} }
	case "not":
		return dict{"type": "string", "not": dict{"enum": []any{"a", "b"}}}, g.text
	case "groups":
		s, v := g.object(depth)
		s.(dict)["anyOf"] = []any{dict{"required": []any{"a"}}, dict{"required": []any{"b"}}}
		return s, v
	default:
		s, v := g.schema(depth - 1)
		if o, is := s.(dict); is {
			o["nullable"] = true
		}
		return s, v
	}
}

func (g *generator) object(depth int) (any, func() any) {
	properties, values := dict{}, map[string]func() any{}
	for _, name := range []string{"a", "b", "c"}[:g.IntN(4)] {
		properties[name], values[name] = g.schema(depth - 1)
	}
	s := dict{"type": "object", "properties": properties}
	if g.IntN(2) == 0 {
		s["required"] = []any{"a", "b"}[:g.IntN(3)]
	}
	if g.IntN(3) == 0 {
		s["additionalProperties"] = false
	}
	if g.IntN(4) == 0 {
		s["if"], s["then"] = dict{"required": []any{"a"}}, dict{"required": []any{"b"}}
	}
	names := slices.Sorted(keysOf(values))
	return s, func() any {
		o := dict{}
		for _, name := range names {
			if g.IntN(4) > 0 {
				o[name] = values[name]()
			}
		}
		return o
	}
}

func keysOf[V any](m map[string]V) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

func both(a, b any) any {
	o := dict{}
	for _, m := range []any{a, b} {
		for k, v := range m.(dict) {
			o[k] = v
		}
	}
	return o
}

func (g *generator) text() any   { return g.one("", "a", "b", "abc", "Z") }
func (g *generator) number() any { return g.one(-1, 0, 1, 2, 2.5) }
func (g *generator) anything() any {
	return g.one(g.text(), g.number(), true, []any{}, []any{"a", 1}, dict{}, dict{"q": 1})
}
func (g *generator) many(v func() any) any {
	list := []any{}
	for range g.IntN(4) {
		list = append(list, v())
	}
	return list
}

// parameters returns a schema for a whole tool. branch is the part of it that the values come from:
// an open object accepts any property, so a value of one branch of a top-level union may be valid
// for another branch that does not have its properties; no model gives that.
func (g *generator) parameters() (top, branch dict, value func() any) {
	a, va := g.object(3)
	b, vb := g.object(3)
	value, top, branch = va, a.(dict), dict{}
	switch g.IntN(4) {
	case 0:
		top, branch = dict{"oneOf": []any{a, b}}, a.(dict)
	case 1:
		top, branch, value = dict{"type": "object", "anyOf": []any{a, b}}, b.(dict), vb
	case 2:
		top = dict{"allOf": []any{a, b}}
		value = func() any { return both(va(), vb()) }
	}
	top["$defs"], top["$schema"] = g.defs, "https://json-schema.org/draft/2020-12/schema"
	return top, branch, value
}

func validator(raw []byte) (*jsonschema.Schema, error) {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		return nil, err
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("p.json", doc); err != nil {
		return nil, err
	}
	return c.Compile("p.json")
}

func hasNull(v any) bool {
	switch v := v.(type) {
	case nil:
		return true
	case []any:
		return slices.ContainsFunc(v, hasNull)
	case dict:
		for _, inner := range v {
			if hasNull(inner) {
				return true
			}
		}
	}
	return false
}

// The form is never stricter: a value that the tool's own schema accepts, its form accepts as well.
// And each form follows the rules of the servers.
func TestTheFormIsNeverStricter(t *testing.T) {
	valid, written := 0, 0
	for seed := range uint64(500) {
		g := &generator{Rand: rand.New(rand.NewPCG(seed, 28)), defs: dict{}}
		schema, branch, value := g.parameters()
		own, err := json.Marshal(schema)
		if err != nil {
			t.Fatal(err)
		}
		part, _ := json.Marshal(dict{"$defs": g.defs, "allOf": []any{schema, branch}})
		wanted, err := validator(part)
		if err != nil {
			t.Fatalf("seed %d: the schema is wrong: %v", seed, err)
		}
		raw, err := toolschema.Portable(tools.Definition{Name: "t", Parameters: own}, toolschema.Common)
		if err != nil {
			if strings.Contains(err.Error(), "no branch") || strings.Contains(err.Error(), "nothing is valid") {
				continue
			}
			t.Fatalf("seed %d: %v", seed, err)
		}
		written++
		if found := broken(raw, toolschema.Common); found != "" {
			t.Errorf("seed %d: %s in\n%s", seed, found, raw)
		}
		gemini, err := toolschema.Portable(tools.Definition{Name: "t", Parameters: own}, toolschema.Gemini)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if found := broken(gemini, toolschema.Gemini); gemini != nil && found != "" {
			t.Errorf("seed %d: %s in\n%s", seed, found, gemini)
		}
		got, err := validator(raw)
		if err != nil {
			t.Fatalf("seed %d: the form is not a schema: %v\n%s", seed, err, raw)
		}
		for range 20 {
			v := value()
			plain, _ := json.Marshal(v)
			doc, _ := jsonschema.UnmarshalJSON(bytes.NewReader(plain))
			if hasNull(v) || wanted.Validate(doc) != nil {
				continue
			}
			valid++
			if err := got.Validate(doc); err != nil {
				t.Errorf("seed %d: %s is valid for\n%s\nbut not for\n%s\n%v", seed, plain, own, raw, err)
				break
			}
		}
		if t.Failed() {
			return
		}
	}
	if valid < 800 || written < 400 {
		t.Errorf("%d forms and %d valid values are too few to be meaningful", written, valid)
	}
}

var geminiName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]{0,63}$`)

// The members of Gemini's Schema: google.golang.org/genai v1.77.0.
var geminiKeys = strings.Fields("anyOf default description enum example format items maxItems minItems maxLength minLength maxProperties minProperties maximum minimum nullable pattern properties propertyOrdering required title type")

// broken returns what a server would refuse; "" for nothing.
func broken(raw []byte, dialect toolschema.Dialect) string {
	var top dict
	if err := json.Unmarshal(raw, &top); err != nil {
		return err.Error()
	}
	if top["type"] != "object" || top["properties"] == nil {
		return "the top is not an object with properties"
	}
	for _, key := range []string{"anyOf", "oneOf", "allOf", "enum", "not", "const"} {
		if top[key] != nil {
			return key + " at the top"
		}
	}
	return brokenAt(top, dialect, "top")
}

func brokenAt(v any, dialect toolschema.Dialect, at string) string {
	s, is := v.(dict)
	if !is {
		return at + " is not an object"
	}
	kind, single := s["type"].(string)
	branches, union := s["anyOf"].([]any)
	switch {
	case single == union:
		return at + " has not either one type or anyOf"
	case single && !slices.Contains([]string{"string", "number", "integer", "boolean", "object", "array"}, kind):
		return at + " has the type " + kind
	case kind == "array" && s["items"] == nil:
		return at + " has no items"
	case union && len(branches) < 2:
		return at + " has a union of one"
	}
	properties, _ := s["properties"].(dict)
	for key, value := range s {
		switch {
		case strings.HasPrefix(key, "$") || slices.Contains([]string{"oneOf", "allOf", "definitions", "nullable", "unevaluatedProperties"}, key):
			return at + " has " + key
		case dialect != toolschema.Gemini:
		case !slices.Contains(geminiKeys, key):
			return at + " has " + key + ", which Gemini does not know"
		case union && key != "anyOf":
			return at + " has " + key + " next to anyOf"
		case key == "enum" && (kind != "string" || slices.ContainsFunc(value.([]any), func(v any) bool { s, is := v.(string); return !is || s == "" })):
			return at + " has an enum not of texts"
		case key == "format" && kind == "string" && value != "date-time":
			return at + " has a format"
		case key == "required":
			for _, name := range value.([]any) {
				if properties[name.(string)] == nil {
					return at + " requires what it has not"
				}
			}
		case key == "properties" && len(properties) == 0:
			return at + " has empty properties"
		}
	}
	for name, p := range properties {
		if dialect == toolschema.Gemini && !geminiName.MatchString(name) {
			return at + " has the name " + name
		}
		if found := brokenAt(p, dialect, at+"."+name); found != "" {
			return found
		}
	}
	for i, b := range branches {
		if found := brokenAt(b, dialect, fmt.Sprintf("%s|%d", at, i)); found != "" {
			return found
		}
	}
	if items := s["items"]; items != nil {
		return brokenAt(items, dialect, at+"[]")
	}
	return ""
}

func FuzzPortable(f *testing.F) {
	f.Add([]byte(attachment))
	f.Add([]byte(`{"type":"object","properties":{"a":{"$ref":"#"},"b":{"allOf":[{"$ref":"#/properties/a"},{"anyOf":[{"const":1},{"enum":[null,"x"]}]}]}},"oneOf":[{"required":["a"]},true]}`))
	f.Add([]byte(`{"$ref":"#/$defs/a","$defs":{"a":{"allOf":[{"$ref":"#"}],"type":["object","null"],"nullable":true,"items":[{}],"not":{"type":["string"]},"prefixItems":[false]}}}`))
	f.Add([]byte(object(`{"type":["array","string"],"prefixItems":[{"const":{}},{"type":"null"}],"patternProperties":{"x":{"type":"string"}},"required":true,"description":5}`)))
	f.Fuzz(func(t *testing.T, schema []byte) {
		for _, dialect := range []toolschema.Dialect{toolschema.Common, toolschema.Gemini} {
			raw, err := toolschema.Portable(tools.Definition{Name: "t", Parameters: schema}, dialect)
			if err != nil || raw == nil {
				continue
			}
			if found := broken(raw, dialect); found != "" && len(raw) < 4096 {
				t.Errorf("%s: %s", found, raw)
			}
			again, err := toolschema.Portable(tools.Definition{Name: "t", Parameters: raw}, dialect)
			if err != nil || !bytes.Equal(raw, again) {
				t.Errorf("%s\nwritten again is\n%s (%v)", raw, again, err)
			}
		}
	})
}
