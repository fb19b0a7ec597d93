package arguments

import (
	"errors"
	"fmt"
	"iter"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

const (
	// MaxExpanded is how many schemas a schema may stand for with its $refs written out: as many as
	// are written out for models (gateway/model/toolschema).
	MaxExpanded = 20_000
	// The steps that one value may take to check: some for each schema, and some for each byte, as
	// each item and member is looked at by itself. A step is a schema that looks at a value, or a
	// value in one, or some parts of a pattern that see a byte. BenchmarkACheckThatTakesAllItsSteps measures what they cost.
	baseSteps    = 100_000
	stepsPerByte = 2
)

// ErrExpands says that a few $refs of a schema stand for too many schemas.
var ErrExpands = fmt.Errorf("with its $refs written out the schema stands for over %d schemas; refer to a schema less often, or nest them less", MaxExpanded)

var errDynamic = errors.New("$dynamicRef beside a nested $id leads to schemas that cannot be told beforehand; write $ref")

// errSteps is the fault of a value that takes too long to check.
var errSteps = errors.New("this takes too long to check; send less, and nest it less")

// Bounded says what is wrong with a compiled schema whose cost has no bound as it stands. Recursion counts once: how
// far it goes depends on the value, whose steps are counted.
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

// within are the schemas that a schema has or refers to, as often as it does.
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

// schemaOf is a value of a keyword that may have something else, nil then.
func schemaOf(v any) *jsonschema.Schema {
	s, _ := v.(*jsonschema.Schema)
	return s
}

// counted is a compiled schema that counts the steps of the value it checks. For one value at a time.
type counted struct {
	root *jsonschema.Schema
	left int
}

// overrun ends a check that has taken all its steps. The library knows no other way out.
type overrun struct{}

// count makes every schema count when it looks at a value, before it goes on to others: its format is
// checked at that point.
func (c *counted) count(s *jsonschema.Schema, seen map[*jsonschema.Schema]bool) {
	if seen[s] {
		return
	}
	seen[s] = true
	steps := 1 // and those of schemas that look no further
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

// take takes steps, and ends the check where there are no more.
func (c *counted) take(steps int) {
	if c.left -= steps; c.left < 0 {
		panic(overrun{})
	}
}

// validate checks a value that was so many bytes.
func (c *counted) validate(value any, bytes int) (err error) {
	c.left = baseSteps + stepsPerByte*bytes
	defer func() {
		if p := recover(); p != nil {
			if _, over := p.(overrun); !over {
				panic(p)
			}
			err = errSteps
		}
	}()
	return c.root.Validate(value)
}
