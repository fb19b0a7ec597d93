package config

import (
	"regexp/syntax"
	"slices"
	"strings"

	"github.com/tailscale/hujson"

	"github.com/askgate/askgate/tools/arguments"
)

// In JSON Schema a keyword fits every value that it says nothing about: "maximum" fits a text, and
// "properties" an object without the property. A rule that allows must not allow such a call, so the
// schema of its arguments may say only what no argument can escape by being absent, renamed or of
// another type. In other rules the same is a warning.

// judgedTypes are the keywords that a rule may use, with the JSON types that each judges. Values of
// other types fit. nil: it judges all.
var judgedTypes = map[string][]string{
	"type": nil, "const": nil, "enum": nil, "allOf": nil, "anyOf": nil,
	"properties": {"object"}, "required": {"object"}, "additionalProperties": {"object"}, "minProperties": {"object"}, "maxProperties": {"object"},
	"items": {"array"}, "minItems": {"array"}, "maxItems": {"array"}, "uniqueItems": {"array"},
	"minimum": numeric, "maximum": numeric, "exclusiveMinimum": numeric, "exclusiveMaximum": numeric, "multipleOf": numeric,
	"minLength": {"string"}, "maxLength": {"string"}, "pattern": {"string"},
}

var numeric = []string{"number", "integer"}

// annotations say nothing about values.
var annotations = []string{"$comment", "title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly"}

// silentKeywords are the other keywords, with what is wrong with them and what to write.
var silentKeywords = func() map[string]string {
	all := map[string]string{}
	for what, words := range map[string]string{
		`can fit without judging any argument; combine with "allOf" and "anyOf" only`:                         "not oneOf if then else dependentSchemas dependentRequired dependencies",
		`fits properties that nothing names; name each one under "properties" and "required"`:                 "patternProperties propertyNames unevaluatedProperties",
		`fits lists without the items that it describes; describe each item with "items", next to "minItems"`: "prefixItems additionalItems unevaluatedItems contains minContains maxContains",
		`keeps what the rule says in another place; write the schema here`:                                    "$ref $defs definitions $anchor $dynamicRef $dynamicAnchor $recursiveRef $recursiveAnchor $id id",
		`is not checked, so every text fits; write a "pattern", "const" or "enum"`:                            "format contentEncoding contentMediaType contentSchema",
		`changes what other keywords mean; remove it, since rules are read as JSON Schema of draft 2020-12`:   "$schema $vocabulary",
	} {
		for _, word := range strings.Fields(words) {
			all[word] = what
		}
	}
	return all
}()

// silence reports what a schema says nothing about, though it seems to.
type silence struct {
	allows bool // a rule that allows: as faults, not as warnings
}

// noSilence checks the schema of a rule.
func noSilence(when Value, allows bool) {
	s := silence{allows}
	if !saysValue(when) {
		s.report(when, `"when" says nothing about the value of any argument; describe those that decide under "properties", or write "otherwise" in place of the rule`)
		return
	}
	s.schema(when, []string{"object"})
}

func (s silence) report(at Value, format string, args ...any) {
	if s.allows {
		at.Fault(format, args...)
		return
	}
	at.Warn(format, args...)
}

// value checks the schema of a value in a place of its own, a property or an item, which what names.
func (s silence) value(at, schema Value, what string) {
	switch types, said := typesOf(schema); {
	case literalWord(schema) == "false":
		s.report(at, `false fits only without %s, and so after a change of its name; list the properties that there may be, and write "additionalProperties": false`, what)
	case !said:
		s.report(at, `there is no "type", "const" or "enum" for %s, so values of every other type fit, too; add one`, what)
		fallthrough
	default:
		s.schema(schema, types)
	}
}

// schema checks a schema of values that have one of these JSON types; nil: of any, or only those that
// the schema lists.
func (s silence) schema(n Value, types []string) {
	if n.kind() != "an object" {
		return
	}
	list, _ := n.Members()
	for _, m := range list {
		judged, may := judgedTypes[m.Key]
		switch {
		case slices.Contains(annotations, m.Key) || strings.HasPrefix(m.Key, "x-"):
			continue
		case silentKeywords[m.Key] != "":
			s.report(m.Name, "%q %s", m.Key, silentKeywords[m.Key])
			continue
		case !may:
			s.report(m.Name, "%q is not a keyword of JSON Schema, so it says nothing%s", m.Key, orExtension(m.Key))
			continue
		}
		for _, of := range types {
			if judged != nil && !slices.Contains(judged, of) {
				s.report(m.Name, `%q says nothing about a value of type %q, so each one fits; write "type": %q only, or put the types into branches of "anyOf"`, m.Key, of, judged[0])
				break
			}
		}
		s.keyword(n, m, types)
	}
}

// keyword checks the schemas in a keyword's value.
func (s silence) keyword(n Value, m Member, types []string) {
	switch m.Key {
	case "properties":
		list, _ := m.Members()
		required := n.names("required")
		for _, p := range list {
			if !slices.Contains(required, p.Key) {
				s.report(p.Name, `%q is not under "required", so calls without it fit, too; add it there`, p.Key)
			}
			s.value(p.Name, p.Value, `"`+p.Key+`"`)
		}
	case "required":
		properties, known := n.Key("properties"), []string(nil)
		if properties.Given() {
			list, _ := properties.Members()
			for _, p := range list {
				known = append(known, p.Key)
			}
		}
		items, _ := n.items("required")
		for _, item := range items {
			if name := literal(item.v); !slices.Contains(known, name) {
				s.report(item, `%q is not under "properties" here, so each of its values fits; describe it there%s`, name, near(name, known))
			}
		}
	case "allOf", "anyOf":
		branches, _ := n.items(m.Key)
		for _, branch := range branches {
			if m.Key == "anyOf" && fitsAll(branch, slices.Equal(types, []string{"object"})) {
				s.report(branch, `this branch of "anyOf" fits everything, so the others say nothing; remove it`)
				continue
			}
			of, said := typesOf(branch)
			switch {
			case !said:
				of = types
			case types != nil && of != nil:
				number := slices.ContainsFunc(types, func(one string) bool { return slices.Contains(numeric, one) })
				of = slices.DeleteFunc(of, func(one string) bool {
					return !slices.Contains(types, one) && !(number && slices.Contains(numeric, one)) // 5 is both
				})
			}
			s.schema(branch, of)
		}
	case "items":
		if n.number("minItems") < 1 {
			s.report(m.Name, `an empty list fits, too; add "minItems": 1`)
		}
		s.value(m.Name, m.Value, "the items")
	case "additionalProperties":
		if m.kind() != "an object" {
			return
		}
		if n.number("minProperties") < 1 && len(n.names("required")) == 0 {
			s.report(m.Name, `an object without properties fits, too; add "minProperties": 1`)
		}
		s.value(m.Name, m.Value, "the other properties")
	case "pattern":
		if tree, err := syntax.Parse(literal(m.v), syntax.Perl); err == nil && s.allows && !anchored(tree) {
			m.Warn(`the pattern fits each text that contains a match, such as one with more before and after it; begin it with ^ and end it with $`)
		}
	}
}

// typesOf returns the JSON types to which a schema limits its values. said: it does. If it lists the
// values themselves, types is nil.
func typesOf(schema Value) (types []string, said bool) {
	switch at := schema.Key("type"); {
	case schema.Key("const").Given() || schema.Key("enum").Given():
		return nil, true
	case !at.Given():
		return nil, literalWord(schema) == "false"
	case at.kind() == "a list":
		return schema.names("type"), true
	default:
		return []string{literal(at.v)}, true
	}
}

// saysValue reports whether the schema of a rule says anything about the value of an argument, or that
// there is none.
func saysValue(n Value) bool {
	if n.kind() != "an object" {
		return literalWord(n) == "false"
	}
	list, _ := n.Members()
	return slices.ContainsFunc(list, func(m Member) bool {
		switch m.Key {
		case "const", "enum":
			return true
		case "properties", "additionalProperties":
			return says(n, m, true)
		case "maxProperties":
			return n.number(m.Key) == 0
		case "allOf":
			branches, _ := n.items(m.Key)
			return slices.ContainsFunc(branches, saysValue)
		case "anyOf":
			branches, _ := n.items(m.Key)
			return !slices.ContainsFunc(branches, func(branch Value) bool { return !saysValue(branch) })
		}
		return silentKeywords[m.Key] != "" // which is reported by itself
	})
}

// fitsAll reports whether a schema says nothing, so that every value fits; of objects, if object is set.
func fitsAll(n Value, object bool) bool {
	if n.kind() != "an object" {
		return literalWord(n) == "true"
	}
	list, _ := n.Members()
	return !slices.ContainsFunc(list, func(m Member) bool { return says(n, m, object) })
}

// says reports whether a keyword of a schema says anything about a value.
func says(n Value, m Member, object bool) bool {
	if _, may := judgedTypes[m.Key]; !may {
		return silentKeywords[m.Key] != ""
	}
	switch m.Key {
	case "type":
		return !object
	case "properties":
		list, _ := m.Members()
		return slices.ContainsFunc(list, func(p Member) bool { return !fitsAll(p.Value, false) })
	case "required":
		return len(n.names(m.Key)) > 0
	case "minProperties", "minItems", "minLength":
		return n.number(m.Key) > 0
	case "additionalProperties", "items":
		return !fitsAll(m.Value, false)
	case "uniqueItems":
		return literalWord(m.Value) == "true"
	case "pattern":
		return literal(m.v) != ""
	case "allOf", "anyOf":
		branches, _ := n.items(m.Key)
		all := func(branch Value) bool { return fitsAll(branch, object) }
		if m.Key == "anyOf" {
			return !slices.ContainsFunc(branches, all)
		}
		return slices.ContainsFunc(branches, func(branch Value) bool { return !all(branch) })
	}
	return true
}

// names returns the strings of the list under a key of an object.
func (n Value) names(key string) []string {
	items, _ := n.items(key)
	list := make([]string, len(items))
	for i, item := range items {
		list[i] = literal(item.v)
	}
	return list
}

// number returns the number under a key of an object, 0 if there is none.
func (n Value) number(key string) float64 {
	at := n.Key(key)
	if !at.Given() || at.kind() != "a number" {
		return 0
	}
	return at.v.Value.(hujson.Literal).Float()
}

// literalWord returns a value as it is written if it is true, false or null, else "".
func literalWord(n Value) string {
	if lit, ok := n.v.Value.(hujson.Literal); ok && lit.Kind() != '"' && lit.Kind() != '0' {
		return string(lit)
	}
	return ""
}

// anchored reports whether a regular expression matches only whole texts.
func anchored(re *syntax.Regexp) bool {
	switch re.Op {
	case syntax.OpCapture:
		return anchored(re.Sub[0])
	case syntax.OpAlternate:
		return !slices.ContainsFunc(re.Sub, func(one *syntax.Regexp) bool { return !anchored(one) })
	case syntax.OpConcat:
		return re.Sub[0].Op == syntax.OpBeginText && re.Sub[len(re.Sub)-1].Op == syntax.OpEndText
	}
	return false
}

// undeclared returns the names of properties that the schema of a rule has for the arguments and that
// the parameters of the tool do not declare.
func undeclared(when *hujson.Value, parameters []byte) (names []*hujson.Value) {
	obj, ok := when.Value.(*hujson.Object)
	for i := 0; ok && i < len(obj.Members); i++ {
		m := &obj.Members[i]
		switch literal(&m.Name) {
		case "properties":
			named, _ := m.Value.Value.(*hujson.Object)
			for j := 0; named != nil && j < len(named.Members); j++ {
				name := &named.Members[j].Name
				if arguments.Unknown("{"+quoted(literal(name))+":null}", parameters) != nil {
					names = append(names, name)
				}
			}
		case "allOf", "anyOf", "oneOf":
			branches, _ := m.Value.Value.(*hujson.Array)
			for j := 0; branches != nil && j < len(branches.Elements); j++ {
				names = append(names, undeclared(&branches.Elements[j], parameters)...)
			}
		case "not", "if", "then", "else":
			names = append(names, undeclared(&m.Value, parameters)...)
		}
	}
	return names
}
