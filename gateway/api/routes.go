package api

import (
	"net/http"

	"github.com/askgate/askgate/gateway/admin"
	"github.com/askgate/askgate/gateway/channels/slack"
	"github.com/askgate/askgate/gateway/client/hook"
	"github.com/askgate/askgate/gateway/doctor"
	"github.com/askgate/askgate/gateway/host"
	"github.com/askgate/askgate/gateway/native"
	"github.com/askgate/askgate/gateway/notify"
)

const (
	get    = http.MethodGet
	post   = http.MethodPost
	put    = http.MethodPut
	patch  = http.MethodPatch
	remove = http.MethodDelete
)

// nativeRoutes returns the routes of the gateway's own protocol.
func nativeRoutes(o *Options) []host.Route {
	var (
		chats   = native.Chats{Engine: o.Engine}
		asked   = native.Clarifications{Engine: o.Engine}
		files   = native.Files{Engine: o.Engine}
		queued  = native.Queued{Engine: o.Engine}
		links   = native.NewLinks(o.Answer)
		pressed = slack.Presses{Address: o.KeptAddress}
		memory  native.Memory
		said    native.Messages
	)
	const (
		app  = "/v1/apps/:app"
		chat = app + "/chats/:chatId"
		one  = "/v1/clarifications/:clarificationId"
	)
	return []host.Route{
		{Method: get, Path: "/v1/apps", Serve: native.ListApps, In: (*host.Request).SignIn},
		{Method: get, Path: app, Serve: native.ShowApp, In: (*host.Request).InApp},
		{Method: get, Path: app + "/documents/:tool", Serve: native.SearchDocuments, In: (*host.Request).InApp, OwnPages: true},
		{Method: get, Path: app + "/documents/:tool/:id", Serve: native.Passage, In: (*host.Request).InApp, OwnPages: true},
		{Method: post, Path: app + "/clarifications", Serve: native.Ask, In: (*host.Request).InApp},
		{Method: get, Path: app + "/chats", Serve: chats.List, In: (*host.Request).InApp},
		{Method: get, Path: chat, Serve: chats.Snapshot, In: (*host.Request).InChat, OwnPages: true},
		{Method: patch, Path: chat, Serve: chats.Rename, In: (*host.Request).InChat},
		{Method: remove, Path: chat, Serve: chats.Delete, In: (*host.Request).InChat},
		{Method: get, Path: chat + "/events", Serve: chats.Events, In: (*host.Request).InChat, OwnPages: true, NoHead: true},
		{Method: post, Path: chat + "/messages", Serve: said.Say, In: (*host.Request).InChat},
		{Method: post, Path: chat + "/resume", Serve: said.Resume, In: (*host.Request).InChat},
		{Method: post, Path: chat + "/fork", Serve: said.Fork, In: (*host.Request).InChat},
		{Method: post, Path: chat + "/stop", Serve: chats.Stop, In: (*host.Request).InChat, Counts: host.ScopeStops},
		{Method: remove, Path: chat + "/queued/:messageId", Serve: queued.TakeBack, In: (*host.Request).InChat, Counts: host.ScopeChanges},
		{Method: post, Path: chat + "/queued/:messageId/send", Serve: queued.SendNow, In: (*host.Request).InChat, Counts: host.ScopeStops},
		{Method: remove, Path: chat + "/approvals/:tool", Serve: chats.Revoke, In: (*host.Request).InChat, Counts: host.ScopeStops},
		{Method: get, Path: chat + "/clarifications/:clarificationId/options", Serve: asked.OptionsInChat, In: (*host.Request).InChat, OwnPages: true},
		{Method: get, Path: chat + "/contents/:contentId", Serve: files.Content, In: (*host.Request).InChat},
		{Method: post, Path: chat + "/files", Serve: files.UploadToChat, In: (*host.Request).InChat},
		{Method: get, Path: chat + "/files/:fileId", Serve: files.OfChat, In: (*host.Request).InChat},
		{Method: remove, Path: chat + "/files/:fileId", Serve: files.Discard, In: (*host.Request).InChat, Counts: host.ScopeChanges},
		{Method: post, Path: one + "/files", Serve: files.Upload},
		{Method: get, Path: one + "/files/:fileId", Serve: files.Of},
		{Method: get, Path: "/v1/clarifications", Serve: asked.List, In: (*host.Request).SignIn, OwnPages: true},
		{Method: get, Path: one, Serve: asked.Show},
		{Method: get, Path: one + "/options", Serve: asked.Options, OwnPages: true},
		{Method: post, Path: one + "/answer", Serve: asked.Answer},
		{Method: remove, Path: one + "/answer", Serve: asked.DeleteAnswer, In: (*host.Request).SignIn, Counts: host.ScopeChanges},
		{Method: post, Path: one + "/cancel", Serve: asked.Withdraw},
		{Method: post, Path: one + "/messages", Serve: asked.PostMessage},
		{Method: post, Path: one + "/seen", Serve: asked.Seen},
		{Method: put, Path: one + "/draft", Serve: asked.SaveDraft},
		{Method: get, Path: "/v1/memory", Serve: memory.List, In: (*host.Request).SignIn, OwnPages: true},
		{Method: remove, Path: "/v1/memory", Serve: memory.DeleteAll, In: (*host.Request).SignIn, Counts: host.ScopeChanges},
		{Method: put, Path: "/v1/memory/:memoryId", Serve: memory.Edit, In: (*host.Request).SignIn, Counts: host.ScopeChanges},
		{Method: remove, Path: "/v1/memory/:memoryId", Serve: memory.Delete, In: (*host.Request).SignIn, Counts: host.ScopeChanges},
		{Method: post, Path: "/v1/hooks/claude-code", Serve: native.Hooks{Engine: o.Engine, Agent: hook.ClaudeCode}.Serve},
		{Method: get, Path: "/v1/events", Serve: chats.Inbox, In: (*host.Request).SignIn, OwnPages: true, NoHead: true},
		{Method: get, Path: notify.LinkPath + ":link", Serve: links.Show},
		{Method: post, Path: notify.LinkPath + ":link", Serve: links.Answer},
		{Method: post, Path: notify.LinkPath + ":link/files", Serve: links.Upload},
		{Method: post, Path: "/v1/channels/:channel/slack", Serve: pressed.Serve},
		{Method: get, Path: "/v1/session", Serve: host.ShowSession},
		{Method: post, Path: "/v1/session", Serve: host.SignIn},
		{Method: remove, Path: "/v1/session", Serve: host.SignOut},
		{Method: post, Path: doctor.Path, Serve: admin.Examine},
		{Method: get, Path: host.OpenAPIPath, Serve: openAPI},
	}
}

// adminRoutes returns the routes of callers with the role.
func adminRoutes(o *Options) []host.Route {
	a := admin.Admin{
		Engine: o.Engine, Registry: o.Registry, LastReload: o.LastReload, Definitions: o.Definitions, ModelNotes: o.ModelNotes, Trial: o.Trial,
	}
	routes := []host.Route{
		{Method: get, Path: "/v1/admin/config", Serve: a.Config},
		{Method: get, Path: "/v1/admin/models", Serve: a.Models},
		{Method: post, Path: "/v1/admin/models/:model/try", Serve: a.Try},
		{Method: get, Path: "/v1/admin/faults", Serve: a.Faults},
		{Method: get, Path: "/v1/admin/tools", Serve: a.Tools},
		{Method: get, Path: "/v1/admin/clarifications", Serve: a.Pending},
		{Method: post, Path: "/v1/admin/clarifications/:clarificationId/cancel", Serve: a.Cancel},
		{Method: get, Path: "/v1/admin/stats", Serve: a.Stats},
		{Method: get, Path: "/v1/admin/questions", Serve: a.Questions},
		{Method: get, Path: "/v1/admin/audit", Serve: a.Audit, OwnPages: true, NoHead: true},
	}
	for i := range routes {
		routes[i].In = admin.Only
	}
	return routes
}

// healthRoutes returns the routes for operators.
func healthRoutes(h admin.Health, metrics func(*host.Request) error) []host.Route {
	return []host.Route{
		{Method: get, Path: "/metrics", Serve: metrics},
		{Method: get, Path: "/healthz", Serve: h.Healthz},
		{Method: get, Path: "/readyz", Serve: h.Readyz},
	}
}
