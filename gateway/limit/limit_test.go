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
		"nothing limited": {limit.Decision{Allowed: true}, map[string]string{}},
		"a scope no header can hold": {
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
