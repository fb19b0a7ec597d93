package config

import (
	"maps"
	"slices"
)

// Demo says whether the demo model answers in that app, which is no language model.
func (s *Snapshot) Demo(a *App) bool { return s.Gateway.demo(a) }

func (g *Gateway) demo(a *App) bool { return g.Models[a.Model].Provider == ProviderDemo }

// demoTemplates leaves the templates whose options a tool of the demo lists out of apps that
// another model answers.
func (r *appReader) demoTemplates() {
	own := r.own
	if r.l.gateway.demo(r.app) {
		return
	}
	merged := maps.Clone(r.l.shared.byID)
	maps.Copy(merged, own.byID)
	for id, t := range merged {
		kept := maps.Clone(t.Templates)
		maps.DeleteFunc(kept, func(_ string, of *Template) bool {
			if of.From == nil {
				return false
			}
			from := find(merged, of.From.Tool)
			return from != nil && from.kind.Demo
		})
		if len(kept) == len(t.Templates) {
			continue
		}
		without := *t
		without.Templates = kept
		if own.byID == nil {
			own.byID = map[string]*Tool{}
		}
		own.byID[id] = &without
	}
}

// MemoryTools are the ids of the tools by which a model keeps words of a person, which an app
// has with App.Memory.
var MemoryTools = []string{"remember", "forget"}

// memoryTools gives an app that keeps words the tools for it.
func (r *appReader) memoryTools() {
	for _, id := range MemoryTools {
		if r.app.Memory && !slices.Contains(r.app.Tools, id) && r.tool(id) != nil {
			r.app.Tools = append(r.app.Tools, id)
		}
	}
}
