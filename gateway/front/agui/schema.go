package agui

import (
	"encoding/json"

	"github.com/askgate/askgate/gateway/front"
	"github.com/askgate/askgate/tools"
)

// approvalSchema is the JSON Schema of a decision about a call.
var approvalSchema = json.RawMessage(`{"type":"object","properties":{"approved":{"type":"boolean"},"reason":{"type":"string"}},"required":["approved"]}`)

// schema is the part of JSON Schema that answers need.
type schema struct {
	Type        any                `json:"type,omitempty"`
	Title       string             `json:"title,omitempty"`
	Description string             `json:"description,omitempty"`
	Const       string             `json:"const,omitempty"`
	Format      string             `json:"format,omitempty"`
	AnyOf       []*schema          `json:"anyOf,omitempty"`
	OneOf       []*schema          `json:"oneOf,omitempty"`
	Items       *schema            `json:"items,omitempty"`
	Properties  map[string]*schema `json:"properties,omitempty"`
	Required    []string           `json:"required,omitempty"`
	Default     json.RawMessage    `json:"default,omitempty"`
	Minimum     *float64           `json:"minimum,omitempty"`
	Maximum     *float64           `json:"maximum,omitempty"`
	MinLength   *float64           `json:"minLength,omitempty"`
	MaxLength   *float64           `json:"maxLength,omitempty"`
	MinItems    *float64           `json:"minItems,omitempty"`
	MaxItems    *float64           `json:"maxItems,omitempty"`
	UniqueItems bool               `json:"uniqueItems,omitempty"`
	Pattern     string             `json:"pattern,omitempty"`
}

// answersSchema returns the JSON Schema of the answers to a question, by id, below "answers".
// What JSON Schema cannot express is checked where all answers are.
func answersSchema(parts []tools.Part) json.RawMessage {
	of := &schema{Type: "object", Properties: map[string]*schema{}}
	for i := range parts {
		p := &parts[i]
		of.Properties[p.ID] = partSchema(p)
		if on := front.Condition(parts, i); on != "" {
			of.Properties[p.ID].Description = front.Joined("\n", on, p.Context, p.Ends())
		}
		if !p.AllowSkip && p.When == nil {
			of.Required = append(of.Required, p.ID)
		}
	}
	data, _ := json.Marshal(&schema{Type: "object", Properties: map[string]*schema{"answers": of}, Required: []string{"answers"}})
	return data
}

func partSchema(p *tools.Part) *schema {
	s := &schema{Type: "string"}
	v := p.Validation
	if v == nil {
		v = &tools.Validation{}
	}
	switch p.InputType {
	case tools.Select:
		s = choice(p)
	case tools.Multiselect:
		s = &schema{Type: "array", Items: choice(p), MinItems: number(v.Min), MaxItems: number(v.Max)}
	case tools.Confirm:
		s.Type = "boolean"
	case tools.Number:
		s.Type, s.Minimum, s.Maximum = "number", number(v.Min), number(v.Max)
		if v.Integer {
			s.Type = "integer"
		}
	case tools.Date:
		s.Format = "date"
	case tools.Datetime:
		s.Format = "date-time"
	case tools.Scale:
		least := 1.0
		s.Type, s.Minimum, s.Maximum = "integer", &least, number(v.Max)
	case tools.Rank:
		all := float64(len(p.Options))
		s = &schema{Type: "array", Items: choice(p), MinItems: &all, MaxItems: &all, UniqueItems: true}
	case tools.Text:
		s.MinLength, s.MaxLength = number(v.Min), number(v.Max)
		if p.Format == tools.FormatEmail || p.Format == tools.FormatURI { // JSON Schema has these formats
			s.Format = p.Format
		}
		if v.Pattern != "" {
			s.Pattern = "^(?:" + v.Pattern + ")$"
		}
	}
	if p.AllowOther && !p.InputType.HasOptions() && p.InputType != tools.Text { // their choices take any text themselves
		s = &schema{AnyOf: []*schema{s, {Type: "string"}}}
	}
	if p.AllowSkip { // null means skipped
		if t, ok := s.Type.(string); ok {
			s.Type = []string{t, "null"}
		} else {
			s = &schema{AnyOf: []*schema{s, {Type: "null"}}}
		}
	}
	s.Title, s.Description, s.Default = p.Question, front.Joined("\n", p.Context, p.Ends()), p.Default
	return s
}

// choice returns the schema of one of the options, or of the person's own words if those are
// allowed or the options are not complete.
func choice(p *tools.Part) *schema {
	one := &schema{}
	for _, o := range p.Options {
		one.OneOf = append(one.OneOf, &schema{Const: o.Value, Title: o.Label, Description: o.Description})
	}
	if p.AllowOther || p.Searchable || len(p.Options) == 0 {
		return &schema{AnyOf: []*schema{one, {Type: "string"}}}
	}
	return one
}

func number(b *tools.Bound) *float64 {
	if b == nil || b.Date != "" {
		return nil
	}
	return &b.Number
}
