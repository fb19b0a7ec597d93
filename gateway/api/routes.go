package api

import (
	"net/http"

	"github.com/askgate/askgate/gateway/client/hook"
	"github.com/askgate/askgate/gateway/doctor"
	"github.com/askgate/askgate/gateway/notify"
)

const (
	get    = http.MethodGet
	post   = http.MethodPost
	put    = http.MethodPut
	patch  = http.MethodPatch
	remove = http.MethodDelete
)

// nativeRoutes are those of the gateway's own protocol.
func nativeRoutes(o *Options) []Route {
	var (
		chats  = Chats{Engine: o.Engine}
		asked  = Clarifications{Engine: o.Engine}
		files  = Files{Engine: o.Engine}
		links  = NewLinks(o.Answer)
		memory Memory
		said   Messages
	)
	const (
		app  = "/v1/apps/:app"
		chat = app + "/chats/:chatId"
		one  = "/v1/clarifications/:clarificationId"
	)
	return []Route{
		{Method: get, Path: "/v1/apps", Serve: listApps},
		{Method: get, Path: app, Serve: showApp},
		{Method: get, Path: app + "/documents/:tool/:id", Serve: passage, OwnPages: true},
		{Method: post, Path: app + "/clarifications", Serve: askPeople},
		{Method: get, Path: app + "/chats", Serve: chats.listChats},
		{Method: get, Path: chat, Serve: chats.snapshot, OwnPages: true},
		{Method: patch, Path: chat, Serve: chats.renameChat},
		{Method: remove, Path: chat, Serve: chats.deleteChat},
		{Method: get, Path: chat + "/events", Serve: chats.events, OwnPages: true, NoHead: true},
		{Method: post, Path: chat + "/messages", Serve: said.messages},
		{Method: post, Path: chat + "/resume", Serve: said.resume},
		{Method: post, Path: chat + "/fork", Serve: said.fork},
		{Method: post, Path: chat + "/stop", Serve: chats.stopTurn},
		{Method: remove, Path: chat + "/approvals/:tool", Serve: chats.revokeApproval},
		{Method: get, Path: chat + "/clarifications/:clarificationId/options", Serve: asked.searchOptions, OwnPages: true},
		{Method: get, Path: chat + "/contents/:contentId", Serve: files.content},
		{Method: post, Path: chat + "/files", Serve: files.uploadToChat},
		{Method: get, Path: chat + "/files/:fileId", Serve: files.file},
		{Method: remove, Path: chat + "/files/:fileId", Serve: files.discardFile},
		{Method: post, Path: one + "/files", Serve: files.uploadFor},
		{Method: get, Path: one + "/files/:fileId", Serve: files.fileOf},
		{Method: get, Path: "/v1/clarifications", Serve: asked.listClarifications, OwnPages: true},
		{Method: get, Path: one, Serve: asked.showClarification},
		{Method: get, Path: one + "/options", Serve: asked.optionsByID, OwnPages: true},
		{Method: post, Path: one + "/answer", Serve: asked.answerOne},
		{Method: post, Path: one + "/cancel", Serve: asked.withdraw},
		{Method: post, Path: one + "/messages", Serve: asked.tell},
		{Method: post, Path: one + "/seen", Serve: asked.seen},
		{Method: put, Path: one + "/draft", Serve: asked.saveDraft},
		{Method: get, Path: "/v1/memory", Serve: memory.listMemory, OwnPages: true},
		{Method: remove, Path: "/v1/memory", Serve: memory.deleteMemories},
		{Method: put, Path: "/v1/memory/:memoryId", Serve: memory.editMemory},
		{Method: remove, Path: "/v1/memory/:memoryId", Serve: memory.deleteMemory},
		{Method: post, Path: "/v1/hooks/claude-code", Serve: Hooks{Engine: o.Engine, Agent: hook.ClaudeCode}.hooked},
		{Method: get, Path: "/v1/events", Serve: chats.feed, OwnPages: true, NoHead: true},
		{Method: get, Path: notify.LinkPath + ":link", Serve: links.showLinked},
		{Method: post, Path: notify.LinkPath + ":link", Serve: links.answerLinked},
		{Method: get, Path: "/v1/session", Serve: showSession},
		{Method: post, Path: "/v1/session", Serve: signIn},
		{Method: remove, Path: "/v1/session", Serve: signOut},
		{Method: post, Path: doctor.Path, Serve: examine},
		{Method: get, Path: openAPIPath, Serve: openAPI},
	}
}

// adminRoutes are those of callers with the role.
func adminRoutes(o *Options) []Route {
	a := Admin{
		Engine: o.Engine, Registry: o.Registry, LastReload: o.LastReload, Definitions: o.Definitions, ModelNotes: o.ModelNotes, Trial: o.Trial,
	}
	routes := []Route{
		{Method: get, Path: "/v1/admin/config", Serve: a.showConfig},
		{Method: get, Path: "/v1/admin/models", Serve: a.showModels},
		{Method: post, Path: "/v1/admin/models/:model/try", Serve: a.tryModel},
		{Method: get, Path: "/v1/admin/faults", Serve: a.showFaults},
		{Method: get, Path: "/v1/admin/tools", Serve: a.showDefinitions},
		{Method: get, Path: "/v1/admin/clarifications", Serve: a.listAllPending},
		{Method: post, Path: "/v1/admin/clarifications/:clarificationId/cancel", Serve: a.cancelClarification},
		{Method: get, Path: "/v1/admin/stats", Serve: a.showStats},
		{Method: get, Path: "/v1/admin/questions", Serve: a.showQuestions},
		{Method: get, Path: "/v1/admin/audit", Serve: a.exportAudit, OwnPages: true, NoHead: true},
	}
	for i := range routes {
		routes[i].Serve = asAdmin(routes[i].Serve)
	}
	return routes
}

// healthRoutes are for operators.
func healthRoutes(h Health, metrics func(*request) error) []Route {
	return []Route{
		{Method: get, Path: "/metrics", Serve: metrics},
		{Method: get, Path: "/healthz", Serve: h.healthz},
		{Method: get, Path: "/readyz", Serve: h.readyz},
	}
}
