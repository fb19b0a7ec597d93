package host

import (
	"mime"
	"strings"

	"github.com/askgate/askgate/gateway/chat"
)

const (
	TypeStream = "text/event-stream"
	TypeJSON   = "application/json"
)

// checkMediaType demands JSON in UTF-8. A missing Content-Type is refused, too: a page of
// another site can send that without a preflight.
func checkMediaType(contentType string) error {
	mediaType, params, err := mime.ParseMediaType(contentType)
	if err != nil || mediaType != TypeJSON {
		return &Fault{Code: chat.CodeUnsupportedMedia}
	}
	if charset, ok := params["charset"]; ok && !strings.EqualFold(charset, "utf-8") {
		return &Fault{Code: chat.CodeUnsupportedMedia}
	}
	return nil
}
