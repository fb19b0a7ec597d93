package httptool

import (
	"net/http"

	"github.com/askgate/askgate/tools/outgoing"
)

// Through sends the tool's requests through rt instead of a network.
func (t *Tool) Through(rt http.RoundTripper) { t.client.Transport = rt }

// Request returns the address and the body that result from a call's arguments.
func (t *Tool) Request(arguments string) (address string, body []byte, err error) {
	r, err := t.request(arguments)
	return r.address, r.body, err
}

// Redact returns a text without the secrets.
func Redact(text string, secrets ...string) string {
	return outgoing.NewRedactor(secrets).Replace(text)
}
