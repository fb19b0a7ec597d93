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

// Value is one value of a file, which its methods read and blame: what is wrong with it is
// noted with the file, the line and the column, and reading goes on.
type Value struct {
	p    *pass
	s    *source
	v    *hujson.Value
	pure bool   // texts stand for themselves: no $NAME
	path string // of its key, as Row.Path prints it

	ignored []string // keys of the object that have no effect
}

// Fault notes what is wrong with the value, and how to fix it.
func (n Value) Fault(format string, args ...any) { n.s.fault(n.v.StartOffset, format, args...) }

// Warn notes what is accepted and has no effect, or not the one that it seems to have.
func (n Value) Warn(format string, args ...any) { n.s.warn(n.v.StartOffset, format, args...) }

// faults is how many its file has so far.
func (n Value) faults() int { return len(n.s.faults) + n.s.dropped }

func (n Value) child(v *hujson.Value) Value {
	return Value{p: n.p, s: n.s, v: v, pure: n.pure, path: n.path}
}

// Given says that the value is there; of one that is not, nothing else may be called.
func (n Value) Given() bool { return n.v != nil }

// Raw is the value as it stands in the file, for messages: never what a
// $NAME stands for.
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
	Name Value // the key itself, to blame it
	Value
}

// Members are the keys of an object in the order of the file, each once (the first; that
// there are more is a fault already).
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

// Key is the value of a key of an object; see Given.
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

// Find is the value at a JSON pointer (RFC 6901) below n, or n itself.
func (n Value) Find(pointer string) Value {
	if v := n.v.Find(pointer); v != nil {
		return n.child(v)
	}
	return n
}

// List are the values of a list, most at the most.
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

// tooMany is what most lists say that have too many items.
const tooMany = "too many items; the limit is %d"

var variable = regexp.MustCompile(`^\$[A-Za-z_][A-Za-z0-9_]*$`)

// FromEnvironment says that the value is what an environment variable holds: a secret.
func (n Value) FromEnvironment() bool { return !n.pure && variable.MatchString(literal(n.v)) }

// Text reads a string; "$NAME" as the whole value is the environment variable,
// "$$NAME" the text $NAME.
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

// Words reads a list of different strings, most at the most. check, where it is not nil,
// says which are taken.
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
	if len(tag) <= 64 { // bounds the parser's work; real tags are shorter
		if _, err := language.Parse(tag); err == nil && !strings.Contains(tag, "_") {
			return true
		}
	}
	n.Fault("%s is not a BCP 47 language tag; write one like \"en\", \"de\" or \"pt-BR\"", n.Raw())
	return false
}

// headerText reads a string that can stand in an HTTP header.
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

// The usual mistakes: what can be read, and does not do what it seems to.

var (
	braced = regexp.MustCompile(`^\$\{([A-Za-z_][A-Za-z0-9_]*)\}$`)
	within = regexp.MustCompile(`\$\{?([A-Z_][A-Z0-9_]{2,})\b`)
)

// bracedVariable warns of a variable in braces, which stands for itself.
func (n Value) bracedVariable(text string) {
	if m := braced.FindStringSubmatch(text); m != nil && !n.pure {
		n.Warn(`braces are not supported, so this is sent as is; to use the variable, write "$%s"`, m[1])
	}
}

// embeddedVariable warns of a variable in a longer text, which stands for itself.
func (n Value) embeddedVariable(text string) {
	if m := within.FindStringSubmatch(text); m != nil && !braced.MatchString(text) && !variable.MatchString(text) && !n.pure && !n.FromEnvironment() {
		n.Warn(`a variable is replaced only if it is the whole value, so this is sent as is; put the whole value into the variable %s and write "$%s"`, m[1], m[1])
	}
}

// Check says whether a text is taken, and blames it if it is not.
type Check func(n Value, text string) bool

// root is a file's value.
func (p *pass) root(s *source, path string) Value { return Value{p: p, s: s, v: &s.root, path: path} }
