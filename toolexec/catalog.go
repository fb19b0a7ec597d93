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

// Factory makes the tool of an entry of tools.json for one app.
type Factory func(app *config.App, entry *config.Tool) (tools.Tool, error)

// Factories holds the factories of this program's tools: by type, for type "builtin" by id, and
// the one of Approval. There must be one for ask_user.
type Factories map[string]Factory

// Add adds the factories of types.
func (f Factories) Add(types ...config.ToolType) {
	for _, t := range types {
		f[t.Name] = t.New
	}
}

// Approval is the name of the factory that makes the tool which asks a person for approval.
const Approval = "approval"

// closers names, by kind of question, the factory of the tool that closes a question if the tool
// that asked it is gone. The factory gets no entry.
var closers = map[tools.Kind]string{tools.KindQuestion: config.TypeAskUser, tools.KindInput: "client", tools.KindApproval: Approval}

// Catalog binds the tools of one configuration to Go. It is safe for concurrent use.
type Catalog struct {
	// Log, if not nil, gets a line if there are too many tools for a model. Set it before use.
	Log  *slog.Logger
	apps map[string]*appTools
	held *heldLists // lists of options
}

type appTools struct {
	app  *config.App
	list []*bound // in the order of app.Tools
	// closers close questions, by kind, without the tool that asked.
	closers  map[tools.Kind]tools.Resumer
	told     *atomic.Int64 // the largest number of left-out tools that was logged
	lists    bool          // some template's options come from a tool
	personal bool          // some call depends on the caller
	form     *bound        // asks for the app's variables; nil if there are none to ask for
}

// bound is an entry and the tool that runs its calls.
type bound struct {
	entry    *config.Tool
	tool     tools.Tool
	approval tools.Tool         // asks before a call that needs approval; nil for ask_user, or without a factory
	schema   *arguments.Schema  // nil: the tool checks its arguments itself
	family   tools.Family       // nil: one tool
	only     map[string]bool    // members that the app lists; nil: all
	sources  map[string]*source // for ask_user: sources of options, by template
	rules    map[*config.Approval]*ruleSet
	brought  *tools.Definition // set if a turn's client brought the tool; nil: it is the app's

	// definitions has the tool's definition for the model, by language. Each is made once and
	// shared by all requests and callers.
	definitions *sync.Map // of tools.Definition
}

// maxLanguages bounds definitions, because callers choose the language.
const maxLanguages = 64

// NewCatalog binds the tools of all apps.
func NewCatalog(snap *config.Snapshot, factories Factories) (*Catalog, error) {
	c := &Catalog{apps: map[string]*appTools{}, held: &heldLists{}}
	for _, app := range snap.Apps() {
		at := &appTools{app: app, closers: map[tools.Kind]tools.Resumer{}, told: &atomic.Int64{}}
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
				continue // config has checked that the id exists
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
			at.personal = at.personal || b.personal()
			at.list = append(at.list, b)
		}
	}
	return c, nil
}

// also adds a further id of a family to the one that the app has listed before. It returns false
// if this is the family's first.
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

// Close releases what tools hold between calls. Call it when no new call uses this catalog. What
// another catalog also uses stays open.
func (c *Catalog) Close() {
	for _, at := range c.apps {
		for _, b := range at.list {
			held := []tools.Tool{b.tool}
			for _, s := range b.sources {
				held = append(held, s.tool.tool)
			}
			for _, tool := range held {
				if closer, ok := tool.(io.Closer); ok {
					_ = closer.Close() // the tool logs errors that matter
				}
			}
		}
	}
}

// Library returns an app's tool as the library that people read, or false if it is none.
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

// Shelved is a library of an app, with the id and the name of its entry.
type Shelved struct {
	ID      string
	Name    config.Text
	Library tools.Library
}

// Libraries returns the libraries in which people of the app may search, in the order of its tools:
// those whose search the app lists, if nothing decides about its calls.
func (c *Catalog) Libraries(app string) (list []Shelved) {
	at := c.apps[app]
	if at == nil {
		return nil
	}
	for _, b := range at.list {
		if l, ok := b.tool.(tools.Library); ok && (b.only == nil || b.only[l.Searches()]) && b.entry.ApprovalOf(l.Searches()).Allows() {
			list = append(list, Shelved{b.entry.ID, b.entry.Name, l})
		}
	}
	return list
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
	b := &bound{entry: entry, tool: tool, definitions: &sync.Map{}}
	b.family, _ = tool.(tools.Family)
	if b.rules, err = bindRules(entry); err != nil {
		return nil, err
	}
	ask, ok := factories[Approval]
	if !ok && (entry.Approval != nil || entry.Unfounded == config.UnfoundedAsk) {
		return nil, fmt.Errorf("this version cannot ask for approval")
	}
	if ok && entry.Type != config.TypeAskUser { // a call may need approval even if its tool does not
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

// check validates a call's arguments. The error is for the model.
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
			return err // no tool may accept arguments that cannot be shown or sealed
		}
		return c.CheckArguments(call)
	}
	return b.schema.Check(call.Arguments)
}

// Definitions returns the tools that the model is offered, in the given language. It leaves out
// tools that need an answer if no user can answer, ask_user if the app never asks, and tools that
// need approval if the app never asks for approval, unless a rule can allow a call. If there are more than models accept, it
// leaves out the last members of families.
func (c *Catalog) Definitions(app, language string, interactive bool) []tools.Definition {
	at := c.apps[app]
	if at == nil {
		return nil
	}
	defs, left := at.definitions(language, interactive, nil)
	if told := at.told.Load(); c.Log != nil && int64(left) > told && at.told.CompareAndSwap(told, int64(left)) {
		c.Log.Warn("too many tools for a model, the last ones are left out; list fewer in the app's tools", "app", app, "offered", len(defs), "left", left)
	}
	return defs
}

// LeftOut returns how many tools of an app are not offered because there are too many.
func (c *Catalog) LeftOut(app string) int {
	at := c.apps[app]
	if at == nil {
		return 0
	}
	_, left := at.definitions("en", true, nil)
	return left
}

// AsksUser reports whether a tool of the app is an ask_user.
func (c *Catalog) AsksUser(app, tool string) bool {
	b, ok := c.find(app, tool)
	return ok && b.entry.Type == config.TypeAskUser
}

// Asks reports whether the model of an app is offered a tool to ask its user, if a user is there
// to answer.
func (c *Catalog) Asks(app string) bool {
	at := c.apps[app]
	return at != nil && at.mayAsk() && slices.ContainsFunc(at.list, func(b *bound) bool { return b.entry.Type == config.TypeAskUser })
}

func (at *appTools) mayAsk() bool {
	return at.app.Interactive && at.app.Clarifications.PerConversation > 0 && at.app.Clarifications.PerTurn > 0
}

// definitions returns the tools to offer, and how many are left out because there are too many.
func (at *appTools) definitions(language string, interactive bool, kept *Kept) (defs []tools.Definition, left int) {
	mayAsk, interactive := at.mayAsk(), interactive && at.app.Interactive
	mayApprove := interactive && at.app.Clarifications.ApprovalsPerTurn > 0
	var list []*bound
	room := tools.MaxDefinitions
	for _, b := range at.list {
		if b.entry.Type == config.TypeAskUser && !mayAsk || b.entry.RequiresUserInput && !interactive || b.family == nil && !b.rulesOf(b.entry.ID).mayRun(mayApprove) {
			continue
		}
		list = append(list, b)
		if b.family == nil && b.brought == nil { // the admin's own tools; config limits their number
			room--
		}
	}
	for _, b := range list {
		if b.brought != nil { // after all others
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
			case !b.lists(d.Name), !b.rulesOf(d.Name).mayRun(mayApprove):
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

// lists reports whether id is this entry's tool, or a member of its family that the app lists.
func (b *bound) lists(id string) bool {
	if b.family == nil {
		return b.entry.ID == id
	}
	return strings.HasPrefix(id, b.entry.ID+config.MemberSeparator) && (b.only == nil || b.only[id])
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
		if l, ok := b.tool.(tools.LocalDescriber); ok {
			description, parameters = l.DefinitionIn(language)
		}
		switch {
		case def.Description == "":
			def.Description = description
		case b.entry.Type == config.TypeAskUser: // the rules of asking stay
			def.Description = description + "\n\n" + def.Description
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

// Resumer returns what checks the answer to a clarification and makes the result of its call. For
// a question it is the tool that asked, if the configuration still has it; without it, another
// one takes its place, so that the question can still be answered.
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
