package config_test

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/askgate/askgate/config"
)

// The name of the tool that asks is nobody else's on the app's MCP server.
func TestNameOfTheToolThatAsks(t *testing.T) {
	const templates = `[{"id": "ask_user", "templates": {"pick": {"question": "q"}}}]`
	for name, c := range map[string]struct {
		files tree
		want  []string
	}{
		"no text":               {app(`"mcp": {"tool": ¶7}`), []string{"want a text"}},
		"no name":               {app(`"mcp": {"tool": ¶"ask me"}`), []string{"cannot name a tool", "1 to 64 letters"}},
		"empty":                 {app(`"mcp": {"tool": ¶""}`), []string{"cannot name a tool"}},
		"get_answer":            {app(`"mcp": {"tool": ¶"get_answer"}`), []string{"another tool", "choose another name"}},
		"notify":                {app(`"mcp": {"tool": ¶"notify"}`), []string{"another tool"}},
		"a template":            {tree{"tools.json": templates, "apps/a.json": `{"id": "a", "mcp": {"tool": ¶"pick"}, "tools": ["ask_user"]}`}, []string{"template", "rename"}},
		"a template of the app": {tree{"apps/a/app.json": `{"id": "a", "tools": ["ask_user"], "mcp": {"tool": ¶"pick"}}`, "apps/a/tools.json": templates}, []string{"template"}},
	} {
		t.Run(name, func(t *testing.T) {
			files, places := c.files.Unmark()
			_, err := load(t, files, nil)
			var faults config.Faults
			if !errors.As(err, &faults) || len(faults) != 1 || len(places) != 1 {
				t.Fatalf("want one fault, got:\n%v", err)
			}
			f := faults[0]
			if !strings.HasSuffix(f.File, filepath.FromSlash(places[0].File)) || f.Line != places[0].Line || f.Col != places[0].Col {
				t.Errorf("want it at %v, got %v", places[0], f)
			}
			for _, want := range c.want {
				if !strings.Contains(f.Message, want) {
					t.Errorf("want %q in: %s", want, f.Message)
				}
			}
		})
	}
	s := mustLoad(t, app(`"mcp": {"tool": "ask_boss"}`), nil)
	if a, _ := s.App("a"); a.MCP.Tool != "ask_boss" {
		t.Errorf("%+v", a.MCP)
	}
}
