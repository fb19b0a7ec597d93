package config

import (
	"maps"
	"slices"
	"strings"
)

// listed finds entries of tools.json that no app lists and no template gets its options from. Entries
// that only change a tool that needs none, such as ask_user, are not meant to be listed everywhere.
type listed struct {
	unwritten map[string]*Tool
	at        map[*Tool]Value
	changes   map[*Tool]*Tool // the shared entry that an app's own entry changes
	used      map[*Tool]bool
	missing   bool // an app lists a tool that does not exist, which may be a misspelt entry
}

func newListed(types toolTypes) *listed {
	return &listed{unwritten: types.unwritten(), at: map[*Tool]Value{}, changes: map[*Tool]*Tool{}, used: map[*Tool]bool{}}
}

// defined records an entry, which changes base unless that is nil.
func (l *listed) defined(n Value, t, base *Tool) {
	if n.p.dir == "" || n.s.ihub || l.unwritten[t.ID] != nil {
		return
	}
	l.at[t] = n.child(n.v)
	if base != nil {
		l.changes[t] = base
	}
}

// use records that an app lists a tool.
func (l *listed) use(own, shared *toolSet, id string) {
	t := find(own.byID, id)
	if t == nil {
		t = find(shared.byID, id)
	}
	if t == nil {
		l.missing = true
		return
	}
	l.mark(t)
}

// sources records the tools from which the templates of a set get their options.
func (l *listed) sources(set *toolSet) {
	for _, t := range set.byID {
		for _, template := range t.Templates {
			if template.From != nil {
				l.mark(find(set.byID, template.From.Tool))
			}
		}
	}
}

func (l *listed) mark(t *Tool) {
	for ; t != nil && !l.used[t]; t = l.changes[t] {
		l.used[t] = true
	}
}

// check warns about entries that are not used.
func (l *listed) check() {
	if l.missing {
		return
	}
	unused := slices.SortedFunc(maps.Keys(l.at), func(a, b *Tool) int { return strings.Compare(a.ID, b.ID) })
	for _, t := range unused {
		if at := l.at[t]; !l.used[t] {
			at.Key("id").Warn(`no app lists the tool %q, so no model can call it; add it to "tools" of an app, or remove the entry`, t.ID)
		}
	}
}
