package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/askgate/askgate/config/configtest"
)

// toldOf is a receiver that counts, for each file, how often it was told of each kind of change.
type toldOf struct {
	*httptest.Server
	mu     sync.Mutex
	seen   map[string]bool // ids of deliveries
	counts map[string]int  // by kind and path
	total  int
}

func receiveChanges(t *testing.T) *toldOf {
	t.Helper()
	r := &toldOf{seen: map[string]bool{}, counts: map[string]int{}}
	key, err := base64.StdEncoding.DecodeString(hookSecret)
	if err != nil {
		t.Fatal(err)
	}
	r.Server = httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, req *http.Request) {
		body, _ := io.ReadAll(req.Body)
		id := req.Header.Get("webhook-id")
		mac := hmac.New(sha256.New, key)
		fmt.Fprintf(mac, "%s.%s.%s", id, req.Header.Get("webhook-timestamp"), body)
		if want := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil)); req.Header.Get("webhook-signature") != want {
			t.Errorf("signature %q, want %q", req.Header.Get("webhook-signature"), want)
		}
		var event struct {
			Type      string
			Timestamp time.Time
			Data      struct {
				Tool    string
				Apps    []string
				Changes []struct{ Kind, Path, Work string }
				Total   int
			}
		}
		if err := json.Unmarshal(body, &event); err != nil || event.Type != "document.changed" || event.Timestamp.IsZero() || event.Data.Tool != "laws" || fmt.Sprint(event.Data.Apps) != "[law]" {
			t.Errorf("%s: %v", body, err)
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		if r.seen[id] { // a delivery is sent again if its node was killed
			return
		}
		r.seen[id] = true
		r.total += event.Data.Total
		for _, c := range event.Data.Changes {
			r.counts[c.Kind+" "+c.Path]++
		}
	}))
	t.Cleanup(r.Close)
	return r
}

// until waits until so many changes have been told, and checks that each was told once.
func (r *toldOf) until(t *testing.T, total int) {
	t.Helper()
	// A node that was killed after the receiver had answered holds up the next delivery for 30 s.
	for deadline := time.Now().Add(2 * time.Minute); ; <-time.After(5 * time.Millisecond) {
		r.mu.Lock()
		done := r.total >= total || time.Now().After(deadline)
		r.mu.Unlock()
		if done {
			break
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.total != total {
		t.Fatalf("%d changes were told, want %d: %v", r.total, total, r.counts)
	}
	for what, n := range r.counts {
		if n != 1 {
			t.Errorf("%s was told %d times", what, n)
		}
	}
}

// Two nodes on one store and one folder tell of each change once, also if one of them is killed while
// files change; and the one that is left goes on.
func TestChangesAreToldOnceOverNodes(t *testing.T) {
	for name, at := range map[string]func(t *testing.T) string{
		"SQLite":     func(t *testing.T) string { return "sqlite:" + filepath.Join(t.TempDir(), "askgate.db") },
		"PostgreSQL": emptyPostgres,
	} {
		t.Run(name, func(t *testing.T) {
			r := receiveChanges(t)
			conf := t.TempDir()
			write := func(first, last int, text string) {
				for i := first; i < last; i++ {
					configtest.Files{fmt.Sprintf("laws/%03d.md", i): "# " + text}.Write(t, conf)
				}
			}
			configtest.Files{
				"gateway.json":  fmt.Sprintf(`{"documents": {"cache": "$CACHE"}, "webhooks": [{"id": "a", "url": %q, "secret": "whsec_%s", "events": ["document.changed"]}]}`, r.URL, hookSecret),
				"tools.json":    `[{"id": "laws", "type": "documents", "documents": {"path": "laws"}}]`,
				"apps/law.json": `{"id": "law", "tools": ["laws"]}`,
			}.Write(t, conf)
			write(0, 30, "Law")
			store := at(t)
			node := func() *gatewayNode {
				return startNode(t, os.Args[0], asProgram+"=1", "ASKGATE_CONFIG="+conf, "ASKGATE_STORE="+store, "CACHE="+t.TempDir())
			}
			first, second := node(), node()
			waitFor(t, func() bool {
				logs := first.log.String() + second.log.String()
				return strings.Count(logs, "documents indexed") == 2 && strings.Contains(logs, "webhooks are told of changes")
			})
			write(0, 10, "Law of both")
			r.until(t, 10)
			write(30, 70, "Law of the first")
			first.end(syscall.SIGKILL)
			write(70, 90, "Law of the second")
			r.until(t, 70)
			first.start()
			second.end(syscall.SIGKILL)
			write(90, 100, "Law of the first again")
			r.until(t, 80)
		})
	}
}
