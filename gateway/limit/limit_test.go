package limit_test

import (
	"maps"
	"net/http"
	"testing"
	"time"

	"github.com/askgate/askgate/gateway/limit"
)

func TestHeaders(t *testing.T) {
	for name, tt := range map[string]struct {
		d    limit.Decision
		want map[string]string
	}{
		"allowed": {
			limit.Decision{Allowed: true, Scope: "requests", Limit: 60, Remaining: 10, Window: time.Minute, Reset: 1500 * time.Millisecond},
			map[string]string{"Ratelimit-Policy": `"requests";q=60;w=60`, "Ratelimit": `"requests";r=10;t=2`},
		},
		"refused": {
			limit.Decision{Scope: "requests", Limit: 60, Window: time.Minute, RetryAfter: 29001 * time.Millisecond, Reset: 29001 * time.Millisecond},
			map[string]string{"Ratelimit-Policy": `"requests";q=60;w=60`, "Ratelimit": `"requests";r=0;t=30`, "Retry-After": "30"},
		},
		// The draft, section 6: Retry-After is not before the end of the window.
		"never too early": {
			limit.Decision{Scope: "requests", Limit: 60, Window: time.Minute, RetryAfter: time.Second, Reset: 3 * time.Second},
			map[string]string{"Ratelimit-Policy": `"requests";q=60;w=60`, "Ratelimit": `"requests";r=0;t=3`, "Retry-After": "3"},
		},
		"never at once": {
			limit.Decision{Scope: "requests", Limit: 6000, Window: time.Minute, RetryAfter: time.Nanosecond},
			map[string]string{"Ratelimit-Policy": `"requests";q=6000;w=60`, "Ratelimit": `"requests";r=0;t=1`, "Retry-After": "1"},
		},
		"at the same time": {
			limit.Decision{Scope: "turns", Limit: 4, RetryAfter: 5 * time.Second},
			map[string]string{"Ratelimit-Policy": `"turns";q=4;qu="concurrent-requests"`, "Ratelimit": `"turns";r=0`, "Retry-After": "5"},
		},
		"tokens": {
			limit.Decision{Allowed: true, Scope: "tokens_tenant", Limit: 100_000, Remaining: 7, Window: 24 * time.Hour, Reset: time.Hour, Unit: "tokens"},
			map[string]string{"Ratelimit-Policy": `"tokens_tenant";q=100000;w=86400;qu="tokens"`, "Ratelimit": `"tokens_tenant";r=7;t=3600`},
		},
		"nothing limited": {limit.Decision{Allowed: true}, map[string]string{}},
		"a scope that does not fit in a header": {
			limit.Decision{Allowed: true, Scope: "a\"\\\r\nX: y\x00é", Limit: 1, Remaining: -1, Window: time.Minute},
			map[string]string{"Ratelimit-Policy": `"a\"\\X: y";q=1;w=60`, "Ratelimit": `"a\"\\X: y";r=0;t=1`},
		},
	} {
		t.Run(name, func(t *testing.T) {
			h := http.Header{}
			tt.d.Headers(h)
			got := map[string]string{}
			for field := range h {
				got[field] = h.Get(field)
			}
			if !maps.Equal(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestSeveralLimitsMakeOneListAndARefusalStandsAlone(t *testing.T) {
	h := http.Header{}
	for _, scope := range []string{"a", "b"} {
		limit.Decision{Allowed: true, Scope: scope, Limit: 60, Remaining: 1, Window: time.Minute}.Headers(h)
	}
	if got, want := h.Get("RateLimit-Policy")+" | "+h.Get("RateLimit"), `"a";q=60;w=60, "b";q=60;w=60 | "a";r=1;t=1, "b";r=1;t=1`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	limit.Decision{Scope: "c", Limit: 4, RetryAfter: time.Second}.Headers(h)
	if got, want := h.Get("RateLimit-Policy")+" | "+h.Get("RateLimit"), `"c";q=4;qu="concurrent-requests" | "c";r=0`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
