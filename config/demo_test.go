package config_test

import (
	"slices"
	"testing"

	"github.com/askgate/askgate/config"
)

// The demo's tools and templates are offered only in apps in which the demo model answers: a language
// model must not take the demo booking for a real one.
func TestWhatTheDemoHasNoOtherModelHas(t *testing.T) {
	for name, c := range map[string]struct {
		files tree
		env   env
		demo  bool
	}{
		"without files":          {nil, nil, true},
		"gateway.json alone":     {tree{"gateway.json": `{"limits": {"streams": 7}}`}, nil, true},
		"another model":          {tree{"gateway.json": `{"models": {"default": {"provider": "openai", "model": "m", "baseUrl": "http://127.0.0.1:1/v1"}}}`}, nil, false},
		"another model's server": {nil, env{"OPENAI_BASE_URL": "http://127.0.0.1:1/v1", "ASKGATE_MODEL": "m"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			s := mustLoad(t, c.files, c.env)
			app, _ := s.App("assistant")
			ask, _ := s.Tool("assistant", config.TypeAskUser)
			if got := s.Demo(app); got != c.demo {
				t.Errorf("demo: %t", got)
			}
			if got := slices.Contains(app.Tools, "demo_booking"); got != c.demo {
				t.Errorf("booking offered: %t", got)
			}
			if got := ask.Templates["demo_project"] != nil; got != c.demo {
				t.Errorf("template offered: %t", got)
			}
			if booking, _ := s.Tool("assistant", "demo_booking"); booking.Approval == nil {
				t.Error("a booking needs no approval")
			}
		})
	}
}

// An app next to a demo app keeps its own templates.
func TestTemplatesOfOthersStay(t *testing.T) {
	s := mustLoad(t, tree{
		"gateway.json": `{"models": {"default": {"provider": "demo"}, "m": {"provider": "openai", "model": "m", "baseUrl": "http://127.0.0.1:1/v1"}}}`,
		"tools.json": `[{"id": "ask_user", "templates": {"own": {"question": "What?"}, "shown": {"question": "Which?", "optionsFrom": {"tool": "demo_projects", "label": "/name"}}}},
			{"id": "demo_booking", "needsApproval": false}]`,
		"apps/a.json": `{"id": "a", "tools": ["ask_user", "demo_booking"]}`,
		"apps/b.json": `{"id": "b", "model": "m", "tools": ["ask_user", "demo_booking"]}`,
	}, nil)
	for id, want := range map[string]int{"a": 2, "b": 1} {
		ask, _ := s.Tool(id, config.TypeAskUser)
		app, _ := s.App(id)
		if len(ask.Templates) != want || ask.Templates["own"] == nil || len(app.Tools) != want {
			t.Errorf("%s has the templates %v and the tools %v", id, ask.Templates, app.Tools)
		}
	}
}
