package api

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/tools/strictjson"
)

// openJSON checks the whole body before any field is read. A client's result or value is
// passed on as it was written, so repeated names and huge numbers pass here; for our own
// fields, object refuses repeated names.
func openJSON(data []byte) (*jsontext.Decoder, error) {
	d, err := strictjson.Open(data, strictjson.Rules{MaxDepth: maxDepth, AllowDuplicates: true, AllowHuge: true})
	switch {
	case err == nil:
		return d, nil
	case errors.Is(err, strictjson.ErrEncoding):
		return nil, invalid("utf8", "")
	case errors.Is(err, strictjson.ErrDepth):
		return nil, &fault{code: chat.CodeInvalidRequest, detail: "depth", params: map[string]any{"Max": maxDepth}}
	}
	return nil, invalid("malformed_json", "")
}

// field reads the value of one field. The decoder is one of openJSON, whose reads do not
// fail.
type field func(d *jsontext.Decoder) error

// object reads a JSON object that may have each of fields once, and no others. It sets
// the entries of fields that it has read to nil.
func object(d *jsontext.Decoder, fields map[string]field) error { return objectOr(d, fields, nil) }

// objectOr is object where other reads the fields that are not known, each once; nil: there
// may be none.
func objectOr(d *jsontext.Decoder, fields map[string]field, other func(name string) field) error {
	if token, _ := d.ReadToken(); token.Kind() != '{' {
		return wrongType(d)
	}
	for d.PeekKind() != '}' {
		token, _ := d.ReadToken()
		name := token.String()
		read, known := fields[name]
		switch {
		case !known && other != nil:
			read = other(name)
		case !known:
			return invalid("unknown_field", place(d))
		case read == nil:
			return invalid("duplicate_field", place(d))
		}
		fields[name] = nil
		if err := read(d); err != nil {
			return err
		}
	}
	_, err := d.ReadToken()
	return err
}

// list reads a JSON array by its items.
func list(item field) field { return listUpTo(maxEntries, item) }

func listUpTo(most int, item field) field {
	return func(d *jsontext.Decoder) error {
		if token, _ := d.ReadToken(); token.Kind() != '[' {
			return wrongType(d)
		}
		for n := 0; d.PeekKind() != ']'; n++ {
			if n == most {
				field := strings.TrimSuffix(place(d), fmt.Sprintf("[%d]", most-1))
				return &fault{code: chat.CodeInvalidRequest, detail: "entries", field: field, params: map[string]any{"Max": most}}
			}
			if err := item(d); err != nil {
				return err
			}
		}
		_, err := d.ReadToken()
		return err
	}
}

func text(set func(string)) field {
	return func(d *jsontext.Decoder) error {
		token, _ := d.ReadToken()
		if token.Kind() != '"' {
			return wrongType(d)
		}
		set(token.String())
		return nil
	}
}

func boolean(set func(bool)) field {
	return func(d *jsontext.Decoder) error {
		token, _ := d.ReadToken()
		if kind := token.Kind(); kind != 't' && kind != 'f' {
			return wrongType(d)
		}
		set(token.Bool())
		return nil
	}
}

// raw keeps a value as it was written. kinds lists the jsontext.Kinds that it may have;
// "" allows any.
func raw(to *json.RawMessage, kinds string) field {
	return func(d *jsontext.Decoder) error {
		v, err := d.ReadValue()
		if kinds != "" && strings.IndexByte(kinds, byte(v.Kind())) < 0 {
			return wrongType(d)
		}
		*to = json.RawMessage(v.Clone())
		return err
	}
}

// identifier reads a text that must not be empty.
func identifier(to *string) field {
	return func(d *jsontext.Decoder) error {
		if err := text(func(s string) { *to = s })(d); err != nil {
			return err
		}
		if *to == "" {
			return wrongType(d)
		}
		return nil
	}
}

// wrongType refuses the value that d has just read or entered.
func wrongType(d *jsontext.Decoder) error {
	if path := place(d); path != "" {
		return invalid("wrong_type", path)
	}
	return invalid("malformed_json", "") // whose text asks for one JSON object
}

// place is the path of what d has just read, such as answer.answers[1].note. Long names
// are cut: they can only be unknown ones.
func place(d *jsontext.Decoder) string {
	const most = 64 // code points
	var path strings.Builder
	level := 0
	for name := range d.StackPointer().Tokens() {
		level++
		if kind, _ := d.StackIndex(level); kind == '[' {
			path.WriteString("[" + name + "]")
			continue
		}
		if level > 1 {
			path.WriteByte('.')
		}
		if utf8.RuneCountInString(name) > most {
			name = string([]rune(name)[:most]) + "…"
		}
		path.WriteString(name)
	}
	return path.String()
}
