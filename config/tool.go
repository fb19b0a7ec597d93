package config

import (
	"strings"
	"time"
)

const (
	defaultHTTPTimeout = Duration(10 * time.Second)
	maxToolTimeout     = 10 * time.Minute
)

// builtinTools need no entry in tools.json; an entry may change their texts.
func builtinTools() map[string]*Tool {
	return map[string]*Tool{
		"ask_user":   {ID: "ask_user", Type: TypeAskUser, RequiresUserInput: true},
		"calculator": {ID: "calculator", Type: TypeBuiltin},
		"clock":      {ID: "clock", Type: TypeBuiltin},
	}
}

// toolSet is what one tools.json, laid over a base, gives.
type toolSet struct {
	byID    map[string]*Tool
	skipped map[string]bool // tools of ihub-apps that cannot run here
	sound   bool            // the file could be read, so references can be judged
}

func (l *loader) readTools(name string, base map[string]*Tool) toolSet {
	set := toolSet{byID: map[string]*Tool{}, skipped: map[string]bool{}, sound: true}
	for id, t := range base {
		set.byID[id] = t
	}
	s, ok := l.open(name)
	if s == nil {
		return set
	}
	if !ok {
		set.sound = false
		return set
	}
	root := node{l: l, s: s, v: &s.root}
	items, ok := root.list()
	set.sound = ok
	if len(items) > maxTools {
		items[maxTools].fault("too many tools; at most %d are allowed", maxTools)
		items = items[:maxTools]
	}
	seen := map[string]bool{}
	for _, item := range items {
		item.toolEntry(&set, base, seen)
	}
	if set.sound {
		l.optionSources(root, set, base)
	}
	return set
}

func (n node) toolEntry(set *toolSet, base map[string]*Tool, seen map[string]bool) {
	list, ok := n.members()
	if !ok {
		return
	}
	id, named, known := "", false, false // known: it is one that the set can have
	for _, m := range list {
		if m.key != "id" {
			continue
		}
		named = true
		text, ok := m.text()
		id = text
		switch {
		case !ok:
			set.sound = false // whoever lists it is not to blame
		case !toolID.MatchString(id):
			m.fault("%s is not allowed; %s", m.raw(), toolIDRule)
			set.skipped[id] = true // nor here
		case seen[id]:
			m.fault("the tool %s is given twice; remove one", m.raw())
		default:
			known, seen[id] = true, true
		}
	}
	if !named {
		n.fault(`"id" is missing; name the tool`)
	}
	if why, functions, skip := foreignTool(list); skip {
		n.warn("the tool %q is skipped: %s", id, why)
		if known {
			delete(set.byID, id)
			set.skipped[id] = true
			for _, f := range functions {
				set.skipped[id+"_"+f] = true
			}
		}
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

// toolNodes are where the parts of an entry stand, to blame them.
type toolNodes struct{ typ, parameters, http, url, mcp, input, approval, editable, remember, templates node }

// tool reads an entry over base, key by key; nil where the entry is disabled.
func (n node) tool(base *Tool) *Tool {
	t := &Tool{}
	if base != nil {
		*t = *base
	}
	enabled, script := true, false
	foreign := foreignKeys{known: foreignToolKeys}
	var at toolNodes
	n.object(keys{
		"id":      func(node) {}, // read before
		"enabled": func(n node) { n.boolean(&enabled) },
		"type": func(n node) {
			at.typ = n
			before := t.Type
			n.oneOf(&t.Type, "type of tool", TypeAskUser, TypeBuiltin, TypeHTTP, TypeClient, TypeMCP)
			if t.Type != before { // what belonged to the other type goes
				t.HTTP, t.MCP, t.Parameters, t.Templates, t.RequiresUserInput = nil, nil, nil, nil, false
			}
		},
		"name":              func(n node) { n.localised(&t.Name) },
		"description":       func(n node) { n.localised(&t.Description) },
		"requiresUserInput": func(n node) { at.input = n },
		"needsApproval":     func(n node) { at.approval = n; n.boolean(&t.NeedsApproval) },
		"editable":          func(n node) { at.editable = n; n.boolean(&t.Editable) },
		"approvalRemember":  func(n node) { at.remember = n },
		"parameters":        func(n node) { at.parameters = n },
		"http":              func(n node) { at.http = n },
		"mcp":               func(n node) { at.mcp = n },
		"templates":         func(n node) { at.templates = n },
	}, func(m member) bool {
		if m.key == "script" && literal(m.v) == askUserScript {
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
		n.fault(`"type" is missing; write "ask_user", "builtin", "http", "client" or "mcp"`)
	}
	// Only now, since "type" may stand behind them.
	if at.input.v != nil {
		at.input.boolean(&t.RequiresUserInput)
	}
	if at.parameters.v != nil {
		at.parameters.parameters(&t.Parameters)
		if t.Type == TypeAskUser && string(t.Parameters) == "{}" {
			t.Parameters = nil // the built-in schema
		}
	}
	if at.remember.v != nil {
		at.remember.oneOf(&t.ApprovalRemember, "way to remember an approval", RememberNever, RememberChat)
	}
	if at.http.v != nil {
		t.HTTP = at.http.httpTool(&at.url)
	}
	if at.mcp.v != nil {
		t.MCP = at.mcp.mcpTool()
	}
	if at.templates.v != nil {
		at.templates.templates(&t.Templates)
	}
	n.together(t, at)
	if !enabled {
		return nil
	}
	return t
}

// together checks the keys of an entry against its type and each other.
func (n node) together(t *Tool, at toolNodes) {
	if t.Type == TypeAskUser || t.Type == TypeClient {
		t.RequiresUserInput = true
	}
	if at.approval.v != nil && t.NeedsApproval && t.Type == TypeAskUser {
		at.approval.fault(`a tool of type %q asks the user anyway; remove the key`, t.Type)
	}
	if at.input.v != nil && t.RequiresUserInput && (t.Type == TypeHTTP || t.Type == TypeMCP || t.Type == TypeBuiltin) {
		at.input.fault(`a tool of type %q cannot ask the user; remove the key, or use "needsApproval"`, t.Type)
	}
	if at.editable.v != nil && t.Editable && !t.NeedsApproval {
		at.editable.fault(`who should edit the arguments? Write "needsApproval": true beside it, or remove the key`)
	}
	if at.remember.v != nil && t.ApprovalRemember == RememberChat && !t.NeedsApproval {
		at.remember.fault(`what should be remembered? Write "needsApproval": true beside it, or remove the key`)
	}
	if at.parameters.v != nil && (t.Type == TypeBuiltin || t.Type == TypeMCP) {
		at.parameters.fault("a tool of type %q brings its own parameters; remove the key", t.Type)
	}
	if at.http.v != nil && t.Type != TypeHTTP && t.Type != "" {
		at.http.fault(`"http" belongs to type "http", not %q; remove it, or change the type`, t.Type)
	}
	if at.templates.v != nil && t.Type != TypeAskUser && t.Type != "" {
		at.templates.fault(`"templates" belong to type "ask_user", not %q; remove them, or change the type`, t.Type)
	}
	if at.mcp.v != nil && t.Type != TypeMCP && t.Type != "" {
		at.mcp.fault(`"mcp" belongs to type "mcp", not %q; remove it, or change the type`, t.Type)
	}
	if t.Type == TypeHTTP && t.HTTP == nil && at.http.v == nil {
		n.fault(`"http" is missing; write "http": {"method": "GET", "url": "https://..."}`)
	}
	if t.Type == TypeMCP && t.MCP == nil && at.mcp.v == nil {
		n.fault(`"mcp" is missing; write "mcp": {"url": "http://..."}, or {"command": "..."}`)
	}
	if t.Type == TypeHTTP && t.HTTP != nil && t.HTTP.URL != "" {
		blame := n
		if at.url.v != nil {
			blame = at.url
		}
		blame.placeholders(t)
	}
}

// check holds for the entry as a whole, once its id is known.
func (t *Tool) check(n node) {
	if t.Type == TypeMCP && (len(t.ID) > maxServerID || strings.Contains(t.ID, MemberSeparator)) {
		n.fault(`the id of a tool of type "mcp" has at most %d characters and no "__", which stands between it and the names of the server's tools; shorten it`, maxServerID)
	}
	if t.Type == TypeBuiltin {
		known := []string{}
		for id, b := range builtinTools() {
			if b.Type == TypeBuiltin {
				known = append(known, id)
			}
		}
		if b := builtinTools()[t.ID]; b == nil || b.Type != TypeBuiltin {
			n.fault("%q is no built-in tool; %s", t.ID, mend(t.ID, known))
		}
	}
}
