package api

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"time"

	"github.com/askgate/askgate/docs"
	"github.com/askgate/askgate/gateway/host"
)

var openAPITag = func() string {
	sum := sha256.Sum256(docs.OpenAPI)
	return `"` + hex.EncodeToString(sum[:8]) + `"`
}()

// openAPI serves the description of the API, which is the same for all callers.
func openAPI(r *host.Request) error {
	h := r.Response().Header()
	h.Set("Content-Type", "application/yaml")
	h.Set("Cache-Control", "no-cache") // the next version has the same name
	h.Set("ETag", openAPITag)
	rc := http.NewResponseController(r.Response())
	_ = rc.SetWriteDeadline(time.Now().Add(host.WriteTimeout)) // not supported: no connection to protect
	http.ServeContent(r.Response(), r.HTTP(), "", time.Time{}, bytes.NewReader(docs.OpenAPI))
	_ = rc.Flush()
	_ = rc.SetWriteDeadline(time.Time{})
	return nil
}
