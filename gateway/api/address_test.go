package api_test

import (
	"context"
	"strings"
	"sync"
	"testing"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/gateway/api"
	"github.com/askgate/askgate/gateway/chat"
)

// The address of a token counts only if the token says that it is verified, and only where the
// configuration names its claim.
func TestOnlyVerifiedAddressesAreKept(t *testing.T) {
	k := newSigner(t)
	verified := map[string]any{"email": "alice@example.org", "email_verified": true}
	for name, c := range map[string]struct {
		keys   string
		claims map[string]any
		want   string
	}{
		"verified":        {`, "claims": {"email": "email"}`, verified, "default/alice alice@example.org"},
		"nested":          {`, "claims": {"email": "user.mail"}`, map[string]any{"user": map[string]any{"mail": "a@example.org"}, "email_verified": true}, "default/alice a@example.org"},
		"not verified":    {`, "claims": {"email": "email"}`, map[string]any{"email": "alice@example.org", "email_verified": false}, ""},
		"verified by no":  {`, "claims": {"email": "email"}`, map[string]any{"email": "alice@example.org"}, ""},
		"verified a text": {`, "claims": {"email": "email"}`, map[string]any{"email": "alice@example.org", "email_verified": "true"}, ""},
		"several":         {`, "claims": {"email": "email"}`, map[string]any{"email": []string{"a@b.c", "d@e.f"}, "email_verified": true}, ""},
		"not configured":  {``, verified, ""},
	} {
		t.Run(name, func(t *testing.T) {
			var mu sync.Mutex
			var kept []string
			s := newServer(t, withTokens(k.file(t), c.keys), func(o *api.Options) {
				o.Address = func(_ context.Context, _ *config.Gateway, p chat.Principal, email string) {
					mu.Lock()
					defer mu.Unlock()
					kept = append(kept, p.Tenant+"/"+p.Subject+" "+email)
				}
			})
			if r := s.call("GET", "/v1/apps", "", "Authorization", "Bearer "+k.token(t, c.claims)); r.StatusCode != 200 {
				t.Fatalf("%d: %s", r.StatusCode, r.body)
			}
			if got := strings.Join(kept, ", "); got != c.want {
				t.Errorf("kept %q, want %q", got, c.want)
			}
		})
	}
}
