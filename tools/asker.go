package tools

import "encoding/json"

// AskerKind is the kind of an asker.
type AskerKind string

// The kinds of askers.
const (
	AskerModel   AskerKind = "model"
	AskerTool    AskerKind = "tool"    // a tool call that waits for approval, or for the caller to run it
	AskerServer  AskerKind = "server"  // an MCP server, during a call
	AskerProgram AskerKind = "program" // without a model
	AskerApp     AskerKind = "app"     // the app, for the values of its prompts
)

// Asker identifies who asks, as the gateway knows it, never as it calls itself.
type Asker struct {
	Kind  AskerKind `json:"kind"`
	Name  string    `json:"name"`            // name of the model, tool or server in the configuration
	Title string    `json:"title,omitempty"` // the name that people see
	// Version is the version that a program reports.
	Version string `json:"version,omitempty"`
}

// UnmarshalJSON also reads the old stored form: a text, the name of a server.
func (a *Asker) UnmarshalJSON(data []byte) error {
	if len(data) > 0 && data[0] == '"' {
		a.Kind = AskerServer
		return json.Unmarshal(data, &a.Name)
	}
	type plain Asker
	return json.Unmarshal(data, (*plain)(a))
}
