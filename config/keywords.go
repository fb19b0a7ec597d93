package config

import (
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// schemaKeywords are the keywords of JSON Schema, drafts 4 to 2020-12. Source: the meta-schemas at
// json-schema.org.
var schemaKeywords = strings.Fields(`$schema $id id $ref $anchor $dynamicRef $dynamicAnchor $recursiveRef $recursiveAnchor $vocabulary $comment $defs definitions
	type enum const title description default deprecated readOnly writeOnly examples
	properties patternProperties additionalProperties unevaluatedProperties propertyNames required dependentRequired dependentSchemas dependencies minProperties maxProperties
	items prefixItems additionalItems unevaluatedItems contains minContains maxContains minItems maxItems uniqueItems
	multipleOf minimum maximum exclusiveMinimum exclusiveMaximum minLength maxLength pattern format contentEncoding contentMediaType contentSchema
	allOf anyOf oneOf not if then else`)

// keywords warns about keywords that JSON Schema does not have, which have no effect, and about required
// properties that are not described, which no model gives.
func keywords(n Value) {
	switch x := n.v.Value.(type) {
	case *hujson.Array:
		for i := range x.Elements {
			keywords(n.child(&x.Elements[i]))
		}
	case *hujson.Object:
		for i := range x.Members {
			m := &x.Members[i]
			key, value := literal(&m.Name), n.child(&m.Value)
			switch {
			case !slices.Contains(schemaKeywords, key):
				if !strings.HasPrefix(key, "x-") {
					n.child(&m.Name).Warn("%q is not a keyword of JSON Schema, so it has no effect%s", key, orExtension(key))
				}
			case slices.Contains(mapKeywords, key):
				named, _ := m.Value.Value.(*hujson.Object)
				for j := 0; named != nil && j < len(named.Members); j++ {
					keywords(n.child(&named.Members[j].Value))
				}
			case !slices.Contains(dataKeywords, key) && !slices.Contains(textKeywords, key):
				keywords(value)
			}
		}
		n.undescribed()
	}
}

func orExtension(key string) string {
	if fix := near(key, schemaKeywords); fix != "" {
		return fix
	}
	return `; a property belongs into "properties", and the name of an extension begins with "x-"`
}

// undescribed warns about names in "required" that are not in "properties".
func (n Value) undescribed() {
	properties := n.Key("properties")
	required, is := n.items("required")
	if !is || !properties.Given() || properties.kind() != "an object" || n.Key("patternProperties").Given() {
		return
	}
	list, _ := properties.Members()
	known := make([]string, len(list))
	for i, m := range list {
		known[i] = m.Key
	}
	for _, name := range required {
		if text := literal(name.v); text != "" && !slices.Contains(known, text) {
			name.Warn("%q is required but not in \"properties\"; %s", text, Suggest(text, known))
		}
	}
}
