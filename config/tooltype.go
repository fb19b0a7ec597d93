package config

import (
	"slices"

	"github.com/askgate/askgate/tools"
)

// ToolType is a type that entries of tools.json can have. The type's own package makes it,
// and the program lists it in Options.Tools; nothing else knows it by name.
//
// A type with Keys has keys of its own: an object under the type's name. The other functions
// are optional and take entries of this type only, whose Own is what Keys made.
type ToolType struct {
	Name  string
	About string // completes "http: " in the schema's list of types; a sentence

	// Builtin says that the tool exists under Name without an entry. One with that id
	// changes its texts, and is of type "builtin".
	Builtin bool
	// Demo says that only apps which the demo model answers have it: it shows what a tool can
	// do, and no other model shall take it for one that does something.
	Demo bool
	// NeedsApproval says that a person allows each call of a built-in tool, where no entry says
	// otherwise.
	NeedsApproval bool
	// AsksUser says that each call waits for an answer.
	AsksUser bool
	// OwnParameters says that the tool brings them: an entry must give none.
	OwnParameters bool
	// Family names what an entry stands for, where it is several tools, <id>__<name>, and
	// what New makes is a tools.Family: "the server's tools". Empty: it is one tool.
	Family string
	// Members is how many tools an entry stands for, as far as it says itself; 0: it does not.
	Members func(t *Tool) int

	// Keys makes what the object is read into, for Tool.Own, and its table.
	Keys func() (own any, object Item)
	// Example completes the fault of an entry without the object; "": it may be left out.
	Example string
	// Check faults what does not fit together in an entry, and may set what follows from it. at is the object, or the entry
	// where the object is that of the entry it changes.
	Check func(at Value, t *Tool)
	// Lists says why an entry cannot list the options of a template, "" where it can. id is
	// the entry's, or that of one of the tools that it stands for. Without Lists none of the
	// type can.
	Lists func(t *Tool, id string) string
	// Shown is what an admin may see of an entry's own keys.
	Shown func(t *Tool) Shown

	// New makes the tool, for one app.
	New func(app *App, entry *Tool) (tools.Tool, error)
}

// Shown is what an admin may see of where a tool sends its calls: not the path or the
// query, in which tokens may stand, and the names of headers, not their values.
type Shown struct {
	Method, Server string
	Headers        []string
	Timeout        Duration
	// AllowPrivate says that the server's name may lead to private addresses.
	AllowPrivate bool
	// State is how what the entry holds is just now, in words: how far an index is.
	State string
}

// Builtin is the type of a built-in tool that has no keys of its own.
func Builtin(id string, tool tools.Tool) ToolType {
	return ToolType{
		Name: id, Builtin: true, OwnParameters: true,
		New: func(*App, *Tool) (tools.Tool, error) { return tool, nil },
	}
}

// toolTypes are the types that a program knows: these two, and those that it lists.
type toolTypes []ToolType

func newToolTypes(listed []ToolType) toolTypes {
	return append(toolTypes{
		{Name: TypeAskUser, About: "asks the user.", AsksUser: true},
		{Name: TypeBuiltin, OwnParameters: true},
	}, listed...)
}

// called is the type that entries name so; an empty one where there is none.
func (all toolTypes) called(name string) *ToolType {
	if i := slices.IndexFunc(all, func(t ToolType) bool { return t.Name == name && !t.Builtin }); i >= 0 {
		return &all[i]
	}
	return &ToolType{}
}

// of is the type of an entry: of a built-in tool the one by its id.
func (all toolTypes) of(t *Tool) *ToolType {
	if i := slices.IndexFunc(all, func(of ToolType) bool { return of.Builtin && of.Name == t.ID }); t.Type == TypeBuiltin && i >= 0 {
		return &all[i]
	}
	return all.called(t.Type)
}

// names are those of the types that fit.
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

// unwritten are the tools that need no entry in tools.json; an entry may change their texts.
func (all toolTypes) unwritten() map[string]*Tool {
	known := map[string]*Tool{TypeAskUser: {ID: TypeAskUser, Type: TypeAskUser, RequiresUserInput: true, kind: all.called(TypeAskUser)}}
	for _, id := range all.builtin() {
		t := &Tool{ID: id, Type: TypeBuiltin}
		t.kind = all.of(t)
		t.NeedsApproval = t.kind.NeedsApproval
		known[id] = t
	}
	return known
}
