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

// checkMediaType requires JSON in UTF-8. It also refuses a missing Content-Type, which a page of
// another site can send without a preflight.
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
