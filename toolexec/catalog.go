package toolexec

import (
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tools/arguments"
)

// Factory makes the tool that an entry of tools.json asks for, for one app.
type Factory func(app *config.App, entry *config.Tool) (tools.Tool, error)

// Factories are the tools that this program has: by type, those of type
// "builtin" by id, and Approval. There must be one for ask_user.
type Factories map[string]Factory

// Add adds the factories of types.
func (f Factories) Add(types ...config.ToolType) {
	for _, t := range types {
		f[t.Name] = t.New
	}
}

// Approval is the factory of what asks a person before a call of a tool that needs
// approval.
const Approval = "approval"

// closers are the factories of what closes a question of a kind, whoever asked it; they
// are called without an entry.
var closers = map[tools.Kind]string{tools.KindQuestion: config.TypeAskUser, tools.KindInput: "client", tools.KindApproval: Approval}

// Catalog is one configuration's tools, bound to Go. Safe for concurrent use.
type Catalog struct {
	// Log is told what is left out of too many tools; nil: nobody is. Set it before use.
	Log  *slog.Logger
	apps map[string]*appTools
	held *heldLists // what sources of options listed
}

type appTools struct {
	app  *config.App
	list []*bound // in the order of app.Tools
	// closers close what was asked, by its kind, without the tool that asked.
	closers map[tools.Kind]tools.Resumer
	told    atomic.Int64 // how many tools were left out, as far as the log says
	lists   bool         // some template's options come from a tool
	form    *bound       // asks for the app's variables; nil where it has none to ask for
}

// bound is an entry with what runs it.
type bound struct {
	entry    *config.Tool
	tool     tools.Tool
	approval tools.Tool         // asks before a call that needs approval; nil of ask_user, and where nothing does
	schema   *arguments.Schema  // nil: the tool checks its arguments itself
	family   tools.Family       // nil: one tool
	only     map[string]bool    // members that the app lists; nil: all
	sources  map[string]*source // of ask_user, by template: what lists its options
	brought  *tools.Definition  // by a turn's client; nil: it is the app's

	// definitions are what the model reads of the tool, by language: made once, and shared
	// by all requests under way.
	definitions sync.Map // of tools.Definition
}

// maxLanguages bounds definitions: languages come from callers.
const maxLanguages = 64

// NewCatalog binds the tools of all apps.
func NewCatalog(snap *config.Snapshot, factories Factories) (*Catalog, error) {
	c := &Catalog{apps: map[string]*appTools{}, held: &heldLists{}}
	for _, app := range snap.Apps() {
		at := &appTools{app: app, closers: map[tools.Kind]tools.Resumer{}}
		for kind, name := range closers {
			factory, ok := factories[name]
			if !ok {
				continue
			}
			closer, err := factory(app, nil)
			if err != nil {
				c.Close()
				return nil, fmt.Errorf("app %s: %s: %w", app.ID, name, err)
			}
			at.closers[kind] = closer.(tools.Resumer)
		}
		if err := at.bindForm(factories); err != nil {
			c.Close()
			return nil, fmt.Errorf("app %s: variables: %w", app.ID, err)
		}
		c.apps[app.ID] = at
		for _, id := range app.Tools {
			entry, ok := snap.Tool(app.ID, id)
			if !ok || at.also(entry, id) {
				continue // configuration that was checked has none that is not there
			}
			b, err := bind(app, entry, factories)
			if err != nil {
				c.Close()
				return nil, fmt.Errorf("app %s: tool %s: %w", app.ID, id, err)
			}
			if id != entry.ID {
				b.only = map[string]bool{id: true}
			}
			if b.sources, err = bindSources(snap, app, entry, factories); err != nil {
				c.Close()
				return nil, fmt.Errorf("app %s: tool %s: %w", app.ID, id, err)
			}
			at.lists = at.lists || b.sources != nil
			at.list = append(at.list, b)
		}
	}
	return c, nil
}

// also adds what an app lists of a family to what it listed of it before.
func (at *appTools) also(entry *config.Tool, id string) bool {
	i := slices.IndexFunc(at.list, func(b *bound) bool { return b.entry == entry })
	switch {
	case i < 0:
		return false
	case id == entry.ID:
		at.list[i].only = nil
	case at.list[i].only != nil:
		at.list[i].only[id] = true
	}
	return true
}

// Close lets go of what tools hold beyond a call, once no new call uses this catalog.
// Those that another catalog has too keep it.
func (c *Catalog) Close() {
	for _, at := range c.apps {
		for _, b := range at.list {
			held := []tools.Tool{b.tool}
			for _, s := range b.sources {
				held = append(held, s.tool.tool)
			}
			for _, tool := range held {
				if closer, ok := tool.(io.Closer); ok {
					_ = closer.Close() // the tool logs what matters of it
				}
			}
		}
	}
}

// Library is what people read of a tool of an app; false where it has nothing of that kind.
func (c *Catalog) Library(app, tool string) (tools.Library, bool) {
	at := c.apps[app]
	if at == nil {
		return nil, false
	}
	i := slices.IndexFunc(at.list, func(b *bound) bool { return b.entry.ID == tool })
	if i < 0 {
		return nil, false
	}
	l, ok := at.list[i].tool.(tools.Library)
	return l, ok
}

func bind(app *config.App, entry *config.Tool, factories Factories) (*bound, error) {
	kind := entry.Type
	if kind == config.TypeBuiltin {
		kind = entry.ID
	}
	factory, ok := factories[kind]
	if !ok {
		return nil, fmt.Errorf("no tool of type %q in this version", kind)
	}
	tool, err := factory(app, entry)
	if err != nil {
		return nil, err
	}
	b := &bound{entry: entry, tool: tool}
	b.family, _ = tool.(tools.Family)
	ask, ok := factories[Approval]
	if !ok && (entry.NeedsApproval || entry.Unfounded == config.UnfoundedAsk) {
		return nil, fmt.Errorf("nothing asks for approval in this version")
	}
	if ok && entry.Type != config.TypeAskUser { // a call may need approval where its tool does not
		if b.approval, err = ask(app, entry); err != nil {
			return nil, err
		}
	}
	if entry.Type == config.TypeAskUser {
		return b, nil
	}
	parameters := entry.ParametersIn("en")
	if d, ok := tool.(tools.Describer); ok && len(parameters) == 0 {
		_, parameters = d.Definition()
	}
	if len(parameters) == 0 {
		return b, nil
	}
	b.schema, err = arguments.Compile(parameters)
	return b, err
}

// check says what is wrong with a call's arguments.
func (b *bound) check(call tools.Call) error {
	if b.brought != nil {
		schema, err := arguments.Compile(b.brought.Parameters)
		if err != nil {
			return err
		}
		return schema.Check(call.Arguments)
	}
	if c, ok := b.tool.(tools.Checker); ok {
		if _, err := arguments.Canonical(call.Arguments); err != nil {
			return err // whatever the tool takes: they were not shown, or sealed
		}
		return c.CheckArguments(call)
	}
	return b.schema.Check(call.Arguments)
}

// Definitions are the tools that are offered to the model, in the given language.
// Where nobody can answer, what needs an answer is left out; where the app never
// asks, ask_user is, and where it asks nobody for approval, what needs that. Of more than
// models take, the last members of families are.
func (c *Catalog) Definitions(app, language string, interactive bool) []tools.Definition {
	at := c.apps[app]
	if at == nil {
		return nil
	}
	defs, left := at.definitions(language, interactive, nil)
	if told := at.told.Load(); c.Log != nil && int64(left) > told && at.told.CompareAndSwap(told, int64(left)) {
		c.Log.Warn("too many tools for a model, the last ones are left out; list fewer", "app", app, "offered", len(defs), "left", left)
	}
	return defs
}

// LeftOut is how many tools of an app are not offered because there are too many.
func (c *Catalog) LeftOut(app string) int {
	at := c.apps[app]
	if at == nil {
		return 0
	}
	_, left := at.definitions("en", true, nil)
	return left
}

// AsksUser says whether a tool of the app is an ask_user.
func (c *Catalog) AsksUser(app, tool string) bool {
	b, ok := c.find(app, tool)
	return ok && b.entry.Type == config.TypeAskUser
}

// Asks says whether the model of an app is offered a tool to ask its user, where somebody
// is there.
func (c *Catalog) Asks(app string) bool {
	at := c.apps[app]
	return at != nil && at.mayAsk() && slices.ContainsFunc(at.list, func(b *bound) bool { return b.entry.Type == config.TypeAskUser })
}

func (at *appTools) mayAsk() bool {
	return at.app.Interactive && at.app.Clarifications.PerConversation > 0 && at.app.Clarifications.PerTurn > 0
}

// definitions are those that are offered, and how many more there are.
func (at *appTools) definitions(language string, interactive bool, kept *Kept) (defs []tools.Definition, left int) {
	mayAsk, mayApprove, interactive := at.mayAsk(), at.app.Clarifications.ApprovalsPerTurn > 0, interactive && at.app.Interactive
	var list []*bound
	room := tools.MaxDefinitions
	for _, b := range at.list {
		if b.entry.Type == config.TypeAskUser && !mayAsk || b.needsUser() && !interactive || b.entry.NeedsApproval && !mayApprove {
			continue
		}
		list = append(list, b)
		if b.family == nil && b.brought == nil { // the admin's own, of which there are not too many
			room--
		}
	}
	for _, b := range list {
		if b.brought != nil { // behind all others
			if room > 0 {
				defs = append(defs, b.definition(language))
				room--
			}
			continue
		}
		if b.family == nil {
			defs = append(defs, b.definition(language))
			continue
		}
		for _, d := range kept.members(b, language) {
			switch {
			case !b.lists(d.Name):
			case room > 0:
				defs = append(defs, d)
				room--
			default:
				left++
			}
		}
	}
	return defs, left
}

// lists says whether the app has that tool: the entry's own, or a member of its family.
func (b *bound) lists(id string) bool {
	if b.family == nil {
		return b.entry.ID == id
	}
	return strings.HasPrefix(id, b.entry.ID+config.MemberSeparator) && (b.only == nil || b.only[id])
}

// needsUser says that no call comes to a result unless somebody answers.
func (b *bound) needsUser() bool {
	return b.entry.NeedsApproval || b.entry.RequiresUserInput
}

func (b *bound) definition(language string) tools.Definition {
	if b.brought != nil {
		return *b.brought
	}
	if def, ok := b.definitions.Load(language); ok {
		return def.(tools.Definition)
	}
	def := b.describe(language)
	known := 0
	b.definitions.Range(func(any, any) bool { known++; return known < maxLanguages })
	if known < maxLanguages {
		b.definitions.Store(language, def)
	}
	return def
}

func (b *bound) describe(language string) tools.Definition {
	def := tools.Definition{
		Name:        b.entry.ID,
		Description: b.entry.Description.In(language),
		Parameters:  b.entry.ParametersIn(language),
	}
	if d, ok := b.tool.(tools.Describer); ok {
		description, parameters := d.Definition()
		if def.Description == "" {
			def.Description = description
		}
		if len(def.Parameters) == 0 {
			def.Parameters = parameters
		}
	}
	if len(def.Parameters) == 0 {
		def.Parameters = json.RawMessage(`{"type":"object","properties":{}}`)
	}
	if len(b.entry.Templates) > 0 {
		def.Parameters = withTemplates(def.Parameters, b.entry.Templates, language)
	}
	return def
}

func (c *Catalog) find(app, id string) (*bound, bool) {
	at := c.apps[app]
	if at == nil {
		return nil, false
	}
	i := slices.IndexFunc(at.list, func(b *bound) bool { return b.lists(id) })
	if i < 0 {
		return nil, false
	}
	return at.list[i], true
}

// Resumer takes the answer to a clarification of that kind and makes the result: the tool that asked a question, where the configuration still has it. What
// was asked stays answerable without.
func (c *Catalog) Resumer(app, tool string, kind tools.Kind) tools.Resumer {
	if b, ok := c.find(app, tool); ok && kind == tools.KindQuestion && (b.entry.Type == config.TypeAskUser || !b.entry.RequiresUserInput) {
		if r, ok := b.tool.(tools.Resumer); ok {
			return r
		}
	}
	at := c.apps[app]
	switch {
	case at == nil:
		return nil
	case kind == tools.KindApproval:
		b, _ := c.find(app, tool)
		return approver{at.closers[kind], tool, b}
	default:
		return at.closers[kind]
	}
}
