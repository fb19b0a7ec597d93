package api_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// TestLeavingTellsFirst: a node whose readiness is checked regularly refuses nothing before it has
// reported that it is not ready; a node that no one checks does not wait.
func TestLeavingTellsFirst(t *testing.T) {
	for name, c := range map[string]struct {
		asked  time.Duration // before it shuts down; 0: never
		told   time.Duration // after that; 0: never
		refuse time.Duration // after that
	}{
		"no checks":                   {0, 0, 0},
		"the last check is long ago":  {10 * time.Second, 0, 0},
		"asked every second":          {900 * time.Millisecond, 100 * time.Millisecond, 100 * time.Millisecond},
		"no longer, as it shuts down": {900 * time.Millisecond, 0, 1500 * time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a, _, _ := newAPI(t, nil, nil)
				call := func(method, path, body string) int {
					req := httptest.NewRequestWithContext(t.Context(), method, path, strings.NewReader(body))
					req.Header.Set("Content-Type", "application/json")
					w := httptest.NewRecorder()
					a.Handler().ServeHTTP(w, req)
					return w.Code
				}
				send := func() int { return call("POST", "/v1/apps/plain/chats/c1/messages", `{"message":"hi"}`) }
				if c.asked > 0 {
					if got := call("GET", "/readyz", ""); got != http.StatusOK {
						t.Fatalf("before: %d", got)
					}
					time.Sleep(c.asked)
				}
				var took time.Duration
				left := make(chan struct{})
				go func() {
					defer close(left)
					begin := time.Now()
					a.Leave(t.Context())
					took = time.Since(begin)
				}()
				synctest.Wait()
				if c.refuse > 0 {
					if got := send(); got != http.StatusOK {
						t.Errorf("refused before it reported that it is not ready: %d", got)
					}
				}
				if c.told > 0 {
					time.Sleep(c.told)
					if got := call("GET", "/readyz", ""); got != http.StatusServiceUnavailable {
						t.Errorf("ready: %d", got)
					}
				}
				<-left
				if took != c.refuse {
					t.Errorf("it shut down after %s", took)
				}
				if got := send(); got != http.StatusServiceUnavailable {
					t.Errorf("accepted after all: %d", got)
				}
				if got := call("GET", "/readyz", ""); got != http.StatusServiceUnavailable {
					t.Errorf("ready again: %d", got)
				}
			})
		})
	}
}
