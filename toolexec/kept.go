package toolexec

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/askgate/askgate/tools"
)

// Kept is what the families of an app offered at some time. nil: nothing is kept.
type Kept struct {
	Families []string           // ids of their entries
	Tools    []tools.Definition // their members, in order
}

// members are the tools of a family as they were kept, or as they are now where it was not there.
func (k *Kept) members(b *bound, language string) []tools.Definition {
	if k == nil || !slices.Contains(k.Families, b.entry.ID) {
		return b.family.Members(language)
	}
	return k.Tools // lists picks those of the family
}

// DefinitionsKept is Definitions with the members of families as they were kept: one that is gone
// is still described, and a call of it gets TOOL_NOT_AVAILABLE.
func (c *Catalog) DefinitionsKept(app, language string, interactive bool, kept *Kept) []tools.Definition {
	at := c.apps[app]
	if at == nil {
		return nil
	}
	defs, _ := at.definitions(language, interactive, kept)
	return defs
}

// Keep is what the families of an app offer now.
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

// compact is JSON as encoding/json writes it, which is how it comes back from a store.
func compact(raw json.RawMessage) json.RawMessage {
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil {
		return raw
	}
	return b.Bytes()
}
