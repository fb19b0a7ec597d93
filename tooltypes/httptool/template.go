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

	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tools/outgoing"
)

// maxAddress is the longest address in bytes that servers and proxies accept by default
// (RFC 9110, 4.1, recommends at least 8000).
const maxAddress = 8000

// template is an address with placeholders.
type template struct {
	base  string    // scheme, host and port
	path  [][]piece // between slashes
	query []pair
	used  map[string]bool // names of the placeholders
}

// pair is one parameter of the query. One without "=" has only a key.
type pair struct {
	key   string // as written, including the "="
	value []piece
}

// piece is either a literal text or, if name is set, a placeholder.
type piece struct{ text, name string }

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
	bare := tools.Placeholder.ReplaceAllString(rest, "x")
	if strings.ContainsAny(bare, "{}") {
		return nil, errors.New("a brace is not part of a placeholder; write {name}, or %7B and %7D for the characters themselves")
	}
	if _, err := url.Parse(base + bare); err != nil || !addressable.MatchString(bare) {
		return nil, errors.New(theText + " is not an address; percent-encode special characters")
	}
	t := &template{base: base, used: map[string]bool{}}
	path, query, asks := strings.Cut(rest, "?")
	for _, segment := range strings.Split(path, "/") {
		t.path = append(t.path, t.pieces(segment))
	}
	if asks {
		for _, one := range strings.Split(query, "&") {
			p := pair{key: one}
			if key, value, ok := strings.Cut(one, "="); ok {
				p = pair{key + "=", t.pieces(value)}
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

func (t *template) pieces(text string) []piece {
	var list []piece
	at := 0
	for _, m := range tools.Placeholder.FindAllStringSubmatchIndex(text, -1) {
		name := text[m[2]:m[3]]
		list = append(list, piece{text: text[at:m[0]]}, piece{name: name})
		t.used[name] = true
		at = m[1]
	}
	return append(list, piece{text: text[at:]})
}

// inPath reports whether the path contains a placeholder.
func (t *template) inPath(name string) bool {
	return slices.ContainsFunc(t.path, func(segment []piece) bool {
		return slices.ContainsFunc(segment, func(p piece) bool { return p.name == name })
	})
}

// fill returns the address with its placeholders replaced. The error is for the model.
func (t *template) fill(arguments map[string]any) (string, error) {
	var b strings.Builder
	b.WriteString(t.base)
	for i, segment := range t.path {
		if i > 0 {
			b.WriteByte('/')
		}
		if err := fillSegment(&b, segment, arguments); err != nil {
			return "", err
		}
	}
	mark := byte('?')
	for _, p := range t.query {
		values, err := fillPair(p, arguments)
		if err != nil {
			return "", err
		}
		for _, value := range values {
			b.WriteByte(mark)
			b.WriteString(p.key + value)
			mark = '&'
		}
	}
	return b.String(), nil
}

// fillSegment writes one segment, and makes sure that it stays one: not only for servers that
// follow RFC 3986, but also for those that decode %2F or read \ as /.
func fillSegment(b *strings.Builder, segment []piece, arguments map[string]any) error {
	var names []string
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
		text, ok := scalar(arguments[p.name])
		switch {
		case arguments[p.name] == nil:
			return fmt.Errorf("%q is part of the address: give it", p.name)
		case !ok:
			return fmt.Errorf("%q is part of the address: give a text, a number or a boolean", p.name)
		case strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r == 0x7f }):
			return fmt.Errorf("%q is part of the address: leave out line breaks and other control characters", p.name)
		}
		names = append(names, strconv.Quote(p.name))
		plain += text
		b.WriteString(escape(text))
	}
	if len(names) == 0 {
		return nil // written by the admin
	}
	parts := strings.FieldsFunc(plain, func(r rune) bool { return r == '/' || r == '\\' })
	if strings.TrimSpace(strings.Join(parts, "")) == "" {
		return fmt.Errorf("%s must not be empty", strings.Join(names, ", "))
	}
	for _, part := range parts {
		part, _, _ = strings.Cut(part, ";") // parameters of a segment: some servers drop them
		if part = strings.TrimSpace(part); part == "." || part == ".." {
			return fmt.Errorf("%s must not contain a path segment of dots", strings.Join(names, ", "))
		}
	}
	return nil
}

// fillPair returns one text per value of the parameter: a list repeats the parameter, and
// without a value it is left out.
func fillPair(p pair, arguments map[string]any) ([]string, error) {
	placeholders := 0
	for _, part := range p.value {
		if part.name == "" {
			continue
		}
		placeholders++
		if arguments[part.name] == nil {
			return nil, nil
		}
	}
	if placeholders == 1 && len(p.value) == 3 && p.value[0].text == "" && p.value[2].text == "" {
		return escaped(arguments[p.value[1].name]), nil
	}
	var b strings.Builder
	for _, part := range p.value {
		if part.name == "" {
			b.WriteString(part.text)
			continue
		}
		text, ok := scalar(arguments[part.name])
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
