// Package elicit turns the forms of MCP servers into questions for ask_user. A form is a
// requestedSchema, a flat JSON Schema of primitive types.
package elicit

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tools/confusable"
)

const (
	// MaxQuestion is the maximum length of a question in code points. It is the limit of ask_user.
	MaxQuestion = 500
	maxLabel    = 100 // likewise
	dateTime    = "date-time"
)

// Schema is a requestedSchema.
type Schema struct {
	Properties Properties `json:"properties"`
	Required   []string   `json:"required"`
}

// Properties are the fields of a form, in the order in which they were sent.
type Properties []Property

// Property is a field of a form.
type Property struct {
	Name string `json:"-"`

	Type        string          `json:"type"`
	Title       string          `json:"title"`
	Description string          `json:"description"`
	Format      string          `json:"format"`
	MinLength   *json.Number    `json:"minLength"`
	MaxLength   *json.Number    `json:"maxLength"`
	Pattern     string          `json:"pattern"`
	Minimum     *json.Number    `json:"minimum"`
	Maximum     *json.Number    `json:"maximum"`
	Enum        []string        `json:"enum"`
	EnumNames   []string        `json:"enumNames"`
	OneOf       []choice        `json:"oneOf"`
	AnyOf       []choice        `json:"anyOf"`
	Items       items           `json:"items"`
	MinItems    *json.Number    `json:"minItems"`
	MaxItems    *json.Number    `json:"maxItems"`
	Default     json.RawMessage `json:"default"`
}

type items struct {
	Enum  []string `json:"enum"`
	AnyOf []choice `json:"anyOf"`
	OneOf []choice `json:"oneOf"`
}

type choice struct {
	Const string `json:"const"`
	Title string `json:"title"`
}

// UnmarshalJSON implements json.Unmarshaler.
func (p *Properties) UnmarshalJSON(raw []byte) error {
	d := json.NewDecoder(bytes.NewReader(raw))
	if begin, err := d.Token(); err != nil || begin != json.Delim('{') {
		return errors.New("properties must be an object")
	}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return err
		}
		one := Property{Name: key.(string)}
		if err := d.Decode(&one); err != nil {
			return err
		}
		if p.has(one.Name) {
			return fmt.Errorf("duplicate property %q", one.Name)
		}
		*p = append(*p, one)
	}
	return nil
}

func (p Properties) has(name string) bool {
	return slices.ContainsFunc(p, func(one Property) bool { return one.Name == name })
}

// Wants reports whether a field is required.
func (s *Schema) Wants(name string) bool { return slices.Contains(s.Required, name) }

// Questions returns the question for each property, as arguments of ask_user. message is the
// server's text above the form. If the form has one field, message is its question. fallback
// is the title of a field without a title and a name that can be shown.
func (s *Schema) Questions(message, fallback string) ([]map[string]any, error) {
	message = Clean(message)
	var list []map[string]any
	for i := range s.Properties {
		p := &s.Properties[i]
		q, err := p.question(s.Wants(p.Name))
		if err != nil {
			return nil, err
		}
		title := tools.Shorten(cmp.Or(Clean(p.Title), Clean(p.Name), fallback), MaxQuestion)
		about := Clean(p.Description)
		switch {
		case message == "" || i > 0:
			q["question"] = title
		case len(s.Properties) == 1:
			q["question"], q["header"] = tools.Shorten(message, MaxQuestion), title
		default:
			q["question"], about = title, strings.TrimSpace(message+"\n"+about)
		}
		if about != "" {
			q["context"] = about
		}
		if tools.IsPartID(p.Name) { // another name would be repaired, possibly to that of another field
			q["id"] = p.Name
		}
		list = append(list, q)
	}
	return list, nil
}

// question returns the question without its text.
func (p *Property) question(wanted bool) (map[string]any, error) {
	q, rules := map[string]any{}, map[string]any{}
	if !wanted {
		q["allow_skip"] = true
	}
	switch p.Type {
	case "string":
		if choices := p.choices(); choices != nil {
			q["input_type"], q["options"] = tools.Select, p.options(choices)
		} else {
			p.text(q, rules)
		}
	case "number", "integer":
		q["input_type"], rules["integer"] = tools.Number, p.Type == "integer"
		bounds(rules, p.Minimum, p.Maximum)
	case "boolean":
		q["input_type"] = tools.Confirm
	case "array":
		choices := p.choices()
		if choices == nil {
			return nil, fmt.Errorf("field %q is a list without choices", p.Name)
		}
		q["input_type"], q["options"] = tools.Multiselect, p.options(choices)
		bounds(rules, p.MinItems, p.MaxItems)
		if p.MinItems == nil || *p.MinItems == "0" { // choosing none is also an answer
			q["allow_skip"] = true
			delete(rules, "min")
		}
	default:
		return nil, fmt.Errorf("field %q has a type that MCP does not know", p.Name)
	}
	if len(rules) > 0 {
		q["validation"] = rules
	}
	return q, nil
}

func (p *Property) text(q, rules map[string]any) {
	q["input_type"] = tools.Text
	bounds(rules, p.MinLength, p.MaxLength)
	if p.Pattern != "" {
		rules["pattern"] = whole(p.Pattern)
	}
	switch p.Format {
	case "date":
		q["input_type"] = tools.Date
		clear(rules)
	case tools.FormatEmail, tools.FormatURI:
		q["format"] = p.Format
	case dateTime:
		q["input_type"] = tools.Datetime
		clear(rules)
	}
}

// whole turns a JSON Schema pattern, which may match a part of a text, into one that matches all of it.
func whole(pattern string) string {
	if strings.HasPrefix(pattern, "^") && strings.HasSuffix(pattern, "$") && !strings.Contains(pattern, "|") {
		return pattern
	}
	return `[\s\S]*(?:` + pattern + `)[\s\S]*`
}

func bounds(rules map[string]any, least, most *json.Number) {
	set(rules, "min", least)
	set(rules, "max", most)
}

func set(rules map[string]any, key string, value *json.Number) {
	if value != nil {
		rules[key] = *value
	}
}

// choices returns the values of an enumeration with their titles, or nil for any other property.
func (p *Property) choices() []choice {
	enum, names, titled := p.Enum, p.EnumNames, slices.Concat(p.OneOf, p.AnyOf)
	if p.Type == "array" {
		enum, names, titled = p.Items.Enum, nil, slices.Concat(p.Items.AnyOf, p.Items.OneOf)
	}
	if len(titled) > 0 {
		return titled
	}
	var list []choice
	for i, value := range enum {
		c := choice{Const: value}
		if i < len(names) {
			c.Title = names[i]
		}
		list = append(list, c)
	}
	return list
}

// options returns the choices as options of ask_user, in which no two labels may look alike.
func (p *Property) options(choices []choice) []map[string]any {
	var chosen string
	if p.Type != "array" {
		_ = json.Unmarshal(p.Default, &chosen) // a default that is not a text recommends nothing
	}
	list := []map[string]any{}
	var seen confusable.Set
	for _, c := range choices {
		label := tools.Shorten(cmp.Or(Clean(c.Title), Clean(c.Const)), maxLabel)
		if _, taken := seen.Add(strings.ToLower(label)); taken {
			label = tools.Shorten(Clean(c.Const), maxLabel)
			seen.Add(strings.ToLower(label))
		}
		option := map[string]any{"label": label, "value": c.Const}
		if chosen != "" && c.Const == chosen {
			option["recommended"] = true
		}
		list = append(list, option)
	}
	return list
}

// formats has the JSON Schema formats that answers are checked for.
var formats = []string{tools.FormatEmail, tools.FormatURI, dateTime, "date"}

// Check returns the schema that an answer must match. It has only the known keywords, and
// nothing else that the server sent. Patterns that RE2 does not support are left out; the
// server checks them.
func (s *Schema) Check() ([]byte, error) {
	properties, required := map[string]any{}, []string{}
	for i := range s.Properties {
		p := &s.Properties[i]
		properties[p.Name] = p.check()
		if s.Wants(p.Name) {
			required = append(required, p.Name)
		}
	}
	return json.Marshal(map[string]any{"type": "object", "properties": properties, "required": required})
}

func (p *Property) check() map[string]any {
	s := map[string]any{"type": p.Type}
	var values []string
	for _, c := range p.choices() {
		values = append(values, c.Const)
	}
	switch {
	case p.Type == "array":
		s["items"] = map[string]any{"type": "string", "enum": values}
		set(s, "minItems", p.MinItems)
		set(s, "maxItems", p.MaxItems)
		return s
	case values != nil:
		s["enum"] = values
		return s
	}
	set(s, "minLength", p.MinLength)
	set(s, "maxLength", p.MaxLength)
	set(s, "minimum", p.Minimum)
	set(s, "maximum", p.Maximum)
	if slices.Contains(formats, p.Format) {
		s["format"] = p.Format
	}
	if _, err := regexp.Compile(p.Pattern); err == nil && p.Pattern != "" {
		s["pattern"] = p.Pattern
	}
	return s
}

// Clean returns a server's text without characters that must not be shown or that a store cannot keep.
func Clean(text string) string {
	return strings.TrimSpace(tools.Clean(strings.ToValidUTF8(text, "\ufffd")))
}
