package documents

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tooltypes/documents/index"
	"github.com/askgate/askgate/tooltypes/documents/passages"
)

// Limits of a filter. It has at most as many conditions as there are fields.
const (
	maxOneOf  = 50                // values in a list
	maxFilter = passages.MaxValue // code points of a value: no document has longer ones
)

// filterSchema returns the JSON Schema of a filter. Each field has the exact forms of its conditions,
// so that providers that let a model write only what fits can use it.
func (o *Options) filterSchema() schema {
	properties := schema{}
	for name, kind := range o.Fields {
		value := schema{"type": "string", "maxLength": maxFilter}
		switch kind {
		case passages.Number:
			value = schema{"type": "number"}
		case passages.Date:
			value = aDay("A day, like 2026-01-31.")
		}
		forms := []schema{value, {"type": "array", "items": value, "minItems": 1, "maxItems": maxOneOf}}
		if kind == passages.Date || kind == passages.Number {
			forms = append(forms, schema{"type": "object", "additionalProperties": false, "minProperties": 1, "properties": schema{"after": value, "before": value}})
		}
		properties[name] = schema{"anyOf": forms}
	}
	return schema{"type": "object", "additionalProperties": false, "properties": properties, "description": "Conditions by field. All must hold."}
}

// fieldsNamed adds what a filter may be to an error of a call that has one.
func (t *Tool) fieldsNamed(err error, arguments string) error {
	if err == nil || len(t.o.Fields) == 0 || !strings.Contains(arguments, `"filter"`) {
		return err
	}
	return errors.New(strings.TrimSuffix(err.Error(), ".") + ". " + t.o.fieldNames())
}

// fieldNames says which fields there are.
func (o *Options) fieldNames() string {
	var list []string
	for _, name := range slices.Sorted(maps.Keys(o.Fields)) {
		list = append(list, fmt.Sprintf("%s (%s)", name, o.Fields[name]))
	}
	return "The fields of a `filter` are: " + strings.Join(list, ", ") + ". For an enum or list, write a text; for a date, a day like 2026-01-31; for a number, a number. Instead of one value, you can write a list of values or, for dates and numbers, an object with \"after\" or \"before\"."
}

// filter reads the conditions of a search. An error is for the model.
func (o *Options) filter(raw map[string]json.RawMessage) (list []index.Condition, err error) {
	for _, name := range slices.Sorted(maps.Keys(raw)) {
		kind, ok := o.Fields[name]
		if !ok {
			return nil, invalid("`filter` has an unknown field: %s. %s", tools.Shorten(name, 64), o.fieldNames())
		}
		c, err := condition(name, kind, raw[name])
		if err != nil {
			return nil, invalid("`filter` has a wrong value for %s: %s. %s", name, err, o.fieldNames())
		}
		list = append(list, c)
	}
	return list, nil
}

// condition reads what a filter says about one field.
func condition(name string, kind passages.Kind, raw json.RawMessage) (c index.Condition, err error) {
	c = index.Condition{Field: name, Kind: kind}
	raw = bytes.TrimSpace(raw)
	switch {
	case len(raw) > 0 && raw[0] == '[':
		var items []json.RawMessage
		if err := json.Unmarshal(raw, &items); err != nil || len(items) == 0 || len(items) > maxOneOf {
			return c, fmt.Errorf("a list has 1 to %d values", maxOneOf)
		}
		for _, item := range items {
			v, err := fieldValue(kind, item)
			if err != nil {
				return c, err
			}
			c.One = append(c.One, v)
		}
	case len(raw) > 0 && raw[0] == '{':
		var bounds map[string]json.RawMessage
		if err := json.Unmarshal(raw, &bounds); err != nil || len(bounds) == 0 || kind != passages.Date && kind != passages.Number {
			return c, fmt.Errorf(`only dates and numbers have "after" and "before"`)
		}
		for side, item := range bounds {
			v, err := fieldValue(kind, item)
			switch {
			case err != nil:
				return c, err
			case side == "after":
				c.After = &v
			case side == "before":
				c.Before = &v
			default:
				return c, fmt.Errorf(`only "after" and "before" are possible`)
			}
		}
	default:
		v, err := fieldValue(kind, raw)
		if err != nil {
			return c, err
		}
		c.One = []passages.Value{v}
	}
	return c, nil
}

// fieldValue reads one value of a condition.
func fieldValue(kind passages.Kind, raw json.RawMessage) (v passages.Value, err error) {
	v.Kind = kind
	if kind == passages.Number {
		if len(raw) == 0 || raw[0] == 'n' || json.Unmarshal(raw, &v.Number) != nil {
			return v, errors.New("it is not a number")
		}
		return v, nil
	}
	var text string
	if len(raw) == 0 || raw[0] != '"' || json.Unmarshal(raw, &text) != nil {
		return v, errors.New("it is not a text")
	}
	if len(text) > 4*maxFilter {
		return v, fmt.Errorf("it has more than %d characters", maxFilter)
	}
	if kind == passages.Date {
		if text, err = readDay(text); err != nil {
			return v, err
		}
	}
	v.Texts = []string{text}
	return v, nil
}

var errNoDay = errors.New("it is not a day from 0001-01-01 to 9998-12-31, written like 2026-01-31")

// readDay checks a day. The last year is left out: a version that ends in it is in force without end.
func readDay(text string) (string, error) {
	if t, err := time.Parse(time.DateOnly, text); err != nil || t.Year() < 1 || t.Year() > 9998 {
		return "", errNoDay
	}
	return text, nil
}

// argumentDay reads an argument that is a day. An error is for the model.
func argumentDay(name, text, otherwise string) (string, error) {
	if text == "" {
		return otherwise, nil
	}
	day, err := readDay(text)
	if err != nil {
		return "", invalid("`%s` is not a day from 0001-01-01 to 9998-12-31; write it like 2026-01-31", name)
	}
	return day, nil
}

// today returns the day, of UTC.
func (t *Tool) today() string { return t.library.now().UTC().Format(time.DateOnly) }
