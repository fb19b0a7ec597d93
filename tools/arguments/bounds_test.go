package arguments_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/askgate/askgate/tools/arguments"
)

// doubling returns a schema with levels, each of which contains the next one twice.
func doubling(levels int, twice func(next string) string, last string) json.RawMessage {
	var defs []string
	for i := range levels {
		defs = append(defs, fmt.Sprintf(`"a%d": %s`, i, twice(fmt.Sprintf(`{"$ref": "#/$defs/a%d"}`, i+1))))
	}
	return json.RawMessage(fmt.Sprintf(`{"type": "object", "properties": {"x": {"$ref": "#/$defs/a0"}}, "$defs": {%s, "a%d": %s}}`, strings.Join(defs, ","), levels, last))
}

// All ways to check one value twice.
var twice = map[string]func(next string) string{
	"allOf":    func(next string) string { return `{"allOf": [` + next + `,` + next + `]}` },
	"anyOf":    func(next string) string { return `{"anyOf": [` + next + `,` + next + `]}` },
	"oneOf":    func(next string) string { return `{"oneOf": [` + next + `,` + next + `]}` },
	"if, else": func(next string) string { return `{"if": ` + next + `, "then": ` + next + `, "else": ` + next + `}` },
	"not":      func(next string) string { return `{"not": {"allOf": [` + next + `], "anyOf": [` + next + `]}}` },
	"$ref, allOf": func(next string) string {
		return `{"$ref": ` + next[len(`{"$ref": `):len(next)-1] + `, "allOf": [` + next + `]}`
	},
	"dependentSchemas": func(next string) string { return `{"dependentSchemas": {"p": ` + next + `, "q": ` + next + `}}` },
	"properties":       func(next string) string { return `{"properties": {"p": ` + next + `, "q": ` + next + `}}` },
	"items":            func(next string) string { return `{"items": {"anyOf": [` + next + `]}, "contains": ` + next + `}` },
	"prefixItems":      func(next string) string { return `{"prefixItems": [` + next + `, ` + next + `]}` },
	"the rest": func(next string) string {
		return `{"patternProperties": {"p": ` + next + `}, "additionalProperties": ` + next + `, "propertyNames": ` + next + `}`
	},
	"unevaluated": func(next string) string {
		return `{"unevaluatedProperties": ` + next + `, "unevaluatedItems": ` + next + `}`
	},
}

// A few $refs that expand to very many schemas are refused before any check.
func TestSchemasThatExpandAreRefused(t *testing.T) {
	for name, of := range twice {
		if _, err := arguments.Compile(doubling(40, of, `{"type": "string"}`)); !errors.Is(err, arguments.ErrExpands) {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := arguments.CompileStrict(doubling(8, of, `{"type": "string"}`)); err != nil {
			t.Errorf("%s, few: %v", name, err)
		}
	}
	if _, err := arguments.Compile(json.RawMessage(`{"$defs": {"t": {"$dynamicAnchor": "n"}, "in": {"$id": "in", "$dynamicRef": "#n", "$defs": {"m": {"$dynamicAnchor": "n"}}}}, "$ref": "in"}`)); err == nil {
		t.Error("a $dynamicRef that leads out of its resource is accepted")
	}
}

// Recursion is limited by the steps of a check, for every kind of doubling.
func TestTheStepsOfACheckAreBounded(t *testing.T) {
	const self = `{"$ref": "#/$defs/n"}`
	for name, double := range map[string]string{
		"anyOf":            `{"anyOf": [` + self + `, ` + self + `]}`,
		"allOf":            `{"allOf": [` + self + `, ` + self + `]}`,
		"oneOf":            `{"oneOf": [` + self + `, ` + self + `]}`,
		"if":               `{"if": ` + self + `, "then": ` + self + `, "else": ` + self + `}`,
		"not":              `{"not": {"allOf": [` + self + `, ` + self + `]}}`,
		"dependentSchemas": `{"dependentSchemas": {"a": ` + self + `, "b": ` + self + `}}`,
		"not, dependent":   `{"not": {"dependentSchemas": {"a": ` + self + `, "b": ` + self + `}}}`,
	} {
		for last, wrong := range map[string]string{"fits": `1`, "does not": `"x"`} {
			s, err := arguments.Compile(json.RawMessage(`{"type": "object", "$ref": "#/$defs/n", "$defs": {"n": {"type": ["object", "number"], "properties": {"a": ` + double + `}}}}`))
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if name == "anyOf" && last == "fits" {
				continue // the first of two matches is enough
			}
			deep := strings.Repeat(`{"b": 1, "a":`, 60) + wrong + strings.Repeat("}", 60)
			if err := s.Check(deep); err == nil || !strings.Contains(err.Error(), "too long to check") {
				t.Errorf("%s, where the value %s: %.200v", name, last, err)
			}
			if fine := s.Faults(json.RawMessage(`{"b": 1}`)); len(fine) != 0 {
				t.Errorf("%s: after that, %+v", name, fine)
			}
		}
	}
}

// Large but ordinary schemas and values are checked completely.
func TestHonestValuesHaveRoom(t *testing.T) {
	s, err := arguments.Compile(json.RawMessage(`{"type": "object", "properties": {"list": {"type": "array", "items": {"type": "integer"}},
		"tree": {"$ref": "#/$defs/node"}}, "$defs": {"node": {"type": "object", "properties": {"left": {"$ref": "#/$defs/node"}, "right": {"$ref": "#/$defs/node"},
		"is": {"anyOf": [{"const": "a"}, {"const": "b"}, {"type": "null"}]}}, "additionalProperties": false}}}`))
	if err != nil {
		t.Fatal(err)
	}
	tree := `{"is": null}`
	for range 12 {
		tree = `{"left":` + tree + `,"right":` + tree + `,"is":"b"}`
	}
	for name, honest := range map[string]string{"a list": `{"list": [` + strings.Repeat("1,", 120_000) + `1]}`, "a tree": `{"tree":` + tree + `}`} {
		if err := s.Check(honest); err != nil {
			t.Errorf("%s of %d bytes: %v", name, len(honest), err)
		}
	}
}

// Steps of concurrent checks are counted separately.
func TestChecksAtTheSameTime(t *testing.T) {
	s, err := arguments.Compile(json.RawMessage(`{"type": "object", "properties": {"list": {"items": {"type": "integer"}}}}`))
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 3 {
				if err := s.Check(`{"list": [` + strings.Repeat("1,", 30_000) + `1]}`); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
}

// The maximum cost of the steps, see baseSteps.
func BenchmarkACheckThatTakesAllItsSteps(b *testing.B) {
	s, err := arguments.Compile(json.RawMessage(`{"type": "object", "$ref": "#/$defs/n", "$defs": {"n": {"type": ["object", "number"], "properties": {"a": {"allOf": [{"$ref": "#/$defs/n"}, {"$ref": "#/$defs/n"}]}}}}}`))
	if err != nil {
		b.Fatal(err)
	}
	for name, deep := range map[string]string{"small": strings.Repeat(`{"a":`, 60) + `"x"` + strings.Repeat("}", 60), "large": strings.Repeat(`{"a":`, 60) + `"x"` + strings.Repeat("}", 60) + strings.Repeat(" ", 250<<10)} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if len(s.Faults(json.RawMessage(deep))) == 0 {
					b.Fatal("it is valid")
				}
			}
		})
	}
}

// A number whose exponent cannot be computed is a fault, and does not end the process.
func TestANumberThatCannotBeCheckedIsAFault(t *testing.T) {
	for _, of := range []string{`{"maximum":5}`, `{"multipleOf":2}`, `{"const":0}`, `{"enum":[1,2]}`, `{"type":"integer"}`} {
		s, err := arguments.Compile(json.RawMessage(`{"properties":{"n":` + of + `}}`))
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Check(`{"n":1e-9999999}`); err == nil {
			t.Errorf("%s: accepted", of)
		}
		if fits, err := s.Fits(json.RawMessage(`{"n":-1e-9999999}`)); fits || err == nil {
			t.Errorf("%s: fits %t, %v", of, fits, err)
		}
	}
}

// Numbers are compared exactly, and one of a few bytes can have millions of digits: 256 KiB of them
// would take the better part of an hour.
func TestNumbersOfManyDigitsAreNotComputed(t *testing.T) {
	const list = `{"properties":{"a":{"items":{"enum":[1,2,3]}}}}`
	schema, err := arguments.Compile([]byte(list))
	if err != nil {
		t.Fatal(err)
	}
	for _, number := range []string{"1e-1001", "1e-999999", "0e1001", "1E-99999999999999999999"} {
		if err := schema.Check(`{"a":[` + number + `]}`); err == nil || !strings.Contains(err.Error(), "exponents") {
			t.Errorf("%s: %v", number, err)
		}
		if _, err := arguments.Compile([]byte(`{"properties":{"a":{"minimum":` + number + `}}}`)); err == nil || !strings.Contains(err.Error(), "exponent") {
			t.Errorf("%s in a schema: %v", number, err)
		}
	}
	for _, number := range []string{"1", "2E0", "3e+00000000000000000000000", "1000e-3"} {
		if err := schema.Check(`{"a":[` + number + `]}`); err != nil {
			t.Errorf("%s: %v", number, err)
		}
	}
}
