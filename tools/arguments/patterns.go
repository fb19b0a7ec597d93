package arguments

import (
	"fmt"
	"regexp"
	"regexp/syntax"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

const (
	maxPattern  = 4 << 10 // bytes of one pattern
	maxPatterns = 20_000  // parts of all patterns of a schema, with repetitions expanded
	// The number of parts of a pattern that match a byte of a text in one step.
	partsPerStep = 128
	// The number of ranges of a character class that count as one part.
	rangesPerPart = 16
)

// ErrPatterns means that the patterns of a schema are too large.
var ErrPatterns = fmt.Errorf("the patterns of the schema are too large: at most %d bytes each, and %d parts together with {n} expanded; repeat less, and check lengths with maxLength", maxPattern, maxPatterns)

// patterns compiles the patterns of one schema, up to a total size. The time of Go's regular
// expressions is linear in the text and in their parts; the steps of a check count both.
type patterns struct {
	of    *counted
	known map[string]*countedPattern
	parts int
	large bool // the limit is exceeded
	done  bool // the schema is compiled; further patterns are values with the format "regex"
}

func (p *patterns) compile(source string) (jsonschema.Regexp, error) {
	if p.done {
		p = &patterns{of: p.of, known: map[string]*countedPattern{}}
	}
	if one := p.known[source]; one != nil {
		return one, nil
	}
	if p.large = p.large || len(source) > maxPattern; p.large {
		return nil, ErrPatterns
	}
	tree, err := syntax.Parse(source, syntax.Perl)
	if err != nil {
		return nil, err
	}
	n := parts(tree)
	if p.parts += n; p.parts > maxPatterns {
		p.large = true
		return nil, ErrPatterns
	}
	compiled, err := regexp.Compile(source)
	if err != nil {
		return nil, err
	}
	p.known[source] = &countedPattern{compiled, n, p.of}
	return p.known[source], nil
}

// parts returns the approximate number of instructions of a compiled expression.
func parts(re *syntax.Regexp) int {
	n := 1
	switch re.Op {
	case syntax.OpLiteral:
		n = len(re.Rune)
	case syntax.OpCharClass:
		n += len(re.Rune) / 2 / rangesPerPart
	}
	for _, sub := range re.Sub {
		n += parts(sub)
	}
	if re.Op == syntax.OpRepeat {
		n *= max(1, re.Min, re.Max)
	}
	return n
}

// countedPattern is a pattern that counts its work in the steps of the check.
type countedPattern struct {
	*regexp.Regexp
	parts int
	of    *counted
}

// MatchString implements jsonschema.Regexp.
func (p *countedPattern) MatchString(s string) bool {
	p.of.take(1 + len(s)*p.parts/partsPerStep)
	return p.Regexp.MatchString(s)
}
