package config

import (
	"slices"
	"strings"
)

// maxFamilyID is half of what models take as a tool's name, in characters: the other half
// is the member's.
const maxFamilyID = 32

// toolSet is what one tools.json, laid over a base, gives.
type toolSet struct {
	byID    map[string]*Tool
	skipped map[string]bool // tools of ihub-apps that cannot run here, and built-in ones that the program does not have
	known   bool            // the file could be read, so references can be judged
}

func (l *loader) readTools(name string, base map[string]*Tool) toolSet {
	set := toolSet{byID: map[string]*Tool{}, skipped: map[string]bool{}, known: true}
	for id, t := range base {
		set.byID[id] = t
	}
	s, ok := l.open(name)
	if s == nil {
		return set
	}
	if !ok {
		set.known = false
		return set
	}
	root := Node{l: l, s: s, v: &s.root}
	items, ok := root.List()
	set.known = ok
	if len(items) > maxTools {
		items[maxTools].Fault("too many tools; at most %d are allowed", maxTools)
		items = items[:maxTools]
	}
	seen := map[string]bool{}
	read := Node.toolEntry
	if s.ihub {
		read = Node.ihubEntry
	}
	for _, item := range items {
		read(item, &set, base, seen)
	}
	if set.known {
		l.optionSources(root, set, base)
	}
	return set
}

func (n Node) toolEntry(set *toolSet, base map[string]*Tool, seen map[string]bool) {
	list, ok := n.Members()
	if !ok {
		return
	}
	id, named, known := "", false, false // known: it is one that the set can have
	for _, m := range list {
		if m.Key != "id" {
			continue
		}
		named = true
		text, ok := m.Text()
		id = text
		switch {
		case !ok:
			set.known = false // whoever lists it is not to blame
		case !toolID.MatchString(id):
			m.Fault("%s is not allowed; %s", m.Raw(), toolIDRule)
			set.skipped[id] = true // nor here
		case seen[id]:
			m.Fault("the tool %s is given twice; remove one", m.Raw())
		default:
			known, seen[id] = true, true
		}
	}
	if !named {
		n.Fault(`"id" is missing; name the tool`)
	}
	if why, functions, skip := foreignTool(list); skip {
		n.Warn("the tool %q is skipped: %s", id, why)
		if known {
			delete(set.byID, id)
			set.skipped[id] = true
			for _, f := range functions {
				set.skipped[id+"_"+f] = true
			}
		}
		return
	}
	if n.l.opts.Dir == "" && !n.l.has(list, base[id]) {
		set.skipped[id] = true
		return
	}
	t := n.tool(base[id])
	switch {
	case !known: // read only for its other faults
	case t == nil: // "enabled": false
		delete(set.byID, id)
		set.skipped[id] = true
	default:
		t.ID = id
		t.check(n)
		set.byID[id] = t
	}
}

// has says whether the program has the tool of an entry of the built-in files, over base.
func (l *loader) has(entry []Member, base *Tool) bool {
	i := slices.IndexFunc(entry, func(m Member) bool { return m.Key == "type" })
	if i < 0 {
		return base != nil
	}
	return slices.Contains(l.types.named(), literal(entry[i].v))
}

// toolNodes are where the parts of an entry stand, to blame them; own are the objects of
// types.
type toolNodes struct {
	typ, parameters, input, approval, editable, remember, unfounded, templates Node

	own map[string]Node
}

// tool reads an entry over base, key by key; nil where the entry is disabled.
func (n Node) tool(base *Tool) *Tool {
	t := &Tool{}
	if base != nil {
		*t = *base
	}
	types := n.l.types
	enabled, script := true, false
	foreign := foreignKeys{known: foreignToolKeys}
	at := toolNodes{own: map[string]Node{}}
	known := Keys{
		"id":      func(Node) {}, // read before
		"enabled": func(n Node) { n.Boolean(&enabled) },
		"type": func(n Node) {
			at.typ = n
			before := t.Type
			n.OneOf(&t.Type, "type of tool", types.named()...)
			if t.Type != before { // what belonged to the other type goes
				t.Own, t.Parameters, t.Templates, t.RequiresUserInput = nil, nil, nil, false
			}
		},
		"name":              func(n Node) { n.Localised(&t.Name) },
		"description":       func(n Node) { n.Localised(&t.Description) },
		"requiresUserInput": func(n Node) { at.input = n },
		"needsApproval":     func(n Node) { at.approval = n; n.needsApproval(t) },
		"editable":          func(n Node) { at.editable = n; n.Boolean(&t.Editable) },
		"approvalRemember":  func(n Node) { at.remember = n },
		"unfounded":         func(n Node) { at.unfounded = n },
		"parameters":        func(n Node) { at.parameters = n },
		"templates":         func(n Node) { at.templates = n },
	}
	for _, typ := range types {
		if typ.Read != nil {
			known[typ.Name] = func(n Node) { at.own[typ.Name] = n }
		}
	}
	n.Object(known, func(m Member) bool {
		if m.Key == "script" && literal(m.v) == askUserScript {
			script = true
			return true
		}
		return foreign.take(m)
	})
	foreign.warn()
	if script && at.typ.v == nil {
		t.Type = TypeAskUser
	}
	if t.Type == "" && at.typ.v == nil {
		named := types.named()
		last := len(named) - 1
		n.Fault(`"type" is missing; write "%s" or %q`, strings.Join(named[:last], `", "`), named[last])
	}
	t.kind = types.of(t)
	// Only now, since "type" may stand behind them.
	if at.input.v != nil {
		at.input.Boolean(&t.RequiresUserInput)
	}
	if at.parameters.v != nil {
		at.parameters.parameters(&t.Parameters)
		if t.Type == TypeAskUser && string(t.Parameters) == "{}" {
			t.Parameters = nil // the built-in schema
		}
	}
	if at.remember.v != nil {
		at.remember.OneOf(&t.ApprovalRemember, "way to remember an approval", RememberNever, RememberChat)
	}
	if at.unfounded.v != nil {
		at.unfounded.OneOf(&t.Unfounded, "way to treat arguments that nobody gave", UnfoundedAllow, UnfoundedCount, UnfoundedAsk, UnfoundedRefuse)
	}
	if at.templates.v != nil {
		at.templates.templates(&t.Templates)
	}
	n.together(t, at)
	n.own(t, at)
	if !enabled {
		return nil
	}
	return t
}

// needsApproval reads true, false, or who else than the owner of the chat approves.
func (n Node) needsApproval(t *Tool) {
	t.ApprovalRole = ""
	if n.kind() != "an object" {
		n.Boolean(&t.NeedsApproval)
		return
	}
	t.NeedsApproval = true
	by := false
	n.Object(Keys{"by": func(n Node) {
		by = true
		given := false
		n.Object(Keys{"role": func(n Node) {
			given = true
			if text, ok := n.Text(); ok && n.role(text) {
				t.ApprovalRole = text
			}
		}}, nil)
		if !given {
			n.Fault(`"role" is missing: whose holders approve; write {"role": "..."}`)
		}
	}}, nil)
	if !by {
		n.Fault(`"by" is missing: who approves; write {"by": {"role": "..."}}, or true for whoever owns the chat`)
	}
}

// together checks the keys of an entry against its type and each other.
func (n Node) together(t *Tool, at toolNodes) {
	if t.kind.AsksUser {
		t.RequiresUserInput = true
	}
	if at.approval.v != nil && t.NeedsApproval && t.Type == TypeAskUser {
		at.approval.Fault(`a tool of type %q asks the user anyway; remove the key`, t.Type)
	}
	if at.input.v != nil && t.RequiresUserInput && t.Type != "" && !t.kind.AsksUser {
		at.input.Fault(`a tool of type %q cannot ask the user; remove the key, or use "needsApproval"`, t.Type)
	}
	if at.editable.v != nil && t.Editable && !t.NeedsApproval && t.Unfounded != UnfoundedAsk {
		at.editable.Fault(`who should edit the arguments? Write "needsApproval": true or "unfounded": "ask" beside it, or remove the key`)
	}
	if at.unfounded.v != nil && t.Type == TypeAskUser {
		at.unfounded.Fault(`a tool of type %q asks for what nobody said; remove the key`, t.Type)
	}
	if at.remember.v != nil && t.ApprovalRemember == RememberChat && !t.NeedsApproval {
		at.remember.Fault(`what should be remembered? Write "needsApproval": true beside it, or remove the key`)
	}
	if at.parameters.v != nil && t.kind.OwnParameters {
		at.parameters.Fault("a tool of type %q brings its own parameters; remove the key", t.Type)
	}
	if at.templates.v != nil && t.Type != TypeAskUser && t.Type != "" {
		at.templates.Fault(`"templates" belong to type "ask_user", not %q; remove them, or change the type`, t.Type)
	}
}

// own reads the objects of types, of which an entry has that of its own.
func (n Node) own(t *Tool, at toolNodes) {
	for i := range n.l.types {
		typ := &n.l.types[i]
		object, there := at.own[typ.Name]
		if !there {
			continue
		}
		own := typ.Read(object)
		switch {
		case t.kind == typ:
			t.Own = own
		case t.Type != "":
			object.Fault(`%q belongs to type %q, not %q; remove it, or change the type`, typ.Name, typ.Name, t.Type)
		}
	}
	switch {
	case t.kind.Read != nil && t.Own == nil && t.kind.Example != "":
		n.Fault(`%q is missing; write %q: %s`, t.Type, t.Type, t.kind.Example)
	case t.kind.Check != nil && t.Own != nil:
		blame := n
		if object, there := at.own[t.Type]; there {
			blame = object
		}
		t.kind.Check(blame, t)
	}
}

// check holds for the entry as a whole, once its id is known.
func (t *Tool) check(n Node) {
	if t.IsFamily() && (len(t.ID) > maxFamilyID || strings.Contains(t.ID, MemberSeparator)) {
		n.Fault(`the id of a tool of type %q has at most %d characters and no "__", which stands between it and the names of %s; shorten it`, t.Type, maxFamilyID, t.kind.Family)
	}
	if builtin := n.l.types.builtin(); t.Type == TypeBuiltin && !slices.Contains(builtin, t.ID) {
		n.Fault("%q is no built-in tool; %s", t.ID, Mend(t.ID, builtin))
	}
}
