package arguments

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/askgate/askgate/tools"
)

// Text returns canonical arguments for a person to read: the same JSON on several lines, with
// numbers as written, and a visible escape for every character that is invisible or could pass
// for another. It is the same JSON value.
func Text(canonical string) string {
	text := layOut(canonical, true)
	if len(text) > 8*len(canonical) { // deep and wide: mostly indentation
		return layOut(canonical, false)
	}
	return text
}

// Deceptive returns Text for arguments that a program may show incorrectly if it reads numbers
// into doubles and texts unescaped: numbers that a double cannot represent, and characters that
// could pass for others. It returns "" for all other arguments.
func Deceptive(canonical string) string {
	d := jsontext.NewDecoder(strings.NewReader(canonical))
	for {
		token, err := d.ReadToken()
		switch {
		case err != nil: // the end, or half a character
			if errors.Is(err, io.EOF) {
				return ""
			}
			return Text(canonical)
		case token.Kind() == jsontext.KindNumber && !exact(token.String()),
			token.Kind() == jsontext.KindString && Shown(token.String()) != token.String():
			return Text(canonical)
		}
	}
}

// exact reports whether a double preserves a number as written: up to 15 digits, no exponent.
func exact(number string) bool {
	const digits = 15 // DBL_DIG of C: the digits that a double preserves
	return len(strings.Trim(number, "-.")) <= digits && !strings.ContainsAny(number, "eE") && number != "-0"
}

// layOut formats canonical JSON, with or without line breaks.
func layOut(canonical string, lines bool) string {
	var b strings.Builder
	depth := 0
	line := func() {
		if lines {
			b.WriteString("\n" + strings.Repeat("  ", depth))
		}
	}
	for i := 0; i < len(canonical); {
		c := canonical[i]
		i++
		switch c {
		case '"':
			end := i
			for canonical[end] != '"' {
				if canonical[end] == '\\' {
					end++
				}
				end++
			}
			b.WriteByte('"')
			visible(&b, canonical[i:end])
			b.WriteByte('"')
			i = end + 1
		case '{', '[':
			b.WriteByte(c)
			if next := canonical[i]; next == '}' || next == ']' {
				b.WriteByte(next)
				i++
				continue
			}
			depth++
			line()
		case '}', ']':
			depth--
			line()
			b.WriteByte(c)
		case ',':
			b.WriteByte(c)
			line()
		case ':':
			b.WriteByte(c)
			if lines {
				b.WriteByte(' ')
			}
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

// visible writes the content of a JSON string, with all but plain characters escaped.
func visible(b *strings.Builder, inside string) {
	for len(inside) > 0 {
		r, n := utf8.DecodeRuneInString(inside)
		if r == '\\' {
			r, n = escaped(inside)
		}
		inside = inside[n:]
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		default:
			shown(b, r)
		}
	}
}

// shown writes a character, or a visible escape if it is invisible or could pass for another.
func shown(b *strings.Builder, r rune) {
	if r == ' ' || unicode.IsPrint(r) && !tools.Invisible(r) {
		b.WriteRune(r)
		return
	}
	if utf16.IsSurrogate(r) {
		fmt.Fprintf(b, `\u%04x`, r)
		return
	}
	for _, unit := range utf16.Encode([]rune{r}) {
		fmt.Fprintf(b, `\u%04x`, unit)
	}
}

// escaped reads the escape at the start of s; n is its length.
func escaped(s string) (r rune, n int) {
	const simple, meant = `"\/bfnrt`, "\"\\/\b\f\n\r\t"
	if i := strings.IndexByte(simple, s[1]); i >= 0 {
		return rune(meant[i]), 2
	}
	unit := func(s string) rune {
		v, _ := strconv.ParseUint(s[2:6], 16, 16) // canonical JSON has four digits here
		return rune(v)
	}
	r, n = unit(s), 6
	if utf16.IsSurrogate(r) && len(s) >= 12 && s[6:8] == `\u` {
		if pair := utf16.DecodeRune(r, unit(s[6:])); pair != utf8.RuneError {
			r, n = pair, 12
		}
	}
	return r, n
}

// Field is an argument as a form shows it.
type Field struct {
	Name    string `json:"name"`
	Title   string `json:"title"`             // the name if the schema has no title
	Text    string `json:"text"`              // as returned by Text
	Unknown bool   `json:"unknown,omitempty"` // the schema does not list it
}

// Titles returns the titles of a schema's properties by name, nil if there are none.
func Titles(schema json.RawMessage) map[string]string {
	var s struct {
		Properties map[string]struct {
			Title any `json:"title"`
		} `json:"properties"`
	}
	if json.Unmarshal(schema, &s) != nil {
		return nil
	}
	var titles map[string]string
	for name, p := range s.Properties {
		if title, ok := p.Title.(string); ok && !tools.Blank(title) {
			if titles == nil {
				titles = map[string]string{}
			}
			titles[name] = Shown(tools.Shorten(title, maxName))
		}
	}
	return titles
}

// Fields returns the canonical arguments one by one, in their order, with their titles. unknown are
// those that the schema does not list, see Unknown.
func Fields(canonical string, titles map[string]string, unknown []string) []Field {
	d := json.NewDecoder(bytes.NewReader([]byte(canonical)))
	_, _ = d.Token()
	var fields []Field
	for d.More() {
		name, _ := d.Token()
		var value json.RawMessage
		if d.Decode(&value) != nil {
			return nil // cannot happen: canonical arguments can be read
		}
		key, _ := name.(string)
		title := titles[key]
		if title == "" {
			title = Shown(key)
		}
		is := len(unknown) > 0 && unknown[0] == key // they are in the same order
		if is {
			unknown = unknown[1:]
		}
		fields = append(fields, Field{Name: Shown(key), Title: title, Text: Text(string(value)), Unknown: is})
	}
	return slices.Clip(fields)
}

// Shown returns s with a visible escape for every character that is invisible or could pass for
// another.
func Shown(s string) string {
	var b strings.Builder
	for _, r := range s {
		shown(&b, r)
	}
	return b.String()
}
