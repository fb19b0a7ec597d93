package toolexec

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/askgate/askgate/tools"
)

// Kept is what the families of an app offered at an earlier time. nil means that nothing is kept.
type Kept struct {
	Families []string           // ids of their entries
	Tools    []tools.Definition // their members, in order
}

// members returns the kept tools of a family, or its current ones if the family was not kept.
func (k *Kept) members(b *bound, language string) []tools.Definition {
	if k == nil || !slices.Contains(k.Families, b.entry.ID) {
		return b.family.Members(language)
	}
	return k.Tools // the caller picks those of the family, with lists
}

// DefinitionsKept is like Definitions, but with the kept members of families. A member that is
// gone is still described; a call to it fails with TOOL_NOT_AVAILABLE.
func (c *Catalog) DefinitionsKept(app, language string, interactive bool, kept *Kept) []tools.Definition {
	at := c.apps[app]
	if at == nil {
		return nil
	}
	defs, _ := at.definitions(language, interactive, kept)
	return defs
}

// Keep returns what the families of an app offer now.
func (c *Catalog) Keep(app, language string, interactive bool) *Kept {
	k := &Kept{}
	at := c.apps[app]
	if at == nil || !slices.ContainsFunc(at.list, func(b *bound) bool { return b.family != nil }) {
		return k
	}
	offered := c.Definitions(app, language, interactive)
	for _, b := range at.list {
		if b.family == nil {
			continue
		}
		k.Families = append(k.Families, b.entry.ID)
		for _, d := range offered {
			if b.lists(d.Name) {
				d.Parameters = compact(d.Parameters)
				k.Tools = append(k.Tools, d)
			}
		}
	}
	return k
}

// compact returns JSON as encoding/json writes it, and as it comes back from a store.
func compact(raw json.RawMessage) json.RawMessage {
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil {
		return raw
	}
	return b.Bytes()
}
