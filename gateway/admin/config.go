package admin

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/host"
	"github.com/askgate/askgate/tools"
)

// These types are the configuration as an admin sees it. Each lists its fields, so that a new field
// of config, which may be a secret, is not published by accident.

type configReply struct {
	LoadedAt *chat.Time  `json:"loadedAt"`
	Auth     string      `json:"auth"`
	Audit    auditItem   `json:"audit"`
	Models   []modelItem `json:"models"`
	Apps     []adminApp  `json:"apps"`
	Tools    []adminTool `json:"tools"`
	Warnings []faultItem `json:"warnings"`
	Version  string      `json:"version"`
}

type auditItem struct {
	Enabled bool       `json:"enabled"`
	Texts   bool       `json:"texts"`
	Head    *auditHead `json:"head"` // the newest record; null: none has a hash
}

type auditHead struct {
	ID   int64  `json:"id"`
	Hash string `json:"hash"`
}

type modelItem struct {
	Name        string          `json:"name"`
	Provider    string          `json:"provider"`
	BaseURL     string          `json:"baseUrl"`
	Model       string          `json:"model"`
	Timeout     config.Duration `json:"timeout"`
	StepTimeout config.Duration `json:"stepTimeout"`
	MaxRetries  int             `json:"maxRetries"`
	MaxTokens   int             `json:"maxTokens"`     // of one answer; 0: the provider's default
	Fallbacks   []string        `json:"fallbacks"`     // all models that are tried after it, in this order
	Context     int             `json:"contextTokens"` // of a request and its answer; 0: as many as the server accepts

	API         string           `json:"api"` // of provider openai; "" for others
	Temperature *float64         `json:"temperature"`
	Reasoning   config.Reasoning `json:"reasoning"`
	Cache       bool             `json:"cache"`
	Images      bool             `json:"images"`
	PDF         bool             `json:"pdf"`
	Prices      *config.Prices   `json:"prices"`
	// For what is added to each request, only the names are shown: values may be secrets.
	Headers []string `json:"headers"`
	Body    []string `json:"body"`
}

func newModelItem(snap *config.Snapshot, name string) modelItem {
	m := snap.Gateway.Models[name]
	return modelItem{
		Name: name, Provider: m.Provider, BaseURL: m.BaseURL, Model: m.Model, Timeout: m.Timeout, StepTimeout: 10 * m.Timeout,
		MaxRetries: m.MaxRetries, MaxTokens: m.MaxTokens, Fallbacks: listed(snap.Fallbacks(name)), Context: m.ContextTokens,
		API: m.API, Temperature: m.Temperature, Reasoning: m.Reasoning, Cache: m.Cache, Images: m.Images, PDF: m.PDF, Prices: m.Prices,
		Headers: listed(slices.Sorted(maps.Keys(m.Headers))), Body: listed(slices.Sorted(maps.Keys(m.Body))),
	}
}

type adminApp struct {
	ID             string                `json:"id"`
	Name           string                `json:"name"`
	Description    string                `json:"description"`
	Enabled        bool                  `json:"enabled"`
	Model          string                `json:"model"`
	Tools          []string              `json:"tools"`
	Interactive    bool                  `json:"interactive"`
	MaxSteps       int                   `json:"maxSteps"`
	Temperature    *float64              `json:"temperature"`
	Limits         config.Limits         `json:"limits"`
	Clarifications config.Clarifications `json:"clarifications"`
	Retention      config.Duration       `json:"retention"`
	Roles          []string              `json:"roles"`
	Languages      []string              `json:"languages"`
}

type adminTool struct {
	ID                string `json:"id"`
	App               string `json:"app,omitempty"` // whose own tool it is; "": shared
	Type              string `json:"type"`
	Name              string `json:"name"`
	RequiresUserInput bool   `json:"requiresUserInput"`
	NeedsApproval     bool   `json:"needsApproval"`
	// Approval is what decides about its calls; omitted if nothing does.
	Approval *adminApproval `json:"approval,omitempty"`
	Editable bool           `json:"editable,omitempty"`
	Respond  bool           `json:"respond,omitempty"`
	// These say where it sends requests: not the path or the query, which may contain tokens, and
	// the names of headers and fixed members of the body, not their values.
	Method  string          `json:"method,omitempty"`
	Server  string          `json:"server,omitempty"`
	Headers []string        `json:"headers,omitempty"`
	Body    []string        `json:"body,omitempty"`
	Timeout config.Duration `json:"timeout,omitempty"`
	// AllowPrivate means that the server's name may resolve to private addresses.
	AllowPrivate bool `json:"allowPrivate,omitempty"`
	// State describes in words the present state of what the tool holds.
	State string   `json:"state,omitempty"`
	Apps  []string `json:"apps"` // that list it
}

type faultItem struct {
	File    string `json:"file"`
	Line    int    `json:"line"`   // from 1; 0: not a file, but a flag or a variable
	Column  int    `json:"column"` // from 1, in code points
	Message string `json:"message"`
}

func faultItems(faults []config.Fault) []faultItem {
	items := make([]faultItem, len(faults))
	for i, f := range faults {
		items[i] = faultItem{f.File, f.Line, f.Col, f.Message}
	}
	return items
}

// Faults reports the result of the last reload.
func (h Admin) Faults(r *host.Request) error {
	var last config.Reload
	if h.LastReload != nil {
		last = h.LastReload()
	}
	return r.JSON(struct {
		At       *chat.Time  `json:"at"`
		LoadedAt *chat.Time  `json:"loadedAt"`
		Items    []faultItem `json:"items"`
	}{host.OptionalTime(last.At), host.OptionalTime(last.Loaded), faultItems(last.Faults)})
}

// Config reports the current configuration.
func (h Admin) Config(r *host.Request) error {
	lang, snap := r.Language(), r.Setup().Config
	reply := configReply{
		Auth: snap.Gateway.Auth.Mode, Audit: auditItem{Enabled: snap.Gateway.Audit.Enabled, Texts: snap.Gateway.Audit.Texts},
		Models: []modelItem{}, Apps: []adminApp{}, Tools: []adminTool{}, Warnings: faultItems(snap.Warnings), Version: r.Host.Version,
	}
	if head, err := r.Host.Store.AuditHead(r.Context()); err == nil && head.Hash != "" { // the rest is shown without the store
		reply.Audit.Head = &auditHead{head.ID, head.Hash}
	}
	if h.LastReload != nil {
		reply.LoadedAt = host.OptionalTime(h.LastReload().Loaded)
	}
	for _, name := range slices.Sorted(maps.Keys(snap.Gateway.Models)) {
		reply.Models = append(reply.Models, newModelItem(snap, name))
	}
	apps := append(snap.Apps(), snap.Disabled()...)
	slices.SortFunc(apps, func(a, b *config.App) int { return strings.Compare(a.ID, b.ID) })
	for _, app := range apps {
		reply.Apps = append(reply.Apps, newAdminApp(snap, app, lang))
	}
	for _, t := range snap.Tools() {
		reply.Tools = append(reply.Tools, newAdminTool(snap, t, "", lang))
	}
	for _, app := range apps {
		for _, t := range snap.OwnTools(app.ID) {
			reply.Tools = append(reply.Tools, newAdminTool(snap, t, app.ID, lang))
		}
	}
	for _, app := range snap.Apps() {
		if c := r.Setup().Catalog; c != nil && c.LeftOut(app.ID) > 0 {
			reply.Warnings = append(reply.Warnings, faultItem{
				File: "apps/" + app.ID + ".json", Line: 1, Column: 1,
				Message: fmt.Sprintf("%d tools are not offered: models take %d; list fewer", c.LeftOut(app.ID), tools.MaxDefinitions),
			})
		}
	}
	host.Localised(r, lang)
	return r.JSON(reply)
}

func newAdminApp(snap *config.Snapshot, app *config.App, lang string) adminApp {
	return adminApp{
		ID: app.ID, Name: cmp.Or(app.Name.In(lang), app.ID), Description: app.Description.In(lang), Enabled: app.Enabled,
		Model: app.Model, Tools: listed(app.Tools), Interactive: app.Interactive, MaxSteps: app.MaxSteps, Temperature: app.Temperature, Limits: app.Limits,
		Clarifications: app.Clarifications, Retention: app.Retention,
		Roles: listed(app.Access.Roles), Languages: languagesOf(snap, app),
	}
}

// listed returns items, but never null.
func listed(items []string) []string {
	if items == nil {
		return []string{}
	}
	return items
}

// languagesOf returns the languages in which an admin gave the app's texts or its tools'.
func languagesOf(snap *config.Snapshot, app *config.App) []string {
	tags := []string{}
	for _, text := range []config.Text{app.System, app.Name, app.Description} {
		tags = append(tags, text.Languages()...)
	}
	for _, id := range app.Tools {
		if t, ok := snap.Tool(app.ID, id); ok {
			tags = append(tags, t.Description.Languages()...)
		}
	}
	slices.Sort(tags)
	return slices.Compact(tags)
}

func newAdminTool(snap *config.Snapshot, t *config.Tool, app, lang string) adminTool {
	item := adminTool{
		ID: t.ID, App: app, Type: t.Type, Name: t.Name.In(lang), RequiresUserInput: t.RequiresUserInput, NeedsApproval: t.Approval != nil,
		Approval: newAdminApproval(t.Approval, lang), Editable: t.Editable, Respond: t.Respond, Apps: usersOf(snap, t),
	}
	shown := t.Shown()
	item.Method, item.Server, item.Headers, item.Body = shown.Method, shown.Server, shown.Headers, shown.Body
	item.Timeout, item.AllowPrivate, item.State = shown.Timeout, shown.AllowPrivate, shown.State
	return item
}

// usersOf returns the apps in use that list this tool. Listing one of several tools of an entry
// counts as listing the entry.
func usersOf(snap *config.Snapshot, t *config.Tool) []string {
	users := []string{}
	for _, app := range snap.Apps() {
		if slices.ContainsFunc(app.Tools, func(id string) bool {
			found, ok := snap.Tool(app.ID, id)
			return ok && found == t
		}) {
			users = append(users, app.ID)
		}
	}
	return users
}

type definitionItem struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"`
}

// Tools reports the tool definitions that an app's model gets, in a language.
func (h Admin) Tools(r *host.Request) error {
	id, lang := r.QueryOr("app", ""), r.Language()
	if id == "" {
		return host.Invalid("query", "app")
	}
	if tag, ok := r.Query("language"); ok {
		if _, ok := host.ParseTag(tag); !ok {
			return host.Invalid("query", "language")
		}
		lang = tag
	}
	if _, ok := r.Setup().Config.App(id); !ok || h.Definitions == nil {
		return host.NoApp(id, r.Setup().Config.Apps())
	}
	items := []definitionItem{}
	for _, d := range h.Definitions(r.Setup(), id, lang) {
		items = append(items, definitionItem{d.Name, d.Description, d.Parameters})
	}
	return r.JSON(struct {
		App      string           `json:"app"`
		Language string           `json:"language"`
		Items    []definitionItem `json:"items"`
	}{id, lang, items})
}
