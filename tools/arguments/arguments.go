// Package arguments checks the arguments of a tool call against the tool's JSON Schema and
// describes the faults so that the model can fix them. Schemas may come from untrusted
// sources: they cannot load a file or an address, and the cost of a check is limited.
package arguments

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"golang.org/x/text/language"
	"golang.org/x/text/message"

	"github.com/askgate/askgate/tools"
)

const (
	maxArguments = 256 << 10 // bytes of one call's arguments
	maxFault     = 1000      // bytes of the error that lists a value's faults
)

// printer formats schema faults, in English for the model.
var printer = message.NewPrinter(language.English)

// Schema is a compiled JSON Schema. It is safe for concurrent use.
type Schema struct {
	raw     json.RawMessage
	formats bool
	mu      sync.Mutex
	free    []*counted // compiled forms not in use
}

// maxFree is the number of compiled forms of a schema that are kept for concurrent checks.
const maxFree = 4

// Compile compiles a JSON Schema. The default draft is 2020-12.
func Compile(schema json.RawMessage) (*Schema, error) { return compile(schema, false) }

// CompileStrict is like Compile, but also checks "format".
func CompileStrict(schema json.RawMessage) (*Schema, error) { return compile(schema, true) }

func compile(schema json.RawMessage, formats bool) (*Schema, error) {
	s := &Schema{raw: slices.Clone(schema), formats: formats}
	first, err := s.compile()
	if err != nil {
		return nil, err
	}
	s.free = []*counted{first}
	return s, nil
}

// compile returns a form of the schema that checks one value at a time.
func (s *Schema) compile() (*counted, error) {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(s.raw))
	if err != nil {
		return nil, err
	}
	if exponential(doc) {
		return nil, errExponent
	}
	compiler := jsonschema.NewCompiler()
	compiler.UseLoader(jsonschema.SchemeURLLoader{}) // no schemes, so nothing can be loaded
	c := &counted{}
	patterns := patterns{of: c, known: map[string]*countedPattern{}}
	compiler.UseRegexpEngine(patterns.compile)
	if s.formats {
		compiler.AssertFormat()
	}
	if err := compiler.AddResource("parameters.json", doc); err != nil {
		return nil, err
	}
	compiled, err := compiler.Compile("parameters.json")
	switch {
	case patterns.large: // in place of the library's error, which quotes the pattern
		err = ErrPatterns
	case err == nil:
		err = Bounded(compiled)
	}
	if err != nil {
		return nil, err
	}
	c.root, patterns.done = compiled, true
	c.count(compiled, map[*jsonschema.Schema]bool{})
	return c, nil
}

// take returns a compiled form for exclusive use until giveBack.
func (s *Schema) take() (*counted, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n := len(s.free); n > 0 {
		c := s.free[n-1]
		s.free = s.free[:n-1]
		return c, nil
	}
	return s.compile()
}

func (s *Schema) giveBack(c *counted) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.free) < maxFree {
		s.free = append(s.free, c)
	}
}

// Check returns an error if the arguments of a call have no canonical form or do not match
// the schema. s may be nil.
func (s *Schema) Check(arguments string) error {
	canonical, err := Canonical(arguments)
	if err != nil || s == nil {
		return err
	}
	if faults := s.Faults(json.RawMessage(canonical)); len(faults) > 0 {
		return errors.New("arguments do not match the tool's parameters: " + tools.Clip(worded(faults), maxFault))
	}
	return nil
}

// Fault is a fault at one place of a value.
type Fault struct {
	Path []string // from the root
	Text string
}

// Faults returns the innermost faults of a JSON value, nil if it is valid.
func (s *Schema) Faults(raw json.RawMessage) []Fault {
	err := s.validate(raw)
	var invalid *jsonschema.ValidationError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &invalid):
		return innermost(invalid)
	default:
		return []Fault{{Text: err.Error()}}
	}
}

// Fits reports whether a JSON value matches the schema. The error is not nil if that cannot be found
// out, such as for a value that takes too long to check.
func (s *Schema) Fits(raw json.RawMessage) (bool, error) {
	err := s.validate(raw)
	if _, invalid := errors.AsType[*jsonschema.ValidationError](err); invalid {
		return false, nil
	}
	return err == nil, err
}

// validate checks a JSON value. The error is a *jsonschema.ValidationError if the value does not match.
func (s *Schema) validate(raw json.RawMessage) error {
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		return err
	}
	if exponential(value) {
		return errUnchecked
	}
	c, err := s.take()
	if err != nil {
		return err
	}
	defer s.giveBack(c)
	return c.validate(value, len(raw))
}

func innermost(err *jsonschema.ValidationError) []Fault {
	if len(err.Causes) == 0 {
		return []Fault{{Path: err.InstanceLocation, Text: err.ErrorKind.LocalizedString(printer)}}
	}
	var faults []Fault
	for _, cause := range err.Causes {
		faults = append(faults, innermost(cause)...)
	}
	return faults
}

// worded lists the faults with their places.
func worded(faults []Fault) string {
	parts := make([]string, 0, len(faults))
	for _, f := range faults {
		parts = append(parts, "at /"+strings.Join(f.Path, "/")+": "+f.Text)
	}
	return strings.Join(parts, "; ")
}
