package mcptool

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tools/arguments"
	"github.com/askgate/askgate/tools/looks"
)

// Limits of what a server may ask for at once.
const (
	MaxFields  = 20  // questions of a form
	MaxOptions = 100 // options of one of them
)

const (
	maxQuestion = 500  // code points, as of ask_user, which would refuse a longer one
	maxLabel    = 100  // likewise
	maxLink     = 2000 // bytes of an URL to visit
)

// form gathers what a server asks for, as the arguments of ask_user.
type form struct {
	asking   Asking
	language string
	server   string
	hide     func(string) string // takes secrets out of what the server says

	requests []request
	parts    []map[string]any
	links    []string          // by part, "" for most
	defaults []json.RawMessage // by part, as the server gave them
}

// property is one of a requested schema: flat, and of primitive types.
type property struct {
	name string

	Type        string          `json:"type"`
	Title       string          `json:"title"`
	Description string          `json:"description"`
	Format      string          `json:"format"`
	MinLength   *int            `json:"minLength"`
	MaxLength   *int            `json:"maxLength"`
	Pattern     string          `json:"pattern"`
	Minimum     *json.Number    `json:"minimum"`
	Maximum     *json.Number    `json:"maximum"`
	Enum        []string        `json:"enum"`
	EnumNames   []string        `json:"enumNames"`
	OneOf       []choice        `json:"oneOf"`
	Items       *items          `json:"items"`
	MinItems    *int            `json:"minItems"`
	MaxItems    *int            `json:"maxItems"`
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

// add adds one request. The error is for the model.
func (f *form) add(key string, p *mcp.ElicitParams) error {
	if p.Mode == "url" || p.URL != "" {
		return f.visit(key, p)
	}
	var schema struct {
		Properties properties `json:"properties"`
		Required   []string   `json:"required"`
	}
	if p.RequestedSchema != nil {
		raw, ok := p.RequestedSchema.(string) // as it was sent: order.go
		if !ok {
			sorted, err := json.Marshal(p.RequestedSchema)
			if err != nil {
				return err
			}
			raw = string(sorted)
		}
		if json.Unmarshal([]byte(f.hide(raw)), &schema) != nil {
			return unaskable("its schema is none that the protocol knows")
		}
	}
	if len(f.parts)+len(schema.Properties) > MaxFields {
		return unaskable(fmt.Sprintf("more than %d fields", MaxFields))
	}
	message := clean(f.hide(p.Message))
	if len(schema.Properties) == 0 {
		f.requests = append(f.requests, request{Key: key})
		f.part(map[string]any{"question": tools.Shorten(cmp.Or(message, f.server), maxQuestion), "input_type": tools.Confirm}, "", nil)
		return nil
	}
	schema.Required = slices.DeleteFunc(schema.Required, func(name string) bool {
		return !schema.Properties.has(name) // nobody could give it
	})
	r := request{Key: key}
	checked := map[string]any{}
	for _, p := range schema.Properties {
		name, wanted := p.name, slices.Contains(schema.Required, p.name)
		part, err := p.part(name, wanted)
		if err != nil {
			return err
		}
		title := tools.Shorten(cmp.Or(clean(p.Title), clean(name), key), maxQuestion)
		context := []string{clean(p.Description)}
		switch {
		case message == "" || len(r.Fields) > 0:
			part["question"] = title
		case len(schema.Properties) == 1:
			part["question"], part["header"] = tools.Shorten(message, maxQuestion), title
		default: // above the first
			part["question"] = title
			context = append([]string{message}, context...)
		}
		part["context"] = strings.TrimSpace(strings.Join(context, "\n"))
		if tools.IsPartID(name) { // or else it would be mended into what may be another's name
			part["id"] = name
		}
		f.part(part, "", p.Default)
		r.Fields = append(r.Fields, field{name, p.Type, wanted})
		checked[name] = p.schema()
	}
	var err error
	if r.Schema, err = json.Marshal(map[string]any{"type": "object", "properties": checked, "required": append([]string{}, schema.Required...)}); err != nil {
		return err
	}
	if _, err := arguments.CompileStrict(r.Schema); err != nil {
		return unaskable("its schema is none that the protocol knows")
	}
	f.requests = append(f.requests, r)
	return nil
}

func (f *form) part(part map[string]any, link string, given json.RawMessage) {
	f.parts, f.links, f.defaults = append(f.parts, part), append(f.links, link), append(f.defaults, given)
}

// properties are in the order in which they were sent.
type properties []property

// UnmarshalJSON implements json.Unmarshaler.
func (p *properties) UnmarshalJSON(raw []byte) error {
	d := json.NewDecoder(bytes.NewReader(raw))
	if begin, err := d.Token(); err != nil || begin != json.Delim('{') {
		return errors.New("properties are an object")
	}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return err
		}
		one := property{name: key.(string)}
		if err := d.Decode(&one); err != nil {
			return err
		}
		if p.has(one.name) {
			return fmt.Errorf("%q stands twice", one.name)
		}
		*p = append(*p, one)
	}
	return nil
}

func (p properties) has(name string) bool {
	return slices.ContainsFunc(p, func(one property) bool { return one.name == name })
}

// visit asks whether a page was visited. It is never opened here.
func (f *form) visit(key string, p *mcp.ElicitParams) error {
	u, err := url.Parse(p.URL)
	switch {
	case f.hide(p.URL) != p.URL:
		return unaskable("a page whose address holds a secret of the gateway")
	case err != nil || len(p.URL) > maxLink || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || u.User != nil:
		return unaskable("a page that is no http or https address, or too long")
	case strings.ContainsFunc(u.Host, func(r rune) bool { return r >= utf8.RuneSelf || r <= ' ' }):
		return unaskable("a page whose host is not in ASCII")
	}
	f.requests = append(f.requests, request{Key: key})
	f.part(map[string]any{
		"question": tools.Shorten(f.asking.Visit(f.language, f.server, u.Host), maxQuestion),
		"context":  clean(f.hide(p.Message)), "input_type": tools.Confirm,
	}, u.String(), nil)
	return nil
}

// part is the question for a property, without its text.
func (p *property) part(name string, wanted bool) (map[string]any, error) {
	part := map[string]any{"allow_skip": !wanted}
	rules := map[string]any{}
	switch p.Type {
	case "string":
		if choices := p.choices(); choices != nil {
			part["input_type"], part["options"] = tools.Select, options(choices, p.Default)
			break
		}
		p.text(part, rules)
	case "number", "integer":
		part["input_type"] = tools.Number
		set(rules, "min", p.Minimum)
		set(rules, "max", p.Maximum)
		rules["integer"] = p.Type == "integer"
	case "boolean":
		part["input_type"] = tools.Confirm
	case "array":
		choices := p.choices()
		if choices == nil {
			return nil, unaskable("a list without choices")
		}
		part["input_type"], part["options"] = tools.Multiselect, options(choices, nil)
		set(rules, "min", p.MinItems)
		set(rules, "max", p.MaxItems)
		if p.MinItems == nil || *p.MinItems == 0 { // none of them is an answer too
			part["allow_skip"] = true
			delete(rules, "min")
		}
	default:
		return nil, unaskable("a field of a type that the protocol does not know")
	}
	if len(rules) > 0 {
		part["validation"] = rules
	}
	return part, nil
}

// formats are those of JSON Schema that an answer is checked for; two of them ask_user knows, too.
var formats = []string{tools.FormatEmail, tools.FormatURI, dateTime, "date"}

const dateTime = "date-time"

func (p *property) text(part, rules map[string]any) {
	if p.Format == "date" {
		part["input_type"] = tools.Date
		return
	}
	part["input_type"] = tools.Text
	set(rules, "min", p.MinLength)
	set(rules, "max", p.MaxLength)
	// The whole answer must match a pattern of ask_user, some of it one of JSON Schema.
	if strings.HasPrefix(p.Pattern, "^") && strings.HasSuffix(p.Pattern, "$") {
		rules["pattern"] = p.Pattern
	}
	switch p.Format {
	case tools.FormatEmail, tools.FormatURI:
		part["format"] = p.Format
	case dateTime:
		part["placeholder"] = "2026-12-31T12:00:00Z"
	}
}

func set[T any](rules map[string]any, key string, value *T) {
	if value != nil {
		rules[key] = *value
	}
}

// choices are the values of an enumeration with their titles; nil where there is none.
func (p *property) choices() []choice {
	enum, names, titled := p.Enum, p.EnumNames, p.OneOf
	if p.Type == "array" {
		if p.Items == nil {
			return nil
		}
		enum, names, titled = p.Items.Enum, nil, append(slices.Clone(p.Items.AnyOf), p.Items.OneOf...)
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

// options are choices for ask_user, in which no two labels may look alike.
func options(choices []choice, given json.RawMessage) []map[string]any {
	var chosen string
	_ = json.Unmarshal(given, &chosen) // no text chooses none
	list := []map[string]any{}
	var seen looks.Set
	for _, c := range choices {
		label := tools.Shorten(cmp.Or(clean(c.Title), clean(c.Const)), maxLabel)
		if _, taken := seen.Add(strings.ToLower(label)); taken {
			label = tools.Shorten(clean(c.Const), maxLabel)
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

// schema is the property for the check of the answer: rebuilt, so that nothing else of
// the server's stands in it. Patterns are left to the server where RE2 does not know them.
func (p *property) schema() map[string]any {
	s := map[string]any{"type": p.Type}
	var values []string
	for _, c := range p.choices() {
		values = append(values, c.Const)
	}
	if p.Type == "array" {
		s["items"] = map[string]any{"type": "string", "enum": values}
		set(s, "minItems", p.MinItems)
		set(s, "maxItems", p.MaxItems)
		return s
	}
	if values != nil {
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

// question is what ask_user makes of the form. A pattern that it refuses is left to the
// check of the answer.
func (f *form) question() (*tools.Question, error) {
	if len(f.parts) == 0 {
		return nil, unaskable("nothing at all")
	}
	out, err := f.run()
	var refused *tools.Error
	if errors.As(err, &refused) && f.unpattern() {
		out, err = f.run()
	}
	switch {
	case errors.As(err, &refused) && refused.Reason == "secret": // askuser.ReasonSecret
		return nil, unaskable("it asks for a password or another secret")
	case errors.As(err, &refused):
		return nil, unaskable("its form is out of bounds")
	case err != nil:
		return nil, err
	case out.Question == nil || len(out.Question.Parts) != len(f.parts):
		return nil, unaskable("its form is out of bounds")
	}
	for i, link := range f.links {
		out.Question.Parts[i].Link = link
		out.Question.Parts[i].Default = f.given(out.Question, i)
	}
	out.Question.AskedBy = &tools.Asker{Kind: tools.AskerServer, Title: f.server}
	out.Question.Warning = f.asking.Warning(f.language, f.server)
	return out.Question, nil
}

// unpattern takes the patterns out, and says whether there were any.
func (f *form) unpattern() bool {
	there := false
	for _, part := range f.parts {
		if rules, ok := part["validation"].(map[string]any); ok && rules["pattern"] != nil {
			there = true
			delete(rules, "pattern")
		}
	}
	return there
}

func (f *form) run() (tools.Outcome, error) {
	var asked any = map[string]any{"questions": f.parts}
	if len(f.parts) == 1 {
		asked = f.parts[0]
	}
	raw, err := json.Marshal(asked)
	if err != nil {
		return tools.Outcome{}, err
	}
	out, err := f.asking.Asker.Run(context.Background(), tools.Call{Arguments: string(raw), Language: f.language})
	if err == nil && out.Error != nil {
		err = out.Error
	}
	return out, err
}
