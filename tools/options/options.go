package options

import (
	"bytes"
	"encoding/json"
	"errors"
	"hash/maphash"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tools/askuser"
	"github.com/askgate/askgate/tools/confusable"
)

// maxRows is the maximum number of rows of a list; further ones are left out. For more, use a
// tool that searches.
const maxRows = 500_000

// Mapping has the places of the options in a tool's result, as JSON pointers (RFC 6901): of the
// rows in the result, and of the other fields in a row. Compile returns one.
type Mapping struct {
	rows                      pointer
	found                     bool // find the rows: the only list
	label, value, description pointer
	valued, described         bool
}

// Compile parses the pointers. An empty rows is the result itself, or the only list in it. An
// empty label is the row itself. If value is empty, the label is the value. The error joins
// the errors of all pointers, without naming them.
func Compile(rows, label, value, description string) (Mapping, error) {
	m := Mapping{found: rows == "", valued: value != "", described: description != ""}
	var errs [4]error
	m.rows, errs[0] = parsePointer(jsontext.Pointer(rows))
	m.label, errs[1] = parsePointer(jsontext.Pointer(label))
	m.value, errs[2] = parsePointer(jsontext.Pointer(value))
	m.description, errs[3] = parsePointer(jsontext.Pointer(description))
	return m, errors.Join(errs[:]...)
}

// List has the options that a tool listed, in the same order.
type List struct {
	options []tools.Option
	byValue map[string]int32
	keys    []string // the text of each option that is searched
	size    int      // approximately, in bytes
	sum     uint64   // hash of the result
}

var seed = maphash.MakeSeed()

// ErrRows means that there is no list of rows where the mapping expects it.
var ErrRows = errors.New("no JSON list of rows where the template expects it")

// Read reads the list. If before is not nil and was read from the same result, Read returns
// before. The error contains nothing from the result.
func Read(result string, m Mapping, before *List) (*List, error) {
	sum := maphash.String(seed, result)
	if before != nil && before.sum == sum {
		return before, nil
	}
	rows := m.rows.raw(json.RawMessage(result))
	if m.found {
		rows = onlyList(rows)
	}
	d := json.NewDecoder(bytes.NewReader(rows))
	d.UseNumber()
	if t, err := d.Token(); err != nil || t != json.Delim('[') {
		return nil, ErrRows
	}
	l := &List{sum: sum, byValue: map[string]int32{}}
	var labels confusable.Set
	for d.More() && len(l.options) < maxRows {
		var row any
		if err := d.Decode(&row); err != nil {
			return nil, ErrRows
		}
		if o, ok := m.option(row); ok {
			l.add(o, &labels)
		}
	}
	if t, err := d.Token(); len(l.options) < maxRows && (err != nil || t != json.Delim(']')) {
		return nil, ErrRows
	}
	return l, nil
}

// onlyList returns the only list among the members of an object, nil if there are several. It
// returns other JSON unchanged.
func onlyList(data json.RawMessage) json.RawMessage {
	var members map[string]json.RawMessage
	if json.Unmarshal(data, &members) != nil {
		return data
	}
	var list json.RawMessage
	for _, v := range members {
		if bytes.HasPrefix(bytes.TrimSpace(v), []byte("[")) {
			if list != nil {
				return nil
			}
			list = v
		}
	}
	return list
}

// option reads one row.
func (m Mapping) option(row any) (tools.Option, bool) {
	label, ok := scalar(m.label.of(row))
	if !ok {
		return tools.Option{}, false
	}
	value := label
	if m.valued {
		if value, ok = scalar(m.value.of(row)); !ok {
			return tools.Option{}, false
		}
	}
	description := ""
	if m.described {
		if text, ok := scalar(m.description.of(row)); ok {
			description = text
		}
	}
	return askuser.Option(label, value, description)
}

// scalar returns a text, number or boolean as text.
func scalar(v any) (string, bool) {
	switch v := v.(type) {
	case string:
		return v, !strings.ContainsRune(v, 0) // no store accepts U+0000
	case json.Number:
		return v.String(), true
	case bool:
		if v {
			return "true", true
		}
		return "false", true
	}
	return "", false
}

// add appends an option, unless its value is taken.
func (l *List) add(o tools.Option, labels *confusable.Set) {
	if _, taken := l.byValue[o.Value]; taken {
		return
	}
	if _, taken := labels.Add(o.Label); taken {
		o.Label = askuser.ToldApart(o)
		if _, taken := labels.Add(o.Label); taken {
			return
		}
	}
	l.byValue[o.Value] = int32(len(l.options))
	l.options = append(l.options, o)
	key := fold(o.Label)
	if o.Value != o.Label {
		key += "\x00" + fold(o.Value)
	}
	l.keys = append(l.keys, key)
	const around = 150 // bytes that the slices and the map need per option
	l.size += len(o.Label) + len(o.Value) + len(o.Description) + len(key) + around
}

// Len returns the number of options.
func (l *List) Len() int { return len(l.options) }

// Size returns the approximate memory use of the list, in bytes.
func (l *List) Size() int { return l.size }

// First returns the first n options, or all if there are fewer.
func (l *List) First(n int) []tools.Option {
	return l.options[:min(n, len(l.options)):min(n, len(l.options))]
}

// Find returns the option with a value.
func (l *List) Find(value string) (tools.Option, bool) {
	i, ok := l.byValue[value]
	if !ok {
		return tools.Option{}, false
	}
	return l.options[i], true
}

// Chosen returns the options with these values, without duplicates, in the list's order, and
// with label and value only.
func (l *List) Chosen(values []string) []tools.Option {
	places := make([]int, 0, len(values))
	for _, v := range values {
		if i, ok := l.byValue[v]; ok {
			places = append(places, int(i))
		}
	}
	slices.Sort(places)
	chosen := make([]tools.Option, 0, len(places))
	for _, i := range slices.Compact(places) {
		chosen = append(chosen, tools.Option{Label: l.options[i].Label, Value: l.options[i].Value})
	}
	return chosen
}

// Named returns the option that a message names: by its exact value, else by its label or value
// regardless of case and accents if only one option matches.
func (l *List) Named(text string) (tools.Option, bool) {
	text = strings.TrimSpace(text)
	if o, ok := l.Find(text); ok {
		return o, true
	}
	word := fold(text)
	if word == "" {
		return tools.Option{}, false
	}
	found := -1
	for i, key := range l.keys {
		label, value, _ := strings.Cut(key, "\x00")
		if label != word && value != word {
			continue
		}
		if found >= 0 {
			return tools.Option{}, false
		}
		found = i
	}
	if found < 0 {
		return tools.Option{}, false
	}
	return l.options[found], true
}
