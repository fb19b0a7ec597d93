package httptool

import (
	"net/http"

	"github.com/askgate/askgate/tools/outgoing"
)

// Through sends the tool's requests through rt instead of a network.
func (t *Tool) Through(rt http.RoundTripper) { t.client.Transport = rt }

// Request is the address and the body that a call's arguments make.
func (t *Tool) Request(arguments string) (address string, body []byte, err error) {
	return t.request(arguments)
}

// Redact is a text without the secrets.
func Redact(text string, secrets ...string) string {
	return outgoing.NewRedactor(secrets).Replace(text)
}
