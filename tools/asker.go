package tools

import "encoding/json"

// AskerKind says what sort of a thing asks a person.
type AskerKind string

// The kinds of askers.
const (
	AskerModel   AskerKind = "model"
	AskerTool    AskerKind = "tool"    // a call that waits for approval, or for the caller to run it
	AskerServer  AskerKind = "server"  // an MCP server, in the middle of a call
	AskerProgram AskerKind = "program" // without a model
	AskerApp     AskerKind = "app"     // for what its prompts are filled with
)

// Asker is who asks: what the gateway knows it as, never what it calls itself.
type Asker struct {
	Kind  AskerKind `json:"kind"`
	Name  string    `json:"name"`            // of the model, tool or server in the configuration
	Title string    `json:"title,omitempty"` // what people know it as
	// Version is that of a program, as it says.
	Version string `json:"version,omitempty"`
}

// UnmarshalJSON also reads what was stored when only servers were named: a text.
func (a *Asker) UnmarshalJSON(data []byte) error {
	if len(data) > 0 && data[0] == '"' {
		a.Kind = AskerServer
		return json.Unmarshal(data, &a.Name)
	}
	type plain Asker
	return json.Unmarshal(data, (*plain)(a))
}
