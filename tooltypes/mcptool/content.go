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

// maxMedia is the longest media type of a server in bytes.
const maxMedia = 100

// speech removes secrets from what a server sends.
type speech struct {
	redactor outgoing.Redactor
	// faults is used for errors. It also removes the values of the caller that a server got.
	faults outgoing.Redactor
}

func newSpeech(secrets []string) speech {
	r := outgoing.NewRedactor(secrets)
	return speech{redactor: r, faults: r}
}

// shown returns the parts of a result for people, in the server's order. It is nil if there is
// nothing but the text that the model reads. What exceeds the limits is left out.
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

// part converts one part. Its bytes are not in its JSON.
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
	default: // not allowed in a result
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

// clean removes secrets and invisible characters from each text of a part.
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

// mediaType returns a media type that is valid in a header.
func mediaType(said string) string {
	if kind, parameters, err := mime.ParseMediaType(said); err == nil && len(said) <= maxMedia {
		if proper := mime.FormatMediaType(kind, parameters); proper != "" {
			return proper
		}
	}
	return "application/octet-stream"
}

// oneLine returns a text of the server in one line for people, without hidden characters.
func (w *speech) oneLine(text string) string {
	text = w.redactor.Replace(strings.ToValidUTF8(text, "\ufffd"))
	return tools.Shorten(arguments.Shown(strings.Join(strings.Fields(text), " ")), maxMessageSaid)
}
