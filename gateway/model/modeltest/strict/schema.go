package strict

import (
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
)

var (
	name64     = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)
	name128    = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,128}$`)
	nameGoogle = regexp.MustCompile(`^[a-zA-Z_][a-zA-Z0-9_.:-]{0,127}$`)
	keyGoogle  = regexp.MustCompile(`^[a-zA-Z_][a-zA-Z0-9_]{0,63}$`)
	keyClaude  = regexp.MustCompile(`^[a-zA-Z0-9_.-]{1,64}$`)
	nine       = regexp.MustCompile(`^[a-zA-Z0-9]{9}$`)
)

// unions are the keywords that combine schemas.
var unions = []string{"oneOf", "anyOf", "allOf"}

// walk calls visit with each schema below s, s first, and with its location, in the words of JSON
// Schema. It ends with the first text that is not "".
func walk(s any, at string, visit func(s node, at string) string) string {
	n, ok := s.(node)
	if !ok {
		return ""
	}
	if found := visit(n, at); found != "" {
		return found
	}
	for _, k := range slices.Sorted(maps.Keys(n)) {
		switch k {
		case "properties", "patternProperties", "$defs", "definitions", "dependentSchemas":
			sub := obj(n[k])
			for _, name := range slices.Sorted(maps.Keys(sub)) {
				if found := walk(sub[name], at+"."+k+"."+name, visit); found != "" {
					return found
				}
			}
		case "anyOf", "oneOf", "allOf", "prefixItems":
			for i, sub := range list(n[k]) {
				if found := walk(sub, fmt.Sprintf("%s.%s[%d]", at, k, i), visit); found != "" {
					return found
				}
			}
		case "items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames":
			if found := walk(n[k], at+"."+k, visit); found != "" {
				return found
			}
		}
	}
	return ""
}

// schemaOpenAI refuses what OpenAI's function calling without strict schemas refuses.
var schemaOpenAI = Rule{
	"schema", "docs.apiyi.com function-calling; openai-openapi#541; notion-mcp-server#341", "2026-08",
	func(a *asked) *refusal {
		for _, t := range a.tools {
			no := func(why string) *refusal {
				return a.refuse(http.StatusBadRequest, t.at+".parameters", "invalid_function_parameters", "Invalid schema for function '%s': %s", t.name, why)
			}
			s, ok := t.schema.(node)
			if t.schema == nil {
				continue
			}
			if kind := str(s["type"]); !ok || kind != "object" {
				return no(`schema must be a JSON Schema of 'type: "object"', got 'type: "` + kind + `"'.`)
			}
			for _, k := range []string{"oneOf", "anyOf", "allOf", "enum", "not"} {
				if s[k] != nil {
					return no("schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level.")
				}
			}
			if why := walk(s, "", func(n node, at string) string {
				if n["type"] == "array" && n["items"] == nil && n["prefixItems"] == nil {
					return "In context=(" + context(at) + "), array schema missing items."
				}
				return ""
			}); why != "" {
				return no(why)
			}
		}
		return nil
	},
}

// context returns a location as OpenAI writes it.
func context(at string) string {
	var quoted []string
	for _, p := range strings.Split(strings.TrimPrefix(at, "."), ".") {
		quoted = append(quoted, "'"+p+"'")
	}
	return strings.Join(quoted, ", ")
}

// strictOpenAI refuses invalid schemas of tools whose strict is true, or left out where that means
// true.
func strictOpenAI(byDefault bool) Rule {
	return Rule{
		"strict schema", "comments of openai-go v3.98.0; docs.apiyi.com function-calling", "2026-11-09",
		func(a *asked) *refusal {
			for i, t := range a.tools {
				tool := obj(list(a.body["tools"])[i])
				if tool["function"] != nil {
					tool = obj(tool["function"])
				}
				on, told := tool["strict"].(bool)
				if !on && (told || !byDefault) {
					continue
				}
				if why := walk(t.schema, "", func(n node, at string) string {
					if n["type"] != "object" {
						return ""
					}
					if n["additionalProperties"] != false {
						return "In context=(" + context(at) + "), 'additionalProperties' is required to be supplied and to be false."
					}
					required := list(n["required"])
					for _, k := range slices.Sorted(maps.Keys(obj(n["properties"]))) {
						if !slices.Contains(required, any(k)) {
							return "In context=(" + context(at) + "), 'required' is required to be supplied and to be an array including every key in properties. Missing '" + k + "'."
						}
					}
					return ""
				}); why != "" {
					return a.refuse(http.StatusBadRequest, t.at+".parameters", "invalid_function_parameters", "Invalid schema for function '%s': %s", t.name, why)
				}
			}
			return nil
		},
	}
}

// schemaKimi is Moonshot's own flavor of JSON Schema.
var schemaKimi = Rule{
	"schema", "vercel/ai packages/moonshotai (MFJS)", "2026-08-22",
	func(a *asked) *refusal {
		for _, t := range a.tools {
			why := ""
			if obj(t.schema)["type"] != "object" {
				why = "root type must be object"
			} else {
				why = walk(t.schema, "", func(n node, at string) string {
					switch _, tuple := n["items"].([]any); {
					case n["type"] != nil && n["anyOf"] != nil:
						return "At path '" + at + "': when using anyOf, type should be defined in anyOf items instead of the parent schema"
					case tuple:
						return "At path '" + at + ".items': array type is not supported"
					}
					return ""
				})
			}
			if why != "" {
				return a.refuse(http.StatusBadRequest, "", "", "Invalid request: function parameters of %s is not a valid moonshot flavored json schema, details: <%s>", t.name, why)
			}
		}
		return nil
	},
}

// schemaClaude checks what Messages accepts as input_schema.
var schemaClaude = Rule{
	"schema", "notion-mcp-server#341, claude-code#45106", "2026-08-05",
	func(a *asked) *refusal {
		for i, t := range a.tools {
			at := fmt.Sprintf("tools.%d.custom.input_schema", i)
			s := obj(t.schema)
			if s["type"] != "object" {
				return a.refuse(http.StatusBadRequest, "", "", "%s.type: Input should be 'object'", at)
			}
			for _, u := range unions {
				if s[u] != nil {
					return a.refuse(http.StatusBadRequest, "", "", "%s: input_schema does not support oneOf, allOf, or anyOf at the top level", at)
				}
			}
			for _, k := range slices.Sorted(maps.Keys(obj(s["properties"]))) {
				if !keyClaude.MatchString(k) {
					return a.refuse(http.StatusBadRequest, "", "", "%s.properties: Property keys should match pattern '^[a-zA-Z0-9_.-]{1,64}$'", at)
				}
			}
		}
		return nil
	},
}

// googleSchema lists the members of Gemini's Schema.
const googleSchema = "anyOf default description enum example format items maxItems minItems maxLength minLength maxProperties minProperties maximum minimum nullable pattern properties propertyOrdering required title type"

// schemaGoogle checks what Gemini accepts as parameters. at is the location of the tools in its own
// protocol.
var schemaGoogle = Rule{
	"schema", "comments of genai v1.77.0; openswarm#24, zed#44875, zed#53919", "2026-10-29",
	func(a *asked) *refusal {
		for i, t := range a.tools {
			at := fmt.Sprintf("tools[0].function_declarations[%d].parameters", i)
			s := obj(t.schema)
			if t.schema == nil {
				continue
			}
			if s["type"] != "object" && s["type"] != "OBJECT" {
				return a.refuse(http.StatusBadRequest, "", "", "Invalid value at '%s.type'", at)
			}
			if why := walk(s, at, googleNode); why != "" {
				return a.refuse(http.StatusBadRequest, "", "", "%s", why)
			}
		}
		return nil
	},
}

func googleNode(n node, at string) string {
	if k := unknown(n, googleSchema); k != "" {
		return `Invalid JSON payload received. Unknown name "` + k + `" at '` + at + `': Cannot find field.`
	}
	kind, one := n["type"].(string)
	if n["type"] != nil && !one {
		return fmt.Sprintf(`Invalid JSON payload received. Unknown name "type" at '%s': Proto field is not repeating, cannot start list.`, at)
	}
	for i, v := range list(n["enum"]) {
		if _, ok := v.(string); !ok {
			return fmt.Sprintf("Invalid value at '%s.enum[%d]' (TYPE_STRING), %s", at, i, canon(v))
		}
	}
	kind = strings.ToLower(kind)
	if len(list(n["enum"])) > 0 && kind != "string" {
		return fmt.Sprintf("* GenerateContentRequest.%s.enum: only allowed for STRING type\n", at)
	}
	if kind == "array" && n["items"] == nil {
		return fmt.Sprintf("* GenerateContentRequest.%s.items: missing field.\n", at)
	}
	if kind == "object" && len(obj(n["properties"])) == 0 {
		return fmt.Sprintf("* GenerateContentRequest.%s.properties: should be non-empty for OBJECT type\n", at)
	}
	for _, k := range slices.Sorted(maps.Keys(obj(n["properties"]))) {
		if !keyGoogle.MatchString(k) {
			return fmt.Sprintf("* GenerateContentRequest.%s.properties[%s]: property name is invalid\n", at, k)
		}
	}
	for _, r := range list(n["required"]) {
		if _, ok := obj(n["properties"])[str(r)]; !ok {
			return fmt.Sprintf("* GenerateContentRequest.%s.required[0]: property is not defined\n", at)
		}
	}
	return ""
}

// toolNames refuses names of tools that a server does not accept, and duplicates.
func toolNames(form *regexp.Regexp, source, date string) Rule {
	return Rule{"tool name", source, date, func(a *asked) *refusal {
		seen := map[string]bool{}
		for _, t := range a.tools {
			if !form.MatchString(t.name) {
				return a.refuse(http.StatusBadRequest, t.at+".name", "invalid_value",
					"Invalid '%s.name': string does not match pattern. Expected a string that matches the pattern '%s'.", t.at, form)
			}
			if seen[t.name] {
				return a.refuse(http.StatusBadRequest, "tools", "invalid_value", "Tool names must be unique.")
			}
			seen[t.name] = true
		}
		return nil
	}}
}
