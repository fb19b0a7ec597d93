package config

import (
	"fmt"
	"maps"
	"slices"

	"github.com/askgate/askgate/tools"
)

const (
	maxAppTools     = tools.MaxDefinitions
	maxStepsLimit   = 100
	defaultMaxSteps = 10
)

// newApp returns an app with the gateway's settings and the defaults.
func (g *Gateway) newApp(id string) *App {
	a := &App{
		ID: id, Enabled: true, Interactive: true, Model: "default", Titles: TitlesFirst, ClientInstructions: InstructionsIgnore, MaxSteps: defaultMaxSteps,
		Limits: g.Limits.Limits, Clarifications: g.Clarifications, Retention: g.Retention, AGUI: AGUI{AGUIAuto}, ClientTools: ClientToolsOff,
	}
	if g.FilesStore() != "" {
		a.MaxFile = g.Files.MaxBytes
	}
	return a
}

// appReader reads one app.
type appReader struct {
	app      *App
	gateway  *gatewayReader
	shared   *toolSet
	own      *toolSet
	listed   *listed
	taken    func(id string) bool // reports whether another file defines the app with that id
	redirect bool                 // an app of ihub-apps that only links to another site
}

func (r *appReader) read(n Value) {
	n.foreign(foreignAppKeys, func(m Member) bool {
		if m.Key == "type" && literal(m.v) != "chat" {
			m.Warn("%s is not an app to chat with; skipped", m.Raw())
			r.redirect = true
		}
		return true
	})
	a := r.app
	n.Read(r.keys())
	if a.Name.IsZero() {
		a.Name = NewText(a.ID)
	}
	if at := n.Key("preferredModel"); at.Given() && !n.Key("model").Given() {
		r.preferred(at)
	}
	if at := n.Key("tools"); at.Given() {
		r.tools(at)
	}
	r.unfilled(n)
	r.starters(n)
	r.memoryTools()
	r.demoTemplates()
	r.checkRoles(n.Key("access"))
}

func (r *appReader) keys() []Key {
	a := r.app
	var preferred *float64
	history := true
	return []Key{
		editors(),
		Free("id", "text", `"type": "string", "pattern": `+quoted(appID.String()), r.id, "the same as the file name: "+appIDRule).
			Must(fmt.Sprintf(`write "id": %q, like the file name`, a.ID)),
		Bool("enabled", &a.Enabled, "`false`: the file is checked, but the app is hidden"),
		Localised("name", &a.Name, 0, "shown to users").Unset("the id"),
		Localised("description", &a.Description, 0, "shown to users"),
		Localised("system", &a.System, 0, "the system prompt"),
		String("model", &a.Model, r.isModel, "a name in `models`"),
		later(Words("tools", &a.Tools, maxAppTools, nil, "exact ids of the tools that the model may call; no others are offered or run. Servers of type `mcp` may have more: a model is offered at most 128 tools, the app's other tools first, and a warning says that the rest are left out")),
		Localised("prompt", &a.Prompt, maxPrompt, "what the model reads instead of each message, see [prompt and variables](apps.md#prompt-and-variables)"),
		variablesKey(&a.Variables),
		starterPrompts(&a.StarterPrompts),
		Bool("interactive", &a.Interactive, "`false`: [no one answers](asking.md#where-no-one-answers) in this app. Tools that wait for a person are then not offered, and a warning says so"),
		Int("maxSteps", &a.MaxSteps, 1, maxStepsLimit, "how many model requests a turn may make"),
		Number("temperature", &a.Temperature, 0, 2, "how freely the model chooses its words: the sampling temperature").Unset("the server's default"),
		overrides("limits", a.Limits.ofApp),
		overrides("clarifications", a.Clarifications.keys),
		retention(&a.Retention, "how long a chat of this app is kept after its last change").Unset("the gateway's"),
		Object("access", func() []Key {
			return []Key{Words("roles", &a.Access.Roles, 100, isRole, "callers need one of these roles; empty: everyone may use the app. A role that no key has gives a warning")}
		}, ""),
		Object("aiSdk", func() []Key {
			return []Key{Bool("approvals", &a.AISDK.Approvals, "the app's AI SDK clients use `ai` 6 or later, so an approval is sent as one. Version 5 breaks on it; without this key it is sent as a question")}
		}, ""),
		Object("agUi", func() []Key {
			return []Key{Word("mode", &a.AGUI.Mode, "mode", []string{AGUIAuto, AGUITool, AGUIInterrupt}, "how a question is sent to AG-UI clients: `tool`, as a call of one of their tools; `interrupt`; `auto`, whichever their request shows that they support")}
		}, ""),
		Object("mcp", func() []Key {
			return []Key{
				Bool("elicit", &a.MCP.Elicit, "a client of the [MCP server](mcp-server.md#a-client-that-asks-its-own-user) asks its own user itself if it can; the answer counts as that of the key's subject"),
			}
		}, ""),
		Word("titles", &a.Titles, "way to name chats", []string{TitlesFirst, TitlesModel}, "what chats are [called in lists](apps.md#titles): `first`, the beginning of their first message; `model`, a summary by the app's model of the first exchange that it answered"),
		attachmentsKey(&a.Attachments, a.MaxFile),
		Word("clientInstructions", &a.ClientInstructions, "way to treat a client's instructions", []string{InstructionsIgnore, InstructionsAppend, InstructionsRefuse}, "what happens to the [instructions of a client's program](apps.md#instructions-of-clients)"),
		Word("clientTools", &a.ClientTools, "choice", []string{ClientToolsOff, ClientToolsOn}, "what happens to the [tools in a client's request](tools/client.md#tools-that-a-request-brings): `on`, the model is offered them and the client runs them; `off`, they are ignored"),
		Bool("memory", &a.Memory, "`true`: the model may [remember what a person says](memory.md#words-that-the-model-remembers) for later chats, with the tools `remember` and `forget`"),
		Bool("sendChatHistory", &history, "`false`: the model is sent each message without the turns before it, as in ihub-apps. The chat still shows them").
			Then(func(Value) { a.LastTurnOnly = !history }),
		later(String("preferredModel", new(string), nil, "the name of `model` in ihub-apps; if `models` does not have it, the default model is used")),
		Number("preferredTemperature", &preferred, 0, 2, "the name of `temperature` in ihub-apps").Then(func(Value) {
			if a.Temperature == nil {
				a.Temperature = preferred
			}
		}),
	}
}

// overrides is an object that overrides that of the gateway, key by key, with the same table of keys.
func overrides(name string, keys func() []Key) Key {
	k := Object(name, keys, "overrides the [gateway's](#"+name+"), key by key").elsewhere()
	read := k.read
	k.read = func(n Value) {
		n.path = "gateway.json " + name
		read(n)
	}
	return k
}

func (r *appReader) id(n Value) {
	id := r.app.ID
	text, ok := n.Text()
	switch {
	case !ok:
	case !appID.MatchString(text):
		n.Fault("%s is not a valid app id; %s", n.Raw(), appIDRule)
	case text != id && n.s.ihub && !r.taken(text):
		r.app.ID = text // ihub-apps allows any file name
	case text != id && n.s.ihub:
		n.Fault("another app has the id %s; choose a different one", n.Raw())
	case text != id:
		n.Fault("id %s does not match the file name; write %q, or rename the file", n.Raw(), id)
	}
}

// isModel reports a fault unless the text is the name of a model. If gateway.json cannot be read, it
// accepts any name.
func (r *appReader) isModel(n Value, text string) bool {
	if _, known := r.gateway.conf.Models[text]; !known && r.gateway.ok {
		n.Fault("model %s is not defined in gateway.json; %s", n.Raw(), Suggest(text, slices.Collect(maps.Keys(r.gateway.conf.Models))))
	}
	return true
}

// preferred sets the model of an ihub-apps app. If it is not configured here, the default model is
// used.
func (r *appReader) preferred(n Value) {
	text, ok := n.Text()
	if _, known := r.gateway.conf.Models[text]; known {
		r.app.Model = text
	} else if ok {
		n.Warn("model %s is not defined in gateway.json, so the default model is used; add it there to change that", n.Raw())
	}
}

// tool returns the tool that the app has under an id, or nil.
func (r *appReader) tool(id string) *Tool {
	if t := find(r.own.byID, id); t != nil {
		return t
	}
	return find(r.shared.byID, id)
}

// tools reads the app's list of tools.
func (r *appReader) tools(n Value) {
	a, own, shared := r.app, r.own, r.shared
	ids := make([]string, 0, len(own.byID)+len(shared.byID))
	for id := range shared.byID {
		ids = append(ids, id)
	}
	for id := range own.byID {
		ids = append(ids, id)
	}
	n.Words(&a.Tools, maxAppTools, func(n Value, id string) bool {
		t := r.tool(id)
		r.listed.use(own, shared, id)
		switch {
		case t != nil && !a.Memory && t.Type == TypeBuiltin && slices.Contains(MemoryTools, id):
			n.Fault(`tool %s requires "memory": true; set that in the app, which adds the tool, or remove it here`, n.Raw())
		case t != nil && t.kind.Demo && !r.gateway.conf.demo(a):
			return false
		case t != nil:
			approval := t.ApprovalOf(id)
			if waits := t.RequiresUserInput || approval != nil && !approval.MayAllow(); waits && !a.Interactive {
				n.Warn(`tool %s waits for a person, but "interactive" is false, so it is never offered; remove one of the two`, n.Raw())
			}
			if members := t.members(); id != t.ID && members != nil && !slices.Contains(members, id) {
				n.Warn("tool %s is not among the tools of %q, so it is never offered; correct it, or remove it (%s)", n.Raw(), t.ID, Suggest(id, members))
			}
			a.late(n, t, id)
			return true
		case n.p.dir == "": // the built-in apps work without the tools that this program does not have
		case own.skipped[id] || shared.skipped[id]:
			n.Warn("tool %s was skipped, so the app runs without it", n.Raw())
		case n.s.ihub:
			n.Warn("tool %s is not defined here, so the app runs without it%s", n.Raw(), near(id, ids))
		case own.known && shared.known:
			n.Fault("tool %s is not defined; add it to tools.json (%s)", n.Raw(), Suggest(id, ids))
		}
		return false
	})
	offered := 0
	for _, id := range a.Tools {
		t := r.tool(id)
		if t != nil && t.ID == id {
			offered += max(1, len(t.members()))
		} else {
			offered++
		}
	}
	if offered > tools.MaxDefinitions {
		n.Warn("%d tools are too many: models accept %d, so the last tools of entries that stand for several are left out; list fewer", offered, tools.MaxDefinitions)
	}
}

// checkRoles warns about roles in "access" that no caller can have. It is not a fault: an admin may
// close an app to everyone for a while.
func (r *appReader) checkRoles(n Value) {
	roles := r.app.Access.Roles
	if len(roles) == 0 || !r.gateway.judged() {
		return
	}
	if why := r.gateway.roleless(); why != "" {
		n.Key("roles").Warn("callers have no roles, so no one may use this app; %s", why)
		return
	}
	items, _ := n.items("roles")
	for _, item := range items {
		if why := r.gateway.conf.Auth.unheld(literal(item.v)); why != "" && slices.Contains(roles, literal(item.v)) {
			item.Warn("%s", why)
		}
	}
}

// demoTemplates removes the templates whose options come from a demo tool from apps in which another
// model than the demo model answers.
func (r *appReader) demoTemplates() {
	own := r.own
	if r.gateway.conf.demo(r.app) {
		return
	}
	merged := maps.Clone(r.shared.byID)
	maps.Copy(merged, own.byID)
	for id, t := range merged {
		kept := maps.Clone(t.Templates)
		maps.DeleteFunc(kept, func(_ string, of *Template) bool {
			if of.From == nil {
				return false
			}
			from := find(merged, of.From.Tool)
			return from != nil && from.kind.Demo
		})
		if len(kept) == len(t.Templates) {
			continue
		}
		without := *t
		without.Templates = kept
		if own.byID == nil {
			own.byID = map[string]*Tool{}
		}
		own.byID[id] = &without
	}
}

// memoryTools adds the tools of "memory" to an app that has it.
func (r *appReader) memoryTools() {
	for _, id := range MemoryTools {
		if r.app.Memory && !slices.Contains(r.app.Tools, id) && r.tool(id) != nil {
			r.app.Tools = append(r.app.Tools, id)
		}
	}
}
