package config

import (
	"slices"
	"strings"
)

// mcpNames are those of the MCP server's other tools.
var mcpNames = []string{"get_answer", "notify"}

// mcpTool reads what the MCP server of an app calls the tool that asks: no other tool of the server may
// have that name.
func (r *appReader) mcpTool(n Value) {
	name, ok := n.Text()
	switch {
	case !ok:
		return
	case !toolID.MatchString(name):
		n.Fault("%s cannot name a tool; %s", n.Raw(), toolIDRule)
		return
	case slices.Contains(mcpNames, name):
		n.Fault("the MCP server has another tool %s; choose another name than %s", n.Raw(), strings.Join(mcpNames, " and "))
		return
	}
	for _, id := range append([]string{TypeAskUser}, r.app.Tools...) {
		if t := r.tool(id); t != nil && t.Templates[name] != nil {
			n.Fault("%s is a template of the tool %q, which the MCP server offers by that name; choose another name, or rename the template", n.Raw(), t.ID)
			return
		}
	}
	r.app.MCP.Tool = name
}
