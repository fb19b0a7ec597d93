package native

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"net/http"
	"strings"

	"github.com/askgate/askgate/gateway/host"
)

// zipped answers with JSON that weighs something in the first load of a page.
func zipped(r *host.Request, body any) error {
	h := r.Response().Header()
	h.Add("Vary", "Accept-Encoding")
	accept := r.HTTP().Header.Get("Accept-Encoding")
	if !strings.Contains(accept, "gzip") || strings.Contains(accept, "q=0") { // who refuses it, or weighs
		return r.JSON(body)
	}
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if err := json.NewEncoder(z).Encode(body); err != nil { // values of our own types marshal
		panic(err)
	}
	_ = z.Close() // into memory
	h.Set("Content-Encoding", "gzip")
	_ = r.Send(http.StatusOK, "application/json", b.Bytes())
	return nil
}
