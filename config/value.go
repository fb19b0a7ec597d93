package config

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/tailscale/hujson"
	"golang.org/x/text/language"

	"github.com/askgate/askgate/tools"
)

// Value is a value in a file. Its methods read it and report its faults, with file, line and column;
// reading goes on after a fault.
type Value struct {
	p    *pass
	s    *source
	v    *hujson.Value
	pure bool   // "$NAME" in strings is not replaced
	path string // path of its key, as in Row.Path

	ignored []string // keys of the object that have no effect
}

// Fault reports what is wrong with the value, and how to fix it.
func (n Value) Fault(format string, args ...any) { n.s.fault(n.v.StartOffset, format, args...) }

// Warn reports a value that is accepted but has no effect, or not the one that it seems to have.
func (n Value) Warn(format string, args ...any) { n.s.warn(n.v.StartOffset, format, args...) }

// startable reports what a gateway can start without: as a fault if the configuration is only checked,
// else as a warning.
func (n Value) startable(format string, args ...any) {
	if n.p.checking {
		n.Fault(format, args...)
		return
	}
	n.Warn(format, args...)
}

// faults returns the number of faults in the file so far.
func (n Value) faults() int { return len(n.s.faults) + n.s.dropped }

func (n Value) child(v *hujson.Value) Value {
	return Value{p: n.p, s: n.s, v: v, pure: n.pure, path: n.path}
}

// Given reports whether the value exists. If it does not, no other method may be called except Key.
func (n Value) Given() bool { return n.v != nil }

// Raw returns the value as written in the file, for messages: never the value of a
// $NAME.
func (n Value) Raw() string {
	if lit, ok := n.v.Value.(hujson.Literal); ok {
		return tools.Shorten(string(lit), maxShown)
	}
	return n.kind()
}

func (n Value) kind() string {
	switch n.v.Value.Kind() {
	case '"':
		return "a string"
	case '0':
		return "a number"
	case 't', 'f':
		return "true or false"
	case '{':
		return "an object"
	case '[':
		return "a list"
	}
	return "null"
}

func (n Value) want(what string) {
	if n.kind() == "null" {
		n.Fault("null is not allowed; want %s, or omit the key for the default", what)
		return
	}
	n.Fault("want %s, not %s", what, n.kind())
}

// Member is one key of an object, with its value.
type Member struct {
	Key  string
	Name Value // the key itself, for faults about it
	Value
}

// Members returns the keys of an object in the order of the file. Of equal keys it returns the first;
// the others were reported before.
func (n Value) Members() ([]Member, bool) {
	obj, ok := n.v.Value.(*hujson.Object)
	if !ok {
		n.want("an object")
		return nil, false
	}
	seen := make(map[string]bool, len(obj.Members))
	list := make([]Member, 0, len(obj.Members))
	for i := range obj.Members {
		m := &obj.Members[i]
		key := literal(&m.Name)
		if !seen[key] {
			seen[key] = true
			list = append(list, Member{key, n.child(&m.Name), n.child(&m.Value)})
		}
	}
	return list, true
}

// Key returns the value of a key of an object; see Given.
func (n Value) Key(name string) Value {
	if n.v == nil {
		return Value{}
	}
	obj, _ := n.v.Value.(*hujson.Object)
	for i := 0; obj != nil && i < len(obj.Members); i++ {
		if literal(&obj.Members[i].Name) == name {
			return n.child(&obj.Members[i].Value)
		}
	}
	return Value{}
}

// Find returns the value at a JSON pointer (RFC 6901) within n, or n if there is none.
func (n Value) Find(pointer string) Value {
	if v := n.v.Find(pointer); v != nil {
		return n.child(v)
	}
	return n
}

// List returns the values of a list, at most most. many is the fault if there are more.
func (n Value) List(most int, many string) ([]Value, bool) {
	arr, ok := n.v.Value.(*hujson.Array)
	if !ok {
		n.want("a list")
		return nil, false
	}
	items := make([]Value, len(arr.Elements))
	for i := range arr.Elements {
		items[i] = n.child(&arr.Elements[i])
	}
	if len(items) > most {
		items[most].Fault(many, most)
		items = items[:most]
	}
	return items, true
}

// tooMany is the usual fault of a list with too many items.
const tooMany = "too many items; the limit is %d"

var variable = regexp.MustCompile(`^\$[A-Za-z_][A-Za-z0-9_]*$`)

// FromEnvironment reports whether the value is taken from an environment variable, and so is a secret.
func (n Value) FromEnvironment() bool { return !n.pure && variable.MatchString(literal(n.v)) }

// Text reads a string. "$NAME" as the whole value is replaced by the environment variable;
// "$$NAME" means the text $NAME.
func (n Value) Text() (string, bool) {
	lit, ok := n.v.Value.(hujson.Literal)
	if !ok || lit.Kind() != '"' {
		n.want("a string")
		return "", false
	}
	text := lit.String()
	if !n.pure && strings.HasPrefix(text, "$$") && variable.MatchString(text[1:]) {
		return text[1:], true
	}
	if n.pure || !variable.MatchString(text) {
		n.bracedVariable(text)
		return text, true
	}
	value, set, wrong := n.p.variable(text[1:])
	switch {
	case wrong != "":
		n.Fault("%s", wrong)
	case !set:
		n.Fault("environment variable %s is not set; set it, set %s_FILE to the path of a file that holds it, or write the value here (for the literal text %s: \"$%s\")", text[1:], text[1:], text, text)
	case !utf8.ValidString(value) || strings.ContainsRune(value, 0):
		n.Fault("environment variable %s is not valid UTF-8; set it to UTF-8 text", text[1:])
	default:
		return value, true
	}
	return "", false
}

// Words reads a list of at most most different strings. If check is not nil, only those for which it
// returns true are kept.
func (n Value) Words(dst *[]string, most int, check Check) {
	items, ok := n.List(most, tooMany)
	if !ok {
		return
	}
	list := make([]string, 0, len(items))
	for _, item := range items {
		text, ok := item.Text()
		switch {
		case !ok:
		case text == "":
			item.Fault("the string is empty; remove it")
		case slices.Contains(list, text):
			item.Fault("%s appears twice; remove one", item.Raw())
		case check == nil || check(item, text):
			list = append(list, text)
		}
	}
	*dst = list
}

// Localised reads a Text.
func (n Value) Localised(dst *Text) {
	if n.v.Value.Kind() != '{' {
		if n.v.Value.Kind() != '"' {
			n.want(`a string, or one per language like {"en": "...", "de": "..."}`)
			return
		}
		if text, ok := n.Text(); ok {
			*dst = NewText(text)
		}
		return
	}
	list, _ := n.Members()
	if len(list) == 0 {
		n.Fault("no language is given; write a string, or one per language like {\"en\": \"...\"}")
		return
	}
	var t Text
	for _, m := range list {
		if !m.Name.languageTag(m.Key) {
			continue
		}
		if i := slices.IndexFunc(t.entries, func(e textEntry) bool { return strings.EqualFold(e.tag, m.Key) }); i >= 0 {
			m.Name.Fault("language %s appears twice; remove one", m.Name.Raw())
			continue
		}
		if text, ok := m.Text(); ok && text != "" {
			t.entries = append(t.entries, textEntry{m.Key, text})
		}
	}
	*dst = t
}

func (n Value) languageTag(tag string) bool {
	if len(tag) <= 64 { // limits the work of the parser; real tags are shorter
		if _, err := language.Parse(tag); err == nil && !strings.Contains(tag, "_") {
			return true
		}
	}
	n.Fault("%s is not a BCP 47 language tag; write one like \"en\", \"de\" or \"pt-BR\"", n.Raw())
	return false
}

// headerText reads a string for an HTTP header.
func (n Value) headerText(dst *string) {
	text, ok := n.Text()
	if ok {
		n.embeddedVariable(text)
	}
	if ok && strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		n.Fault("the value has a line break or another control character, which HTTP headers cannot carry; remove it (check the end of the variable or file that it comes from)")
		return
	}
	*dst = text
}

// Common mistakes: values that are valid but do not do what they seem to.

var (
	braced = regexp.MustCompile(`^\$\{([A-Za-z_][A-Za-z0-9_]*)\}$`)
	within = regexp.MustCompile(`\$\{?([A-Z_][A-Z0-9_]{2,})\b`)
)

// bracedVariable warns about a variable in braces, which is not replaced.
func (n Value) bracedVariable(text string) {
	if m := braced.FindStringSubmatch(text); m != nil && !n.pure {
		n.Warn(`braces are not supported, so this is sent as is; to use the variable, write "$%s"`, m[1])
	}
}

// embeddedVariable warns about a variable within a longer text, which is not replaced.
func (n Value) embeddedVariable(text string) {
	if m := within.FindStringSubmatch(text); m != nil && !braced.MatchString(text) && !variable.MatchString(text) && !n.pure && !n.FromEnvironment() {
		n.Warn(`a variable is replaced only if it is the whole value, so this is sent as is; put the whole value into the variable %s and write "$%s"`, m[1], m[1])
	}
}

// Check reports whether a text is valid. If it is not, Check adds a fault.
type Check func(n Value, text string) bool

// root returns the value of a file.
func (p *pass) root(s *source, path string) Value { return Value{p: p, s: s, v: &s.root, path: path} }
