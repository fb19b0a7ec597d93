package api_test

import (
	"testing"

	"github.com/askgate/askgate/gateway/api"
)

// Callers that the gateway admits may learn its version; others may not.
func TestTheVersionIsShown(t *testing.T) {
	const version = "v0.1.0"
	s := newServer(t, files{"gateway.json": `{"auth": {"mode": "apiKeys", "keys": [` + keyEntry("ops", "ag_admin", "ops", `"admin"`, false) + `]}}`},
		func(o *api.Options) { o.Version = version })
	for _, path := range []string{"/v1/session", "/v1/admin/config"} {
		var got struct{ Version string }
		s.call("GET", path, "", admin...).decode(t, 200, &got)
		if got.Version != version {
			t.Errorf("%s says %q", path, got.Version)
		}
		if r := s.call("GET", path, ""); r.StatusCode != 401 {
			t.Errorf("%s without a key: %d", path, r.StatusCode)
		}
	}
}
