// Package placeholder fills the placeholders of the caller in texts of the configuration:
//
//	{caller.subject}  {caller.tenant}  {caller.claims.NAME}  {chat.id}  {app.id}
//
// A claim inside another is written with dots, as in auth.jwt.claims: {caller.claims.address.country}.
// What looks like a placeholder in a value stays text: a text is filled once, from left to right.
package placeholder

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/askgate/askgate/tools"
)

// The beginnings of the names of placeholders. No parameter of a tool begins with one of them.
var reserved = []string{"caller.", "chat.", "app."}

const claims = "caller.claims."

// Reserved reports whether a name is one of a placeholder of the caller, known or not.
func Reserved(name string) bool {
	return slices.ContainsFunc(reserved, func(prefix string) bool { return strings.HasPrefix(name, prefix) })
}

// marked matches a placeholder of the caller, known or not.
var marked = regexp.MustCompile(`\{((?:caller|chat|app)\.[^{}]*)\}`)

// First returns the name of the first placeholder of the caller in a text, known or not, or "".
func First(text string) string {
	if m := marked.FindStringSubmatch(text); m != nil {
		return m[1]
	}
	return ""
}

// Text is a text with placeholders. The zero Text is empty.
type Text struct{ pieces []piece }

// piece is either a literal text or, if name is set, a placeholder.
type piece struct{ text, name string }

// Parse reads a text. Braces that do not surround a placeholder of the caller are text. The error
// says what is wrong, and how to fix it.
func Parse(text string) (Text, error) {
	var t Text
	at := 0
	for _, m := range marked.FindAllStringSubmatchIndex(text, -1) {
		name := text[m[2]:m[3]]
		if err := Check(name); err != nil {
			return Text{}, err
		}
		t.add(piece{text: text[at:m[0]]}, piece{name: name})
		at = m[1]
	}
	t.add(piece{text: text[at:]})
	return t, nil
}

func (t *Text) add(pieces ...piece) {
	for _, p := range pieces {
		if p != (piece{}) {
			t.pieces = append(t.pieces, p)
		}
	}
}

// Check returns an error if there is no placeholder with that Reserved name.
func Check(name string) error {
	switch name {
	case "caller.subject", "caller.tenant", "chat.id", "app.id":
		return nil
	}
	if claim, ok := strings.CutPrefix(name, claims); ok && claim != "" && !strings.HasPrefix(claim, ".") && !strings.HasSuffix(claim, ".") && !strings.Contains(claim, "..") {
		return nil
	}
	return fmt.Errorf("there is no placeholder {%s}; write {caller.subject}, {caller.tenant}, {caller.claims.NAME}, {chat.id} or {app.id}", tools.Shorten(name, maxNamed))
}

// maxNamed limits a name in an error, in code points.
const maxNamed = 100

// Names returns the names of the placeholders, each once, in their order.
func (t Text) Names() []string {
	var names []string
	for _, p := range t.pieces {
		if p.name != "" && !slices.Contains(names, p.name) {
			names = append(names, p.name)
		}
	}
	return names
}

// Claims returns the names of the claims that the text needs.
func (t Text) Claims() []string { return ClaimsOf(t.Names()) }

// ClaimsOf returns the claims among the names of placeholders.
func ClaimsOf(names []string) []string {
	var found []string
	for _, name := range names {
		if claim, ok := strings.CutPrefix(name, claims); ok {
			found = append(found, claim)
		}
	}
	return found
}

// MissingError says that a caller has no value for a placeholder. It names the placeholder only.
type MissingError struct{ Name string }

func (e *MissingError) Error() string {
	if claim, ok := strings.CutPrefix(e.Name, claims); ok {
		return "the caller's token has no claim " + tools.Shorten(claim, maxNamed) + " that is a number or a text with content"
	}
	return "the call has no {" + tools.Shorten(e.Name, maxNamed) + "}"
}

// Value returns the value of a placeholder. The error is a *MissingError. An empty value counts as
// missing: many servers take an empty filter for none, and would return what others own.
func Value(name string, who tools.Caller) (string, error) {
	value := ""
	switch name {
	case "caller.subject":
		value = who.Subject
	case "caller.tenant":
		value = who.Tenant
	case "chat.id":
		value = who.Chat
	case "app.id":
		value = who.App
	default:
		if claim, ok := strings.CutPrefix(name, claims); ok {
			value = who.Claims[claim]
		}
	}
	if value == "" {
		return "", &MissingError{name}
	}
	return value, nil
}

// Fill returns the text with its placeholders replaced by what encode makes of their values; nil
// leaves them as they are. The error is a *MissingError, or one of encode.
func (t Text) Fill(who tools.Caller, encode func(value string) (string, error)) (string, error) {
	var b strings.Builder
	for _, p := range t.pieces {
		if p.name == "" {
			b.WriteString(p.text)
			continue
		}
		value, err := Value(p.name, who)
		if err == nil && encode != nil {
			value, err = encode(value)
		}
		if err != nil {
			return "", err
		}
		b.WriteString(value)
	}
	return b.String(), nil
}

// maxHeader limits the value of a header, in bytes. Most servers accept 8 KiB of headers in all.
const maxHeader = 4 << 10

// Header returns the text filled as the value of that header. The error names the header and what is
// wrong, never a value.
func (t Text) Header(name string, who tools.Caller) (string, error) {
	value, err := t.Fill(who, printable)
	switch {
	case err != nil:
		return "", fmt.Errorf("header %s: %w", name, err)
	case len(value) > maxHeader:
		return "", fmt.Errorf("header %s would have %d bytes; the limit is %d", name, len(value), maxHeader)
	}
	return value, nil
}

// errHeader refuses a value that no header can carry unchanged: it is not printable ASCII, or has
// white space at its ends. (RFC 9110, 5.5: a recipient may treat anything else as opaque or reject it.)
var errHeader = errors.New("the value cannot be sent in a header: only printable ASCII characters can")

func printable(value string) (string, error) {
	if value == "" || strings.TrimSpace(value) != value || strings.ContainsFunc(value, func(r rune) bool { return r < ' ' || r > '~' }) {
		return "", errHeader
	}
	return value, nil
}

// Uncallable returns the error of a tool that cannot be called for its caller. Say why without values
// of the caller: the model reads it.
func Uncallable(format string, args ...any) *tools.Error {
	why := fmt.Sprintf(format, args...)
	return &tools.Error{
		Code: tools.CodeToolFailed, Cause: why,
		Message: "This tool cannot be called for this user: " + why + ". Go on without it.",
	}
}
