package mcptool

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/askgate/askgate/tools"
)

const (
	maxResult = 64 << 10 // bytes
	maxSaid   = 2000     // code points of an error for the model
)

// outcome returns a result in the form that the model reads.
func (w *speech) outcome(r *mcp.CallToolResult) (tools.Outcome, error) {
	hide := w.redactor.Replace
	if r.IsError {
		hide = w.faults.Replace
	}
	text := tools.Clip(strings.ToValidUTF8(hide(content(r)), "\ufffd"), maxResult)
	if r.IsError {
		return tools.Outcome{}, &tools.Error{Code: tools.CodeToolFailed, Message: tools.Shorten(text, maxSaid)}
	}
	return tools.Outcome{Result: text, Content: w.shown(r)}, nil
}

// content returns the text of a result. Parts that are not text are named, so that the model knows
// of them; only people are shown them.
func content(r *mcp.CallToolResult) string {
	var parts []string
	worded := false
	text := func(s string) {
		parts, worded = append(parts, s), worded || strings.TrimSpace(s) != ""
	}
	for _, c := range r.Content {
		switch c := c.(type) {
		case *mcp.TextContent:
			text(c.Text)
		case *mcp.ImageContent:
			parts = append(parts, unshown("image", c.MIMEType, len(c.Data)))
		case *mcp.AudioContent:
			parts = append(parts, unshown("audio", c.MIMEType, len(c.Data)))
		case *mcp.ResourceLink:
			parts = append(parts, fmt.Sprintf("[link: %s %s]", c.Name, c.URI))
		case *mcp.EmbeddedResource:
			switch {
			case c.Resource == nil:
			case c.Resource.Text != "":
				text(c.Resource.Text)
			default:
				parts = append(parts, unshown("resource "+c.Resource.URI, c.Resource.MIMEType, len(c.Resource.Blob)))
			}
		}
	}
	if !worded && r.StructuredContent != nil {
		if raw, err := json.Marshal(r.StructuredContent); err == nil {
			parts = append(parts, string(raw))
		}
	}
	whole := strings.Join(parts, "\n")
	if strings.TrimSpace(whole) == "" {
		return "(no content)"
	}
	return whole
}

func unshown(what, media string, size int) string {
	return fmt.Sprintf("[%s %s, %d bytes: for the user to see, not for you]", what, media, size)
}
