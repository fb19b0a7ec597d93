package openai

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/askgate/askgate/gateway/front"
)

// wirePart is a part of a user's message other than text, in the shapes of both APIs: what Chat
// Completions has in an object named after the type, Responses has in the part itself.
type wirePart struct {
	Type     string          `json:"type"`
	ImageURL json.RawMessage `json:"image_url"` // an object, or its url alone
	Audio    struct {
		Data   string `json:"data"`
		Format string `json:"format"`
	} `json:"input_audio"`
	File wireFile `json:"file"`
	wireFile
}

type wireFile struct {
	Data string `json:"file_data"`
	Name string `json:"filename"`
}

// partsOfMessage returns the parts of a message other than text; place names its content in the
// request.
func partsOfMessage(content json.RawMessage, place string) (parts []front.Part) {
	var list []json.RawMessage
	if json.Unmarshal(content, &list) != nil {
		return nil
	}
	for i, raw := range list {
		var kind struct {
			Type string `json:"type"`
		}
		if json.Unmarshal(raw, &kind) != nil || kind.Type == "" || strings.HasSuffix(kind.Type, "text") {
			continue
		}
		var w wirePart
		_ = json.Unmarshal(raw, &w) // a member of another type is left out
		p := front.Part{Place: fmt.Sprintf("%s[%d]", place, i)}
		switch kind.Type {
		case "image_url", "input_image":
			var image struct {
				URL string `json:"url"`
			}
			if json.Unmarshal(w.ImageURL, &p.Address) != nil {
				_ = json.Unmarshal(w.ImageURL, &image) // likewise
				p.Address = image.URL
			}
		case "file":
			p.Name, p.Base64 = w.File.Name, w.File.Data
		case "input_file":
			p.Name, p.Base64 = w.Name, w.Data
		case "input_audio":
			p.Type, p.Base64 = "audio/"+w.Audio.Format, w.Audio.Data
		}
		parts = append(parts, p)
	}
	return parts
}
