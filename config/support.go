package config

// Everything that the contract names and this version cannot run yet, in one
// place: the syntax is checked like any other, and what would need it at run
// time gets one of these messages as a fault. When a feature arrives, its case
// here is deleted; nothing else in this package changes.

// unsupportedTool is about an enabled app that lists the tool.
func unsupportedTool(t *Tool) string {
	if t.Type == TypeMCP {
		return `tools of type "` + t.Type + `" are not available in this version; remove it from this list, or set "enabled": false`
	}
	return ""
}

func (n node) unsupported(message string) {
	if message != "" {
		n.fault("%s", message)
	}
}
