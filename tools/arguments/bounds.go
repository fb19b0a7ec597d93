package arguments

import (
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

const (
	// MaxExpanded is the maximum number of schemas in a schema with its $refs expanded. The limit
	// of the expanded schemas for models is the same (gateway/model/toolschema).
	MaxExpanded = 20_000
	// The maximum number of steps to check a value: a base, and some for each byte, since each
	// item and member is checked by itself. A step is a schema that checks a value, an item or
	// member of a value, or some parts of a pattern that match a byte.
	// BenchmarkACheckThatTakesAllItsSteps measures their cost.
	baseSteps    = 100_000
	stepsPerByte = 2
	// maxExponent bounds the digits of a number, which is compared exactly. It is far beyond a double.
	maxExponent = 1000
)

// ErrExpands means that a schema is too large with its $refs expanded.
var ErrExpands = fmt.Errorf("with its $refs expanded, the schema has over %d schemas; use fewer $refs, or nest them less", MaxExpanded)

var errDynamic = errors.New("$dynamicRef with a nested $id is not supported, since its target is not known in advance; use $ref")

// errSteps is the fault of a value that takes too many steps to check.
var errSteps = errors.New("this takes too long to check; send less, and nest it less")

// errUnchecked is the fault of a value that the library cannot check.
var errUnchecked = errors.New("this cannot be checked; send numbers without large exponents")

var errExponent = fmt.Errorf("the schema has a number with an exponent beyond %d; no value of a double needs one", maxExponent)

// exponential reports whether a JSON value has a number with an exponent beyond maxExponent.
func exponential(value any) bool {
	switch value := value.(type) {
	case json.Number:
		_, exponent, has := strings.Cut(strings.ToLower(value.String()), "e")
		n, err := strconv.Atoi(exponent)
		return has && (err != nil || max(n, -n) > maxExponent)
	case []any:
		return slices.ContainsFunc(value, exponential)
	case map[string]any:
		for _, member := range value {
			if exponential(member) {
				return true
			}
		}
	}
	return false
}

// Bounded returns an error if the cost of a compiled schema has no limit. Recursion counts
// once: its depth depends on the value, whose steps are counted.
func Bounded(root *jsonschema.Schema) error {
	left, dynamic, nested := MaxExpanded, false, false
	entered := map[*jsonschema.Schema]bool{}
	var expand func(s *jsonschema.Schema) bool
	expand = func(s *jsonschema.Schema) bool {
		if left--; left < 0 {
			return false
		}
		if entered[s] {
			return true
		}
		dynamic, nested = dynamic || s.DynamicRef != nil, nested || s.ID != "" && s != root
		entered[s] = true
		defer delete(entered, s)
		for next := range within(s) {
			if !expand(next) {
				return false
			}
		}
		return true
	}
	switch {
	case !expand(root):
		return ErrExpands
	case dynamic && nested:
		return errDynamic
	}
	return nil
}

// within returns the schemas that a schema contains or refers to, with repetitions.
func within(s *jsonschema.Schema) iter.Seq[*jsonschema.Schema] {
	return func(yield func(*jsonschema.Schema) bool) {
		list := []*jsonschema.Schema{
			s.Ref, s.RecursiveRef, s.Not, s.If, s.Then, s.Else, s.PropertyNames, s.UnevaluatedProperties, s.Contains, s.Items2020, s.UnevaluatedItems, s.ContentSchema,
		}
		if s.DynamicRef != nil {
			list = append(list, s.DynamicRef.Ref)
		}
		for _, of := range [][]*jsonschema.Schema{s.AllOf, s.AnyOf, s.OneOf, s.PrefixItems} {
			list = append(list, of...)
		}
		for _, of := range []map[string]*jsonschema.Schema{s.Properties, s.DependentSchemas} {
			for _, one := range of {
				list = append(list, one)
			}
		}
		for _, one := range s.PatternProperties {
			list = append(list, one)
		}
		for _, one := range s.Dependencies {
			list = append(list, schemaOf(one))
		}
		if several, ok := s.Items.([]*jsonschema.Schema); ok {
			list = append(list, several...)
		}
		list = append(list, schemaOf(s.Items), schemaOf(s.AdditionalItems), schemaOf(s.AdditionalProperties))
		for _, one := range list {
			if one != nil && !yield(one) {
				return
			}
		}
	}
}

// schemaOf returns the value of a keyword as a schema, nil if it is of another type.
func schemaOf(v any) *jsonschema.Schema {
	s, _ := v.(*jsonschema.Schema)
	return s
}

// counted is a compiled schema that counts the steps of a check. It checks one value at a time.
type counted struct {
	root *jsonschema.Schema
	left int
}

// overrun is the panic that ends a check after its last step. The library has no other way to stop.
type overrun struct{}

// count makes every schema count its steps when it checks a value. It uses the schema's
// format, which is checked before any subschema.
func (c *counted) count(s *jsonschema.Schema, seen map[*jsonschema.Schema]bool) {
	if seen[s] {
		return
	}
	seen[s] = true
	steps := 1 // for the schema itself; the subschemas are added
	for next := range within(s) {
		c.count(next, seen)
		steps++
	}
	format := jsonschema.Format{Validate: func(any) error { return nil }}
	if s.Format != nil {
		format = *s.Format
	}
	own := format.Validate
	format.Validate = func(v any) error {
		n := steps
		switch v := v.(type) {
		case map[string]any:
			n += len(v)
		case []any:
			n += len(v)
		}
		c.take(n)
		return own(v)
	}
	s.Format = &format
}

// take counts steps, and ends the check if none are left.
func (c *counted) take(steps int) {
	if c.left -= steps; c.left < 0 {
		panic(overrun{})
	}
}

// validate checks a value whose JSON had this many bytes. The library panics on numbers whose exponent
// it does not compute.
func (c *counted) validate(value any, bytes int) (err error) {
	c.left = baseSteps + stepsPerByte*bytes
	defer func() {
		switch p := recover(); p.(type) {
		case nil:
		case overrun:
			err = errSteps
		default:
			err = errUnchecked
		}
	}()
	return c.root.Validate(value)
}
