package config

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// The values of Tool.Type that exist in every program. Options.Tools adds others.
const (
	TypeAskUser = "ask_user"
	TypeBuiltin = "builtin" // the tool that the program has under the id of the entry: see ToolType.Builtin
)

// The values of Tool.ApprovalRemember.
const (
	RememberNever = "never" // each call needs approval, as without the key
	RememberChat  = "chat"  // an approval also counts for later calls of the tool in the same chat
)

// The values of Tool.Unfounded: what happens to a call with a required argument that no one
// gave.
const (
	UnfoundedAllow  = "allow"  // it is not checked
	UnfoundedCount  = "count"  // it is counted, and marked where a person approves the call
	UnfoundedAsk    = "ask"    // a person approves the call first
	UnfoundedRefuse = "refuse" // it is refused, with the hint to ask for the argument
)

// Tool is an entry of tools.json, with the changes of an app's own tools.json.
type Tool struct {
	ID                string          `json:"id"`
	Type              string          `json:"type"`
	Name              Text            `json:"name"`
	Description       Text            `json:"description"`
	RequiresUserInput bool            `json:"requiresUserInput"`
	Approval          *Approval       `json:"-"`                // nil: no call needs approval
	Editable          bool            `json:"editable"`         // the person who approves may change the arguments
	Respond           bool            `json:"respond"`          // the person who approves may give a result in place of the call
	ApprovalRemember  string          `json:"approvalRemember"` // RememberNever, RememberChat, or "" if not given
	Unfounded         string          `json:"unfounded"`        // UnfoundedAllow etc.; "" if not given, which means UnfoundedCount
	Parameters        json.RawMessage `json:"parameters"`       // standard JSON with localised texts; nil: not given
	// Own is the value of the type's own key; nil if the type has none. It is shared, so it must
	// not be modified.
	Own any `json:"-"`
	// Templates are the prepared questions of an ask_user tool, which the model asks by name.
	Templates map[string]*Template `json:"templates"`

	kind *ToolType // nil in a Tool that Load did not create
}

// members returns the ids of the tools that the entry stands for; none if it does not say.
func (t *Tool) members() []string {
	if t.kind == nil || t.kind.Members == nil || t.Own == nil {
		return nil
	}
	return t.kind.Members(t)
}

// IsFamily reports whether the entry stands for several tools, each <id>__<name>.
func (t *Tool) IsFamily() bool { return t.kind != nil && t.kind.Family != "" }

// changes reports whether webhooks can be told when the entry's texts change.
func (t *Tool) changes() bool { return t.kind != nil && t.kind.Changes != nil && t.kind.Changes(t) }

// Shown returns what the admin view shows of the type's own keys.
func (t *Tool) Shown() Shown {
	if t.kind == nil || t.kind.Shown == nil {
		return Shown{}
	}
	return t.kind.Shown(t)
}

// MemberSeparator separates the id of an entry that is a family from the name of a member.
const MemberSeparator = "__"

// maxFamilyID is half of the length that models allow for the name of a tool, in characters. The other
// half is for the member.
const maxFamilyID = 32

// toolSet is the result of reading a tools.json over a base.
type toolSet struct {
	byID    map[string]*Tool
	skipped map[string]bool // disabled tools, tools of ihub-apps that cannot run here, and built-in ones that the program does not have
	known   bool            // the file could be parsed, so references to its tools can be checked
}

// toolReader reads one entry over the one that it overrides.
type toolReader struct {
	tool    *Tool
	types   toolTypes
	enabled bool
	own     map[string]any // values of the types' own keys, by type
	// approval reads needsApproval.
	approval approvalReader
	// templateAt is where each template names the tool that lists its options.
	templateAt map[*Template]Value
}

// newToolReader returns a reader over base, which it overrides key by key. base may be nil.
func newToolReader(base *Tool, types toolTypes, templateAt map[*Template]Value) *toolReader {
	t := &Tool{}
	if base != nil {
		*t = *base
	}
	return &toolReader{tool: t, types: types, enabled: true, own: map[string]any{}, templateAt: templateAt}
}

// read reads an entry. It returns nil if the entry is disabled.
func (r *toolReader) read(n Value) *Tool {
	t := r.tool
	if script := n.Key("script"); script.Given() && literal(script.v) == askUserScript && !n.Key("type").Given() {
		t.Type = TypeAskUser
	}
	n.foreign(foreignToolKeys, func(m Member) bool { return m.Key != "script" || literal(m.v) != askUserScript })
	n.Read(r.keys())
	if t.Type == "" && !n.Key("type").Given() {
		named := r.types.named()
		last := len(named) - 1
		n.Fault(`"type" is missing; write "%s" or %q`, strings.Join(named[:last], `", "`), named[last])
	}
	t.kind = r.types.of(t)
	t.together(n)
	r.approval.together(n, t)
	if t.Type == TypeAskUser && string(t.Parameters) == "{}" {
		t.Parameters = nil // the built-in schema
	}
	r.typed(n)
	if !r.enabled {
		return nil
	}
	return t
}

func (r *toolReader) keys() []Key {
	t := r.tool
	keys := []Key{
		// The id is read before the others.
		Free("id", "text", `"type": "string", "pattern": `+quoted(toolID.String()), func(Value) {},
			"what apps list and the model calls: 1 to 64 letters, digits, dashes and underscores. Available without an entry: "+strings.Join(append([]string{TypeAskUser}, r.types.builtin()...), ", ")).Must(""),
		Bool("enabled", &r.enabled, "`false`: as if the entry did not exist"),
		r.typeKey(),
		Localised("name", &t.Name, 0, "shown to users"),
		Localised("description", &t.Description, 0, "tells the model what the tool is for; for `ask_user`, it follows the gateway's own rules").Unset("the built-in one"),
		r.approval.key(t),
		Bool("respond", &t.Respond, "the person who decides about a call may write its [result](tools/approval.md) in place of the call, which is then not made; requires `needsApproval` or `\"unfounded\": \"ask\"`"),
		Bool("editable", &t.Editable, "the person who approves a call may change its arguments; requires `needsApproval` or `\"unfounded\": \"ask\"`"),
		Word("approvalRemember", &t.ApprovalRemember, "way to remember an approval", []string{RememberNever, RememberChat}, "`\"chat\"`: an approval [counts for all later calls](tools/approval.md#asked-once-in-a-chat) of the tool in that chat, until the user revokes it; requires `needsApproval`").Unset("`\"never\"`"),
		Word("unfounded", &t.Unfounded, "way to treat arguments that no one gave", []string{UnfoundedAllow, UnfoundedCount, UnfoundedAsk, UnfoundedRefuse}, "what happens to a call with a required argument that no one gave: `allow`, `count`, `ask` or `refuse`. See [arguments that no one gave](tools/README.md#arguments-that-no-one-gave). Not for `ask_user`").Unset("`\"count\"`"),
		Free("parameters", "JSON Schema", `"type": "object"`, func(n Value) { parameters(n, &t.Parameters) },
			"JSON Schema of the arguments, an object; not for `builtin` and `mcp`. `description` and `title` may be localised at every depth. For `ask_user`, leave it out: the built-in schema states the current limits. [How large](tools/README.md#parameters)").Unset("the built-in ones"),
		templatesKey(&t.Templates, r.templateAt),
	}
	for i := range r.types {
		if typ := &r.types[i]; typ.Keys != nil {
			own, item := typ.Keys()
			keys = append(keys, One(typ.Name, item, "").Then(func(n Value) {
				r.own[typ.Name] = own
				n.noCaller(item.Keys)
			}))
		}
	}
	return keys
}

// typeKey is the key for the type of the entry. If the type changes, values that belong to the old type
// are removed.
func (r *toolReader) typeKey() Key {
	t := r.tool
	about := make([]string, 0, len(r.types))
	for _, of := range r.types {
		switch {
		case of.Builtin:
		case of.Name == TypeBuiltin:
			about = append(about, "`builtin`: "+strings.Join(r.types.builtin(), ", ")+".")
		default:
			about = append(about, "`"+of.Name+"`: "+of.About)
		}
	}
	before := t.Type
	return Word("type", &t.Type, "type of tool", r.types.named(), strings.Join(about, " ")).Unset("that of the entry it changes").Then(func(Value) {
		if t.Type != before {
			t.Own, t.Parameters, t.Templates, t.RequiresUserInput = nil, nil, nil, false
		}
	})
}

// together checks the keys of an entry against its type and each other.
func (t *Tool) together(n Value) {
	approval, editable, respond, remember, unfounded, parameters, templates := n.Key("needsApproval"), n.Key("editable"), n.Key("respond"), n.Key("approvalRemember"), n.Key("unfounded"), n.Key("parameters"), n.Key("templates")
	t.RequiresUserInput = t.kind.AsksUser
	if approval.Given() && t.Approval != nil && t.Type == TypeAskUser {
		approval.Fault(`tools of type %q ask the user anyway, so they need no approval; remove the key`, t.Type)
	}
	if editable.Given() && t.Editable && t.Approval == nil && t.Unfounded != UnfoundedAsk {
		editable.Fault(`"editable" requires "needsApproval": true or "unfounded": "ask"; add one of them, or remove the key`)
	}
	if respond.Given() && t.Respond && t.Approval == nil && t.Unfounded != UnfoundedAsk {
		respond.Fault(`"respond" requires "needsApproval" or "unfounded": "ask"; add one of them, or remove the key`)
	}
	if unfounded.Given() && t.Type == TypeAskUser {
		unfounded.Fault(`"unfounded" does not apply to tools of type %q, which ask for what no one said; remove the key`, t.Type)
	}
	if remember.Given() && t.ApprovalRemember == RememberChat && t.Approval == nil {
		remember.Fault(`"approvalRemember" requires "needsApproval": true; add that, or remove the key`)
	}
	if parameters.Given() && t.kind.OwnParameters {
		parameters.Fault("tools of type %q have their own parameters; remove the key", t.Type)
	}
	if templates.Given() && t.Type != TypeAskUser && t.Type != "" {
		templates.Fault(`"templates" requires type "ask_user", not %q; remove the key, or change the type`, t.Type)
	}
}

// typed sets Tool.Own to the value of the type's own key, and reports the own keys of other types.
func (r *toolReader) typed(n Value) {
	t := r.tool
	for i := range r.types {
		typ := &r.types[i]
		own, there := r.own[typ.Name]
		switch {
		case !there:
		case t.kind == typ:
			t.Own = own
		case t.Type != "":
			n.Key(typ.Name).Fault(`%q requires type %q, not %q; remove it, or change the type`, typ.Name, typ.Name, t.Type)
		}
	}
	switch {
	case t.kind.Keys != nil && t.Own == nil && t.kind.Example != "":
		n.Fault(`%q is missing; write %q: %s`, t.Type, t.Type, t.kind.Example)
	case t.kind.Check != nil && t.Own != nil:
		if object := n.Key(t.Type); object.Given() {
			n = object
		}
		t.kind.Check(n, t)
	}
}

// check validates the whole entry. The id must be set.
func (t *Tool) check(n Value, types toolTypes) {
	if t.IsFamily() && (len(t.ID) > maxFamilyID || strings.Contains(t.ID, MemberSeparator)) {
		n.Fault(`ids of tools of type %q have at most %d characters and no "__", which separates the id from the names of %s; change it`, t.Type, maxFamilyID, t.kind.Family)
	}
	if builtin := types.builtin(); t.Type == TypeBuiltin && !slices.Contains(builtin, t.ID) {
		n.Fault("%q is not a built-in tool; %s", t.ID, Suggest(t.ID, builtin))
	}
	t.offeredOnce(n)
}

// ParametersIn returns Parameters for the model: each localised text of the schema
// (description, title), at any depth, is replaced by the string for a language, chosen
// as by Text.In. Everything else is unchanged, byte for byte. It returns nil if the
// entry has no parameters.
func (t *Tool) ParametersIn(language string) json.RawMessage {
	if t.Parameters == nil {
		return nil
	}
	v, err := hujson.Parse(t.Parameters)
	if err != nil { // Load has checked it, so this is a Tool that Load did not create
		return t.Parameters
	}
	localise(&v, language)
	return v.Pack()
}

// find returns the tool with an id. For <id>__<name> it returns the entry that stands for the tool.
func find(set map[string]*Tool, id string) *Tool {
	if t, ok := set[id]; ok {
		return t
	}
	server, _, member := strings.Cut(id, MemberSeparator)
	if t := set[server]; member && t != nil && t.IsFamily() {
		return t
	}
	return nil
}

// Placeholders returns the names of the placeholders of the caller that the entry uses: those of its
// type's own keys, and those of the arguments in its templates.
func (t *Tool) Placeholders() []string {
	var names []string
	if t.kind != nil && t.kind.Placeholders != nil && t.Own != nil {
		names = t.kind.Placeholders(t)
	}
	for _, template := range t.Templates {
		if template.From != nil {
			names = append(names, template.From.Placeholders...)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
