package native

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"net/http"
	"strings"

	"github.com/askgate/askgate/gateway/host"
)

// zipped sends JSON that is large enough to matter when a page loads first.
func zipped(r *host.Request, body any) error {
	h := r.Response().Header()
	h.Add("Vary", "Accept-Encoding")
	accept := r.HTTP().Header.Get("Accept-Encoding")
	if !strings.Contains(accept, "gzip") || strings.Contains(accept, "q=0") { // refused, or with weights
		return r.JSON(body)
	}
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if err := json.NewEncoder(z).Encode(body); err != nil { // values of our own types marshal
		panic(err)
	}
	_ = z.Close() // writes to memory
	h.Set("Content-Encoding", "gzip")
	_ = r.Send(http.StatusOK, "application/json", b.Bytes())
	return nil
}
