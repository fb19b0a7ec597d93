package upstream_test

import (
	"testing"

	"github.com/askgate/askgate/gateway/model/upstream"
)

// The address of the same server may include any part of the call's path.
func TestEndpoint(t *testing.T) {
	const chat, messages = "/chat/completions", "/v1/messages"
	for _, c := range []struct{ base, path, want string }{
		{"https://h/v1", chat, "https://h/v1/chat/completions"},
		{" https://h/v1/ ", chat, "https://h/v1/chat/completions"},
		{"https://h/v1/chat/completions", chat, "https://h/v1/chat/completions"},
		{"https://h/v1/chat/completions/?api-version=1", chat, "https://h/v1/chat/completions?api-version=1"},
		{"https://h/deployments/gpt%2F4?api-version=1", chat, "https://h/deployments/gpt/4/chat/completions?api-version=1"},
		{"https://h", messages, "https://h/v1/messages"},
		{"https://h/", messages, "https://h/v1/messages"},
		{"https://h/v1", messages, "https://h/v1/messages"},
		{"https://h/v1/messages/", messages, "https://h/v1/messages"},
		{"https://h/api/anthropic", messages, "https://h/api/anthropic/v1/messages"},
		{"https://h/myv1", messages, "https://h/myv1/v1/messages"},
		{"nowhere/", messages, "nowhere/v1/messages"},
	} {
		if got := upstream.Endpoint(c.base, c.path); got != c.want {
			t.Errorf("%q: %s, want %s", c.base, got, c.want)
		}
	}
}
