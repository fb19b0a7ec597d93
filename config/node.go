package config

import (
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/tailscale/hujson"
	"golang.org/x/text/language"

	"github.com/askgate/askgate/tools"
)

// Node is one value of a file, which its methods read and blame: what is wrong with it is
// noted with the file, the line and the column, and reading goes on.
type Node struct {
	l    *loader
	s    *source
	v    *hujson.Value
	pure bool // texts stand for themselves: no $NAME
}

// Fault notes what is wrong with the value, and how to mend it.
func (n Node) Fault(format string, args ...any) { n.s.fault(n.v.StartOffset, format, args...) }

// Warn notes what is accepted and has no effect, or not the one that it seems to have.
func (n Node) Warn(format string, args ...any) { n.s.warn(n.v.StartOffset, format, args...) }

func (n Node) child(v *hujson.Value) Node { return Node{n.l, n.s, v, n.pure} }

// Raw is the value as it stands in the file, for messages: never what a
// $NAME stands for.
func (n Node) Raw() string {
	if lit, ok := n.v.Value.(hujson.Literal); ok {
		return tools.Shorten(string(lit), maxShown)
	}
	return n.kind()
}

func (n Node) kind() string {
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

func (n Node) want(what string) {
	if n.kind() == "null" {
		n.Fault("null is no value here; write %s, or leave the key out for its default", what)
		return
	}
	n.Fault("want %s, not %s", what, n.kind())
}

// Member is one key of an object, with its value.
type Member struct {
	Key  string
	Name Node // the key itself, to blame it
	Node
}

// Members are the keys of an object in the order of the file, each once (the first; that
// there are more is a fault already).
func (n Node) Members() ([]Member, bool) {
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

// Keys says how each key of an object is read.
type Keys map[string]func(Node)

// Object reads an object; other keys are faults unless foreign, where it is not nil, takes
// them, and warnings in a file of ihub-apps. False: it is no object.
func (n Node) Object(known Keys, foreign func(Member) bool) bool {
	list, ok := n.Members()
	for _, m := range list {
		if read, ok := known[m.Key]; ok {
			read(m.Node)
		} else if foreign == nil || !foreign(m) {
			words := make([]string, 0, len(known))
			for k := range known {
				words = append(words, k)
			}
			if n.s.ihub {
				m.Name.Warn("unknown key %s has no effect%s", m.Name.Raw(), near(m.Key, words))
				continue
			}
			m.Name.Fault("unknown key %s; %s", m.Name.Raw(), Mend(m.Key, words))
		}
	}
	return ok
}

// List are the values of a list.
func (n Node) List() ([]Node, bool) {
	arr, ok := n.v.Value.(*hujson.Array)
	if !ok {
		n.want("a list")
		return nil, false
	}
	items := make([]Node, len(arr.Elements))
	for i := range arr.Elements {
		items[i] = n.child(&arr.Elements[i])
	}
	return items, true
}

var variable = regexp.MustCompile(`^\$[A-Za-z_][A-Za-z0-9_]*$`)

// FromEnvironment says that the value is what an environment variable holds: a secret.
func (n Node) FromEnvironment() bool { return !n.pure && variable.MatchString(literal(n.v)) }

// Text reads a string; "$NAME" as the whole value is the environment variable,
// "$$NAME" the text $NAME.
func (n Node) Text() (string, bool) {
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
		n.bracedVariable(text)
		return text, true
	}
	value, set, wrong := n.l.variable(text[1:])
	switch {
	case wrong != "":
		n.Fault("%s", wrong)
	case !set:
		n.Fault("the environment variable %s is not set; set it, or %s_FILE to the path of a file that holds it, or write the value here (for the text %s itself: \"$%s\")", text[1:], text[1:], text, text)
	case !utf8.ValidString(value) || strings.ContainsRune(value, 0):
		n.Fault("the environment variable %s is not valid UTF-8; set it to UTF-8 text", text[1:])
	default:
		return value, true
	}
	return "", false
}

// Filled reads a string that must not be blank.
func (n Node) Filled(dst *string) {
	text, ok := n.Text()
	if ok && tools.Blank(text) {
		n.Fault("the text is empty; fill it in, or remove the key")
		return
	}
	*dst = text
}

// header reads a string that can stand in an HTTP header.
func (n Node) header(dst *string) {
	text, ok := n.Text()
	if ok {
		n.embeddedVariable(text)
	}
	if ok && strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		n.Fault("the value has a line break or another control character, which no HTTP header can carry; remove it (look at the end of the variable or file it comes from)")
		return
	}
	*dst = text
}

var headerName = regexp.MustCompile("^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$")

// connectionHeaders belong to the connection, not to an admin.
var connectionHeaders = map[string]bool{"host": true, "connection": true, "content-length": true, "transfer-encoding": true}

// Headers reads headers by name; secrets are the values that came from the environment.
func (n Node) Headers() (headers map[string]string, secrets []string) {
	list, _ := n.Members()
	headers = make(map[string]string, len(list))
	for _, m := range list {
		switch {
		case !headerName.MatchString(m.Key):
			m.Name.Fault("%s is no name of an HTTP header; use letters, digits and dashes", m.Name.Raw())
			continue
		case connectionHeaders[strings.ToLower(m.Key)]:
			m.Name.Fault("%s is set by the gateway itself; remove it", m.Name.Raw())
			continue
		}
		var value string
		m.header(&value)
		headers[m.Key] = value
		if m.FromEnvironment() {
			secrets = append(secrets, value)
		}
	}
	return headers, secrets
}

// matching reads a string that a pattern describes; rule says it in words.
func (n Node) matching(dst *string, pattern *regexp.Regexp, rule string) {
	text, ok := n.Text()
	if !ok {
		return
	}
	if !pattern.MatchString(text) {
		n.Fault("%s is not allowed; %s", n.Raw(), rule)
		return
	}
	*dst = text
}

// OneOf reads one of the known words, of which what says what they are.
func (n Node) OneOf(dst *string, what string, known ...string) {
	text, ok := n.Text()
	if !ok {
		return
	}
	if !slices.Contains(known, text) {
		n.Fault("unknown %s %s; %s", what, n.Raw(), Mend(text, known))
		return
	}
	*dst = text
}

// Boolean reads true or false.
func (n Node) Boolean(dst *bool) {
	switch n.v.Value.Kind() {
	case 't':
		*dst = true
	case 'f':
		*dst = false
	default:
		n.want("true or false")
	}
}

// Integer reads a whole number from lo to hi.
func (n Node) Integer(dst *int, lo, hi int) {
	if whole, ok := n.whole(int64(lo), int64(hi)); ok {
		*dst = int(whole)
	}
}

// whole reads a whole number; one beyond 2^53 would be rounded.
func (n Node) whole(lo, hi int64) (int64, bool) {
	if n.v.Value.Kind() != '0' {
		n.want(fmt.Sprintf("a whole number from %d to %d", lo, hi))
		return 0, false
	}
	f := n.v.Value.(hujson.Literal).Float()
	if f != math.Trunc(f) || f < float64(lo) || f > float64(hi) {
		n.Fault("%s is out of range; write a whole number from %d to %d", n.Raw(), lo, hi)
		return 0, false
	}
	return int64(f), true
}

func (n Node) number(dst **float64, lo, hi float64) {
	if n.v.Value.Kind() != '0' {
		n.want("a number")
		return
	}
	f := n.v.Value.(hujson.Literal).Float()
	if f < lo || f > hi {
		n.Fault("%s is out of range; write a number from %.0f to %.0f", n.Raw(), lo, hi)
		return
	}
	*dst = &f
}

// Duration reads a length of time; "" is 0 where empty says what that means.
func (n Node) Duration(dst *Duration, lo, hi time.Duration, empty string) {
	if n.kind() != "a text" {
		n.want(`a length of time like "30s", "1h30m" or "7d"`)
		return
	}
	text, ok := n.Text()
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
		n.Fault("%s is no length of time; write it like \"30s\", \"1h30m\" or \"7d\"", n.Raw())
	case d.Std() < lo || d.Std() > hi:
		also := ""
		if empty != "" {
			also = `, or "" for ` + empty
		}
		n.Fault("%s is out of range; write %s to %s%s", n.Raw(), Duration(lo), Duration(hi), also)
	default:
		*dst = d
	}
}

// CallTimeout reads how long a call of a tool may take.
func (n Node) CallTimeout(dst *time.Duration) {
	n.Duration((*Duration)(dst), 10*time.Millisecond, 10*time.Minute, "")
}

// Path reads the path of a file or a folder, which begins at the configuration's directory.
func (n Node) Path(dst *string) {
	n.Filled(dst)
	if *dst != "" && !filepath.IsAbs(*dst) {
		*dst = filepath.Join(n.l.opts.Dir, filepath.FromSlash(*dst))
	}
}

// Folder is a folder that a tool reads: of the disk, or of the program itself.
type Folder struct {
	Path string
	// Built is what the built-in configuration has at Path; nil: it is on the disk.
	Built fs.FS `json:"-"`
}

// Folder reads the path of a folder, which begins at the configuration's directory. One that
// is not there yet is no fault: it may come, and a reload must not fail with it.
func (n Node) Folder(dst *Folder) {
	n.Path(&dst.Path)
	if dst.Path == "" || n.l.opts.Dir != "" {
		if info, err := os.Stat(dst.Path); dst.Path != "" && (err != nil || !info.IsDir()) {
			n.Warn("there is no folder %s", dst.Path)
		}
		return
	}
	built, err := fs.Sub(n.l.files, filepath.ToSlash(dst.Path))
	if info, e := fs.Stat(n.l.files, filepath.ToSlash(dst.Path)); err != nil || e != nil || !info.IsDir() {
		n.Fault("there is no folder %s", dst.Path)
		return
	}
	dst.Built = built
}

// Words reads a list of different strings, most at the most. check, where it is not nil,
// says which are taken.
func (n Node) Words(dst *[]string, most int, check func(Node, string) bool) {
	items, ok := n.List()
	if !ok {
		return
	}
	if len(items) > most {
		items[most].Fault("too many; at most %d are allowed here", most)
		items = items[:most]
	}
	list := make([]string, 0, len(items))
	for _, item := range items {
		text, ok := item.Text()
		switch {
		case !ok:
		case text == "":
			item.Fault("the text is empty; remove it")
		case slices.Contains(list, text):
			item.Fault("%s is given twice; remove one", item.Raw())
		case check == nil || check(item, text):
			list = append(list, text)
		}
	}
	*dst = list
}

// Localised reads a Text.
func (n Node) Localised(dst *Text) {
	if n.v.Value.Kind() != '{' {
		if n.v.Value.Kind() != '"' {
			n.want(`a text, or one per language like {"en": "...", "de": "..."}`)
			return
		}
		if text, ok := n.Text(); ok {
			*dst = NewText(text)
		}
		return
	}
	list, _ := n.Members()
	if len(list) == 0 {
		n.Fault("no language is given; write a text, or one per language like {\"en\": \"...\"}")
		return
	}
	var t Text
	for _, m := range list {
		if !m.Name.languageTag(m.Key) {
			continue
		}
		if i := slices.IndexFunc(t.entries, func(e textEntry) bool { return strings.EqualFold(e.tag, m.Key) }); i >= 0 {
			m.Name.Fault("the language %s is given twice; remove one", m.Name.Raw())
			continue
		}
		if text, ok := m.Text(); ok && text != "" {
			t.entries = append(t.entries, textEntry{m.Key, text})
		}
	}
	*dst = t
}

func (n Node) languageTag(tag string) bool {
	if len(tag) <= 64 { // bounds the parser's work; real tags are shorter
		if _, err := language.Parse(tag); err == nil && !strings.Contains(tag, "_") {
			return true
		}
	}
	n.Fault("%s is no BCP 47 language tag; write one like \"en\", \"de\" or \"pt-BR\"", n.Raw())
	return false
}
