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

	"github.com/tailscale/hujson"

	"github.com/askgate/askgate/tools"
)

// This file has the kinds of keys, by their values. Objects and lists of objects are in key.go.

// String is a key for a string. check may be nil.
func String(name string, dst *string, check Check, doc string) Key {
	return Key{
		Name: name, Doc: doc, kind: "string", schema: `"type": "string"`, def: func() any { return *dst },
		read: func(n Value) {
			if text, ok := n.Text(); ok && (check == nil || check(n, text)) {
				*dst = text
			}
		},
	}
}

// Filled is a key for a string that must not be blank.
func Filled(name string, dst *string, check Check, doc string) Key {
	k := String(name, dst, func(n Value, text string) bool {
		if tools.Blank(text) {
			n.Fault("the string is empty; write a value, or remove the key")
			return false
		}
		return check == nil || check(n, text)
	}, doc)
	k.schema += `, "minLength": 1`
	return k.orNone(dst)
}

// orNone returns the key without a default if that would be an empty string.
func (k Key) orNone(dst *string) Key {
	k.def = func() any {
		if *dst == "" {
			return nil
		}
		return *dst
	}
	return k
}

// Matching is a key for a string that must match pattern. rule describes the pattern in words.
func Matching(name string, dst *string, pattern *regexp.Regexp, rule, doc string) Key {
	k := String(name, dst, matches(pattern, "is not allowed", rule), doc).orNone(dst)
	k.schema += `, "pattern": ` + quoted("("+pattern.String()+`)|^\$[A-Za-z_][A-Za-z0-9_]*$`)
	return k
}

// matches returns a check that text matches pattern.
func matches(pattern *regexp.Regexp, wrong, rule string) Check {
	return func(n Value, text string) bool {
		ok := pattern.MatchString(text)
		if !ok {
			n.Fault("%s %s; %s", n.Raw(), wrong, rule)
		}
		return ok
	}
}

// without returns a check that bad finds nothing wrong with a text. The fault does not show the text,
// because it may contain a password.
func without(bad func(string) string) Check {
	return func(n Value, text string) bool {
		wrong := bad(text)
		if wrong != "" {
			n.Fault("%s", wrong)
		}
		return wrong == ""
	}
}

// Word is a key for one of the known words. what is the noun for them in a fault.
func Word(name string, dst *string, what string, known []string, doc string) Key {
	k := String(name, dst, oneOf(what, known), doc).orNone(dst)
	k.kind, k.bounds, k.schema = "word", strings.Join(known, ", "), `"enum": `+quoted(known)
	return k
}

// oneOf returns a check that text is one of the known words.
func oneOf(what string, known []string) Check {
	return func(n Value, text string) bool {
		ok := slices.Contains(known, text)
		if !ok {
			n.Fault("unknown %s %s; %s", what, n.Raw(), Suggest(text, known))
		}
		return ok
	}
}

// Localised is a key for a Text with at most most characters per language; 0: any number.
func Localised(name string, dst *Text, most int, doc string) Key {
	k := Key{Name: name, Doc: doc, kind: "localised text", schema: `"$ref": "#/$defs/text"`, read: func(n Value) {
		n.Localised(dst)
		if most > 0 {
			n.atMost(*dst, most)
		}
	}}
	if most > 0 {
		k.bounds = fmt.Sprintf("up to %d characters", most)
	}
	return k
}

func (n Value) atMost(t Text, most int) {
	for _, e := range t.entries {
		if len([]rune(e.text)) > most {
			n.Fault("too long: %d characters (limit %d)", len([]rune(e.text)), most)
			return
		}
	}
}

// Bool is a key for true or false.
func Bool(name string, dst *bool, doc string) Key {
	return Key{
		Name: name, Doc: doc, kind: "true or false", schema: `"type": "boolean"`, def: func() any { return *dst },
		read: func(n Value) { boolean(n, dst) },
	}
}

func boolean(n Value, dst *bool) {
	switch n.v.Value.Kind() {
	case 't', 'f':
		*dst = n.v.Value.Kind() == 't'
	default:
		n.want("true or false")
	}
}

// Int is a key for a whole number. hi must be at most 2^53: larger numbers would be rounded.
func Int[T int | int64](name string, dst *T, lo, hi T, doc string) Key {
	return Key{
		Name: name, Doc: doc, kind: "whole number", bounds: fmt.Sprintf("%d to %d", lo, hi),
		schema: fmt.Sprintf(`"type": "integer", "minimum": %d, "maximum": %d`, lo, hi), def: func() any { return *dst },
		read: func(n Value) {
			if n.v.Value.Kind() != '0' {
				n.want(fmt.Sprintf("a whole number from %d to %d", lo, hi))
				return
			}
			f := n.v.Value.(hujson.Literal).Float()
			if f != math.Trunc(f) || f < float64(lo) || f > float64(hi) {
				n.Fault("%s is out of range; write a whole number from %d to %d", n.Raw(), lo, hi)
				return
			}
			*dst = T(f)
		},
	}
}

// Number is a key for a number. *dst stays nil if there is none.
func Number(name string, dst **float64, lo, hi float64, doc string) Key {
	return Key{
		Name: name, Doc: doc, kind: "number", bounds: fmt.Sprintf("%.0f to %.0f", lo, hi),
		schema: fmt.Sprintf(`"type": "number", "minimum": %.0f, "maximum": %.0f`, lo, hi),
		read: func(n Value) {
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
		},
	}
}

// Length is a key for a duration. If empty is not "", the empty string means 0, and empty describes it in
// a fault.
func Length(name string, dst *Duration, lo, hi time.Duration, empty, doc string) Key {
	bounds := fmt.Sprintf("%s to %s", Duration(lo), Duration(hi))
	return Key{
		Name: name, Doc: doc, kind: "duration", bounds: bounds, schema: `"$ref": "#/$defs/duration"`, def: func() any { return *dst },
		read: func(n Value) {
			if n.kind() != "a string" {
				n.want(`a duration like "30s", "1h30m" or "7d"`)
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
				n.Fault("%s is not a duration; write it like \"30s\", \"1h30m\" or \"7d\"", n.Raw())
			case d.Std() < lo || d.Std() > hi:
				also := ""
				if empty != "" {
					also = `, or "" for ` + empty
				}
				n.Fault("%s is out of range; write %s%s", n.Raw(), bounds, also)
			default:
				*dst = d
			}
		},
	}
}

// CallTimeout is a key for how long a tool call may take.
func CallTimeout(dst *time.Duration, doc string) Key {
	return Length("timeout", (*Duration)(dst), 10*time.Millisecond, 10*time.Minute, "", doc)
}

// Words is a key for a list of at most most different strings. check may be nil.
func Words(name string, dst *[]string, most int, check Check, doc string) Key {
	return Key{
		Name: name, Doc: doc, kind: "list of strings", bounds: fmt.Sprintf("up to %d", most),
		schema: fmt.Sprintf(`"type": "array", "uniqueItems": true, "maxItems": %d, "items": {"type": "string", "minLength": 1}`, most),
		def:    func() any { return append([]string{}, *dst...) },
		read:   func(n Value) { n.Words(dst, most, check) },
	}
}

// WordsOf is a key for a list of at least one of the known words. Without the key, *dst keeps its value.
// what is the noun for them in a fault.
func WordsOf(name string, dst *[]string, what string, known []string, doc string) Key {
	k := Words(name, dst, len(known), func(n Value, text string) bool {
		oneOf(what, known)(n, text)
		return true
	}, doc)
	k.schema = `"type": "array", "uniqueItems": true, "minItems": 1, "items": {"enum": ` + quoted(known) + `}`
	k.bounds = "of " + strings.Join(known, ", ")
	return k.Then(func(n Value) {
		if n.kind() == "a list" && len(*dst) == 0 {
			n.Fault("the list has no valid %s; name at least one, or remove the key", strings.Fields(what)[0])
		}
	})
}

// Path is a key for the path of a file or folder, relative to the configuration directory.
func Path(name string, dst *string, doc string) Key {
	k := Filled(name, dst, nil, doc).Then(func(n Value) { *dst = n.p.path(*dst) })
	k.kind = "path"
	return k
}

// Folder is a folder that a tool reads: on disk, or embedded in the program.
type Folder struct {
	Path string
	// Written is the path as the configuration has it, relative to its directory.
	Written string `json:"-"`
	// Built is the folder of the built-in configuration at Path; nil: the folder is on disk.
	Built fs.FS `json:"-"`
}

// FolderKey is a key for the path of a folder, relative to the configuration directory. A missing
// folder is a fault only where the configuration is checked: it may be created later, and neither a
// start nor a reload must fail because of it.
func FolderKey(name string, dst *Folder, doc string) Key {
	return Path(name, &dst.Path, doc).Then(func(n Value) {
		if dst.Path != "" {
			dst.Written, _ = n.Text()
		}
		if dst.Path == "" || n.p.dir != "" {
			switch info, err := os.Stat(dst.Path); {
			case dst.Path == "":
			case err != nil:
				n.startable("folder %s does not exist; create it, or correct the path", dst.Path)
			case !info.IsDir():
				n.startable("%s is not a folder; name the one that has the files", dst.Path)
			}
			return
		}
		built, err := fs.Sub(n.p.files, filepath.ToSlash(dst.Path))
		if info, e := fs.Stat(n.p.files, filepath.ToSlash(dst.Path)); err != nil || e != nil || !info.IsDir() {
			n.Fault("folder %s does not exist; correct the path", dst.Path)
			return
		}
		dst.Built = built
	})
}

var headerName = regexp.MustCompile("^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$")

// connectionHeaders describe the connection, so an admin cannot set them.
var connectionHeaders = map[string]bool{"host": true, "connection": true, "content-length": true, "transfer-encoding": true}

// Headers is a key for headers by name. Their values may have placeholders of the caller. It appends
// the values from the environment to secrets.
func Headers(dst *map[string]string, secrets *[]string, doc string) Key {
	return Free("headers", "strings by name", `"type": "object", "additionalProperties": {"type": "string"}`, func(n Value) {
		list, _ := n.Members()
		*dst = make(map[string]string, len(list))
		for _, m := range list {
			switch {
			case !headerName.MatchString(m.Key):
				m.Name.Fault("%s is not a valid HTTP header name; use letters, digits and dashes", m.Name.Raw())
				continue
			case connectionHeaders[strings.ToLower(m.Key)]:
				m.Name.Fault("%s is set by the gateway itself; remove it", m.Name.Raw())
				continue
			}
			var value string
			m.headerText(&value)
			m.CheckPlaceholders(value)
			(*dst)[m.Key] = value
			if m.FromEnvironment() {
				*secrets = append(*secrets, value)
			}
		}
	}, doc).Caller()
}

// Switch is a key for true, false, or an object with a table of keys, which means true.
func Switch(name string, on *bool, keys func() []Key, doc string) Key {
	return Key{
		Name: name, Doc: doc, kind: "true, false or an object", schema: `"anyOf": [{"type": "boolean"}, {%s}]`, keys: keys, def: func() any { return *on },
		read: func(n Value) {
			switch n.kind() {
			case "an object":
				*on = true
				n.Read(keys())
			case "true or false":
				boolean(n, on)
			default:
				n.want("true, false or an object")
			}
		},
	}
}
