package toolexec_test

import (
	"context"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/config/configtest"
	"github.com/askgate/askgate/toolexec"
	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tools/askuser"
)

// shelf is a tool type as a third party might write it: its own keys, a folder next to the
// configuration, and two functions for each entry.
func shelf() config.ToolType {
	return config.ToolType{
		Name: "shelf", About: "finds books.", OwnParameters: true, Family: "its functions", Example: `{"path": "books"}`,
		Keys: func() (any, config.Item) {
			o := &shelfOptions{Most: 10}
			return o, config.Item{Keys: []config.Key{
				config.Path("path", &o.Path, "where the books are").Must("name the folder"),
				config.Words("include", &o.Include, 3, nil, "which of them"),
				config.Int("most", &o.Most, 1, 50, "how many are found"),
			}}
		},
		New: func(_ *config.App, entry *config.Tool) (tools.Tool, error) {
			return books{askuser.New(askuser.Limits{}, nil), entry.ID, entry.Own.(*shelfOptions)}, nil
		},
	}
}

type shelfOptions struct {
	Path    string
	Include []string
	Most    int
}

type books struct {
	tools.Resumer
	id string
	o  *shelfOptions
}

func (b books) Members(string) []tools.Definition {
	return []tools.Definition{{Name: b.id + "__search", Description: "Search."}, {Name: b.id + "__read", Description: "Read."}}
}

func (books) Ready(context.Context, string) error { return nil }

func (b books) Run(_ context.Context, call tools.Call) (tools.Outcome, error) {
	return tools.Outcome{Result: call.Name + " in " + filepath.Base(b.o.Path) + " for " + strings.Join(b.o.Include, " ")}, nil
}

// A tool type is its package, and one line where the program lists it.
func TestATypeNeedsOneLine(t *testing.T) {
	listed := []config.ToolType{shelf()}

	configtest.Faulty(t, configtest.Tools(`
		{"id": "laws", "type": "shelf", "shelf": {"path": "laws", ¶"inclde": []}}`), nil, listed, `did you mean "include"?`)
	configtest.Faulty(t, configtest.Tools(`¶{"id": "laws", "type": "shelf"}`), nil, listed, `"shelf" is missing; write "shelf": {"path": "books"}`)
	configtest.Faulty(t, configtest.Tools(`¶{"id": "laws__old", "type": "shelf", "shelf": {"path": "laws"}}`), nil, listed, `names of its functions`)

	snap, err := configtest.Load(t, configtest.Files{
		"apps/a.json": `{"id": "a", "tools": ["laws", "rules__read"]}`,
		"tools.json":  `[{"id": "laws", "type": "shelf", "shelf": {"path": "texts/laws", "include": ["*.md"]}}, {"id": "rules", "type": "shelf", "shelf": {"path": "rules"}}]`,
	}, nil, listed...)
	if err != nil {
		t.Fatal(err)
	}
	factories := toolexec.Factories{config.TypeAskUser: func(*config.App, *config.Tool) (tools.Tool, error) {
		return askuser.New(askuser.Limits{}, nil), nil
	}}
	factories.Add(listed...)
	catalog, err := toolexec.NewCatalog(snap, factories)
	if err != nil {
		t.Fatal(err)
	}
	app, _ := snap.App("a")
	b := &bench{toolexec.New(prometheus.NewRegistry(), slog.New(slog.DiscardHandler)), catalog, app, nil, nil}
	var names []string
	for _, d := range catalog.Definitions("a", "en", true) {
		names = append(names, d.Name)
	}
	if got := strings.Join(names, " "); got != "laws__search laws__read rules__read" {
		t.Error(got)
	}
	if out := b.run(t, call("laws__search", `{"query": "x"}`))[0]; out.Result != "laws__search in laws for *.md" {
		t.Errorf("%+v", out)
	}
	schema, err := config.Schema("tools", listed)
	if err != nil || !strings.Contains(string(schema), `"enum": ["ask_user","builtin","shelf"]`) || !strings.Contains(string(schema), "shelf: finds books.") {
		t.Errorf("%s %v", schema, err)
	}
}
