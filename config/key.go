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

// Key is one key of an object of the files, declared once: its value is read and faulted by
// it, and the JSON Schemas, the reference and `askgate config keys` are printed from it. A
// table of keys is made over what they are read into, which holds the defaults.
type Key struct {
	Name string
	Doc  string // what it says, as Markdown; links go from docs/configuration-keys.md

	kind    string     // of its value, in words
	bounds  string     // of it, in words; may be empty
	def     func() any // the default, as its JSON shows it; nil: none
	unset   string     // what counts without it, in words
	must    bool       // an entry needs it
	fix     string     // completes the fault where it is missing; "": that is found elsewhere, or no fault
	restart bool       // a change takes effect at a restart
	unsaid  bool       // it has no effect: accepted, and in no list of keys
	read    func(Value)
	schema  string       // the members of the JSON Schema of its value; %s stands for the object's
	step    string       // between its path and that of keys: "", ".*" or "[]"
	keys    func() []Key // of the objects in it
	also    bool         // they are listed elsewhere, too, and not here
}

// Must is the key where an entry needs it; fix says what to write.
func (k Key) Must(fix string) Key {
	k.must, k.fix, k.def = true, fix, nil
	return k
}

// Unset is the key where words say what counts without it.
func (k Key) Unset(words string) Key {
	k.unset, k.def = words, nil
	return k
}

// AtRestart is the key where a change waits for a restart.
func (k Key) AtRestart() Key {
	k.restart = true
	return k
}

// Then is the key where more is done once its value was read.
func (k Key) Then(more func(Value)) Key {
	read := k.read
	k.read = func(n Value) {
		read(n)
		more(n)
	}
	return k
}

// literally is the key where texts stand for themselves: what people and models read never comes
// from the environment.
func (k Key) literally() Key {
	read := k.read
	k.read = func(n Value) {
		n.pure = true
		read(n)
	}
	return k
}

// of is the key where its value may hold objects of these keys; step is how their paths go on.
func (k Key) of(step string, keys func() []Key) Key {
	k.step, k.keys = step, keys
	return k
}

// elsewhere is the key where the keys of its objects are listed with another.
func (k Key) elsewhere() Key {
	k.also = true
	return k
}

// First is the key where something is done before its value is read.
func (k Key) First(before func()) Key {
	read := k.read
	k.read = func(n Value) {
		before()
		read(n)
	}
	return k
}

// Free is a key that read reads; kind says of what, and schema is the rest of its JSON Schema.
func Free(name, kind, schema string, read func(Value), doc string) Key {
	return Key{Name: name, Doc: doc, kind: kind, schema: schema, read: read}
}

// Object is a key of an object by a table; rules are what holds between its keys.
func Object(name string, keys func() []Key, doc string, rules ...func(Value)) Key {
	return Key{Name: name, Doc: doc, kind: "object", schema: "%s", keys: keys, read: func(n Value) {
		if n.Read(keys()) {
			for _, rule := range rules {
				rule(n)
			}
		}
	}}
}

// An Item is one of several objects: its keys, and what is done once they are read. Neither is
// used where the value is not an object.
type Item struct {
	Keys []Key
	Done func(n Value, clean bool) // clean: no fault was found
}

func (i Item) read(n Value) {
	before := n.faults()
	if n.Read(i.Keys) && i.Done != nil {
		i.Done(n, n.faults() == before)
	}
}

// One is a key of one such object.
func One(name string, item Item, doc string) Key {
	return Key{Name: name, Doc: doc, kind: "object", schema: "%s", keys: func() []Key { return item.Keys }, read: item.read}
}

// Objects is a key of a list of objects, most at the most (0: any number); item makes one.
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

// Names says what the names of a key's objects may be, and how many there are at most.
type Names struct {
	Pattern *regexp.Regexp
	Wrong   string // what a name is that does not match, and the fix
	Most    int
	Many    string // says that there are too many
}

// Named is a key of objects by name; item makes one.
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

// later is a key that is read once all others are.
func later(k Key) Key {
	k.read = func(Value) {}
	return k
}

func quoted(v any) string {
	raw, _ := json.Marshal(v) // texts and lists of them
	return string(raw)
}

// Read reads an object by the table of its keys, in the table's order. Other keys are faults,
// warnings in a file of ihub-apps. False: it is not an object.
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

// unknown blames a key that the table does not have.
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

// wholly is the key where ok becomes whether it has no fault.
func (k Key) wholly(ok *bool) Key {
	read := k.read
	k.read = func(n Value) {
		before := n.faults()
		read(n)
		*ok = n.faults() == before
	}
	return k
}
