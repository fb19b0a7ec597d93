package api

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"net/http"
	"strings"
)

// zipped answers with JSON that weighs something in the first load of a page.
func zipped(r *request, body any) error {
	h := r.response().Header()
	h.Add("Vary", "Accept-Encoding")
	accept := r.http().Header.Get("Accept-Encoding")
	if !strings.Contains(accept, "gzip") || strings.Contains(accept, "q=0") { // who refuses it, or weighs
		return r.json(body)
	}
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if err := json.NewEncoder(z).Encode(body); err != nil { // values of our own types marshal
		panic(err)
	}
	_ = z.Close() // into memory
	h.Set("Content-Encoding", "gzip")
	_ = send(r.response(), http.StatusOK, "application/json", b.Bytes())
	return nil
}
