package config

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
)

// Key declares one key of an object in the files. It reads the value and reports its faults, and the
// JSON Schemas, the reference and `askgate config keys` are printed from it. A key is bound to the
// variable that it reads into, which contains the default.
type Key struct {
	Name string
	Doc  string // what it says, as Markdown; links go from docs/configuration-keys.md

	kind    string     // kind of value, in words
	bounds  string     // limits of the value, in words; may be empty
	def     func() any // the default, to be printed as JSON; nil: none
	unset   string     // what applies without the key, in words
	must    bool       // an entry must have it
	fix     string     // completes the fault if it is missing; "": another check reports that, or it is optional
	restart bool       // a change takes effect at a restart
	unsaid  bool       // it is accepted but not listed, because it has no effect
	read    func(Value)
	schema  string       // the members of the JSON Schema of the value; %s stands for those of the objects in it
	step    string       // between its path and the paths of keys: "", ".*" or "[]"
	keys    func() []Key // of the objects in the value
	also    bool         // keys are listed with another key, not here
	caller  bool         // its strings may have placeholders of the caller
}

// Must returns the key as one that an entry must have. fix says what to write.
func (k Key) Must(fix string) Key {
	k.must, k.fix, k.def = true, fix, nil
	return k
}

// Unset returns the key with a description of what applies without it, instead of a default.
func (k Key) Unset(words string) Key {
	k.unset, k.def = words, nil
	return k
}

// AtRestart returns the key as one whose changes take effect at a restart.
func (k Key) AtRestart() Key {
	k.restart = true
	return k
}

// Then returns the key with a function that is called after its value was read.
func (k Key) Then(more func(Value)) Key {
	read := k.read
	k.read = func(n Value) {
		read(n)
		more(n)
	}
	return k
}

// literally returns the key with strings taken as they are: "$NAME" is not replaced. Texts for people
// and models never come from the environment.
func (k Key) literally() Key {
	read := k.read
	k.read = func(n Value) {
		n.pure = true
		read(n)
	}
	return k
}

// of returns the key with the keys of the objects in its value. step connects the paths.
func (k Key) of(step string, keys func() []Key) Key {
	k.step, k.keys = step, keys
	return k
}

// elsewhere returns the key with the keys of its objects listed with another key.
func (k Key) elsewhere() Key {
	k.also = true
	return k
}

// First returns the key with a function that is called before its value is read.
func (k Key) First(before func()) Key {
	read := k.read
	k.read = func(n Value) {
		before()
		read(n)
	}
	return k
}

// Free is a key with its own function to read the value. kind describes the value in words, and schema
// is its JSON Schema without the description.
func Free(name, kind, schema string, read func(Value), doc string) Key {
	return Key{Name: name, Doc: doc, kind: kind, schema: schema, read: read}
}

// Object is a key for an object with a table of keys. rules check its keys against each other.
func Object(name string, keys func() []Key, doc string, rules ...func(Value)) Key {
	return Key{Name: name, Doc: doc, kind: "object", schema: "%s", keys: keys, read: func(n Value) {
		if n.Read(keys()) {
			for _, rule := range rules {
				rule(n)
			}
		}
	}}
}

// An Item is one of several objects: its keys, and a function that is called after they were read. If
// the value is not an object, it is not called.
type Item struct {
	Keys []Key
	Done func(n Value, clean bool) // clean: the object has no fault
}

func (i Item) read(n Value) {
	before := n.faults()
	if n.Read(i.Keys) && i.Done != nil {
		i.Done(n, n.faults() == before)
	}
}

// One is a key for one such object.
func One(name string, item Item, doc string) Key {
	return Key{Name: name, Doc: doc, kind: "object", schema: "%s", keys: func() []Key { return item.Keys }, read: item.read}
}

// Objects is a key for a list of at most most objects (0: any number). item returns the next one.
func Objects(name string, most int, item func() Item, doc string) Key {
	k := Key{
		Name: name, Doc: doc, kind: "list of objects", step: "[]", keys: func() []Key { return item().Keys },
		schema: `"type": "array", "items": {%s}`, def: func() any { return []int{} },
		read: func(n Value) {
			items, _ := n.List(cmp.Or(most, math.MaxInt), tooMany)
			for _, at := range items {
				at.path += "[]"
				item().read(at)
			}
		},
	}
	if most > 0 {
		k.bounds = fmt.Sprintf("up to %d", most)
		k.schema += fmt.Sprintf(`, "maxItems": %d`, most)
	}
	return k
}

// Names says which names objects may have, and how many objects there may be.
type Names struct {
	Pattern *regexp.Regexp
	Wrong   string // continues the fault after a name that does not match, with the fix
	Most    int    // 0: any number
	Many    string // the fault if there are too many, with %d for Most
	Example string // an object, for the fault of a value that is none; may be empty
}

// Named is a key for objects by name. item returns the one with a name.
func Named(name string, names Names, item func(name string) Item, doc string) Key {
	k := Key{
		Name: name, Doc: doc, kind: "objects by name", step: ".*", keys: func() []Key { return item("").Keys }, def: func() any { return map[string]int{} },
		schema: fmt.Sprintf(`"type": "object", "propertyNames": {"pattern": %s}, "additionalProperties": {%%s}`, quoted(names.Pattern.String())),
		read: func(n Value) {
			list, _ := n.Members()
			if names.Most > 0 && len(list) > names.Most {
				list[names.Most].Name.Fault(names.Many, names.Most)
				list = list[:names.Most]
			}
			for _, m := range list {
				if !names.Pattern.MatchString(m.Key) {
					m.Name.Fault("%s %s", m.Name.Raw(), names.Wrong)
					continue
				}
				if names.Example != "" && m.kind() != "an object" {
					m.want("an object like " + names.Example)
					continue
				}
				m.path += ".*"
				item(m.Key).read(m.Value)
			}
		},
	}
	if names.Most > 0 {
		k.bounds = fmt.Sprintf("up to %d", names.Most)
		k.schema += fmt.Sprintf(`, "maxProperties": %d`, names.Most)
	}
	return k
}

// later returns the key without reading its value, which is read after all other keys.
func later(k Key) Key {
	k.read = func(Value) {}
	return k
}

func quoted(v any) string {
	raw, _ := json.Marshal(v) // cannot fail for the values of keys
	return string(raw)
}

// Read reads an object by its table of keys, in the order of the table. Other keys are faults, or
// warnings in a file of ihub-apps. It returns false if the value is not an object.
func (n Value) Read(keys []Key) bool {
	list, ok := n.Members()
	if !ok {
		return false
	}
	for i := range keys {
		k := &keys[i]
		at := slices.IndexFunc(list, func(m Member) bool { return m.Key == k.Name })
		switch {
		case at >= 0:
			m := list[at].Value
			m.path = join(n.path, k.Name)
			k.read(m)
			list = slices.Delete(list, at, at+1)
		case k.fix != "":
			n.Fault("%q is missing; %s", k.Name, k.fix)
		}
	}
	for _, m := range list {
		n.unknown(m, keys)
	}
	return true
}

// unknown reports a key that is not in the table.
func (n Value) unknown(m Member, keys []Key) {
	words := make([]string, 0, len(keys))
	for i := range keys {
		words = append(words, keys[i].Name)
	}
	why := gone[join(n.path, m.Key)]
	switch {
	case slices.Contains(n.ignored, m.Key):
	case why != "" && n.s.ihub:
	case why != "":
		m.Name.Fault("%s is no longer supported: %s; remove it", m.Name.Raw(), why)
	case n.s.ihub:
		m.Name.Warn("unknown key %s has no effect%s", m.Name.Raw(), near(m.Key, words))
	default:
		m.Name.Fault("unknown key %s; %s", m.Name.Raw(), Suggest(m.Key, words))
	}
}

func join(path, name string) string {
	if path == "" || strings.HasSuffix(path, " ") {
		return path + name
	}
	return fmt.Sprintf("%s.%s", path, name)
}

// wholly returns the key so that *ok is set to whether its value has no fault.
func (k Key) wholly(ok *bool) Key {
	read := k.read
	k.read = func(n Value) {
		before := n.faults()
		read(n)
		*ok = n.faults() == before
	}
	return k
}
