package tools

import "encoding/json"

// Limits of the content that a result shows to people.
const (
	MaxParts       = 100       // parts of a result
	MaxPartsJSON   = 128 << 10 // bytes of their JSON, without their content
	MaxContent     = 8 << 20   // bytes of content of all parts of a result
	MaxContentChat = 64 << 20  // bytes of content in a chat
	MaxInline      = 1 << 20   // bytes of content of a result in events and snapshots
)

// Content is a part of the content that a tool's result shows to people, in the form of MCP:
// a text, a picture, a link. The model never reads it; it reads Outcome.Result.
type Content struct {
	// Part is the part as received, a JSON object, without the bytes of its content.
	Part json.RawMessage `json:"part"`
	// Media and Size describe these bytes. Size is 0 if there are none.
	Media string `json:"media,omitempty"`
	Size  int    `json:"size,omitempty"`
	// ID identifies the bytes in the store of the chat, "" if they are not stored.
	ID string `json:"id,omitempty"`
	// Bytes are set if the tool has just sent them or they were read from the store.
	Bytes []byte `json:"-"`
	// URL is the address of the bytes, for the chat's owner.
	URL string `json:"-"`
}

// Inline reports for each part whether its bytes are included in events and snapshots: those
// of the first parts, up to MaxInline bytes.
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
