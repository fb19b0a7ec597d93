// Package arguments checks what a model sends for a tool against the tool's JSON Schema,
// and words the faults so that the model can fix them. Schemas may come from outside:
// they lead to no file and no address, and are of bounded cost.
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
	maxFault     = 1000      // bytes of the faults of a value that does not fit
)

// printer words schema faults, for the model always in English.
var printer = message.NewPrinter(language.English)

// Schema is what arguments must fit. Safe for concurrent use.
type Schema struct {
	raw     json.RawMessage
	formats bool
	mu      sync.Mutex
	free    []*counted // that check nothing now
}

// maxFree is how many compiled forms of a schema are kept for values that come at the same time.
const maxFree = 4

// Compile reads a JSON Schema, of draft 2020-12 where it does not say.
func Compile(schema json.RawMessage) (*Schema, error) { return compile(schema, false) }

// CompileStrict is Compile for values whose "format" counts.
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

// compile makes a form of the schema for one value at a time.
func (s *Schema) compile() (*counted, error) {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(s.raw))
	if err != nil {
		return nil, err
	}
	compiler := jsonschema.NewCompiler()
	compiler.UseLoader(jsonschema.SchemeURLLoader{}) // that of no scheme
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
	case patterns.large: // the library says it in the words of each pattern
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

// take is a compiled form that nobody else uses until it is given back.
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

// Check says what is wrong with the arguments of a call: they have no canonical form, or
// do not fit the schema, which may be nil.
func (s *Schema) Check(arguments string) error {
	canonical, err := Canonical(arguments)
	if err != nil || s == nil {
		return err
	}
	if faults := s.Faults(json.RawMessage(canonical)); len(faults) > 0 {
		return errors.New("arguments do not fit the tool's parameters: " + tools.Clip(worded(faults), maxFault))
	}
	return nil
}

// Fault is one place of a value that does not fit.
type Fault struct {
	Path []string // from the root
	Text string
}

// Faults are the innermost faults of a JSON value; none where it fits.
func (s *Schema) Faults(raw json.RawMessage) []Fault {
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		return []Fault{{Text: err.Error()}}
	}
	c, err := s.take()
	if err != nil {
		return []Fault{{Text: err.Error()}}
	}
	err = c.validate(value, len(raw))
	s.giveBack(c)
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

// worded names each fault with its place.
func worded(faults []Fault) string {
	parts := make([]string, 0, len(faults))
	for _, f := range faults {
		parts = append(parts, "at /"+strings.Join(f.Path, "/")+": "+f.Text)
	}
	return strings.Join(parts, "; ")
}
