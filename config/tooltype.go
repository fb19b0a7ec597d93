package config

import (
	"slices"

	"github.com/askgate/askgate/tools"
)

// ToolType is a type that entries of tools.json can have. The package of the type creates it,
// and the program lists it in Options.Tools; no other code refers to it by name.
//
// A type with Keys has its own keys: an object under the name of the type. The other functions
// are optional. They are called only for entries of this type, whose Own is the value from Keys.
type ToolType struct {
	Name  string
	About string // completes "`http`: " in the list of types; ends with a period

	// Builtin reports whether the tool exists under Name without an entry. An entry with that id
	// changes its texts, and has the type "builtin".
	Builtin bool
	// Demo limits the tool to apps in which the demo model answers. It only shows what a tool can
	// do, and another model must not rely on it.
	Demo bool
	// NeedsApproval reports whether each call of a built-in tool needs approval, unless an entry
	// says otherwise.
	NeedsApproval bool
	// AsksUser reports whether each call waits for an answer.
	AsksUser bool
	// OwnParameters reports whether the tool defines its parameters, so that an entry must not.
	OwnParameters bool
	// Family is the noun for the tools of an entry that stands for several tools, <id>__<name>,
	// such as "the server's tools". New then returns a tools.Family. Empty: an entry is one tool.
	Family string
	// Offered returns the id under which an entry offers the tool that its server calls name; nil:
	// <id>__<name>.
	Offered func(id, name string) string
	// Members returns the ids of the tools that an entry stands for; none if the entry does not say.
	Members func(t *Tool) []string

	// Keys returns the value that the object is read into, for Tool.Own, and its table of keys.
	Keys func() (own any, object Item)
	// Example completes the fault of an entry without the object; "": the object is optional.
	Example string
	// Check reports contradictions between the keys of an entry, and may set values that follow from
	// them. at is the object, or the entry if the object is inherited from the entry that it overrides.
	Check func(at Value, t *Tool)
	// Lists returns why an entry cannot list the options of a template, or "" if it can. from names
	// the entry, or one of the tools that it stands for. Without Lists, no entry of the type can.
	Lists func(t *Tool, from *OptionsFrom) string
	// Shown returns what the admin view shows of the type's own keys.
	Shown func(t *Tool) Shown
	// Changes reports whether the event document.changed is sent when an entry's texts change.
	Changes func(t *Tool) bool
	// Placeholders returns the names of the placeholders of the caller in the type's own keys. If
	// there are any, New returns a tools.Personal.
	Placeholders func(t *Tool) []string

	// New creates the tool for one app.
	New func(app *App, entry *Tool) (tools.Tool, error)
}

// Shown describes where a tool sends its calls, for the admin view. It has neither the path nor the
// query, which may contain tokens, and only the names of headers, not their values.
type Shown struct {
	Method, Server string
	Headers        []string
	Body           []string // names of the fixed members of the JSON body
	Timeout        Duration
	// AllowPrivate reports whether the name of the server may resolve to private addresses.
	AllowPrivate bool
	// State is the current state of the tool, in words, such as the progress of an index.
	State string
}

// Builtin returns the type of a built-in tool without its own keys.
func Builtin(id string, tool tools.Tool) ToolType {
	return ToolType{
		Name: id, Builtin: true, OwnParameters: true,
		New: func(*App, *Tool) (tools.Tool, error) { return tool, nil },
	}
}

// toolTypes are the types of a program: ask_user, builtin, and those that it lists.
type toolTypes []ToolType

func newToolTypes(listed []ToolType) toolTypes {
	return append(toolTypes{
		{Name: TypeAskUser, About: "asks the user.", AsksUser: true},
		{Name: TypeBuiltin, OwnParameters: true},
	}, listed...)
}

// called returns the type with a name in "type", or an empty type if there is none.
func (all toolTypes) called(name string) *ToolType {
	if i := slices.IndexFunc(all, func(t ToolType) bool { return t.Name == name && !t.Builtin }); i >= 0 {
		return &all[i]
	}
	return &ToolType{}
}

// of returns the type of an entry. That of a built-in tool is found by the id.
func (all toolTypes) of(t *Tool) *ToolType {
	if i := slices.IndexFunc(all, func(of ToolType) bool { return of.Builtin && of.Name == t.ID }); t.Type == TypeBuiltin && i >= 0 {
		return &all[i]
	}
	return all.called(t.Type)
}

// names returns the names of the types for which fit returns true.
func (all toolTypes) names(fit func(ToolType) bool) []string {
	var names []string
	for _, t := range all {
		if fit(t) {
			names = append(names, t.Name)
		}
	}
	return names
}

func (all toolTypes) named() []string {
	return all.names(func(t ToolType) bool { return !t.Builtin })
}

func (all toolTypes) builtin() []string {
	return all.names(func(t ToolType) bool { return t.Builtin })
}

// unwritten returns the tools that need no entry in tools.json. An entry may change their texts.
func (all toolTypes) unwritten() map[string]*Tool {
	known := map[string]*Tool{TypeAskUser: {ID: TypeAskUser, Type: TypeAskUser, RequiresUserInput: true, kind: all.called(TypeAskUser)}}
	for _, id := range all.builtin() {
		t := &Tool{ID: id, Type: TypeBuiltin}
		t.kind = all.of(t)
		if t.kind.NeedsApproval {
			t.Approval = approvalOfAll()
		}
		known[id] = t
	}
	return known
}
