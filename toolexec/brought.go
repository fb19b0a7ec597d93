package toolexec

import (
	"slices"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/tools"
)

// labelBrought is the metrics' label for all tools of clients, since clients choose their names.
const labelBrought = "client"

// With returns a catalog of one app with the tools that the client of a turn brought, in place of
// the client's tools that c has. They are offered after the app's own, and their calls wait for the
// client's results. The returned catalog shares everything else with c, and must not be closed.
func (c *Catalog) With(app string, brought []tools.Definition) *Catalog {
	at := c.apps[app]
	if at == nil {
		return c
	}
	list := slices.DeleteFunc(slices.Clone(at.list), func(b *bound) bool { return b.brought != nil })
	for i := range brought {
		d := &brought[i]
		list = append(list, &bound{
			entry:   &config.Tool{ID: d.Name, Type: "client", RequiresUserInput: true, Unfounded: config.UnfoundedAllow},
			tool:    at.closers[tools.KindInput],
			brought: d,
		})
	}
	return &Catalog{Log: c.Log, held: c.held, apps: map[string]*appTools{
		app: at.having(list),
	}}
}

// having returns the app with other tools. It shares everything else with at.
func (at *appTools) having(list []*bound) *appTools {
	other := *at
	other.list = list
	return &other
}

// label returns the metrics' label for the tool: the id of its entry.
func (b *bound) label() string {
	if b.brought != nil {
		return labelBrought
	}
	return b.entry.ID
}
