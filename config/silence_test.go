package config_test

import (
	"strings"
	"testing"

	"github.com/askgate/askgate/config/configtest"
)

// A rule that allows may not allow by silence: what its schema says nothing about is a fault at its
// place, with what to write. In a rule that does not allow, it is a warning there.
func TestNoRuleAllowsBySilence(t *testing.T) {
	for name, c := range map[string]struct {
		when string
		want []string
	}{
		"not required":           {`{"properties": {¶"amount": {"type": "number"}}}`, []string{`"amount" is not under "required"`, "add it there"}},
		"another is required":    {`{"properties": {¶"amount": {"type": "number"}, "to": {"const": "x"}}, "required": ["to"]}`, []string{`"amount"`}},
		"no type":                {`{"properties": {¶"amount": {"maximum": 50}}, "required": ["amount"]}`, []string{`no "type", "const" or "enum" for "amount"`, "add one"}},
		"any value":              {`{"properties": {¶"amount": true, "to": {"const": "x"}}, "required": ["amount", "to"]}`, []string{`for "amount"`}},
		"no value":               {`{"properties": {¶"to": false, "amount": {"const": 1}}, "required": ["amount", "to"]}`, []string{`only without "to"`, `"additionalProperties": false`}},
		"required alone":         {`{"properties": {"amount": {"const": 1}}, "required": ["amount", ¶"amuont"]}`, []string{`not under "properties" here`, `did you mean "amount"?`}},
		"required elsewhere":     {`{"allOf": [{"properties": {¶"amount": {"const": 1}}}], "required": [¶"amount"]}`, nil},
		"within an object":       {`{"properties": {"lines": {"type": "object", "properties": {¶"a": {"type": "string"}}}}, "required": ["lines"]}`, []string{`"a" is not under "required"`}},
		"within items":           {`{"properties": {"lines": {"type": "array", "minItems": 1, "items": {"type": "object", "properties": {¶"a": {}}, "required": ["a"]}}}, "required": ["lines"]}`, []string{`for "a"`}},
		"within a branch":        {`{"anyOf": [{"properties": {"amount": {"const": 1}}, "required": ["amount"]}, {"properties": {¶"amount": {"const": 2}}}]}`, []string{`"amount" is not under "required"`}},
		"within the others":      {`{"additionalProperties": {"type": "object", "properties": {¶"a": {"const": 1}}}, "minProperties": 1}`, []string{`"a" is not under "required"`}},
		"no object":              {`{"properties": {"lines": {"type": ["object", "string"], ¶"properties": {"a": {"const": 1}}, ¶"required": ["a"]}}, "required": ["lines"]}`, []string{`value of type "string"`, `write "type": "object"`}},
		"texts, too":             {`{"properties": {"amount": {"type": ["number", "string"], ¶"maximum": 50}}, "required": ["amount"]}`, []string{`"maximum" says nothing about a value of type "string"`, `"type": "number"`}},
		"null, too":              {`{"properties": {"to": {"type": ["string", "null"], ¶"maxLength": 3}}, "required": ["to"]}`, []string{`"null"`, `"type": "string"`}},
		"of another type":        {`{"properties": {"amount": {"type": "string", ¶"maximum": 50}}, "required": ["amount"]}`, []string{`"maximum"`}},
		"numbers of arguments":   {`{"properties": {"amount": {"const": 1}}, "required": ["amount"], ¶"maximum": 50}`, []string{`value of type "object"`}},
		"a branch of texts":      {`{"properties": {"to": {"type": ["string", "number"], "anyOf": [{"type": "number", "maximum": 5}, {¶"maxLength": 5}]}}, "required": ["to"]}`, []string{`"maxLength"`, `"number"`}},
		"items of any type":      {`{"properties": {"lines": {"type": "array", "minItems": 1, ¶"items": {"maximum": 5}}}, "required": ["lines"]}`, []string{"for the items"}},
		"no items":               {`{"properties": {"lines": {"type": "array", ¶"items": {"const": 5}}}, "required": ["lines"]}`, []string{"an empty list fits", `"minItems": 1`}},
		"first items":            {`{"properties": {"lines": {"type": "array", ¶"prefixItems": [{"const": 5}]}}, "required": ["lines"]}`, []string{`"prefixItems" fits lists without`}},
		"some item":              {`{"properties": {"lines": {"type": "array", ¶"contains": {"const": 5}}}, "required": ["lines"]}`, []string{`"items"`}},
		"others of any type":     {`{"properties": {"amount": {"const": 1}}, "required": ["amount"], ¶"additionalProperties": {"maxLength": 4}}`, []string{"for the other properties"}},
		"no others":              {`{¶"additionalProperties": {"type": "string"}}`, []string{`"minProperties": 1`}},
		"a branch of integers":   {`{"properties": {"amount": {"type": "number", "anyOf": [{"type": "integer", ¶"maxLength": 3}, {"type": "number", "maximum": 5}]}}, "required": ["amount"]}`, []string{`"maxLength"`, `"integer"`}},
		"a branch of everything": {`{"properties": {"amount": {"const": 1}}, "required": ["amount"], "anyOf": [{"properties": {"to": {"const": "x"}}, "required": ["to"]}, ¶{"type": "object"}]}`, []string{"fits everything", "remove it"}},
		"a true branch":          {`{"properties": {"to": {"type": "string", "anyOf": [¶true, {"maxLength": 3}]}}, "required": ["to"]}`, []string{"fits everything"}},
		"not":                    {`{¶"not": {"properties": {"amount": {"exclusiveMinimum": 50}}}}`, []string{`"not"`, `"allOf" and "anyOf"`}},
		"oneOf":                  {`{¶"oneOf": [{"properties": {"amount": {"const": 1}}}]}`, []string{`"allOf" and "anyOf"`}},
		"if and then":            {`{¶"if": {}, ¶"then": {}}`, []string{`"allOf" and "anyOf"`}},
		"dependent":              {`{¶"dependentRequired": {"a": ["b"]}, ¶"dependentSchemas": {"a": {}}}`, []string{`"allOf" and "anyOf"`}},
		"by pattern":             {`{¶"patternProperties": {"^a": {"type": "string"}}, ¶"propertyNames": {"maxLength": 3}}`, []string{`name each one under "properties"`}},
		"unevaluated":            {`{¶"unevaluatedProperties": false}`, []string{`name each one`}},
		"a reference":            {`{¶"$ref": "#/$defs/a", ¶"$defs": {"a": {"properties": {"amount": {"const": 1}}}}}`, []string{"write the schema here"}},
		"format":                 {`{"properties": {"to": {"type": "string", ¶"format": "email"}}, "required": ["to"]}`, []string{`"format" is not checked`, `"pattern"`}},
		"an older draft":         {`{¶"$schema": "http://json-schema.org/draft-04/schema#", "properties": {"amount": {"const": 1}}, "required": ["amount"]}`, []string{"draft 2020-12"}},
		"misspelt":               {`{"properties": {"amount": {"type": "number", ¶"maxmum": 50}}, "required": ["amount"]}`, []string{`"maxmum" is not a keyword`, `did you mean "maximum"?`}},
		"nothing":                {`¶{}`, []string{"says nothing about the value of any argument", `"otherwise"`}},
		"only an object":         {`¶{"type": "object", "properties": {}, "required": [], "title": "all"}`, []string{"says nothing"}},
		"only a number of them":  {`¶{"maxProperties": 3}`, []string{"says nothing"}},
		"only a name":            {`¶{"required": ["amount"]}`, []string{"says nothing"}},
		"only one branch":        {`¶{"anyOf": [{"properties": {"amount": {"const": 1}}, "required": ["amount"]}, {"minProperties": 2}]}`, []string{"says nothing"}},
	} {
		t.Run(name, func(t *testing.T) {
			configtest.Faulty(t, refunds(rule(c.when, `"then": "allow"`)), nil, fakeTypes, c.want...)
			for _, then := range []string{"ask", "deny"} {
				warned(t, refunds(rule(c.when, `"then": "`+then+`"`)), c.want...)
			}
		})
	}
}

// What names each argument, and says what it must be, may allow.
func TestRulesThatMayAllow(t *testing.T) {
	for _, when := range []string{
		small,
		`{"type": "object", "title": "t", "description": {"en": "x"}, "x-note": {"if": 1}, ` + small[1:],
		`{"properties": {"amount": {"type": ["integer", "number"], "exclusiveMinimum": 0, "multipleOf": 5}, "to": {"enum": ["a", "b", null]}}, "required": ["amount", "to"], "additionalProperties": false}`,
		`{"properties": {"to": {"type": ["string", "null"]}}, "required": ["to"], "minProperties": 1, "maxProperties": 2}`,
		`{"properties": {"to": {"type": ["string", "null"], "anyOf": [{"type": "string", "maxLength": 3}, {"type": "null"}]}}, "required": ["to"]}`,
		`{"properties": {"to": {"type": "string", "anyOf": [{"maxLength": 3}, {"pattern": "^(a|b)$"}]}}, "required": ["to"]}`,
		`{"anyOf": [` + small + `, {"properties": {"to": {"const": "ann"}}, "required": ["to"]}]}`,
		`{"allOf": [` + small + `, {"properties": {"to": {"const": "ann"}}, "required": ["to"]}]}`,
		`{"properties": {"lines": {"type": "array", "minItems": 1, "maxItems": 9, "uniqueItems": true, "items": {"type": "object", "properties": {"a": {"type": "boolean"}}, "required": ["a"]}}}, "required": ["lines"]}`,
		`{"properties": {"lines": {"const": {"properties": {"a": 1}}}}, "required": ["lines"]}`,
		`{"properties": {"amount": {"const": 1, "maximum": 5}}, "required": ["amount"]}`,
		`{"maxProperties": 0}`, `{"additionalProperties": false}`, `{"const": {}}`,
	} {
		warned(t, refunds(rule(when, `"then": "allow"`)))
	}
	for pattern, whole := range map[string]bool{
		`^a$`: true, `\\Aa\\z`: true, `^(a|b)$`: true, `^a$|^b$`: true, `(^a$)`: true, `a`: false, `^a`: false, `a$`: false, `^a|b$`: false, `(?m)^a$`: false, `^`: false,
	} {
		mark := mark
		if whole {
			mark = ""
		}
		warned(t, refunds(rule(`{"properties": {"to": {"type": "string", "pattern": `+mark+`"`+pattern+`"}}, "required": ["to"]}`, `"then": "allow"`)))
		warned(t, refunds(rule(`{"properties": {"to": {"type": "string", "pattern": "`+strings.TrimPrefix(pattern, mark)+`"}}, "required": ["to"]}`, `"then": "ask"`)))
	}
}
