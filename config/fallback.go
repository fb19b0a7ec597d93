package config

import (
	"maps"
	"slices"
	"strings"

	"github.com/askgate/askgate/tools"
)

// fallbacks checks the lists under "fallback" of all models.
type fallbacks struct {
	lists   map[string]*fallback
	models  map[string]Model
	known   bool            // gateway.json could be parsed, so all models are known
	checked map[string]bool // models whose list was checked
}

// fallbacksOf reports names that are not models and models that fall back to themselves. It returns
// the models to try after each model.
func fallbacksOf(listed []*fallback, models map[string]Model, known bool) map[string][]string {
	all := fallbacks{lists: map[string]*fallback{}, models: models, known: known, checked: map[string]bool{}}
	for _, f := range listed {
		all.lists[f.model] = f
	}
	for _, f := range listed {
		all.check([]string{f.model})
	}
	var after map[string][]string
	for _, f := range listed {
		if tried := follow(all.lists, []string{f.model}, f.model); len(tried) > 1 {
			if after == nil {
				after = map[string][]string{}
			}
			after[f.model] = tried[1:]
		}
	}
	return after
}

// check validates the fallbacks of the last model in path, for each model once.
func (f *fallbacks) check(path []string) {
	from := path[len(path)-1]
	if f.checked[from] || f.lists[from] == nil {
		return
	}
	f.checked[from] = true
	for i, name := range f.lists[from].names {
		at := f.lists[from].at[i]
		_, known := f.models[name]
		start := slices.Index(path, name)
		switch {
		case !known && f.known:
			at.Fault("model %s is not defined; %s", at.Raw(), Suggest(name, slices.Collect(maps.Keys(f.models))))
		case start >= 0:
			at.Fault("%s falls back to itself (%s); remove one of them", at.Raw(), tools.Shorten(strings.Join(append(slices.Clone(path[start:]), name), " → "), maxShown))
		default:
			f.check(append(path, name))
		}
	}
}

// follow appends the models to try after a model, each once.
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
