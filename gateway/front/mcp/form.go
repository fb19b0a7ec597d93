package mcp

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/front"
	"github.com/askgate/askgate/tools"
)

// titled is the first version whose forms have titled choices and lists.
const titled = "2025-11-25"

// otherSuffix makes the name of the field for an answer in own words.
const otherSuffix = "_other"

// formable reports whether a client may show the question: it asks for no secret and no file,
// which forms cannot take, and has all its options.
func formable(c *chat.Clarification) bool {
	return c.Question.Kind == tools.KindQuestion && c.State == tools.StatePending &&
		!slices.ContainsFunc(c.Question.Parts, func(p tools.Part) bool {
			return p.Secret != "" || p.InputType == tools.File || p.OptionsTotal > len(p.Options) || p.Link != ""
		})
}

// form is a question as a client shows it to its user: its text, and the schema of the response.
// What the schema cannot express is checked when the response comes.
type form struct {
	old      bool // the version has no titled choices
	names    []string
	fields   map[string]map[string]any
	required []string
}

func newForm(c *chat.Clarification, version string) form {
	f := form{old: version < titled, fields: map[string]map[string]any{}}
	for i := range c.Question.Parts {
		f.part(c.Question.Parts, i, c.Question.MaxAnswer)
	}
	return f
}

// words returns the text above the form; complaint is the error in the previous answer, or "".
func words(c *chat.Clarification, complaint string) string {
	var b strings.Builder
	if complaint != "" {
		b.WriteString(complaint + "\n\n")
	}
	for i, p := range c.Question.Parts {
		if len(c.Question.Parts) > 1 {
			fmt.Fprintf(&b, "%d. ", i+1)
		}
		b.WriteString(p.Question + "\n")
	}
	return strings.TrimSpace(b.String())
}

func (f *form) field(name string, field map[string]any) {
	f.names = append(f.names, name)
	f.fields[name] = field
}

func (f *form) part(parts []tools.Part, i, maxAnswer int) {
	p := &parts[i]
	about := []string{front.Condition(parts, i), p.Context, p.Ends()}
	v := p.Validation
	if v == nil {
		v = &tools.Validation{}
	}
	if v.Pattern != "" {
		about = append(about, cmp.Or(v.Message, "^(?:"+v.Pattern+")$"))
	}
	if p.Placeholder != "" {
		about = append(about, p.Placeholder)
	}
	field := map[string]any{}
	set(field, "title", p.Question)
	set(field, "description", strings.TrimSpace(strings.Join(slices.DeleteFunc(about, func(s string) bool { return s == "" }), "\n")))
	switch p.InputType {
	case tools.Select:
		f.choice(field, p.Options)
	case tools.Multiselect:
		f.choices(field, p, v)
	case tools.Confirm:
		field["type"] = "boolean"
	case tools.Number:
		field["type"] = "number"
		if v.Integer {
			field["type"] = "integer"
		}
		number(field, "minimum", v.Min)
		number(field, "maximum", v.Max)
	case tools.Date:
		field["type"], field["format"] = "string", "date"
	case tools.Datetime:
		field["type"], field["format"] = "string", "date-time"
	case tools.Scale:
		field["type"], field["minimum"] = "integer", 1
		number(field, "maximum", v.Max)
	case tools.Rank: // a list of check boxes has no order
		listed(field, p, "2 > 1 > 3 …", func(i int) string { return strconv.Itoa(i+1) + ". " })
	default:
		field["type"] = "string"
		if p.Format == tools.FormatEmail || p.Format == tools.FormatURI { // forms have these formats
			field["format"] = p.Format
		}
		number(field, "minLength", v.Min)
		field["maxLength"] = maxAnswer
		number(field, "maxLength", v.Max)
	}
	f.field(p.ID, field)
	other := p.AllowOther && p.InputType != tools.Text
	if other {
		f.field(p.ID+otherSuffix, map[string]any{"type": "string", "title": p.Question + " (…)"})
	}
	if !p.AllowSkip && !other && p.When == nil {
		f.required = append(f.required, p.ID)
	}
}

func set(field map[string]any, name, text string) {
	if text != "" {
		field[name] = text
	}
}

func number(field map[string]any, name string, b *tools.Bound) {
	if b != nil && b.Date == "" {
		field[name] = b.Number
	}
}

// choice returns the schema of one of some options.
func (f *form) choice(field map[string]any, options []tools.Option) {
	field["type"] = "string"
	if !f.old {
		field["oneOf"] = choices(options)
		return
	}
	values, labels := []string{}, []string{}
	for _, o := range options {
		values, labels = append(values, o.Value), append(labels, o.Label)
	}
	field["enum"], field["enumNames"] = values, labels
}

// choices returns the schema of several of some options; if the version has no lists, a text with
// commas between them.
func (f *form) choices(field map[string]any, p *tools.Part, v *tools.Validation) {
	if f.old {
		listed(field, p, ", , ,", func(int) string { return "- " })
		return
	}
	field["type"], field["items"] = "array", map[string]any{"anyOf": choices(p.Options)}
	number(field, "minItems", v.Min)
	number(field, "maxItems", v.Max)
	if v.Min == nil && !p.AllowSkip && !p.AllowOther {
		field["minItems"] = 1
	}
	if p.AllowOther { // the person's own words count as one
		delete(field, "minItems")
	}
}

// listed makes a field a text with values of options, which its description lists below how they
// are separated.
func listed(field map[string]any, p *tools.Part, how string, mark func(i int) string) {
	var b strings.Builder
	for i, o := range p.Options {
		b.WriteString("\n" + mark(i) + o.Value)
		if o.Label != o.Value {
			b.WriteString(": " + o.Label)
		}
	}
	about, _ := field["description"].(string)
	field["type"], field["description"] = "string", strings.TrimSpace(about+"\n"+how+b.String())
}

func choices(options []tools.Option) []map[string]string {
	list := make([]map[string]string, len(options))
	for i, o := range options {
		list[i] = map[string]string{"const": o.Value, "title": o.Label}
	}
	return list
}

// schema returns the form as JSON Schema, in the order of the questions.
func (f *form) schema() json.RawMessage {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	write := func(v any) { _ = e.Encode(v) } // texts and numbers can be written
	b.WriteString(`{"type":"object","properties":{`)
	for i, name := range f.names {
		if i > 0 {
			b.WriteByte(',')
		}
		write(name)
		b.WriteByte(':')
		write(f.fields[name])
	}
	b.WriteString(`},"required":`)
	write(append([]string{}, f.required...))
	b.WriteByte('}')
	return bytes.ReplaceAll(b.Bytes(), []byte("\n"), nil) // the encoder's; in a text, it is escaped
}

// reply returns the response to the form as an answer to the question.
func reply(c *chat.Clarification, content map[string]any) []byte {
	answers := map[string]any{}
	for _, p := range c.Question.Parts {
		value, given := content[p.ID]
		if text, isText := value.(string); given && isText && text == "" && p.InputType != tools.Text {
			given = false // a field that was left empty
		}
		other, _ := content[p.ID+otherSuffix].(string)
		if other = strings.TrimSpace(other); !p.AllowOther {
			other = ""
		}
		list := values(value, ",")
		if p.InputType == tools.Rank {
			list = ranked(&p, value)
		}
		switch {
		case p.InputType.TakesValues() && other != "":
			answers[p.ID] = map[string]any{"values": list, "other": other}
		case other != "":
			answers[p.ID] = map[string]any{"other": other}
		case !given:
		case p.InputType.TakesValues():
			answers[p.ID] = list
			if len(list) == 0 && p.AllowSkip {
				answers[p.ID] = nil
			}
		default:
			answers[p.ID] = value
		}
	}
	data, _ := json.Marshal(map[string]any{"answers": answers}) // it was JSON
	return data
}

// ranked returns an order of options that was written with > or with commas between them. A number
// that is neither a value nor a label stands for the option at that place.
func ranked(p *tools.Part, v any) []string {
	separator := ","
	if text, _ := v.(string); strings.Contains(text, ">") {
		separator = ">"
	}
	list := values(v, separator)
	for i, s := range list {
		named := slices.ContainsFunc(p.Options, func(o tools.Option) bool { return o.Value == s || o.Label == s })
		if n, err := strconv.Atoi(strings.TrimSuffix(s, ".")); err == nil && !named && n >= 1 && n <= len(p.Options) {
			list[i] = p.Options[n-1].Value
		}
	}
	return list
}

// values returns a list of choices, or one that was written with a separator.
func values(v any, separator string) []string {
	list := []string{}
	switch v := v.(type) {
	case string:
		for s := range strings.SplitSeq(v, separator) {
			if s = strings.TrimSpace(s); s != "" {
				list = append(list, s)
			}
		}
	case []any:
		for _, one := range v {
			s, _ := one.(string)
			list = append(list, s)
		}
	}
	return list
}
