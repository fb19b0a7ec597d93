package config

import (
	"cmp"
	"slices"

	"github.com/askgate/askgate/tools"
)

const (
	maxAppTools       = tools.MaxDefinitions
	maxStarterPrompts = 50
	maxStepsLimit     = 100
)

func (l *loader) readApp(files appFiles) {
	own := toolSet{known: true}
	if files.tools != "" {
		own = l.readTools(files.tools, l.shared.byID)
	}
	if l.opts.Dir == "" && len(own.skipped) > 0 { // a built-in app is about its own tools
		return
	}
	if files.app == "" {
		l.loose = append(l.loose, whole(l.shown(files.tools), "there is no app "+files.id+"; add apps/"+files.id+".json, or remove this folder"))
		return
	}
	s, ok := l.open(files.app)
	if !ok {
		return
	}
	app, chat := l.app(Node{l: l, s: s, v: &s.root}, files.id, &own)
	if s.leftOut("the app") || !chat {
		return
	}
	if own.byID != nil {
		l.snapshot.own[app.ID] = own.byID
	}
	if !app.Enabled {
		l.snapshot.disabled = append(l.snapshot.disabled, app)
		return
	}
	l.snapshot.byID[app.ID] = app
	l.snapshot.apps = append(l.snapshot.apps, app)
}

// app reads one app. Chat is false for ihub-apps' links to other sites.
func (l *loader) app(n Node, id string, own *toolSet) (a *App, chat bool) {
	a = &App{ID: id, Enabled: true, Interactive: true, Model: "default", Titles: TitlesFirst, ClientInstructions: InstructionsIgnore, MaxSteps: defaultMaxSteps,
		Limits: l.gateway.Limits.Limits, Clarifications: l.gateway.Clarifications, Retention: l.gateway.Retention, AGUI: AGUI{AGUIAuto}, ClientTools: ClientToolsOff}
	if l.gateway.FilesStore() != "" {
		a.MaxFile = l.gateway.Files.MaxBytes
	}
	chat = true
	foreign := foreignKeys{known: foreignAppKeys}
	var idAt, modelAt, preferredModel, preferredTemperature, toolsAt, rolesAt, mcpTool Node
	ok := n.Object(Keys{
		"$schema": func(n Node) { n.Text() },
		"id": func(n Node) {
			idAt = n
			text, ok := n.Text()
			switch {
			case !ok:
			case !appID.MatchString(text):
				n.Fault("%s is no id for an app; %s", n.Raw(), appIDRule)
			case text != id && n.s.ihub && !l.taken(text):
				a.ID = text // there, the file may be called anything
			case text != id && n.s.ihub:
				n.Fault("another app has the id %s; give this one its own", n.Raw())
			case text != id:
				n.Fault("the id %s does not fit the file's name; write %q, or rename the file", n.Raw(), id)
			}
		},
		"enabled":     func(n Node) { n.Boolean(&a.Enabled) },
		"name":        func(n Node) { n.Localised(&a.Name) },
		"description": func(n Node) { n.Localised(&a.Description) },
		"system":      func(n Node) { n.Localised(&a.System) },
		"model":       func(n Node) { modelAt = n },
		"tools":       func(n Node) { toolsAt = n },
		"starterPrompts": func(n Node) {
			items, _ := n.List()
			if len(items) > maxStarterPrompts {
				items[maxStarterPrompts].Fault("too many; at most %d are allowed here", maxStarterPrompts)
				items = items[:maxStarterPrompts]
			}
			for _, item := range items {
				if t := item.starterPrompt(); !t.IsZero() {
					a.StarterPrompts = append(a.StarterPrompts, t)
				}
			}
		},
		"interactive":    func(n Node) { n.Boolean(&a.Interactive) },
		"maxSteps":       func(n Node) { n.Integer(&a.MaxSteps, 1, maxStepsLimit) },
		"temperature":    func(n Node) { n.number(&a.Temperature, 0, 2) },
		"limits":         func(n Node) { n.appLimits(&a.Limits) },
		"clarifications": func(n Node) { n.clarifications(&a.Clarifications) },
		// It is about turns as much as about questions: it may stand here too.
		"onMessageWhileRunning": a.Clarifications.whileRunning,
		"retention":             func(n Node) { n.retention(&a.Retention) },
		"access": func(n Node) {
			n.Object(Keys{"roles": func(n Node) {
				rolesAt = n
				n.Words(&a.Access.Roles, 100, Node.role)
			}}, nil)
		},
		"aiSdk": func(n Node) {
			n.Object(Keys{"approvals": func(n Node) { n.Boolean(&a.AISDK.Approvals) }}, nil)
		},
		"agUi": func(n Node) {
			n.Object(Keys{"mode": func(n Node) { n.OneOf(&a.AGUI.Mode, "mode", AGUIAuto, AGUITool, AGUIInterrupt) }}, nil)
		},
		"mcp": func(n Node) {
			n.Object(Keys{"elicit": func(n Node) { n.Boolean(&a.MCP.Elicit) }, "tool": func(n Node) { mcpTool = n }}, nil)
		},
		"titles":      func(n Node) { n.OneOf(&a.Titles, "way to name chats", TitlesFirst, TitlesModel) },
		"attachments": func(n Node) { n.attachments(&a.Attachments, a.MaxFile) },
		"clientInstructions": func(n Node) {
			n.OneOf(&a.ClientInstructions, "way to treat a client's instructions", InstructionsIgnore, InstructionsAppend, InstructionsRefuse)
		},
		"clientTools":          func(n Node) { n.OneOf(&a.ClientTools, "choice", ClientToolsOff, ClientToolsOn) },
		"memory":               func(n Node) { n.Boolean(&a.Memory) },
		"prompt":               func(n Node) { n.prompt(&a.Prompt) },
		"variables":            func(n Node) { n.variables(&a.Variables) },
		"preferredModel":       func(n Node) { preferredModel = n },
		"preferredTemperature": func(n Node) { preferredTemperature = n },
	}, func(m Member) bool {
		if m.Key == "type" && literal(m.v) != "chat" {
			m.Warn("%s is no app to chat with; skipped", m.Raw())
			chat = false
		}
		return foreign.take(m)
	})
	foreign.warn()
	if ok && idAt.v == nil {
		n.Fault(`"id" is missing; write "id": %q, like the file's name`, id)
	}
	if a.Name.IsZero() {
		a.Name = NewText(a.ID)
	}
	if preferredTemperature.v != nil && a.Temperature == nil {
		preferredTemperature.number(&a.Temperature, 0, 2)
	}
	l.appModel(a, modelAt, preferredModel)
	if toolsAt.v != nil {
		l.appTools(a, toolsAt, *own)
	}
	l.memoryTools(a, *own)
	l.demoTemplates(a, own)
	if mcpTool.v != nil {
		l.mcpTool(a, mcpTool, *own)
	}
	if rolesAt.v != nil {
		l.checkRoles(a, rolesAt)
	}
	return a, chat
}

// taken says that another file is, or has already given, the app of that id.
func (l *loader) taken(id string) bool {
	named := slices.ContainsFunc(l.found, func(a appFiles) bool { return a.id == id && a.app != "" })
	return named || l.snapshot.byID[id] != nil || slices.ContainsFunc(l.snapshot.disabled, func(a *App) bool { return a.ID == id })
}

// appModel finds the app's model. One of ihub-apps' that is not configured
// here is the default one.
func (l *loader) appModel(a *App, model, preferred Node) {
	names := make([]string, 0, len(l.gateway.Models))
	for name := range l.gateway.Models {
		names = append(names, name)
	}
	switch {
	case model.v != nil:
		text, ok := model.Text()
		if _, known := l.gateway.Models[text]; ok && !known && l.gatewayOK {
			model.Fault("%s is no model of gateway.json; %s", model.Raw(), Mend(text, names))
		}
		a.Model = text
	case preferred.v != nil:
		text, ok := preferred.Text()
		if _, known := l.gateway.Models[text]; known {
			a.Model = text
		} else if ok {
			preferred.Warn("%s is no model of gateway.json: the default model is used; add it there to change that", preferred.Raw())
		}
	}
}

func (l *loader) appTools(a *App, n Node, own toolSet) {
	ids := make([]string, 0, len(own.byID)+len(l.shared.byID))
	for id := range l.shared.byID {
		ids = append(ids, id)
	}
	for id := range own.byID {
		ids = append(ids, id)
	}
	n.Words(&a.Tools, maxAppTools, func(n Node, id string) bool {
		t := find(own.byID, id)
		if t == nil {
			t = find(l.shared.byID, id)
		}
		switch {
		case t != nil && !a.Memory && t.Type == TypeBuiltin && slices.Contains(MemoryTools, id):
			n.Fault(`the tool %s keeps words of people; write "memory": true in the app, which adds it, or remove it here`, n.Raw())
		case t != nil && t.kind.Demo && !l.gateway.demo(a):
			return false
		case t != nil:
			if !a.Interactive && (t.RequiresUserInput || t.NeedsApproval) {
				n.Warn(`the tool %s waits for a person, and "interactive" is false: it is never offered; remove one of the two`, n.Raw())
			}
			return true
		case l.opts.Dir == "": // the built-in apps do without what the program does not have
		case own.skipped[id] || l.shared.skipped[id]:
			n.Warn("the tool %s was skipped: the app does without it", n.Raw())
		case n.s.ihub:
			n.Warn("%s is no tool here: the app does without it", n.Raw())
		case own.known && l.shared.known:
			n.Fault("%s is no tool; add it to tools.json, or: %s", n.Raw(), Mend(id, ids))
		}
		return false
	})
	offered := 0
	for _, id := range a.Tools {
		t := cmp.Or(find(own.byID, id), find(l.shared.byID, id))
		if t != nil && t.ID == id && t.kind.Members != nil {
			offered += max(1, t.kind.Members(t))
		} else {
			offered++
		}
	}
	if offered > tools.MaxDefinitions {
		n.Warn("these are %d tools, and models take %d: the last ones of those that stand for several are left out; list fewer", offered, tools.MaxDefinitions)
	}
}

// checkRoles warns of a role that nobody can have. It is no fault: closing an
// app to everybody for a while is legitimate.
func (l *loader) checkRoles(a *App, n Node) {
	if len(a.Access.Roles) == 0 || !l.gatewayOK || !l.authOK {
		return
	}
	auth := &l.gateway.Auth
	switch {
	case auth.Mode == AuthNone:
		n.Warn(`callers have no roles while auth.mode is "none": nobody may use this app; set up API keys in gateway.json`)
	case auth.Mode == AuthJWT && auth.JWT.Claims.Roles == "":
		n.Warn(`callers have no roles: nobody may use this app; name the claim that holds them in auth.jwt.claims.roles of gateway.json`)
	case auth.Mode == AuthProxy && auth.Proxy.Headers.Roles == "":
		n.Warn(`callers have no roles: nobody may use this app; name the header that holds them in auth.proxy.headers.roles of gateway.json`)
	case auth.Mode == AuthAPIKeys:
		var known []string
		for _, k := range auth.Keys {
			known = append(known, k.Roles...)
		}
		slices.Sort(known)
		known = slices.Compact(known)
		for _, role := range a.Access.Roles {
			if !slices.Contains(known, role) {
				n.Warn("no API key has the role %q; %s", role, Mend(role, known))
			}
		}
	}
}
