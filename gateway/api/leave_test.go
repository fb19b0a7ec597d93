package api_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// TestLeavingTellsFirst: a node that is asked regularly whether it is ready refuses nothing
// before it has said no; one that is not asked does not wait.
func TestLeavingTellsFirst(t *testing.T) {
	for name, c := range map[string]struct {
		asked  time.Duration // before it leaves; 0: never
		told   time.Duration // after that; 0: never
		refuse time.Duration // after that
	}{
		"nobody asks":                {0, 0, 0},
		"somebody asked long ago":    {10 * time.Second, 0, 0},
		"asked every second":         {900 * time.Millisecond, 100 * time.Millisecond, 100 * time.Millisecond},
		"not any more, as it leaves": {900 * time.Millisecond, 0, 1500 * time.Millisecond},
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
						t.Errorf("refused before anybody was told: %d", got)
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
					t.Errorf("it left after %s", took)
				}
				if got := send(); got != http.StatusServiceUnavailable {
					t.Errorf("taken after all: %d", got)
				}
				if got := call("GET", "/readyz", ""); got != http.StatusServiceUnavailable {
					t.Errorf("ready again: %d", got)
				}
			})
		})
	}
}
