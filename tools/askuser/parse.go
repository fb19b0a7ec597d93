package askuser

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"
)

// object is a JSON object that remembers its order; of a repeated key the last
// value counts, as in every common JSON reader.
type object struct {
	keys   []string
	values map[string]any
}

// fault is one reason to refuse arguments.
type fault struct {
	reason string
	text   string // for the model: field, limit, size, mend
}

func (f *fault) Error() string { return f.text }

// parse reads one JSON value out of text: nil, bool, json.Number, string, []any
// or *object. Size and encoding are checked before, depth while it is read.
func parse(text string) (any, error) {
	switch {
	case len(text) > maxArguments:
		return nil, &fault{ReasonTooLarge, fmt.Sprintf("The arguments have %d bytes, the limit is %d: ask shorter and fewer questions.", len(text), maxArguments)}
	case !utf8.ValidString(text):
		return nil, &fault{ReasonEncoding, "The arguments are not valid UTF-8: send them as UTF-8 JSON."}
	case strings.IndexByte(text, 0) >= 0:
		return nil, nulFault()
	case halfSurrogate(text):
		return nil, &fault{ReasonEncoding, `The arguments hold a \u escape that is half of a surrogate pair: write the whole character, and in a pattern escape the backslash (\\u).`}
	}
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	v, err := decode(d, 0)
	if err == nil {
		if _, more := d.Token(); more != io.EOF {
			err = errors.New("something follows the object")
		}
	}
	if err == nil {
		return v, nil
	}
	if f := (*fault)(nil); errors.As(err, &f) {
		return nil, f
	}
	return nil, &fault{ReasonNotObject, fmt.Sprintf("The arguments are not valid JSON near byte %d (%v): send one JSON object.", d.InputOffset(), err)}
}

func nulFault() *fault {
	return &fault{ReasonEncoding, "The arguments hold the character U+0000: leave it out."}
}

func decode(d *json.Decoder, depth int) (any, error) {
	t, err := d.Token()
	if err != nil {
		return nil, err
	}
	switch t := t.(type) {
	case json.Delim:
		if depth++; depth > maxDepth {
			return nil, &fault{ReasonTooDeep, fmt.Sprintf("The arguments are nested more than %d levels deep: send the fields of the schema only.", maxDepth)}
		}
		if t == '[' {
			return decodeArray(d, depth)
		}
		return decodeObject(d, depth)
	case string:
		if strings.IndexByte(t, 0) >= 0 {
			return nil, nulFault()
		}
		return t, nil
	default:
		return t, nil
	}
}

func decodeArray(d *json.Decoder, depth int) (any, error) {
	list := []any{}
	for d.More() {
		v, err := decode(d, depth)
		if err != nil {
			return nil, err
		}
		list = append(list, v)
	}
	_, err := d.Token()
	return list, err
}

func decodeObject(d *json.Decoder, depth int) (any, error) {
	o := &object{values: map[string]any{}}
	for d.More() {
		t, err := d.Token()
		if err != nil {
			return nil, err
		}
		key, ok := t.(string)
		if !ok {
			return nil, errors.New("a key is not a string")
		}
		v, err := decode(d, depth)
		if err != nil {
			return nil, err
		}
		if _, seen := o.values[key]; !seen {
			o.keys = append(o.keys, key)
		}
		o.values[key] = v
	}
	_, err := d.Token()
	return o, err
}

// halfSurrogate finds a \u escape that is no character by itself; encoding/json
// would quietly put U+FFFD in its place.
func halfSurrogate(text string) bool {
	for {
		i := strings.IndexByte(text, '\\')
		if i < 0 {
			return false
		}
		text = text[i:]
		unit, ok := escapedUnit(text)
		switch {
		case !ok:
			text = text[min(2, len(text)):]
			continue
		case unit >= 0xDC00 && unit <= 0xDFFF:
			return true
		case unit >= 0xD800 && unit <= 0xDBFF:
			low, ok := escapedUnit(text[6:])
			if !ok || low < 0xDC00 || low > 0xDFFF {
				return true
			}
			text = text[6:]
		}
		text = text[6:]
	}
}

func escapedUnit(s string) (uint64, bool) {
	if len(s) < 6 || s[0] != '\\' || s[1] != 'u' {
		return 0, false
	}
	unit, err := strconv.ParseUint(s[2:6], 16, 16)
	return unit, err == nil
}

// quoted is s as a short literal for a message.
func quoted(s string) string {
	if short := cut(s, 40); len(short) < len(s) {
		return strconv.Quote(short + "…")
	}
	return strconv.Quote(s)
}
