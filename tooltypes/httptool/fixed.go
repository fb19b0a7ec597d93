package httptool

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tools/placeholder"
)

// Limits of the fixed members of a body.
const (
	maxFixed      = 64 << 10 // bytes, as JSON
	maxFixedDepth = 16
)

// fixed are the fixed members of a JSON body: JSON whose texts may have placeholders of the caller.
type fixed struct {
	parts   []part
	names   []string // of all members, as paths with dots
	callers []string // names of the placeholders
}

// part is either JSON or, if raw is empty, a text that becomes a JSON string.
type part struct {
	raw  string
	text placeholder.Text
}

// parseFixed reads a JSON object.
func parseFixed(object json.RawMessage) (*fixed, error) {
	if len(object) > maxFixed {
		return nil, fmt.Errorf("the members are too large: %d bytes in total (limit %d); shorten them", len(object), maxFixed)
	}
	f := &fixed{}
	d := jsontext.NewDecoder(bytes.NewReader(object))
	if d.PeekKind() != '{' {
		return nil, errors.New("not a JSON object")
	}
	if err := f.read(d, nil); err != nil {
		return nil, err
	}
	return f, nil
}

// read reads the value at a path.
func (f *fixed) read(d *jsontext.Decoder, path []string) error {
	if len(path) > maxFixedDepth {
		return fmt.Errorf("nested more than %d levels deep; send a flatter object", maxFixedDepth)
	}
	switch kind := d.PeekKind(); kind {
	case '{', '[':
		return f.readAll(d, kind, path)
	case '"':
		token, err := d.ReadToken()
		if err != nil {
			return err
		}
		text, err := placeholder.Parse(token.String())
		if err != nil {
			return err
		}
		if names := text.Names(); len(names) > 0 {
			f.parts, f.callers = append(f.parts, part{text: text}), append(f.callers, names...)
			return nil
		}
		f.raw(compact(token.String()))
		return nil
	}
	value, err := d.ReadValue()
	f.raw(string(value))
	return err
}

// readAll reads an object or a list.
func (f *fixed) readAll(d *jsontext.Decoder, kind jsontext.Kind, path []string) error {
	if _, err := d.ReadToken(); err != nil {
		return err
	}
	f.raw(kind.String())
	end := jsontext.Kind('}')
	if kind == '[' {
		end = ']'
	}
	for i := 0; d.PeekKind() != end; i++ {
		if i > 0 {
			f.raw(",")
		}
		at := append(slices.Clone(path), strconv.Itoa(i))
		if kind == '{' {
			token, err := d.ReadToken()
			if err != nil {
				return err
			}
			at[len(path)] = token.String()
			f.names = append(f.names, strings.Join(at, "."))
			f.raw(compact(token.String()) + ":")
		}
		if err := f.read(d, at); err != nil {
			return err
		}
	}
	_, err := d.ReadToken()
	f.raw(end.String())
	return err
}

func (f *fixed) raw(text string) {
	if n := len(f.parts); n > 0 && f.parts[n-1].raw != "" {
		f.parts[n-1].raw += text
		return
	}
	f.parts = append(f.parts, part{raw: text})
}

// has reports whether some server takes a name for one of the members.
func (f *fixed) has(name string) bool {
	return f != nil && slices.ContainsFunc(f.names, func(own string) bool { return same(own, name) })
}

// before returns the members of a body: the fixed ones, followed by those of arguments, which is a
// JSON object.
func (f *fixed) before(arguments string, who tools.Caller) (string, error) {
	if f == nil || len(f.names) == 0 {
		return arguments, nil
	}
	var b strings.Builder
	for _, p := range f.parts {
		if p.raw != "" {
			b.WriteString(p.raw)
			continue
		}
		text, err := p.text.Fill(who, nil)
		if err != nil {
			return "", placeholder.Uncallable("%s", err)
		}
		b.WriteString(compact(text))
	}
	if arguments == "{}" {
		return b.String(), nil
	}
	return strings.TrimSuffix(b.String(), "}") + "," + strings.TrimPrefix(arguments, "{"), nil
}
