package host

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

// OpenJSON checks the whole body before any field is read. A client's result or value is passed
// on as written, so repeated names and huge numbers are allowed here; for our own fields,
// Object refuses repeated names.
func OpenJSON(data []byte) (*jsontext.Decoder, error) {
	d, err := strictjson.Open(data, strictjson.Rules{MaxDepth: maxDepth, AllowDuplicates: true, AllowHuge: true})
	switch {
	case err == nil:
		return d, nil
	case errors.Is(err, strictjson.ErrEncoding):
		return nil, Invalid("utf8", "")
	case errors.Is(err, strictjson.ErrDepth):
		return nil, &Fault{Code: chat.CodeInvalidRequest, Detail: "depth", Params: map[string]any{"Max": maxDepth}}
	}
	return nil, Invalid("malformed_json", "")
}

// Field reads the value of one field. Its decoder comes from OpenJSON, so reads do not fail.
type Field func(d *jsontext.Decoder) error

// Object reads a JSON object that may have each of fields once, and no others. It sets the
// entries of the fields that it has read to nil.
func Object(d *jsontext.Decoder, fields map[string]Field) error { return ObjectOr(d, fields, nil) }

// ObjectOr is Object, except that other reads unknown fields, each once; nil means that there may
// be none.
func ObjectOr(d *jsontext.Decoder, fields map[string]Field, other func(name string) Field) error {
	if token, _ := d.ReadToken(); token.Kind() != '{' {
		return wrongType(d, "object")
	}
	for d.PeekKind() != '}' {
		token, _ := d.ReadToken()
		name := token.String()
		read, known := fields[name]
		switch {
		case !known && other != nil:
			read = other(name)
		case !known:
			return Invalid("unknown_field", Place(d))
		case read == nil:
			return Invalid("duplicate_field", Place(d))
		}
		fields[name] = nil
		if err := read(d); err != nil {
			return err
		}
	}
	_, err := d.ReadToken()
	return err
}

// List reads a JSON array by its items.
func List(item Field) Field { return ListUpTo(maxEntries, item) }

// ListUpTo is List of at most so many items.
func ListUpTo(most int, item Field) Field {
	return func(d *jsontext.Decoder) error {
		if token, _ := d.ReadToken(); token.Kind() != '[' {
			return wrongType(d, "array")
		}
		for n := 0; d.PeekKind() != ']'; n++ {
			if n == most {
				field := strings.TrimSuffix(Place(d), fmt.Sprintf("[%d]", most-1))
				return &Fault{Code: chat.CodeInvalidRequest, Detail: "entries", Field: field, Params: map[string]any{"Max": most}}
			}
			if err := item(d); err != nil {
				return err
			}
		}
		_, err := d.ReadToken()
		return err
	}
}

// String reads a text.
func String(set func(string)) Field {
	return func(d *jsontext.Decoder) error {
		token, _ := d.ReadToken()
		if token.Kind() != '"' {
			return wrongType(d, "string")
		}
		set(token.String())
		return nil
	}
}

// Bool reads true or false.
func Bool(set func(bool)) Field {
	return func(d *jsontext.Decoder) error {
		token, _ := d.ReadToken()
		if kind := token.Kind(); kind != 't' && kind != 'f' {
			return wrongType(d, "boolean")
		}
		set(token.Bool())
		return nil
	}
}

// Raw keeps a value as written. kinds lists the jsontext.Kinds that are allowed; "" allows
// any, and otherwise want names them in the refusal (see WrongType).
func Raw(to *json.RawMessage, kinds, want string) Field {
	return func(d *jsontext.Decoder) error {
		v, err := d.ReadValue()
		if kinds != "" && strings.IndexByte(kinds, byte(v.Kind())) < 0 {
			return wrongType(d, want)
		}
		*to = json.RawMessage(v.Clone())
		return err
	}
}

// Identifier reads a text that must not be empty.
func Identifier(to *string) Field {
	return func(d *jsontext.Decoder) error {
		if err := String(func(s string) { *to = s })(d); err != nil {
			return err
		}
		if *to == "" {
			return wrongType(d, "filled")
		}
		return nil
	}
}

// WrongType refuses a value by its field. want is what the field takes: "string", "filled" (a string
// that is not empty), "boolean", "number", "array", "object", "scalar" (a string, number or boolean),
// "encoded" (an object, or a string with its JSON), "asked" (whom to ask), or "" for anything else.
func WrongType(field, want string) *Fault {
	return &Fault{Code: chat.CodeInvalidRequest, Detail: "wrong_type", Field: field, Params: map[string]any{"Want": want}}
}

// wrongType is WrongType for the value that d has just read or entered.
func wrongType(d *jsontext.Decoder, want string) error {
	if path := Place(d); path != "" {
		return WrongType(path, want)
	}
	return Invalid("malformed_json", "") // its text asks for one JSON object
}

// Place returns the path of what d has just read, such as answer.answers[1].note. It cuts long
// names, which can only be unknown ones.
func Place(d *jsontext.Decoder) string {
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
