package placeholder

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/askgate/askgate/tools"
)

// either matches a placeholder of the caller, or else {name} of a value.
var either = regexp.MustCompile(marked.String() + "|" + tools.Placeholder.String())

// Arguments fills the texts of a JSON object, but not its names: {name} with the value of that name,
// and the placeholders of the caller with those of who, in one pass. A text that consists of a single
// {name} becomes the value as it is, so that a number stays a number. A {name} without a value stays,
// and so do the placeholders of the caller if who is nil. The error is a *MissingError, or says that
// the object cannot be read.
func Arguments(object []byte, values map[string]any, who *tools.Caller) (string, error) {
	d := json.NewDecoder(bytes.NewReader(object))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return "", err
	}
	f := filler{values: values, who: who}
	v = f.walk(v)
	if f.err != nil {
		return "", f.err
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return "", err
	}
	return strings.TrimSpace(b.String()), nil
}

// OfJSON returns the names of the placeholders of the caller in the texts of a JSON value, but not in
// its names, sorted. The error says that the value cannot be read, or is one of Parse.
func OfJSON(value []byte) ([]string, error) {
	var names []string
	d := jsontext.NewDecoder(bytes.NewReader(value))
	for {
		token, err := d.ReadToken()
		if errors.Is(err, io.EOF) {
			slices.Sort(names)
			return slices.Compact(names), nil
		}
		if err != nil {
			return nil, err
		}
		if kind, n := d.StackIndex(d.StackDepth()); token.Kind() != '"' || kind == '{' && n%2 == 1 { // a name
			continue
		}
		text, err := Parse(token.String())
		if err != nil {
			return nil, err
		}
		names = append(names, text.Names()...)
	}
}

type filler struct {
	values map[string]any
	who    *tools.Caller
	err    error // the first one
}

func (f *filler) walk(v any) any {
	switch v := v.(type) {
	case string:
		if m := either.FindStringSubmatch(v); len(m) == 3 && m[0] == v && m[2] != "" {
			if value, ok := f.values[m[2]]; ok {
				return value
			}
		}
		return f.fill(v)
	case []any:
		for i := range v {
			v[i] = f.walk(v[i])
		}
	case map[string]any:
		for key := range v {
			v[key] = f.walk(v[key])
		}
	}
	return v
}

func (f *filler) fill(text string) string {
	var b strings.Builder
	at := 0
	for _, m := range either.FindAllStringSubmatchIndex(text, -1) {
		b.WriteString(text[at:m[0]])
		at = m[1]
		var filled string
		var ok bool
		if m[2] >= 0 {
			filled, ok = f.caller(text[m[2]:m[3]])
		} else {
			filled, ok = plain(f.values[text[m[4]:m[5]]])
		}
		if !ok {
			filled = text[m[0]:m[1]]
		}
		b.WriteString(filled)
	}
	return b.String() + text[at:]
}

func (f *filler) caller(name string) (string, bool) {
	if f.who == nil {
		return "", false
	}
	value, err := Value(name, *f.who)
	if err != nil && f.err == nil {
		f.err = err
	}
	return value, true
}

// plain returns a value of a template as text. ok is false if there is none.
func plain(value any) (text string, ok bool) {
	switch v := value.(type) {
	case string:
		return v, true
	case json.Number:
		return v.String(), true
	case bool:
		return strconv.FormatBool(v), true
	}
	return "", false
}
