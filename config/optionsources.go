package config

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// optionSources checks the tools from which templates get their options.
type optionSources struct {
	types toolTypes
	at    map[*Template]Value // where each template names its tool
}

// check validates the templates that a tools.json defines, and the templates in base whose tool it
// changes.
func (o *optionSources) check(root Value, set toolSet, base map[string]*Tool) {
	ids := slices.Sorted(maps.Keys(set.byID))
	for _, id := range ids {
		t := set.byID[id]
		for _, name := range slices.Sorted(maps.Keys(t.Templates)) {
			template := t.Templates[name]
			if template.From == nil || template.From.Tool == "" {
				continue
			}
			from := find(set.byID, template.From.Tool)
			if from == nil && root.p.dir == "" { // built-in apps work without the tools that this program does not have
				delete(t.Templates, name)
				continue
			}
			at, here := o.at[template]
			if inherited := base[id] != nil && base[id].Templates[name] == template; inherited {
				if from == find(base, template.From.Tool) {
					continue // checked where it is defined
				}
				at, here = root, true
			}
			if why := o.sourceFault(from, template.From); why != "" && here {
				if from == nil {
					why += "; " + Suggest(template.From.Tool, ids)
				}
				at.Fault("template %q cannot get its options from %q: %s", name, template.From.Tool, why)
			}
		}
	}
}

// sourceFault returns why a tool cannot list options, or "" if it can.
func (o *optionSources) sourceFault(t *Tool, from *OptionsFrom) string {
	switch {
	case t == nil:
		return "there is no such tool, or it is disabled"
	case t.kind.Lists == nil:
		listers := o.types.names(func(t ToolType) bool { return t.Lists != nil && !t.Builtin })
		return `its type is "` + t.Type + `"; use a tool of type "` + strings.Join(listers, `" or "`) + `"`
	case !t.ApprovalOf(from.Tool).Allows():
		return `its calls need approval; use a tool without "needsApproval"`
	}
	if t.Own != nil {
		if why := t.kind.Lists(t, from); why != "" {
			return why
		}
	}
	var schema struct{ Required []string }
	var given map[string]json.RawMessage
	_ = json.Unmarshal(t.Parameters, &schema) // another check reports its faults
	_ = json.Unmarshal(from.Arguments, &given)
	for _, name := range schema.Required {
		if _, ok := given[name]; !ok {
			return fmt.Sprintf("it needs the argument %q; write it under \"arguments\"", name)
		}
	}
	return ""
}
