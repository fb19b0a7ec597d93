package native

import (
	"mime"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/askgate/askgate/gateway/host"
)

// pictures are the types that a browser may display on their own: they contain no code. All
// others are saved, not opened.
var pictures = []string{"image/png", "image/jpeg", "image/gif", "image/webp", "image/avif"}

// Content sends the content of a part of a tool's result.
func (h Files) Content(r *host.Request) error {
	ctx, release := host.Reading(r, 1)
	defer release()
	b, err := h.Engine.Content(ctx, r.Ref, r.Param("contentId"))
	if err != nil {
		return err
	}
	header := r.Response().Header()
	header.Set("Content-Type", b.Media)
	header.Set("Content-Length", strconv.Itoa(len(b.Bytes)))
	header.Set("Cache-Control", "no-store")
	header.Set("Content-Security-Policy", foreign)
	kind, _, _ := mime.ParseMediaType(b.Media)
	if slices.Contains(pictures, kind) {
		header.Set("Content-Disposition", "inline")
	} else {
		header.Set("Content-Disposition", "attachment")
	}
	rc := http.NewResponseController(r.Response())
	_ = rc.SetWriteDeadline(time.Now().Add(host.WriteTimeout)) // not supported: no connection to protect
	r.Response().WriteHeader(http.StatusOK)
	_, _ = r.Response().Write(b.Bytes)
	_ = rc.Flush()
	_ = rc.SetWriteDeadline(time.Time{}) // the connection may carry the next request
	return nil
}
