package config_test

import (
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

// fakeTypes are a program's types of tools: one has keys of its own and lists options, and
// one is run by the caller.
var fakeTypes = []config.ToolType{
	config.Builtin("calculator", nil),
	config.Builtin("clock", nil),
	{Name: "demo_projects", Builtin: true, OwnParameters: true, Demo: true, Lists: func(*config.Tool, string) string { return "" }},
	{Name: "demo_booking", Builtin: true, OwnParameters: true, Demo: true, NeedsApproval: true},
	{
		Name: "http", About: "calls.", Schema: []byte(`{"type": "object"}`), Example: `{"url": "https://..."}`,
		Read: func(n config.Node) any {
			f := &fakeOwn{method: "GET"}
			n.Object(config.Keys{
				"url":    func(n config.Node) { n.Filled(&f.url) },
				"method": func(n config.Node) { n.OneOf(&f.method, "method", "GET", "DELETE") },
			}, nil)
			return f
		},
		Lists: func(t *config.Tool, _ string) string {
			if method := t.Own.(*fakeOwn).method; method != "GET" {
				return "it is called with " + method + "; options are listed with GET or POST"
			}
			return ""
		},
	},
	{Name: "client", About: "waits.", AsksUser: true},
	{Name: "documents", About: "reads.", Schema: []byte(`{"type": "object"}`), OwnParameters: true, Read: func(n config.Node) any {
		n.Object(config.Keys{"path": func(n config.Node) { n.Text() }}, nil)
		return struct{}{}
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
