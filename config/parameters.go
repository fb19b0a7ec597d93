package config

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"github.com/tailscale/hujson"
	"golang.org/x/text/language"
	"golang.org/x/text/message"

	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tools/arguments"
)

// localise replaces the localised texts of a schema in place by those for a language.
func localise(v *hujson.Value, language string) {
	schemaTexts(v, func(text *hujson.Value) {
		text.Value = hujson.String(plainText(text).In(language))
	})
}

// plainText parses an object of texts by language, which Load has checked.
func plainText(v *hujson.Value) Text {
	var t Text
	for i := range v.Value.(*hujson.Object).Members {
		m := &v.Value.(*hujson.Object).Members[i]
		if text := literal(&m.Value); m.Value.Value.Kind() == '"' && text != "" {
			t.entries = append(t.entries, textEntry{literal(&m.Name), text})
		}
	}
	return t
}

// Keywords of JSON Schema by the kind of their value. All others have a schema,
// a list of schemas, or a value without texts.
var (
	textKeywords = []string{"description", "title"}
	// Schemas by name. The admin chooses the names, so one may be "description".
	mapKeywords = []string{"properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies"}
	// Data, even if it looks like a schema.
	dataKeywords = []string{"enum", "const", "default", "examples", "required", "dependentRequired"}
)

// schemaTexts visits each text keyword of a schema whose value is an object,
// which means that the text is localised.
func schemaTexts(v *hujson.Value, visit func(*hujson.Value)) {
	switch x := v.Value.(type) {
	case *hujson.Array:
		for i := range x.Elements {
			schemaTexts(&x.Elements[i], visit)
		}
	case *hujson.Object:
		for i := range x.Members {
			m := &x.Members[i]
			switch key := literal(&m.Name); {
			case slices.Contains(textKeywords, key):
				if m.Value.Value.Kind() == '{' {
					visit(&m.Value)
				}
			case slices.Contains(mapKeywords, key):
				if named, ok := m.Value.Value.(*hujson.Object); ok {
					for j := range named.Members {
						schemaTexts(&named.Members[j].Value, visit)
					}
				}
			case !slices.Contains(dataKeywords, key):
				schemaTexts(&m.Value, visit)
			}
		}
	}
}

// parameters reads the JSON Schema of a tool's arguments, with its localised texts.
func parameters(n Value, dst *json.RawMessage) {
	if raw, _ := readSchema(n); raw != nil {
		keywords(n)
		*dst = raw
	}
}

// readSchema reads a JSON Schema of a tool's arguments: as it is written, and with its texts in English.
// It returns nil if the schema has a fault. "$NAME" in its strings is not replaced: what the model
// reads never comes from the environment.
func readSchema(n Value) (raw, english json.RawMessage) {
	if n.v.Value.Kind() != '{' {
		n.want("a JSON Schema like {\"type\": \"object\", \"properties\": {}}")
		return nil, nil
	}
	n.pure = true
	before := n.faults()
	schemaTexts(n.v, func(text *hujson.Value) {
		var t Text
		n.child(text).Localised(&t)
	})
	if n.faults() > before {
		return nil, nil
	}
	written := n.v.Clone()
	written.BeforeExtra, written.AfterExtra = nil, nil
	written.Minimize()
	inEnglish := written.Clone()
	localise(&inEnglish, "en")
	if english = inEnglish.Pack(); !isSchema(n, english) {
		return nil, nil
	}
	return written.Pack(), english
}

const schemaURL = "askgate:parameters"

// isSchema checks that a schema whose texts are plain strings is valid and describes an object.
func isSchema(n Value, plain []byte) bool {
	var root struct {
		Type any `json:"type"`
	}
	if json.Unmarshal(plain, &root) == nil && root.Type != nil && root.Type != "object" {
		at := n.Find("/type")
		at.Fault(`tool arguments are always an object; write "type": "object"`)
		return false
	}
	compiled, err := CompileSchema(plain)
	if err == nil {
		if err = arguments.Bounded(compiled); err != nil {
			n.Fault("%s", err)
		}
		return err == nil
	}
	var invalid *jsonschema.SchemaValidationError
	var pattern *jsonschema.InvalidRegexError
	var remote *jsonschema.LoadURLError
	var detail *jsonschema.ValidationError
	switch {
	case errors.As(err, &invalid) && errors.As(invalid.Err, &detail):
		schemaFaults(n, detail)
	case errors.As(err, &pattern):
		_, pointer, _ := strings.Cut(pattern.URL, "#")
		noRE2(n.Find(pointer), pattern.Regex)
	case errors.As(err, &remote):
		n.Fault("the schema refers to %s, but other documents are never fetched; copy it to \"$defs\" and write \"$ref\": \"#/$defs/NAME\"", tools.Shorten(remote.URL, maxShown))
	default:
		n.Fault("invalid JSON Schema: %s; see json-schema.org", strings.ReplaceAll(err.Error(), schemaURL, ""))
	}
	return false
}

// schemaFaults reports the innermost causes at their places in the file.
func schemaFaults(n Value, e *jsonschema.ValidationError) {
	seen := map[string]bool{}
	var walk func(*jsonschema.ValidationError)
	walk = func(e *jsonschema.ValidationError) {
		for _, cause := range e.Causes {
			walk(cause)
		}
		if len(e.Causes) > 0 {
			return
		}
		var pointer jsontext.Pointer
		for _, part := range e.InstanceLocation {
			pointer = pointer.AppendToken(part)
		}
		if format, ok := e.ErrorKind.(*kind.Format); ok && format.Want == "regex" {
			noRE2(n.Find(string(pointer)), fmt.Sprint(format.Got))
			return
		}
		text := e.ErrorKind.LocalizedString(message.NewPrinter(language.English))
		if where := string(pointer) + text; !seen[where] {
			seen[where] = true
			n.Find(string(pointer)).Fault("invalid JSON Schema: %s; see json-schema.org", tools.Shorten(text, maxShown))
		}
	}
	walk(e)
}

// CompileSchema compiles a JSON Schema (draft 2020-12 unless it names another)
// whose texts are plain strings. It never fetches other documents.
func CompileSchema(schema []byte) (*jsonschema.Schema, error) {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(schema))
	if err != nil {
		return nil, err
	}
	c := jsonschema.NewCompiler()
	c.UseLoader(noFetching{})
	if err := c.AddResource(schemaURL, doc); err != nil {
		return nil, err
	}
	return c.Compile(schemaURL)
}

type noFetching struct{}

func (noFetching) Load(url string) (any, error) {
	return nil, fmt.Errorf("%s is not part of this document", url)
}

// noRE2 reports a pattern that RE2 does not support, and why.
func noRE2(n Value, pattern string) {
	why := "is not a regular expression that can be checked here"
	for _, mark := range []string{"(?=", "(?!", "(?<=", "(?<!"} {
		if strings.Contains(pattern, mark) {
			why = "uses lookahead or lookbehind, " + mark + "...), which cannot be checked here"
		}
	}
	n.Fault("the pattern %q %s (RE2 syntax); change or remove it", tools.Shorten(pattern, maxShown), why)
}
