package host

import (
	"net/http"
)

// Write sends a whole JSON response.
func (r *Request) Write(status int, contentType string, body any) error {
	return r.sent(writeJSON(r.Response(), status, contentType, body))
}

// Send sends a whole response.
func (r *Request) Send(status int, contentType string, body []byte) error {
	return r.sent(send(r.Response(), status, contentType, body))
}

// sent notes that the response with a run was written.
func (r *Request) sent(err error) error {
	if r.told != nil && err == nil {
		delivered(r, r.told.Whole())
	}
	r.told = nil
	return err
}

// JSON answers with status 200.
func (r *Request) JSON(body any) error {
	_ = r.Write(http.StatusOK, "application/json", body) // only the client loses by it
	return nil
}

// Nothing responds without a body.
func (r *Request) Nothing() error {
	r.Response().Header().Set("Cache-Control", "no-store")
	r.Response().WriteHeader(http.StatusNoContent)
	return nil
}

// AsStream removes the guards for documents: an event stream is not one, and its headers are kept
// as long as it is open.
func (r *Request) AsStream() {
	h := r.Response().Header()
	for _, name := range []string{"Referrer-Policy", "X-Frame-Options", "Content-Security-Policy", "Cross-Origin-Opener-Policy", "Permissions-Policy", "Strict-Transport-Security"} {
		h.Del(name)
	}
}
