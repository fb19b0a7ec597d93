package arguments

import (
	"encoding/json"
	"regexp"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Unknown returns the names of canonical arguments that a schema does not list, in their order. It
// is nil if the schema lists no properties at all, or describes those that it does not name.
func Unknown(canonical string, schema json.RawMessage) []string {
	l := listing{names: map[string]bool{}, seen: map[string]bool{}}
	if json.Unmarshal(schema, &l.root) != nil {
		return nil
	}
	l.add(l.root, 0)
	if !l.lists || l.open {
		return nil
	}
	var unknown []string
	d := jsontext.NewDecoder(strings.NewReader(canonical))
	_, _ = d.ReadToken() // canonical JSON: cannot fail before the end of the object
	for d.PeekKind() == jsontext.KindString {
		token, err := d.ReadToken()
		if err != nil {
			break
		}
		name := token.String()
		if d.SkipValue() != nil {
			break
		}
		if !l.knows(name) {
			unknown = append(unknown, name)
		}
	}
	return unknown
}

// listing has the properties that a schema lists for the object itself, in any of its branches.
type listing struct {
	root     any
	names    map[string]bool
	patterns []*regexp.Regexp
	seen     map[string]bool // references
	lists    bool            // at least one schema has properties
	open     bool            // other properties are described too, or cannot be known
}

func (l *listing) knows(name string) bool {
	if l.names[name] {
		return true
	}
	for _, p := range l.patterns {
		if p.MatchString(name) {
			return true
		}
	}
	return false
}

func (l *listing) add(schema any, depth int) {
	s, ok := schema.(map[string]any)
	if !ok {
		return
	}
	if depth > MaxDepth {
		l.open = true
		return
	}
	if properties, ok := s["properties"].(map[string]any); ok {
		l.lists = true
		for name := range properties {
			l.names[name] = true
		}
	}
	if byPattern, ok := s["patternProperties"].(map[string]any); ok {
		l.lists = true
		for source := range byPattern {
			l.pattern(source)
		}
	}
	for _, key := range []string{"additionalProperties", "unevaluatedProperties"} {
		if others, ok := s[key].(map[string]any); ok && len(others) > 0 {
			l.open = true
		}
	}
	for _, key := range []string{"allOf", "anyOf", "oneOf"} {
		branches, _ := s[key].([]any)
		for _, branch := range branches {
			l.add(branch, depth+1)
		}
	}
	for _, key := range []string{"if", "then", "else"} {
		l.add(s[key], depth+1)
	}
	if dependent, ok := s["dependentSchemas"].(map[string]any); ok {
		for _, branch := range dependent {
			l.add(branch, depth+1)
		}
	}
	if ref, ok := s["$ref"].(string); ok {
		l.follow(ref, depth)
	}
	if _, ok := s["$dynamicRef"]; ok {
		l.open = true
	}
}

func (l *listing) pattern(source string) {
	compiled, err := regexp.Compile(source)
	if err != nil || len(source) > maxPattern {
		l.open = true
		return
	}
	l.patterns = append(l.patterns, compiled)
}

// follow adds what a reference within the schema names.
func (l *listing) follow(ref string, depth int) {
	if l.seen[ref] {
		return
	}
	l.seen[ref] = true
	path, local := strings.CutPrefix(ref, "#")
	if !local || path != "" && !strings.HasPrefix(path, "/") {
		l.open = true
		return
	}
	at := l.root
	for token := range jsontext.Pointer(path).Tokens() {
		object, ok := at.(map[string]any)
		if at = object[token]; !ok || at == nil {
			l.open = true
			return
		}
	}
	l.add(at, depth+1)
}
