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

// maxRows bounds a list; further rows are left out. More is what a search at the
// source is for, not a list.
const maxRows = 500_000

// Mapping says where the options are in what a tool lists. All are JSON pointers (RFC
// 6901): Rows into the whole, the others into one row. Compile makes one.
type Mapping struct {
	rows                      pointer
	found                     bool // rows are where the only list is
	label, value, description pointer
	valued, described         bool
}

// Compile reads the pointers. rows "" is the result itself, or the only list in it;
// label "" is the row itself; without a value the label is the value. The error names
// no pointer: the caller knows which.
func Compile(rows, label, value, description string) (Mapping, error) {
	m := Mapping{found: rows == "", valued: value != "", described: description != ""}
	var errs [4]error
	m.rows, errs[0] = parsePointer(jsontext.Pointer(rows))
	m.label, errs[1] = parsePointer(jsontext.Pointer(label))
	m.value, errs[2] = parsePointer(jsontext.Pointer(value))
	m.description, errs[3] = parsePointer(jsontext.Pointer(description))
	return m, errors.Join(errs[:]...)
}

// List is the options that a tool listed, in its order.
type List struct {
	options []tools.Option
	byValue map[string]int32
	keys    []string // of each option: what a search looks at
	size    int      // bytes, about
	sum     uint64   // of what was read
}

var seed = maphash.MakeSeed()

// ErrRows says that a result holds no list of rows where the mapping says.
var ErrRows = errors.New("no JSON with a list of rows where the template says")

// Read makes the list. before, where it is not nil, is returned where it was made of the
// same result. The error holds nothing of the result.
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

// onlyList is the list that stands alone among the members of an object; other JSON
// is returned as it is.
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

// scalar is a text, number or boolean as text.
func scalar(v any) (string, bool) {
	switch v := v.(type) {
	case string:
		return v, !strings.ContainsRune(v, 0) // which no store takes
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
	const around = 150 // bytes that slices and map need for each
	l.size += len(o.Label) + len(o.Value) + len(o.Description) + len(key) + around
}

// Len is how many options there are.
func (l *List) Len() int { return len(l.options) }

// Size is about how much memory the list takes, in bytes.
func (l *List) Size() int { return l.size }

// First are the first n options, or all where there are not that many.
func (l *List) First(n int) []tools.Option {
	return l.options[:min(n, len(l.options)):min(n, len(l.options))]
}

// Find is the option with that value.
func (l *List) Find(value string) (tools.Option, bool) {
	i, ok := l.byValue[value]
	if !ok {
		return tools.Option{}, false
	}
	return l.options[i], true
}

// Chosen are the options with these values, each once and in the list's order, by label
// and value alone.
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

// Named is the option that a message names: by its value, else by its label or value
// without regard to case and accents, where that fits one option alone.
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
