package config

import (
	"slices"
	"strings"

	"github.com/tailscale/hujson"

	"github.com/askgate/askgate/tools/placeholder"
)

// This file checks where placeholders of the caller are.

// Caller returns the key as one whose strings may have placeholders of the caller, which its reader
// checks. Names in its value never have them. In all other keys of a type of tools they are faults.
func (k Key) Caller() Key {
	k.caller = true
	return k
}

// CheckPlaceholders checks a string in which placeholders of the caller are replaced. A value from the
// environment has none: it may be a secret, so faults must not show it. It returns false if there is a
// fault.
func (n Value) CheckPlaceholders(text string) bool {
	parsed, err := placeholder.Parse(text)
	switch {
	case n.FromEnvironment() && (err != nil || len(parsed.Names()) > 0):
		n.Fault("the value of the variable has a placeholder of the caller, which is replaced only in a value that is written here; write it here, or remove the placeholder from the variable")
		return false
	case err != nil:
		n.Fault("%s", err)
	}
	return err == nil
}

// noCaller reports placeholders of the caller where they are not replaced: in the names of an object,
// and in the strings of all keys of its table that are not Caller.
func (n Value) noCaller(keys []Key) {
	object, ok := n.v.Value.(*hujson.Object)
	if !ok {
		return
	}
	var open []string
	for i := range keys {
		if keys[i].caller {
			open = append(open, `"`+keys[i].Name+`"`)
		}
	}
	fix := "remove it"
	if last := len(open) - 1; last >= 0 {
		if last > 1 {
			open = []string{strings.Join(open[:last], ", "), open[last]}
		}
		fix = "move it to a value in " + strings.Join(open, " or ") + ", or remove it"
	}
	for i := range object.Members {
		m := &object.Members[i]
		at := slices.IndexFunc(keys, func(k Key) bool { return k.Name == literal(&m.Name) })
		if at >= 0 { // others are unknown keys
			n.child(&m.Value).noCallerIn(keys[at].caller, fix)
		}
	}
}

func (n Value) noCallerIn(onlyNames bool, fix string) {
	forbidden := func(v *hujson.Value) {
		if name := placeholder.First(literal(v)); name != "" && !n.child(v).faulty() {
			n.child(v).Fault("{%s} is not replaced here; %s", name, fix)
		}
	}
	for v := range n.v.All() {
		if object, ok := v.Value.(*hujson.Object); ok {
			for i := range object.Members {
				forbidden(&object.Members[i].Name)
			}
		}
		if !onlyNames {
			forbidden(v)
		}
	}
}

// faulty reports whether the value has a fault.
func (n Value) faulty() bool {
	line, col := n.s.position(n.v.StartOffset)
	return slices.ContainsFunc(n.s.faults, func(f Fault) bool { return f.Line == line && f.Col == col })
}
