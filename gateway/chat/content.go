package chat

import (
	"encoding/json"
	"net/url"

	"github.com/askgate/askgate/tools"
)

// Bytes is the stored content of a part of a tool's result.
type Bytes struct {
	Media string
	Bytes []byte
}

// Locate sets the addresses of the parts of a result whose bytes are kept.
func Locate(of Ref, shown []tools.Content) {
	at := "/v1/apps/" + url.PathEscape(of.App) + "/chats/" + url.PathEscape(of.ChatID) + "/contents/"
	for i := range shown {
		if shown[i].ID != "" {
			shown[i].URL = at + shown[i].ID
		}
	}
}

// Parts returns the parts of a result for clients, in the form of MCP. They contain their bytes if
// these were read and fit; url and size say where the complete bytes are.
func Parts(shown []tools.Content) []json.RawMessage {
	var parts []json.RawMessage
	inline := tools.Inline(shown)
	for i := range shown {
		c := &shown[i]
		var part map[string]json.RawMessage
		if c.Size == 0 || json.Unmarshal(c.Part, &part) != nil {
			parts = append(parts, c.Part)
			continue
		}
		if inline[i] && c.Bytes != nil {
			hold(part, c.Bytes)
		}
		if c.URL != "" {
			part["url"] = text(c.URL)
		}
		part["size"], _ = json.Marshal(c.Size)
		raw, _ := json.Marshal(part) // of JSON, so it cannot fail
		parts = append(parts, raw)
	}
	return parts
}

// hold puts bytes where MCP has them: in "blob" of an embedded resource, otherwise in "data".
func hold(part map[string]json.RawMessage, data []byte) {
	held, _ := json.Marshal(data)
	var resource map[string]json.RawMessage
	if json.Unmarshal(part["resource"], &resource) != nil || resource == nil {
		part["data"] = held
		return
	}
	resource["blob"] = held
	part["resource"], _ = json.Marshal(resource)
}

func text(s string) json.RawMessage {
	raw, _ := json.Marshal(s)
	return raw
}
