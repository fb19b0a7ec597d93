package agui

import (
	"encoding/json"
	"fmt"

	"github.com/askgate/askgate/gateway/front"
	"github.com/askgate/askgate/gateway/host"
	"github.com/askgate/askgate/tools"
)

// fields are the fields of a RunAgentInput that are not used.
var fields = []front.Field{
	front.SystemIn("messages"),
	front.HistoryIn("messages"),
	front.OtherTools(toolName),
	{Name: "context"},
	{Name: "state"},
	{Name: "parentRunId"},
	{Name: "forwardedProps", Asks: func(value json.RawMessage) bool {
		var props, command map[string]json.RawMessage
		if json.Unmarshal(value, &props) != nil {
			return !front.Empty(value)
		}
		if json.Unmarshal(props["command"], &command) == nil {
			delete(command, "resume")
			delete(command, "interruptEvent") // CopilotKit's, sent along with it
			if len(command) == 0 {
				delete(props, "command")
			}
		}
		delete(props, "interrupts")
		return len(props) > 0
	}},
}

// settings reports what of a body is not used.
func settings(c *host.Request, data []byte) {
	var members map[string]json.RawMessage
	if json.Unmarshal(data, &members) == nil { // otherwise the reader refuses it
		front.Ignored(c.Header(), members, fields)
	}
}

// brought returns the tools of a body.
func brought(list []json.RawMessage) (all []front.Tool) {
	for i, raw := range list {
		var t struct {
			Description json.RawMessage `json:"description"`
			Parameters  json.RawMessage `json:"parameters"`
		}
		_ = json.Unmarshal(raw, &t) // otherwise it has no name
		all = append(all, front.Tool{Field: fmt.Sprintf("tools[%d]", i), Definition: tools.Definition{
			Name: toolName(raw), Description: text(t.Description), Parameters: t.Parameters,
		}})
	}
	return all
}

func toolName(tool json.RawMessage) string {
	var t struct {
		Name json.RawMessage `json:"name"`
	}
	_ = json.Unmarshal(tool, &t) // otherwise it has none
	return text(t.Name)
}
