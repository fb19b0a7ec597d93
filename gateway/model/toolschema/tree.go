package toolschema

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// object is a JSON object whose members keep their order. Values are *object, []any, or raw for all
// others, as they are written in the input.
type object struct{ members []member }

type member struct {
	name  string
	value any
}

type raw = jsontext.Value

func (o *object) at(name string) int {
	return slices.IndexFunc(o.members, func(m member) bool { return m.name == name })
}

// get returns a member's value, or nil.
func (o *object) get(name string) any {
	if i := o.at(name); i >= 0 {
		return o.members[i].value
	}
	return nil
}

// set replaces a member's value, or adds it at the end.
func (o *object) set(name string, v any) {
	if i := o.at(name); i >= 0 {
		o.members[i].value = v
		return
	}
	o.members = append(o.members, member{name, v})
}

// put is like set, but adds at the beginning.
func (o *object) put(name string, v any) {
	if o.at(name) < 0 {
		o.members = slices.Insert(o.members, 0, member{name, v})
		return
	}
	o.set(name, v)
}

func (o *object) remove(names ...string) {
	o.members = slices.DeleteFunc(o.members, func(m member) bool { return slices.Contains(names, m.name) })
}

func (o *object) clone() *object { return &object{slices.Clone(o.members)} }

// object, list and text return the value of a member if it has that type.
func (o *object) object(name string) *object { v, _ := o.get(name).(*object); return v }
func (o *object) list(name string) []any     { v, _ := o.get(name).([]any); return v }
func (o *object) text(name string) (string, bool) {
	return text(o.get(name))
}

func text(v any) (string, bool) {
	r, is := v.(raw)
	if !is || r.Kind() != jsontext.KindString {
		return "", false
	}
	b, err := jsontext.AppendUnquote(nil, r)
	return string(b), err == nil
}

func quote(s string) raw {
	b, _ := jsontext.AppendQuote(nil, s) // replaces invalid UTF-8
	return b
}

// texts returns the texts of a list, and leaves out other values.
func texts(list []any) []string {
	var all []string
	for _, v := range list {
		if s, is := text(v); is {
			all = append(all, s)
		}
	}
	return all
}

func quoteAll(names []string) []any {
	list := make([]any, len(names))
	for i, name := range names {
		list[i] = quote(name)
	}
	return list
}

// read decodes a schema, which must be an object.
func read(schema json.RawMessage) (*object, error) {
	if len(schema) > maxInput {
		return nil, fmt.Errorf("they have %d bytes (limit %d); make the schema smaller", len(schema), maxInput)
	}
	d := jsontext.NewDecoder(bytes.NewReader(schema))
	left := maxWork / 4 // values
	v, err := readValue(d, &left)
	if err != nil {
		return nil, err
	}
	o, is := v.(*object)
	if _, err := d.ReadToken(); !is || err == nil {
		return nil, errors.New("they are not one JSON object; write a JSON Schema of type object")
	}
	return o, nil
}

func readValue(d *jsontext.Decoder, left *int) (any, error) {
	if *left--; *left < 0 || d.StackDepth() > 2*maxDepth {
		return nil, fmt.Errorf("they are nested more than %d levels deep, or have too many values; make the schema smaller", 2*maxDepth)
	}
	switch d.PeekKind() {
	case jsontext.KindBeginObject:
		_, _ = d.ReadToken()
		o := &object{}
		for d.PeekKind() == jsontext.KindString {
			name, err := d.ReadToken()
			if err != nil {
				return nil, faulty(err)
			}
			m := member{name: name.String()}
			if m.value, err = readValue(d, left); err != nil {
				return nil, err
			}
			o.members = append(o.members, m)
		}
		_, err := d.ReadToken()
		return o, faulty(err)
	case jsontext.KindBeginArray:
		_, _ = d.ReadToken()
		list := []any{}
		for k := d.PeekKind(); k != jsontext.KindEndArray && k != jsontext.KindInvalid; k = d.PeekKind() {
			v, err := readValue(d, left)
			if err != nil {
				return nil, err
			}
			list = append(list, v)
		}
		_, err := d.ReadToken()
		return list, faulty(err)
	}
	v, err := d.ReadValue()
	return v.Clone(), faulty(err)
}

func faulty(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("they are not JSON: %w", err)
}

// appendValue appends v as JSON. It stops soon after limit bytes.
func appendValue(dst []byte, v any, limit int) []byte {
	if len(dst) > limit {
		return dst
	}
	switch v := v.(type) {
	case *object:
		dst = append(dst, '{')
		for i, m := range v.members {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(append(dst, quote(m.name)...), ':')
			dst = appendValue(dst, m.value, limit)
			if len(dst) > limit {
				return dst
			}
		}
		return append(dst, '}')
	case []any:
		dst = append(dst, '[')
		for i, item := range v {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = appendValue(dst, item, limit)
			if len(dst) > limit {
				return dst
			}
		}
		return append(dst, ']')
	case raw:
		return append(dst, v...)
	}
	return dst
}

// equal reports whether two values are written in the same way.
func (w *writer) equal(a, b any) (bool, error) {
	x, y := appendValue(nil, a, MaxBytes), appendValue(nil, b, MaxBytes)
	return bytes.Equal(x, y), w.spend(min(len(x), len(y)))
}
