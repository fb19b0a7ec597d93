package config

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/tailscale/hujson"
	"golang.org/x/text/language"
)

// node is one value of a file, with what is needed to read and to blame it.
type node struct {
	l    *loader
	s    *source
	v    *hujson.Value
	pure bool // texts stand for themselves: no $NAME
}

func (n node) fault(format string, args ...any) { n.s.fault(n.v.StartOffset, format, args...) }
func (n node) warn(format string, args ...any)  { n.s.warn(n.v.StartOffset, format, args...) }

func (n node) child(v *hujson.Value) node { return node{n.l, n.s, v, n.pure} }

// raw is the value as it stands in the file, for messages: never what a
// $NAME stands for.
func (n node) raw() string {
	if lit, ok := n.v.Value.(hujson.Literal); ok {
		return shorten(string(lit))
	}
	return n.kind()
}

func (n node) kind() string {
	switch n.v.Value.Kind() {
	case '"':
		return "a text"
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

func (n node) want(what string) {
	if n.kind() == "null" {
		n.fault("null is no value here; write %s, or leave the key out for its default", what)
		return
	}
	n.fault("want %s, not %s", what, n.kind())
}

// member is one key of an object.
type member struct {
	key  string
	name node // the key itself, to blame it
	node
}

// members are the keys in the order of the file, each once (the first; that
// there are more is a fault already).
func (n node) members() ([]member, bool) {
	obj, ok := n.v.Value.(*hujson.Object)
	if !ok {
		n.want("an object")
		return nil, false
	}
	seen := make(map[string]bool, len(obj.Members))
	list := make([]member, 0, len(obj.Members))
	for i := range obj.Members {
		m := &obj.Members[i]
		key := literal(&m.Name)
		if !seen[key] {
			seen[key] = true
			list = append(list, member{key, n.child(&m.Name), n.child(&m.Value)})
		}
	}
	return list, true
}

// keys says what to do with each key of an object.
type keys map[string]func(node)

// object reads an object; other keys are faults unless foreign takes them.
func (n node) object(known keys, foreign func(member) bool) bool {
	list, ok := n.members()
	for _, m := range list {
		if read, ok := known[m.key]; ok {
			read(m.node)
		} else if foreign == nil || !foreign(m) {
			words := make([]string, 0, len(known))
			for k := range known {
				words = append(words, k)
			}
			m.name.fault("%s is no key here; %s", m.name.raw(), mend(m.key, words))
		}
	}
	return ok
}

func (n node) list() ([]node, bool) {
	arr, ok := n.v.Value.(*hujson.Array)
	if !ok {
		n.want("a list")
		return nil, false
	}
	items := make([]node, len(arr.Elements))
	for i := range arr.Elements {
		items[i] = n.child(&arr.Elements[i])
	}
	return items, true
}

var variable = regexp.MustCompile(`^\$[A-Za-z_][A-Za-z0-9_]*$`)

// text reads a string; "$NAME" as the whole value is the environment variable,
// "$$NAME" the text $NAME.
func (n node) text() (string, bool) {
	lit, ok := n.v.Value.(hujson.Literal)
	if !ok || lit.Kind() != '"' {
		n.want("a text")
		return "", false
	}
	text := lit.String()
	if !n.pure && strings.HasPrefix(text, "$$") && variable.MatchString(text[1:]) {
		return text[1:], true
	}
	if n.pure || !variable.MatchString(text) {
		return text, true
	}
	value, set := n.l.env(text[1:])
	switch {
	case !set:
		n.fault("the environment variable %s is not set; set it, or write the value here (a text that starts so: \"$%s\")", text[1:], text)
	case !utf8.ValidString(value) || strings.ContainsRune(value, 0):
		n.fault("the environment variable %s is no valid UTF-8 text; set it to one", text[1:])
	default:
		return value, true
	}
	return "", false
}

// filled reads a string that must not be blank.
func (n node) filled(dst *string) {
	text, ok := n.text()
	if ok && strings.TrimSpace(text) == "" {
		n.fault("the text is empty; fill it in, or remove the key")
		return
	}
	*dst = text
}

// header reads a string that can stand in an HTTP header.
func (n node) header(dst *string) {
	text, ok := n.text()
	if ok && strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		n.fault("the value has a line break or another control character, which no HTTP header can carry; remove it (look at the end of the variable or file it comes from)")
		return
	}
	*dst = text
}

// matching reads a string that a pattern describes; rule says it in words.
func (n node) matching(dst *string, pattern *regexp.Regexp, rule string) {
	text, ok := n.text()
	if !ok {
		return
	}
	if !pattern.MatchString(text) {
		n.fault("%s is not allowed; %s", n.raw(), rule)
		return
	}
	*dst = text
}

func (n node) oneOf(dst *string, what string, known ...string) {
	text, ok := n.text()
	if !ok {
		return
	}
	if !slices.Contains(known, text) {
		n.fault("%s is no %s; %s", n.raw(), what, mend(text, known))
		return
	}
	*dst = text
}

func (n node) boolean(dst *bool) {
	switch n.v.Value.Kind() {
	case 't':
		*dst = true
	case 'f':
		*dst = false
	default:
		n.want("true or false")
	}
}

func (n node) integer(dst *int, lo, hi int) {
	if whole, ok := n.whole(int64(lo), int64(hi)); ok {
		*dst = int(whole)
	}
}

// whole reads a whole number; one beyond 2^53 would be rounded.
func (n node) whole(lo, hi int64) (int64, bool) {
	if n.v.Value.Kind() != '0' {
		n.want(fmt.Sprintf("a whole number from %d to %d", lo, hi))
		return 0, false
	}
	f := n.v.Value.(hujson.Literal).Float()
	if f != math.Trunc(f) || f < float64(lo) || f > float64(hi) {
		n.fault("%s is out of range; write a whole number from %d to %d", n.raw(), lo, hi)
		return 0, false
	}
	return int64(f), true
}

func (n node) number(dst **float64, lo, hi float64) {
	if n.v.Value.Kind() != '0' {
		n.want("a number")
		return
	}
	f := n.v.Value.(hujson.Literal).Float()
	if f < lo || f > hi {
		n.fault("%s is out of range; write a number from %v to %v", n.raw(), lo, hi)
		return
	}
	*dst = &f
}

// duration reads a length of time; "" is 0 where empty says what that means.
func (n node) duration(dst *Duration, lo, hi time.Duration, empty string) {
	if n.kind() != "a text" {
		n.want(`a length of time like "30s", "1h30m" or "7d"`)
		return
	}
	text, ok := n.text()
	if !ok {
		return
	}
	if text == "" && empty != "" {
		*dst = 0
		return
	}
	d, err := ParseDuration(text)
	switch {
	case err != nil:
		n.fault("%s is no length of time; write it like \"30s\", \"1h30m\" or \"7d\"", n.raw())
	case d.Std() < lo || d.Std() > hi:
		also := ""
		if empty != "" {
			also = `, or "" for ` + empty
		}
		n.fault("%s is out of range; write %s to %s%s", n.raw(), Duration(lo), Duration(hi), also)
	default:
		*dst = d
	}
}

// words reads a list of different strings.
func (n node) words(dst *[]string, most int, check func(node, string) bool) {
	items, ok := n.list()
	if !ok {
		return
	}
	if len(items) > most {
		items[most].fault("too many; at most %d are allowed here", most)
		items = items[:most]
	}
	list := make([]string, 0, len(items))
	for _, item := range items {
		text, ok := item.text()
		switch {
		case !ok:
		case text == "":
			item.fault("the text is empty; remove it")
		case slices.Contains(list, text):
			item.fault("%s is given twice; remove one", item.raw())
		case check == nil || check(item, text):
			list = append(list, text)
		}
	}
	*dst = list
}

// localised reads a Text.
func (n node) localised(dst *Text) {
	if n.v.Value.Kind() != '{' {
		if n.v.Value.Kind() != '"' {
			n.want(`a text, or one per language like {"en": "...", "de": "..."}`)
			return
		}
		if text, ok := n.text(); ok {
			*dst = NewText(text)
		}
		return
	}
	list, _ := n.members()
	if len(list) == 0 {
		n.fault("no language is given; write a text, or one per language like {\"en\": \"...\"}")
		return
	}
	var t Text
	for _, m := range list {
		if !m.name.languageTag(m.key) {
			continue
		}
		if i := slices.IndexFunc(t.entries, func(e textEntry) bool { return strings.EqualFold(e.tag, m.key) }); i >= 0 {
			m.name.fault("the language %s is given twice; remove one", m.name.raw())
			continue
		}
		if text, ok := m.text(); ok && text != "" {
			t.entries = append(t.entries, textEntry{m.key, text})
		}
	}
	*dst = t
}

func (n node) languageTag(tag string) bool {
	if len(tag) <= 64 { // bounds the parser's work; real tags are shorter
		if _, err := language.Parse(tag); err == nil && !strings.Contains(tag, "_") {
			return true
		}
	}
	n.fault("%s is no BCP 47 language tag; write one like \"en\", \"de\" or \"pt-BR\"", n.raw())
	return false
}
