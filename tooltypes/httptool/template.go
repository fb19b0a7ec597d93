package httptool

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/askgate/askgate/tools/outgoing"
	"github.com/askgate/askgate/tools/placeholder"
)

// maxAddress is the longest address in bytes that servers and proxies accept by default
// (RFC 9110, 4.1, recommends at least 8000).
const maxAddress = 8000

// template is an address with placeholders.
type template struct {
	base   string    // scheme, host and port
	path   [][]piece // between slashes
	query  []pair
	used   map[string]bool // names of the placeholders of arguments
	caller []string        // names of the placeholders of the caller
	length int             // of the written address, in bytes
}

// pair is one parameter of the query. One without "=" has only a key.
type pair struct {
	key   string // as written, including the "="
	value []piece
}

// piece is either a literal text or, if name is set, a placeholder: of the caller, or of an argument.
type piece struct {
	text, name string
	caller     bool
}

// place matches a placeholder: of the caller, whose name may have characters that separate parts of an
// address, or else of an argument.
var place = regexp.MustCompile(`\{(?:(?:caller|chat|app)\.[^{}]*|[A-Za-z_][A-Za-z0-9_.-]*)\}`)

// marker stands for a placeholder while an address is cut into its parts.
var marker = regexp.MustCompile(`\{([0-9]+)\}`)

// addressable matches text that a path and a query may contain unescaped (RFC 3986).
var addressable = regexp.MustCompile(`^[A-Za-z0-9._~:/?@!$&'()*+,;=%\[\]-]*$`)

// parseTemplate reads an address. The error says what is wrong with it, and how to fix it. If it
// begins with theText, the caller replaces those words with the address.
func parseTemplate(address string) (*template, error) {
	base, rest := outgoing.Split(address)
	if strings.ContainsAny(base, "{}") {
		return nil, errors.New("placeholders are not allowed in scheme or host; use {name} in the path and query only")
	}
	if err := outgoing.Check(address); errors.Is(err, outgoing.ErrNoAddress) {
		return nil, errors.New(theText + ` is not an address; write it like "https://terms.example.org/v1/{term}"`)
	} else if err != nil {
		return nil, err
	}
	names := place.FindAllString(rest, -1)
	bare := place.ReplaceAllString(rest, "x")
	if strings.ContainsAny(bare, "{}") {
		return nil, errors.New("a brace is not part of a placeholder; write {name}, or %7B and %7D for the characters themselves")
	}
	if _, err := url.Parse(base + bare); err != nil || !addressable.MatchString(bare) {
		return nil, errors.New(theText + " is not an address; percent-encode special characters")
	}
	t := &template{base: base, used: map[string]bool{}, length: len(address)}
	for i, name := range names {
		names[i] = name[1 : len(name)-1]
		if !placeholder.Reserved(names[i]) {
			t.used[names[i]] = true
			continue
		}
		if err := placeholder.Check(names[i]); err != nil {
			return nil, err
		}
		t.caller = append(t.caller, names[i])
	}
	i := -1
	rest = place.ReplaceAllStringFunc(rest, func(string) string {
		i++
		return "{" + strconv.Itoa(i) + "}"
	})
	path, query, asks := strings.Cut(rest, "?")
	for _, segment := range strings.Split(path, "/") {
		t.path = append(t.path, pieces(segment, names))
	}
	if asks {
		for _, one := range strings.Split(query, "&") {
			p := pair{key: one}
			if key, value, ok := strings.Cut(one, "="); ok {
				p = pair{key + "=", pieces(value, names)}
			}
			if strings.Contains(p.key, "{") {
				return nil, errors.New("a placeholder in the query must be a value; write key={name}")
			}
			t.query = append(t.query, p)
		}
	}
	return t, nil
}

const theText = "the text"

// pieces reads a part of an address, in which markers stand for the names.
func pieces(text string, names []string) []piece {
	var list []piece
	at := 0
	for _, m := range marker.FindAllStringSubmatchIndex(text, -1) {
		i, _ := strconv.Atoi(text[m[2]:m[3]]) // written by parseTemplate
		list = append(list, piece{text: text[at:m[0]]}, piece{name: names[i], caller: placeholder.Reserved(names[i])})
		at = m[1]
	}
	return append(list, piece{text: text[at:]})
}

// mandatory reports whether there is no address without an argument: it is in the path, or in a
// parameter together with a placeholder of the caller, which must not be left out.
func (t *template) mandatory(name string) bool {
	has := func(list []piece) bool {
		return slices.ContainsFunc(list, func(p piece) bool { return p.name == name && !p.caller })
	}
	return slices.ContainsFunc(t.path, has) || slices.ContainsFunc(t.query, func(p pair) bool { return has(p.value) && p.ofCaller() })
}

// ofCaller reports whether a value has a placeholder of the caller.
func (p pair) ofCaller() bool {
	return slices.ContainsFunc(p.value, func(part piece) bool { return part.caller })
}

// values are what fills an address.
type values struct {
	arguments map[string]any
	caller    map[string]string // by placeholder; it has all of them
}

// fill returns the address with its placeholders replaced. The error is for the model; it is a
// *tools.Error if the caller's values are at fault.
func (t *template) fill(v values) (string, error) {
	size := t.length
	for _, name := range t.caller {
		size += len(escape(v.caller[name]))
	}
	if len(t.caller) > 0 && size > maxAddress {
		return "", placeholder.Uncallable("the caller's values make an address of %d bytes; the limit is %d", size, maxAddress)
	}
	var b strings.Builder
	b.WriteString(t.base)
	for i, segment := range t.path {
		if i > 0 {
			b.WriteByte('/')
		}
		if err := v.segment(&b, segment); err != nil {
			return "", err
		}
	}
	mark := byte('?')
	for _, p := range t.query {
		texts, err := v.pair(p)
		if err != nil {
			return "", err
		}
		for _, text := range texts {
			b.WriteByte(mark)
			b.WriteString(p.key + text)
			mark = '&'
		}
	}
	return b.String(), nil
}

// segment writes one segment, and makes sure that it stays one: not only for servers that
// follow RFC 3986, but also for those that decode %2F or read \ as /.
func (v values) segment(b *strings.Builder, segment []piece) error {
	var given, callers []string
	plain := ""
	for _, p := range segment {
		if p.name == "" {
			literal, err := url.PathUnescape(p.text)
			if err != nil {
				literal = p.text
			}
			plain += literal
			b.WriteString(p.text)
			continue
		}
		text := v.caller[p.name]
		if p.caller {
			callers = append(callers, "{"+p.name+"}")
		} else {
			given = append(given, strconv.Quote(p.name))
			var err error
			if text, err = v.inPath(p.name); err != nil {
				return err
			}
		}
		if strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r == 0x7f }) {
			if p.caller {
				return placeholder.Uncallable("{%s} is part of the address, and its value has line breaks or other control characters", p.name)
			}
			return fmt.Errorf("%q is part of the address: leave out line breaks and other control characters", p.name)
		}
		plain += text
		b.WriteString(escape(text))
	}
	wrong := fault(plain)
	switch {
	case wrong == "" || len(given)+len(callers) == 0: // without placeholders, the admin has written it
		return nil
	case len(given) > 0:
		return fmt.Errorf("%s must not %s", strings.Join(given, ", "), wrong)
	}
	return placeholder.Uncallable("the value of %s must not %s", strings.Join(callers, ", "), wrong)
}

// inPath returns the text of an argument in the path.
func (v values) inPath(name string) (string, error) {
	text, ok := scalar(v.arguments[name])
	switch {
	case v.arguments[name] == nil:
		return "", fmt.Errorf("%q is part of the address: give it", name)
	case !ok:
		return "", fmt.Errorf("%q is part of the address: give a text, a number or a boolean", name)
	}
	return text, nil
}

// fault returns what a decoded segment must not be or contain, or "".
func fault(plain string) string {
	parts := strings.FieldsFunc(plain, func(r rune) bool { return r == '/' || r == '\\' })
	if strings.TrimSpace(strings.Join(parts, "")) == "" {
		return "be empty"
	}
	for _, part := range parts {
		part, _, _ = strings.Cut(part, ";") // parameters of a segment: some servers drop them
		if part = strings.TrimSpace(part); part == "." || part == ".." {
			return "contain a path segment of dots"
		}
	}
	return ""
}

// pair returns one text per value of the parameter: a list repeats the parameter, and without a
// value it is left out. A model cannot leave out one with a value of the caller.
func (v values) pair(p pair) ([]string, error) {
	placeholders := 0
	for _, part := range p.value {
		if part.name == "" {
			continue
		}
		placeholders++
		if part.caller || v.arguments[part.name] != nil {
			continue
		}
		if p.ofCaller() {
			return nil, fmt.Errorf("%q is part of the address: give it", part.name)
		}
		return nil, nil
	}
	if placeholders == 1 && len(p.value) == 3 && p.value[0].text == "" && p.value[2].text == "" && !p.value[1].caller {
		return escaped(v.arguments[p.value[1].name]), nil
	}
	var b strings.Builder
	for _, part := range p.value {
		if part.name == "" {
			b.WriteString(part.text)
			continue
		}
		text, ok := v.caller[part.name], part.caller
		if !part.caller {
			text, ok = scalar(v.arguments[part.name])
		}
		if !ok {
			return nil, fmt.Errorf("%q is part of a parameter: give a text, a number or a boolean", part.name)
		}
		b.WriteString(escape(text))
	}
	return []string{b.String()}, nil
}

// addQuery adds the arguments that have no placeholder, ordered by name.
func addQuery(address string, arguments map[string]any) string {
	b := []byte(address)
	mark := byte('?')
	if strings.Contains(address, "?") {
		mark = '&'
	}
	for _, name := range slices.Sorted(maps.Keys(arguments)) {
		for _, value := range escaped(arguments[name]) {
			b = append(b, mark)
			b = append(append(append(b, escape(name)...), '='), value...)
			mark = '&'
		}
	}
	return string(b)
}

// escaped returns the escaped texts of a value: one per element of a list, none for null.
func escaped(value any) []string {
	list, ok := value.([]any)
	if !ok {
		list = []any{value}
	}
	var texts []string
	for _, v := range list {
		if v == nil {
			continue
		}
		text, ok := scalar(v)
		if !ok {
			text = compact(v)
		}
		texts = append(texts, escape(text))
	}
	return texts
}

// scalar returns a value as the text that an address contains. ok is false for null, lists and
// objects.
func scalar(value any) (text string, ok bool) {
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

// escape percent-encodes all but the unreserved characters of RFC 3986, so that text is data
// both in a path and in a query. A space becomes %20, which is valid in both.
func escape(text string) string { return strings.ReplaceAll(url.QueryEscape(text), "+", "%20") }
