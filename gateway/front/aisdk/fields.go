package aisdk

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/askgate/askgate/gateway/front"
	"github.com/askgate/askgate/gateway/host"
	"github.com/askgate/askgate/tools"
)

// fields are the fields of a body that pages send in addition to the protocol's own, and that are
// not used.
var fields = []front.Field{
	front.SystemIn("messages"),
	{Name: front.IgnoredSystem},
	front.HistoryIn("messages"),
	{Name: front.IgnoredTools, Asks: func(value json.RawMessage) bool {
		return slices.ContainsFunc(brought(value), func(t front.Tool) bool { return t.Name != front.AskUser })
	}},
	{Name: "callSettings"},
	{Name: "config"},
}

// brought returns the tools of a body: a list, or an object by their names, as assistant-ui sends
// them.
func brought(data json.RawMessage) (all []front.Tool) {
	var list []json.RawMessage
	if json.Unmarshal(data, &list) == nil {
		for i, raw := range list {
			all = append(all, tool(fmt.Sprintf("tools[%d]", i), "", raw))
		}
		return all
	}
	var named map[string]json.RawMessage
	_ = json.Unmarshal(data, &named) // of another type: none
	for _, name := range slices.Sorted(maps.Keys(named)) {
		all = append(all, tool("tools."+host.Shown(name, maxMessageID), name, named[name]))
	}
	return all
}

// tool is one of them, with the schema of its arguments under any of the names that versions use.
func tool(field, name string, raw json.RawMessage) front.Tool {
	var t struct {
		Name        string          `json:"name"`
		Description string          `json:"description"`
		Parameters  json.RawMessage `json:"parameters"`
		InputSchema json.RawMessage `json:"inputSchema"`
	}
	_ = json.Unmarshal(raw, &t) // a value of another type is left out
	if t.Parameters == nil {
		t.Parameters = t.InputSchema
	}
	var wrapped struct {
		Schema json.RawMessage `json:"jsonSchema"` // as ai's own functions make it
	}
	if json.Unmarshal(t.Parameters, &wrapped) == nil && wrapped.Schema != nil {
		t.Parameters = wrapped.Schema
	}
	if name == "" {
		name = t.Name
	}
	return front.Tool{Field: field, Definition: tools.Definition{Name: name, Description: t.Description, Parameters: t.Parameters}}
}

// settings reports what of a body is not used.
func settings(c *host.Request, data []byte) {
	var members map[string]json.RawMessage
	if json.Unmarshal(data, &members) == nil { // otherwise the reader refuses it
		front.Ignored(c.Header(), members, fields)
	}
}
