package config_test

import (
	"strings"
	"testing"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/config/configtest"
	"github.com/askgate/askgate/tools/askuser"
)

type (
	tree = configtest.Files
	env  = configtest.Env
)

const mark = configtest.Mark

// fakeTypes are types of tools: one has its own keys and can list options, and one is run by the
// caller.
var fakeTypes = []config.ToolType{
	config.Builtin("calculator", nil),
	config.Builtin("clock", nil),
	{Name: "demo_projects", Builtin: true, OwnParameters: true, Demo: true, Lists: func(*config.Tool, *config.OptionsFrom) string { return "" }},
	{Name: "demo_booking", Builtin: true, OwnParameters: true, Demo: true, NeedsApproval: true},
	{
		Name: "http", About: "calls.", Example: `{"url": "https://..."}`,
		Keys: func() (any, config.Item) {
			f := &fakeOwn{method: "GET"}
			return f, config.Item{Keys: []config.Key{
				config.Filled("url", &f.url, nil, "where to"),
				config.Word("method", &f.method, "method", []string{"GET", "DELETE"}, "how"),
			}}
		},
		Lists: func(t *config.Tool, _ *config.OptionsFrom) string {
			if method := t.Own.(*fakeOwn).method; method != "GET" {
				return "it is called with " + method + "; options are listed with GET or POST"
			}
			return ""
		},
	},
	{
		Name: "mcp", About: "serves.", OwnParameters: true, Family: "the server's tools",
		Offered: func(id, name string) string {
			return id + config.MemberSeparator + strings.ReplaceAll(name, ".", "_")
		},
	},
	{Name: "client", About: "waits.", AsksUser: true},
	{Name: "documents", About: "reads.", OwnParameters: true, Keys: func() (any, config.Item) {
		var o struct{ path string }
		ignored := func(config.Value) {} // the built-in app law has these
		return &o, config.Item{Keys: []config.Key{
			config.String("path", &o.path, nil, "where"),
			config.Free("fields", "object", `"type": "object"`, ignored, "what is kept"), config.Free("versions", "object", `"type": "object"`, ignored, "what is one work"),
		}}
	}},
}

type fakeOwn struct{ url, method string }

func load(t testing.TB, files tree, e env) (*config.Snapshot, error) {
	t.Helper()
	dir := t.TempDir()
	files.Write(t, dir)
	return config.Load(config.Options{Dir: dir, Env: e.Lookup, Tools: fakeTypes, Question: askuser.CheckTemplate})
}

func mustLoad(t testing.TB, files tree, e env) *config.Snapshot {
	t.Helper()
	s, err := load(t, files, e)
	if err != nil {
		t.Fatalf("no fault expected:\n%v", err)
	}
	return s
}
