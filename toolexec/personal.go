package toolexec

import "github.com/askgate/askgate/tools"

// As returns a catalog of one app whose tools are called on behalf of a caller. It shares
// everything else with c, and must not be closed. Where no tool of the app depends on the caller, it
// returns c.
func (c *Catalog) As(_ string, _ tools.Caller) *Catalog { return c }
