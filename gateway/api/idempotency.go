package api

import (
	"unicode/utf8"

	"github.com/askgate/askgate/gateway/chat"
)

// idempotencyKey is the key of a request that a client may repeat: its body's or, where
// that has none, the header's, which proxies can set.
func (r *request) idempotencyKey(inBody string) (string, error) {
	const name = "Idempotency-Key"
	values := r.c.Request.Header.Values(name)
	if inBody != "" || len(values) == 0 {
		return inBody, nil
	}
	if len(values) > 1 || !utf8.ValidString(values[0]) || !printable(values[0]) {
		return "", &fault{code: chat.CodeInvalidRequest, detail: "idempotency_key", field: name, params: map[string]any{"Max": maxKeyLen}}
	}
	return values[0], nil
}
