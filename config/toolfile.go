package config

import (
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

const maxTools = 1000 // per tools.json

// toolFiles reads the files of tools.
type toolFiles struct {
	pass    *pass
	types   toolTypes
	sources optionSources
	gateway *gatewayReader
	listed  *listed
}

func newToolFiles(p *pass, types toolTypes, gateway *gatewayReader) *toolFiles {
	return &toolFiles{p, types, optionSources{types, map[*Template]Value{}}, gateway, newListed(types)}
}

// read reads a tools.json over a base.
func (f *toolFiles) read(name string, base map[string]*Tool) toolSet {
	set := toolSet{byID: map[string]*Tool{}, skipped: map[string]bool{}, known: true}
	for id, t := range base {
		set.byID[id] = t
	}
	s, ok := f.pass.open(name)
	if s == nil {
		return set
	}
	if !ok {
		set.known = false
		return set
	}
	root := f.pass.root(s, "tools.json ")
	items, ok := root.List(maxTools, "too many tools; the limit is %d")
	set.known = ok
	e := entries{toolFiles: f, set: &set, base: base, seen: map[string]bool{}}
	read := e.entry
	if s.ihub {
		read = e.ihub
	}
	for _, item := range items {
		read(item)
	}
	if set.known {
		f.sources.check(root, set, base)
		f.listed.sources(&set)
	}
	return set
}

// entries reads the entries of one tools.json over a base.
type entries struct {
	*toolFiles
	set  *toolSet
	base map[string]*Tool
	seen map[string]bool // ids
}

func (e *entries) entry(n Value) {
	set, base, seen := e.set, e.base, e.seen
	list, ok := n.Members()
	if !ok {
		return
	}
	id, named, known := "", false, false // known: the id is valid and not a duplicate
	for _, m := range list {
		if m.Key != "id" {
			continue
		}
		named = true
		text, ok := m.Text()
		id = text
		switch {
		case !ok:
			set.known = false // the id is unknown, so an app that lists it must not be blamed
		case !toolID.MatchString(id):
			m.Fault("%s is not a valid tool id; %s", m.Raw(), toolIDRule)
			set.skipped[id] = true // likewise
		case seen[id]:
			m.Fault("tool %s is defined twice; remove one", m.Raw())
		default:
			known, seen[id] = true, true
		}
	}
	if !named {
		n.Fault(`"id" is missing; name the tool`)
	}
	if why, functions, skip := foreignTool(list); skip {
		n.Warn("tool %q is skipped: %s", id, why)
		if known {
			delete(set.byID, id)
			set.skipped[id] = true
			for _, f := range functions {
				set.skipped[id+"_"+f] = true
			}
		}
		return
	}
	if n.p.dir == "" && !e.has(list, base[id]) {
		set.skipped[id] = true
		return
	}
	r := newToolReader(base[id], e.types, e.sources.at)
	t := r.read(n)
	switch {
	case !known: // it was read only to find its other faults
	case t == nil: // "enabled": false
		delete(set.byID, id)
		set.skipped[id] = true
	default:
		t.ID = id
		t.check(n, e.types)
		for _, a := range r.approval.asks {
			e.gateway.approvers(a)
		}
		e.gateway.callers(n, t, base[id])
		e.listed.defined(n, t, base[id])
		set.byID[id] = t
	}
}

// has reports whether the program has the tool of an entry in the built-in files. base is the entry
// that it overrides.
func (f *toolFiles) has(entry []Member, base *Tool) bool {
	i := slices.IndexFunc(entry, func(m Member) bool { return m.Key == "type" })
	if i < 0 {
		return base != nil
	}
	return slices.Contains(f.types.named(), literal(entry[i].v))
}

// ihubFolder reads tools/*.json of ihub-apps, one tool each, as a base for tools.json. Nothing in that
// folder is a fault, because AskGate's own tools are not there.
func (f *toolFiles) ihubFolder(base map[string]*Tool) toolSet {
	set := toolSet{byID: maps.Clone(base), skipped: map[string]bool{}, known: true}
	e := entries{toolFiles: f, set: &set, base: base, seen: map[string]bool{}}
	for _, name := range ihubToolFiles(f.pass.files) {
		s, ok := f.pass.open(name)
		if s == nil {
			continue
		}
		s.ihub = true // even if its syntax is broken
		if ok {
			obj, isObject := s.root.Value.(*hujson.Object)
			switch {
			case !isObject || !has(obj, "id"):
				s.warn(s.root.StartOffset, "is not a tool of ihub-apps, so it is ignored")
				continue
			case has(obj, "type"):
				s.warn(s.root.StartOffset, "is a tool with a type, so it is ignored; move it to tools.json")
				continue
			}
			e.ihub(f.pass.root(s, "tools.json "))
		}
		s.leftOut("the tool")
	}
	return set
}

// ihub is like entry, for a file of ihub-apps: a tool with faults is left out.
func (e *entries) ihub(n Value) {
	set := e.set
	before, skipped := maps.Clone(set.byID), maps.Clone(set.skipped)
	e.entry(n)
	if n.s.leftOut("the tool") {
		set.byID, set.skipped, set.known = before, skipped, true
		if id := idOf(n.v); set.byID[id] == nil {
			set.skipped[id] = true
		}
	}
}

func idOf(v *hujson.Value) string {
	obj, ok := v.Value.(*hujson.Object)
	if !ok {
		return ""
	}
	for i := range obj.Members {
		if literal(&obj.Members[i].Name) == "id" {
			return literal(&obj.Members[i].Value)
		}
	}
	return ""
}

// ihubToolFiles returns the JSON files in tools/, at most maxTools.
func ihubToolFiles(files fs.FS) []string {
	entries, _ := fs.ReadDir(files, "tools")
	var names []string
	for _, e := range entries {
		if name := e.Name(); path.Ext(name) == ".json" && !strings.HasPrefix(name, ".") && len(names) < maxTools {
			names = append(names, path.Join("tools", name))
		}
	}
	return names
}
