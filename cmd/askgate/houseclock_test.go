package main_test

import (
	"go/ast"
	"path"
	"slices"
	"strings"
	"testing"
)

// ownTime lists the files that may use the clock of the node, with the reason. Due times and stored
// dates use store.Clock, because the clocks of nodes differ.
var ownTime = map[string]string{
	"gateway/turn/run/step.go":               "how long a model takes",
	"gateway/turn/run/progress.go":           "the pace of events",
	"gateway/turn/run/patience.go":           "how long a store is waited for",
	"gateway/store/sqldb/postgrescommit.go":  "how long ago a commit was sent",
	"gateway/store/sqldb/postgressession.go": "how long ago a commit was sent",
	"gateway/turn/cancel.go":                 "how long another node is waited for",
	"gateway/notify/send.go":                 "signatures, which receivers compare with their own clock",
	"gateway/inbox/inbox.go":                 "the pace of looks",
	"gateway/front/openai/encode.go":         "when a response was made",
	"gateway/front/openai/responses.go":      "when a response was made",
	"gateway/store/sqldb/clock.go":           "measures the store's clock",
	"gateway/store/sqldb/db.go":              "the clock of a store in a file",
	"gateway/store/sqldb/handle.go":          "measures the store's clock",
	"gateway/store/sqldb/sqlitedb.go":        "how long a lock is waited for",
	"gateway/host/session.go":                "cookies",
	"gateway/native/hooks.go":                "deadlines of writes, and how long one wait of a hook took",
	"gateway/host/observe.go":                "how long requests take",
	"gateway/host/leave.go":                  "how long ago a proxy asked",
	"gateway/api/api.go":                     "deadlines of connections",
	"gateway/host/response.go":               "deadlines of connections",
	"gateway/native/contents.go":             "deadlines of connections",
	"gateway/api/openapi.go":                 "deadlines of connections",
	"gateway/host/signin.go":                 "how long a cookie lasts",
	"gateway/host/host.go":                   "since when the node runs",
	"gateway/host/library.go":                "deadlines of connections",
	"gateway/native/files.go":                "deadlines of connections",
	"gateway/admin/audit.go":                 "deadlines of connections",
	"gateway/follow/lookout.go":              "the pace of looks",
	"gateway/store/storetest/outbox.go":      "a test",
}

// Due times use the clock of the store, on all nodes. Each use of the node's own clock is
// listed with its reason.
func TestWhatIsDueDoesNotGoByTheNodesClock(t *testing.T) {
	found := map[string]bool{}
	for _, f := range house(t) {
		room := path.Dir(f.name)
		if f.test || !(room == "gateway" || slices.ContainsFunc([]string{"admin", "api", "follow", "front", "host", "inbox", "native", "notify", "report", "store", "turn"},
			func(dir string) bool { return room == "gateway/"+dir || strings.HasPrefix(room, "gateway/"+dir+"/") })) {
			continue
		}
		ast.Inspect(f.tree, func(n ast.Node) bool {
			s, ok := n.(*ast.SelectorExpr)
			if !ok || !slices.Contains([]string{"Now", "Since", "Until"}, s.Sel.Name) {
				return true
			}
			if x, ok := s.X.(*ast.Ident); ok && x.Name == "time" {
				found[f.name] = true
			}
			return true
		})
	}
	for name := range found {
		if ownTime[name] == "" {
			t.Errorf("%s asks the node's clock: take the time from the store (store.Clock), or say in ownTime what for", name)
		}
	}
	for name := range ownTime {
		if !found[name] {
			t.Errorf("%s does not ask the node's clock: take it out of ownTime", name)
		}
	}
}
