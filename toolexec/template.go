package toolexec

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/askgate/askgate/config"
)

// withTemplates describes the templates to the model, in two properties after the existing ones.
func withTemplates(parameters json.RawMessage, templates map[string]*config.Template, language string) json.RawMessage {
	var text strings.Builder
	text.WriteString("A prepared question, in place of question and its fields; give its values. One of:")
	names := slices.Sorted(maps.Keys(templates))
	values := map[string]any{}
	for _, name := range names {
		t := templates[name]
		text.WriteString("\n" + name + ": " + aboutTemplate(t, language))
		if len(t.Values) > 0 {
			text.WriteString(" (values: " + strings.Join(t.Values, ", ") + ")")
		}
		for _, v := range t.Values {
			values[v] = map[string]any{"type": "string"}
		}
	}
	type property struct {
		Type        string         `json:"type"`
		Enum        []string       `json:"enum,omitempty"`
		Description string         `json:"description"`
		Properties  map[string]any `json:"properties,omitempty"`
	}
	added := plainJSON("template", property{Type: "string", Enum: names, Description: text.String()})
	if len(values) > 0 {
		added += "," + plainJSON("values", property{Type: "object", Description: "The values that the template names, as texts.", Properties: values})
	}
	at, empty, ok := endOfProperties(parameters)
	if !ok {
		added = `"properties":{` + added + "}"
		at, empty = bytes.LastIndexByte(parameters, '}'), bytes.Equal(bytes.TrimSpace(parameters), []byte("{}"))
	}
	if at < 0 { // cannot happen: a schema is an object
		return parameters
	}
	if !empty {
		added = "," + added
	}
	return slices.Concat(parameters[:at], []byte(added), parameters[at:])
}

// aboutTemplate returns the description of a template in a language, or else its question.
func aboutTemplate(t *config.Template, language string) string {
	if about := t.Description.In(language); about != "" {
		return about
	}
	var written struct{ Question string }
	_ = json.Unmarshal(t.QuestionIn(language), &written) // config has checked it
	return written.Question
}

// plainJSON encodes a member of an object, without escaping for HTML.
func plainJSON(name string, value any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(value) // cannot fail for texts
	return `"` + name + `":` + strings.TrimSpace(b.String())
}

// endOfProperties returns the offset of the brace that ends a schema's properties.
func endOfProperties(schema json.RawMessage) (at int, empty, ok bool) {
	d := json.NewDecoder(bytes.NewReader(schema))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return 0, false, false
	}
	for d.More() {
		key, err := d.Token()
		var value json.RawMessage
		if err != nil || d.Decode(&value) != nil {
			return 0, false, false
		}
		if key == "properties" && value[0] == '{' {
			return int(d.InputOffset()) - 1, len(bytes.TrimSpace(value[1:len(value)-1])) == 0, true
		}
	}
	return 0, false, false
}

// Template returns a template of an app's ask_user by its name, or nil.
func (c *Catalog) Template(app, tool, name string) *config.Template {
	if b, ok := c.find(app, tool); ok {
		return b.entry.Templates[name]
	}
	return nil
}
