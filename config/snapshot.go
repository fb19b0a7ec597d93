package config

import (
	"slices"
	"strings"

	"github.com/askgate/askgate/tools/placeholder"
)

// Source delivers configurations to the gateway. Safe for concurrent use.
type Source interface {
	// Follow calls take with the active configuration before it returns, and later with each
	// new one before that becomes active. Calls do not overlap. If take returns an error, the
	// configuration is rejected: Follow returns the error of the first call; a later error is
	// reported like a fault in the files, and the previous configuration stays active.
	Follow(take func(*Snapshot) error) error
}

// Snapshot is one complete, checked configuration. It never changes; a reload
// creates a new one. Safe for concurrent use.
type Snapshot struct {
	Gateway Gateway
	// Traces reports whether OpenTelemetry's standard environment variables name a collector for
	// traces, with a protocol and an exporter that the gateway supports.
	Traces bool
	// Warnings are about settings that are accepted but have no effect, or not the
	// one that they seem to have, such as keys of ihub-apps.
	Warnings []Fault

	apps     []*App // enabled, by id
	disabled []*App // by id
	byID     map[string]*App
	tools    map[string]*Tool            // shared
	own      map[string]map[string]*Tool // app id -> tool id -> the merged tool

	fallbacks map[string][]string // by model, see Fallbacks
	claims    map[string][]string // by app, see Claims
}

// Follow implements Source for a configuration that is never reloaded.
func (s *Snapshot) Follow(take func(*Snapshot) error) error { return take(s) }

// App returns the enabled app with exactly this id.
func (s *Snapshot) App(id string) (*App, bool) {
	a, ok := s.byID[id]
	return a, ok
}

// Fallbacks returns the models to try, in order, if a model cannot answer: those that it lists, each
// followed by its own fallbacks. The caller must not modify the slice.
func (s *Snapshot) Fallbacks(model string) []string { return s.fallbacks[model] }

// Apps returns the enabled apps, ordered by id, in a new slice.
func (s *Snapshot) Apps() []*App { return append([]*App(nil), s.apps...) }

// Disabled returns the apps with "enabled": false, ordered by id, in a new slice.
func (s *Snapshot) Disabled() []*App { return slices.Clone(s.disabled) }

// Tools returns the shared tools, including the built-in ones, ordered by id, in a new slice.
func (s *Snapshot) Tools() []*Tool {
	return toolsByID(s.tools, func(*Tool) bool { return true })
}

// OwnTools returns the tools that an app's own tools.json changes or adds, ordered by id, in a new
// slice.
func (s *Snapshot) OwnTools(app string) []*Tool {
	return toolsByID(s.own[app], func(t *Tool) bool { return s.tools[t.ID] != t })
}

func toolsByID(set map[string]*Tool, wanted func(*Tool) bool) []*Tool {
	var list []*Tool
	for _, t := range set {
		if wanted(t) {
			list = append(list, t)
		}
	}
	slices.SortFunc(list, func(a, b *Tool) int { return strings.Compare(a.ID, b.ID) })
	return list
}

// Tool returns a tool as the app sees it: the shared entry, overridden or
// extended by the app's own. For <id>__<name>, one of several tools that an entry stands
// for, it returns that entry. Whether the app lists the tool is not checked: see App.Tools.
func (s *Snapshot) Tool(app, id string) (*Tool, bool) {
	t := find(s.own[app], id)
	if t == nil {
		t = find(s.tools, id)
	}
	return t, t != nil
}

// Claims returns the names of the claims of callers' tokens that the tools of an app need, sorted. The
// caller must not modify the slice.
func (s *Snapshot) Claims(app string) []string { return s.claims[app] }

// AllClaims returns the names of the claims that the tools of any app need, sorted.
func (s *Snapshot) AllClaims() []string {
	var names []string
	for _, of := range s.claims {
		names = append(names, of...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// claimsOf returns the claims that the tools of an app need, with those that list options for its
// templates.
func (s *Snapshot) claimsOf(a *App) []string {
	var names []string
	for _, id := range a.Tools {
		t, ok := s.Tool(a.ID, id)
		if !ok {
			continue
		}
		names = append(names, t.Placeholders()...)
		for _, template := range t.Templates {
			if template.From == nil {
				continue
			}
			if from, ok := s.Tool(a.ID, template.From.Tool); ok {
				names = append(names, from.Placeholders()...)
			}
		}
	}
	claims := placeholder.ClaimsOf(names)
	slices.Sort(claims)
	return slices.Compact(claims)
}
