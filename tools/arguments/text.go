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

// Text is canonical arguments for a person to read: the same JSON on several lines, numbers
// as they were written, and a visible escape for every character that could pass for
// another or for none. Read as JSON it is the same value.
func Text(canonical string) string {
	text := layOut(canonical, true)
	if len(text) > 8*len(canonical) { // deep and wide: mostly indentation
		return layOut(canonical, false)
	}
	return text
}

// Deceptive is Text where a program that reads the arguments into doubles and shows them
// as they are may show something else: numbers that no double holds, characters that
// could pass for others. "" for all other arguments.
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

// exact says that a double has a number as it is written: up to 15 digits, no exponent.
func exact(number string) bool {
	const digits = 15 // DBL_DIG of C: those that survive being read into a double
	return len(strings.Trim(number, "-.")) <= digits && !strings.ContainsAny(number, "eE") && number != "-0"
}

// layOut writes canonical JSON anew, with or without line breaks.
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

// visible writes the inside of a JSON string: what is plain as it looks, all else escaped.
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

// shown writes a character, or a visible escape in place of one that could pass for
// another or for none.
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

// escaped reads the escape that s begins with; n is its length.
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

// Field is one of the arguments, as a form shows it.
type Field struct {
	Name  string `json:"name"`
	Title string `json:"title"`
	Text  string `json:"text"` // as Text has it
}

// Titles are the texts under "title" of a schema's properties, by name; nil without any.
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

// Fields are the canonical arguments one by one, in their order, under the titles that
// there are; nil where there are no titles.
func Fields(canonical string, titles map[string]string) []Field {
	if len(titles) == 0 {
		return nil
	}
	d := json.NewDecoder(bytes.NewReader([]byte(canonical)))
	_, _ = d.Token()
	var fields []Field
	for d.More() {
		name, _ := d.Token()
		var value json.RawMessage
		if d.Decode(&value) != nil {
			return nil // canonical arguments can be read
		}
		key, _ := name.(string)
		title := titles[key]
		if title == "" {
			title = Shown(key)
		}
		fields = append(fields, Field{Name: Shown(key), Title: title, Text: Text(string(value))})
	}
	return slices.Clip(fields)
}

// Shown is s with a visible escape for every character that could pass for another or for
// none.
func Shown(s string) string {
	var b strings.Builder
	for _, r := range s {
		shown(&b, r)
	}
	return b.String()
}
