package config

import (
	"slices"
	"strings"
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
// makes a new one. Safe for concurrent use.
type Snapshot struct {
	Gateway Gateway
	// Traces says that the environment names a collector for traces, by OpenTelemetry's
	// standard variables, and one that can be spoken to.
	Traces bool
	// Warnings are things in the files that are accepted but have no effect
	// here, such as keys of ihub-apps.
	Warnings []Fault

	apps     []*App // enabled, by id
	disabled []*App // by id
	byID     map[string]*App
	tools    map[string]*Tool            // shared
	own      map[string]map[string]*Tool // app id -> tool id -> the merged tool

	fallbacks map[string][]string // by model, see Fallbacks
}

// Follow makes a snapshot its own Source, for what never reloads.
func (s *Snapshot) Follow(take func(*Snapshot) error) error { return take(s) }

// App is the enabled app with that exact id.
func (s *Snapshot) App(id string) (*App, bool) {
	a, ok := s.byID[id]
	return a, ok
}

// Fallbacks are the models to try after one that cannot answer, in order: those that
// it lists, each followed by its own. The slice must not be changed.
func (s *Snapshot) Fallbacks(model string) []string { return s.fallbacks[model] }

// Apps are the enabled apps, ordered by id. The slice is the caller's own.
func (s *Snapshot) Apps() []*App { return append([]*App(nil), s.apps...) }

// Disabled are the apps that nobody can use, ordered by id. The slice is the
// caller's own.
func (s *Snapshot) Disabled() []*App { return slices.Clone(s.disabled) }

// Tools are the shared tools, the built-in ones included, ordered by id. The slice is
// the caller's own.
func (s *Snapshot) Tools() []*Tool {
	return toolsByID(s.tools, func(*Tool) bool { return true })
}

// OwnTools are those that an app's own tools.json changes or adds, ordered by id. The
// slice is the caller's own.
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

// Tool is the tool as that app sees it: the shared entry, overridden or
// extended by the app's own. Of <id>__<name>, one of several tools that an entry stands
// for, it is that entry. Whether the app lists it is App.Tools' business.
func (s *Snapshot) Tool(app, id string) (*Tool, bool) {
	t := find(s.own[app], id)
	if t == nil {
		t = find(s.tools, id)
	}
	return t, t != nil
}
