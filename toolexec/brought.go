package toolexec

import (
	"slices"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/tools"
)

// labelBrought is what metrics call the tools of clients, whose names are theirs.
const labelBrought = "client"

// With is the catalog with tools that the client of a turn in an app brought, in place of those
// that it has of a client. They are offered behind the app's own, and their calls wait for the
// client's results. It shares all else, and is not to be closed.
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
		app: {app: at.app, list: list, closers: at.closers, lists: at.lists, form: at.form},
	}}
}

// label is what metrics call the tool: the id of its entry.
func (b *bound) label() string {
	if b.brought != nil {
		return labelBrought
	}
	return b.entry.ID
}
