package mcptool

import (
	"encoding/json"
	"mime"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tools/arguments"
	"github.com/askgate/askgate/tools/outgoing"
)

// maxMedia is in bytes of what a server says of the type of bytes.
const maxMedia = 100

// speech is what a server says, without secrets.
type speech struct{ redactor outgoing.Redactor }

// shown is what people are shown of a result, in the server's order; nil where the text that
// the model reads is all there is. What is too much is left out.
func (w *speech) shown(r *mcp.CallToolResult) []tools.Content {
	if r.IsError || !beyondText(r.Content) {
		return nil
	}
	var list []tools.Content
	size, held := 0, 0
	for _, c := range r.Content {
		part, ok := w.part(c)
		if size += len(part.Part); !ok || size > tools.MaxPartsJSON || len(list) == tools.MaxParts {
			size -= len(part.Part)
			continue
		}
		if held += part.Size; held > tools.MaxContent {
			held -= part.Size
			part.Bytes = nil
		}
		list = append(list, part)
	}
	return list
}

func beyondText(parts []mcp.Content) bool {
	for _, c := range parts {
		if _, plain := c.(*mcp.TextContent); !plain {
			return true
		}
	}
	return false
}

// part is one part, without the bytes in its JSON.
func (w *speech) part(c mcp.Content) (part tools.Content, ok bool) {
	media := ""
	switch c := c.(type) {
	case *mcp.ImageContent:
		media, part.Bytes = c.MIMEType, c.Data
	case *mcp.AudioContent:
		media, part.Bytes = c.MIMEType, c.Data
	case *mcp.EmbeddedResource:
		if c.Resource != nil {
			media, part.Bytes = c.Resource.MIMEType, c.Resource.Blob
		}
	case *mcp.TextContent, *mcp.ResourceLink:
	default: // not of a result
		return part, false
	}
	var of map[string]any
	raw, err := json.Marshal(c)
	if err != nil || json.Unmarshal(raw, &of) != nil {
		return part, false
	}
	if part.Size = len(part.Bytes); part.Size > 0 {
		part.Media = mediaType(w.redactor.Replace(media))
		delete(of, "data")
		if resource, is := of["resource"].(map[string]any); is {
			delete(resource, "blob")
		}
	}
	part.Part, err = json.Marshal(w.clean(of))
	return part, err == nil
}

// clean takes out of each text of a part what nobody may see, and what no reader's eye can.
func (w *speech) clean(v any) any {
	switch v := v.(type) {
	case string:
		return tools.Clip(tools.Clean(strings.ToValidUTF8(w.redactor.Replace(v), "\ufffd")), maxResult)
	case []any:
		for i := range v {
			v[i] = w.clean(v[i])
		}
	case map[string]any:
		clean := make(map[string]any, len(v))
		for key, value := range v {
			clean[w.redactor.Replace(key)] = w.clean(value)
		}
		return clean
	}
	return v
}

// mediaType is the type of bytes as a header can say it.
func mediaType(said string) string {
	if kind, parameters, err := mime.ParseMediaType(said); err == nil && len(said) <= maxMedia {
		if proper := mime.FormatMediaType(kind, parameters); proper != "" {
			return proper
		}
	}
	return "application/octet-stream"
}

// oneLine is a text of the server as people are shown it in one line, where nothing hides.
func (w *speech) oneLine(text string) string {
	text = w.redactor.Replace(strings.ToValidUTF8(text, "\ufffd"))
	return tools.Shorten(arguments.Shown(strings.Join(strings.Fields(text), " ")), maxMessageSaid)
}
