package front

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/askgate/askgate/tools/strictjson"
)

// These limit what is examined of the parameters of a client's ask_user. A larger schema counts
// as that of the client's own tool.
const (
	maxDemand  = 64 << 10 // bytes
	maxDemands = 16       // levels of the schema
	maxChecked = 20_000   // places at which schema and arguments meet, and what is read at each
)

// Demand has the requirements of the parameters of a client's ask_user for a question. The zero
// value requires nothing.
type Demand struct{ schema map[string]any }

// NewDemand reads the JSON Schema of a client's ask_user; without one, it takes every question.
// ok is false if the tool is the client's own: it has properties other than questions, or is too
// large to be read.
func NewDemand(parameters json.RawMessage) (d Demand, ok bool) {
	if isNull(parameters) {
		return Demand{}, true
	}
	if len(parameters) > maxDemand {
		return Demand{}, false
	}
	if _, err := strictjson.Open(parameters, strictjson.Rules{MaxDepth: 2 * maxDemands}); err != nil || json.Unmarshal(parameters, &d.schema) != nil {
		return Demand{}, false
	}
	c := checker{root: d.schema}
	return d, c.ours(d.schema, 0)
}

// Takes reports whether a question's arguments meet what the schema requires: required
// properties, types, numbers of items and enums. The rest of the schema is ignored, including
// additionalProperties.
func (d Demand) Takes(input json.RawMessage) bool {
	if d.schema == nil {
		return true
	}
	decoder := json.NewDecoder(bytes.NewReader(input))
	decoder.UseNumber()
	var v any
	if decoder.Decode(&v) != nil {
		return false
	}
	c := checker{root: d.schema}
	return c.fits(d.schema, v, 0)
}

type checker struct {
	root map[string]any
	read int // of maxChecked
}

// place counts a schema, with what is read of it each time.
func (c *checker) place(schema map[string]any, depth int) bool {
	n := 1
	for _, name := range []string{"type", "enum", "required", "allOf", "anyOf", "oneOf"} {
		list, _ := schema[name].([]any)
		n += len(list)
	}
	properties, _ := schema["properties"].(map[string]any)
	ref, _ := schema["$ref"].(string)
	c.read += n + len(properties) + len(ref)/bytesAtOnce
	return depth <= maxDemands && c.read <= maxChecked
}

// bytesAtOnce is how many bytes of a reference count as one place.
const bytesAtOnce = 16

// ours reports whether a schema, including those that it is made of, has no properties except
// questions.
func (c *checker) ours(schema map[string]any, depth int) bool {
	if !c.place(schema, depth) {
		return false
	}
	properties, _ := schema["properties"].(map[string]any)
	for name := range properties {
		if name != "questions" {
			return false
		}
	}
	if to, ok := c.referred(schema); ok && !c.ours(to, depth+1) {
		return false
	}
	for _, of := range []string{"allOf", "anyOf", "oneOf"} {
		for _, one := range schemas(schema[of]) {
			if !c.ours(one, depth+1) {
				return false
			}
		}
	}
	return true
}

// fits reports whether a value meets a schema.
func (c *checker) fits(schema map[string]any, v any, depth int) bool {
	if !c.place(schema, depth) {
		return false
	}
	if to, ok := c.referred(schema); ok && !c.fits(to, v, depth+1) {
		return false
	}
	if !isOf(schema["type"], v) || !among(schema, v) {
		return false
	}
	for _, one := range schemas(schema["allOf"]) {
		if !c.fits(one, v, depth+1) {
			return false
		}
	}
	for _, of := range []string{"anyOf", "oneOf"} {
		some := schemas(schema[of])
		if len(some) > 0 && !slices.ContainsFunc(some, func(one map[string]any) bool { return c.fits(one, v, depth+1) }) {
			return false
		}
	}
	switch v := v.(type) {
	case map[string]any:
		return c.object(schema, v, depth)
	case []any:
		return c.list(schema, v, depth)
	}
	return true
}

func (c *checker) object(schema, v map[string]any, depth int) bool {
	required, _ := schema["required"].([]any)
	for _, name := range required {
		if name, ok := name.(string); ok {
			if _, there := v[name]; !there {
				return false
			}
		}
	}
	properties, _ := schema["properties"].(map[string]any)
	for name, of := range properties {
		of, isSchema := of.(map[string]any)
		if in, there := v[name]; isSchema && there && !c.fits(of, in, depth+1) {
			return false
		}
	}
	return true
}

func (c *checker) list(schema map[string]any, v []any, depth int) bool {
	if n, ok := schema["minItems"].(float64); ok && float64(len(v)) < n {
		return false
	}
	if n, ok := schema["maxItems"].(float64); ok && float64(len(v)) > n {
		return false
	}
	items, ok := schema["items"].(map[string]any)
	if !ok {
		return true
	}
	for _, in := range v {
		if !c.fits(items, in, depth+1) {
			return false
		}
	}
	return true
}

// unescaped is a name in a reference.
var unescaped = strings.NewReplacer("~1", "/", "~0", "~")

// referred returns the schema that another one refers to within the whole; false means that it
// has no $ref. No value meets a reference that leads nowhere.
func (c *checker) referred(schema map[string]any) (map[string]any, bool) {
	ref, ok := schema["$ref"].(string)
	if !ok {
		return nil, false
	}
	to := any(c.root)
	if path, ok := strings.CutPrefix(ref, "#/"); ok {
		for name := range strings.SplitSeq(path, "/") {
			in, _ := to.(map[string]any)
			to = in[unescaped.Replace(name)]
		}
	} else if ref != "#" {
		to = nil
	}
	if found, ok := to.(map[string]any); ok {
		return found, true
	}
	return map[string]any{"enum": []any{}, "properties": map[string]any{"": nil}}, true
}

func schemas(v any) []map[string]any {
	list, _ := v.([]any)
	var all []map[string]any
	for _, one := range list {
		if s, ok := one.(map[string]any); ok {
			all = append(all, s)
		}
	}
	return all
}

// isOf reports whether a value is of a type, or of one of several; without a type, every value
// is.
func isOf(types, v any) bool {
	switch types := types.(type) {
	case string:
		return is(types, v)
	case []any:
		return slices.ContainsFunc(types, func(one any) bool { name, _ := one.(string); return is(name, v) })
	}
	return true
}

func is(name string, v any) bool {
	switch v := v.(type) {
	case nil:
		return name == "null"
	case bool:
		return name == "boolean"
	case string:
		return name == "string"
	case json.Number:
		return name == "number" || name == "integer" && !strings.ContainsAny(v.String(), ".eE")
	case []any:
		return name == "array"
	}
	return name == "object"
}

// among reports whether an enum or a const lists a value. Lists and objects in them are not
// compared: no known client has any.
func among(schema map[string]any, v any) bool {
	if n, ok := v.(json.Number); ok {
		v, _ = n.Float64()
	}
	if one, ok := schema["const"]; ok && !same(one, v) {
		return false
	}
	list, ok := schema["enum"].([]any)
	return !ok || slices.ContainsFunc(list, func(one any) bool { return same(one, v) })
}

func same(a, b any) bool {
	switch a.(type) {
	case map[string]any, []any:
		return false
	}
	switch b.(type) {
	case map[string]any, []any:
		return false
	}
	return a == b
}
