package config

import (
	"slices"
	"strings"

	"github.com/askgate/askgate/tools"
)

// maxFallbacks bounds what a model may list, and what is tried after it: each may
// cost its whole timeout.
const maxFallbacks = 10

// fallback is what a model lists under "fallback".
type fallback struct {
	model string
	names []string
	at    []Value // where each name stands
}

// checkFallbacks finds names that are no model and models that fall back to themselves,
// and lays out what is tried after each.
func (l *loader) checkFallbacks() {
	lists := map[string]*fallback{}
	for i := range l.fallbacks {
		lists[l.fallbacks[i].model] = l.fallbacks[i]
	}
	names := make([]string, 0, len(l.gateway.Models))
	for name := range l.gateway.Models {
		names = append(names, name)
	}
	checked := map[string]bool{}
	for _, f := range l.fallbacks {
		l.checkFallback(lists, names, checked, []string{f.model})
	}
	for _, f := range l.fallbacks {
		if tried := follow(lists, []string{f.model}, f.model); len(tried) > 1 {
			if l.snapshot.fallbacks == nil {
				l.snapshot.fallbacks = map[string][]string{}
			}
			l.snapshot.fallbacks[f.model] = tried[1:]
		}
	}
}

// checkFallback checks what the last model of a path lists, each model once.
func (l *loader) checkFallback(lists map[string]*fallback, names []string, checked map[string]bool, path []string) {
	from := path[len(path)-1]
	if checked[from] || lists[from] == nil {
		return
	}
	checked[from] = true
	for i, name := range lists[from].names {
		at := lists[from].at[i]
		_, known := l.gateway.Models[name]
		start := slices.Index(path, name)
		switch {
		case !known && l.gatewayOK:
			at.Fault("%s is no model here; %s", at.Raw(), Mend(name, names))
		case start >= 0:
			at.Fault("%s falls back to itself (%s); remove one of them", at.Raw(), tools.Shorten(strings.Join(append(slices.Clone(path[start:]), name), " → "), maxShown))
		default:
			l.checkFallback(lists, names, checked, append(path, name))
		}
	}
}

// follow appends what is tried after a model, each once.
func follow(lists map[string]*fallback, tried []string, model string) []string {
	if lists[model] == nil {
		return tried
	}
	for _, name := range lists[model].names {
		if !slices.Contains(tried, name) && len(tried) <= maxFallbacks {
			tried = follow(lists, append(tried, name), name)
		}
	}
	return tried
}
