package config

// Snapshot is one complete, checked configuration. It never changes; a reload
// makes a new one. Safe for concurrent use.
type Snapshot struct {
	Gateway Gateway
	// Warnings are things in the files that are accepted but have no effect
	// here, such as keys of ihub-apps.
	Warnings []Fault

	apps  []*App // enabled, by id
	byID  map[string]*App
	tools map[string]*Tool            // shared
	own   map[string]map[string]*Tool // app id -> tool id -> the merged tool

	fallbacks map[string][]string // by model, see Fallbacks
}

// Current makes a snapshot its own Source, for what never reloads.
func (s *Snapshot) Current() *Snapshot { return s }

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

// Tool is the tool as that app sees it: the shared entry, overridden or
// extended by the app's own. Whether the app lists it is App.Tools' business.
func (s *Snapshot) Tool(app, id string) (*Tool, bool) {
	if t, ok := s.own[app][id]; ok {
		return t, true
	}
	t, ok := s.tools[id]
	return t, ok
}
