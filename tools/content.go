package tools

import "encoding/json"

// Limits of what a result shows people.
const (
	MaxParts       = 100       // parts of a result
	MaxPartsJSON   = 128 << 10 // bytes of their JSON, without what they hold
	MaxContent     = 8 << 20   // bytes that the parts of a result hold together
	MaxContentChat = 64 << 20  // and those of a chat
	MaxInline      = 1 << 20   // bytes of a result that stand in events and snapshots
)

// Content is a part of what a tool's result shows people, in the form of MCP: a text, a
// picture, a link. The model never reads it: it has Outcome.Result.
type Content struct {
	// Part is the part as it came, a JSON object, without the bytes that it holds.
	Part json.RawMessage `json:"part"`
	// Media and Size are of these bytes; 0 where it holds none.
	Media string `json:"media,omitempty"`
	Size  int    `json:"size,omitempty"`
	// ID names the bytes in their chat's store; "" where they are not kept.
	ID string `json:"id,omitempty"`
	// Bytes are at hand where the tool has just sent them, or somebody has read them.
	Bytes []byte `json:"-"`
	// URL is the address of the bytes, for the chat's owner.
	URL string `json:"-"`
}

// Inline says of each part whether its bytes stand in events and snapshots: as many as there
// is room for, in order.
func Inline(parts []Content) []bool {
	in, room := make([]bool, len(parts)), MaxInline
	for i, p := range parts {
		if p.ID != "" && p.Size <= room {
			in[i] = true
			room -= p.Size
		}
	}
	return in
}
