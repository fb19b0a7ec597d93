package toolexec

import (
	"maps"
	"slices"

	"github.com/askgate/askgate/tools"
)

// As returns a catalog of one app whose tools are called on behalf of a caller. It shares
// everything else with c, and must not be closed. Where no tool of the app depends on the caller, it
// returns c. In c itself, and for tools in it, callers have no values: such calls fail.
func (c *Catalog) As(app string, who tools.Caller) *Catalog {
	at := c.apps[app]
	if at == nil || !at.personal {
		return c
	}
	list := slices.Clone(at.list)
	for i, b := range list {
		if b.personal() {
			list[i] = b.as(who)
		}
	}
	return &Catalog{Log: c.Log, held: c.held, apps: map[string]*appTools{app: at.having(list)}}
}

// personal reports whether calls of the tool, or of the tools that list options for it, depend on the
// caller.
func (b *bound) personal() bool {
	if b.brought != nil || b.entry == nil {
		return false
	}
	if len(b.entry.Placeholders()) > 0 {
		return true
	}
	for _, s := range b.sources {
		if s.tool.personal() {
			return true
		}
	}
	return false
}

// as returns the tool for a caller.
func (b *bound) as(who tools.Caller) *bound {
	mine := *b
	if p, ok := b.tool.(tools.Personal); ok && len(b.entry.Placeholders()) > 0 {
		mine.tool = p.As(who)
		mine.family, _ = mine.tool.(tools.Family)
	}
	mine.sources = maps.Clone(b.sources)
	for name, s := range mine.sources {
		of := *s
		of.tool, of.who = s.tool.as(who), who
		mine.sources[name] = &of
	}
	return &mine
}
