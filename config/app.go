package config

import (
	"slices"
)

const (
	maxAppTools       = 128 // OpenAI's limit of tools in one request
	maxStarterPrompts = 50
	maxStepsLimit     = 100
)

func (l *loader) readApp(files appFiles) {
	own := toolSet{sound: true}
	if files.tools != "" {
		own = l.readTools(files.tools, l.shared.byID)
	}
	if files.app == "" {
		l.loose = append(l.loose, whole(l.shown(files.tools), "there is no app "+files.id+"; add apps/"+files.id+".json, or remove this folder"))
		return
	}
	s, ok := l.open(files.app)
	if !ok {
		return
	}
	app, chat := l.app(node{l: l, s: s, v: &s.root}, files.id, own)
	if !chat {
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
func (l *loader) app(n node, id string, own toolSet) (a *App, chat bool) {
	a = &App{ID: id, Enabled: true, Model: "default", MaxSteps: defaultMaxSteps,
		Limits: l.gateway.Limits.Limits, Clarifications: l.gateway.Clarifications, Retention: l.gateway.Retention}
	chat = true
	foreign := foreignKeys{known: foreignAppKeys}
	var idAt, modelAt, preferredModel, preferredTemperature, toolsAt, rolesAt node
	ok := n.object(keys{
		"$schema": func(n node) { n.text() },
		"id": func(n node) {
			idAt = n
			text, ok := n.text()
			switch {
			case !ok:
			case !appID.MatchString(text):
				n.fault("%s is no id for an app; %s", n.raw(), appIDRule)
			case text != id:
				n.fault("the id %s does not fit the file's name; write %q, or rename the file", n.raw(), id)
			}
		},
		"enabled":     func(n node) { n.boolean(&a.Enabled) },
		"name":        func(n node) { n.localised(&a.Name) },
		"description": func(n node) { n.localised(&a.Description) },
		"system":      func(n node) { n.localised(&a.System) },
		"model":       func(n node) { modelAt = n },
		"tools":       func(n node) { toolsAt = n },
		"starterPrompts": func(n node) {
			items, _ := n.list()
			if len(items) > maxStarterPrompts {
				items[maxStarterPrompts].fault("too many; at most %d are allowed here", maxStarterPrompts)
				items = items[:maxStarterPrompts]
			}
			for _, item := range items {
				if t := item.starterPrompt(); !t.IsZero() {
					a.StarterPrompts = append(a.StarterPrompts, t)
				}
			}
		},
		"maxSteps":       func(n node) { n.integer(&a.MaxSteps, 1, maxStepsLimit) },
		"temperature":    func(n node) { n.number(&a.Temperature, 0, 2) },
		"limits":         func(n node) { n.appLimits(&a.Limits) },
		"clarifications": func(n node) { n.clarifications(&a.Clarifications) },
		// It is about turns as much as about questions: it may stand here too.
		"onMessageWhileRunning": a.Clarifications.whileRunning,
		"retention":             func(n node) { n.retention(&a.Retention) },
		"access": func(n node) {
			n.object(keys{"roles": func(n node) {
				rolesAt = n
				n.words(&a.Access.Roles, 100, node.role)
			}}, nil)
		},
		"preferredModel":       func(n node) { preferredModel = n },
		"preferredTemperature": func(n node) { preferredTemperature = n },
	}, func(m member) bool {
		if m.key == "type" && literal(m.v) != "chat" {
			m.warn("%s is no app to chat with; skipped", m.raw())
			chat = false
		}
		return foreign.take(m)
	})
	foreign.warn()
	if ok && idAt.v == nil {
		n.fault(`"id" is missing; write "id": %q, like the file's name`, id)
	}
	if a.Name.IsZero() {
		a.Name = NewText(id)
	}
	if preferredTemperature.v != nil && a.Temperature == nil {
		preferredTemperature.number(&a.Temperature, 0, 2)
	}
	l.appModel(a, modelAt, preferredModel)
	if toolsAt.v != nil {
		l.appTools(a, toolsAt, own)
	}
	if rolesAt.v != nil {
		l.checkRoles(a, rolesAt)
	}
	return a, chat
}

// appModel finds the app's model. One of ihub-apps' that is not configured
// here is the default one.
func (l *loader) appModel(a *App, model, preferred node) {
	names := make([]string, 0, len(l.gateway.Models))
	for name := range l.gateway.Models {
		names = append(names, name)
	}
	switch {
	case model.v != nil:
		text, ok := model.text()
		if _, known := l.gateway.Models[text]; ok && !known && l.gatewayOK {
			model.fault("%s is no model of gateway.json; %s", model.raw(), mend(text, names))
		}
		a.Model = text
	case preferred.v != nil:
		text, ok := preferred.text()
		if _, known := l.gateway.Models[text]; known {
			a.Model = text
		} else if ok {
			preferred.warn("%s is no model of gateway.json: the default model is used; add it there to change that", preferred.raw())
		}
	}
}

func (l *loader) appTools(a *App, n node, own toolSet) {
	ids := make([]string, 0, len(own.byID)+len(l.shared.byID))
	for id := range l.shared.byID {
		ids = append(ids, id)
	}
	for id := range own.byID {
		ids = append(ids, id)
	}
	n.words(&a.Tools, maxAppTools, func(n node, id string) bool {
		t := find(own.byID, id)
		if t == nil {
			t = find(l.shared.byID, id)
		}
		switch {
		case t != nil:
			return true
		case own.skipped[id] || l.shared.skipped[id]:
			n.warn("the tool %s was skipped: the app does without it", n.raw())
		case own.sound && l.shared.sound:
			n.fault("%s is no tool; add it to tools.json, or: %s", n.raw(), mend(id, ids))
		}
		return false
	})
}

// checkRoles warns of a role that nobody can have. It is no fault: closing an
// app to everybody for a while is legitimate.
func (l *loader) checkRoles(a *App, n node) {
	if len(a.Access.Roles) == 0 || !l.gatewayOK || !l.authOK {
		return
	}
	auth := &l.gateway.Auth
	switch {
	case auth.Mode == AuthNone:
		n.warn(`callers have no roles while auth.mode is "none": nobody may use this app; set up API keys in gateway.json`)
	case auth.Mode == AuthJWT && auth.JWT.Claims.Roles == "":
		n.warn(`callers have no roles: nobody may use this app; name the claim that holds them in auth.jwt.claims.roles of gateway.json`)
	case auth.Mode == AuthProxy && auth.Proxy.Headers.Roles == "":
		n.warn(`callers have no roles: nobody may use this app; name the header that holds them in auth.proxy.headers.roles of gateway.json`)
	case auth.Mode == AuthAPIKeys:
		var known []string
		for _, k := range auth.Keys {
			known = append(known, k.Roles...)
		}
		slices.Sort(known)
		known = slices.Compact(known)
		for _, role := range a.Access.Roles {
			if !slices.Contains(known, role) {
				n.warn("no API key has the role %q; %s", role, mend(role, known))
			}
		}
	}
}
