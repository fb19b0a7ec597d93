package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askgate/askgate/config/configtest"
	"github.com/askgate/askgate/gateway/store/sqldb"
)

// relay is a port at which a server can be reached after it was opened.
func relay(t *testing.T, to string) (address string, open func()) {
	t.Helper()
	address = freePort(t)
	return address, func() {
		l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = l.Close() })
		go func() {
			for {
				from, err := l.Accept()
				if err != nil {
					return
				}
				server, err := new(net.Dialer).DialContext(t.Context(), "tcp", to)
				if err != nil {
					_ = from.Close()
					continue
				}
				go func() { _, _ = io.Copy(server, from); _ = server.Close() }()
				go func() { _, _ = io.Copy(from, server); _ = from.Close() }()
			}
		}()
	}
}

// serveAt runs the program on a store, and returns where it listens and its result.
func serveAt(t *testing.T, store string) (base string, code <-chan int) {
	t.Helper()
	dir, address := t.TempDir(), freePort(t)
	configtest.Files{
		"apps/helper.json": `{"id": "helper", "name": "Helper"}`, "gateway.json": `{"listen": "` + address + `", "models": {"default": {"provider": "demo"}}}`,
	}.Write(t, dir)
	ended := make(chan int, 1)
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	go func() { ended <- run(ctx, []string{"serve", "--config", dir, "--store", store}) }()
	return "http://" + address, ended
}

// A gateway that cannot reach its store is healthy, refuses requests, and serves when the store can be
// reached.
func TestAStartWaitsForTheStore(t *testing.T) {
	store, set := mistimed(t)
	set(0)
	u, err := url.Parse(store)
	if err != nil {
		t.Fatal(err)
	}
	address, open := relay(t, u.Host)
	u.Host = address
	base, code := serveAt(t, u.String())
	waitFor(t, func() bool { return get(t.Context(), base+"/healthz") == http.StatusOK })
	for _, path := range []string{"/readyz", "/", "/v1/apps", "/metrics"} {
		if got := get(t.Context(), base+path); got != http.StatusServiceUnavailable {
			t.Errorf("%s: %d", path, got)
		}
	}
	open()
	waitFor(t, func() bool { return get(t.Context(), base+"/readyz") == http.StatusOK })
	if got := get(t.Context(), base+"/v1/apps"); got != http.StatusOK {
		t.Errorf("/v1/apps: %d", got)
	}
	select {
	case c := <-code:
		t.Errorf("it ended with %d", c)
	default:
	}
}

// An error that only an operator can fix ends a start at once, with exit code 1.
func TestAStartDoesNotWaitForWhatWillNotComeByItself(t *testing.T) {
	store, set := mistimed(t)
	set(0)
	for what, change := range map[string]func(u *url.URL, q url.Values){
		"a user that there is none of":     func(u *url.URL, _ url.Values) { u.User = url.UserPassword("askgate_nobody", "wrong") },
		"a database that there is none of": func(u *url.URL, _ url.Values) { u.Path = "/askgate_no_such_database" },
		"a schema that there is none of":   func(_ *url.URL, q url.Values) { q.Set("search_path", "askgate_no_such_schema") },
	} {
		u, err := url.Parse(store)
		if err != nil {
			t.Fatal(err)
		}
		q := u.Query()
		change(u, q)
		u.RawQuery = q.Encode()
		base, code := serveAt(t, u.String())
		if c := <-code; c != 1 {
			t.Errorf("%s: ended with %d", what, c)
		}
		if got := get(t.Context(), base+"/healthz"); got != 0 {
			t.Errorf("%s: still there: %d", what, got)
		}
	}
}

// If the store cannot be reached for a minute, the start ends with the error of the store.
func TestAStartWaitsNoLongerThanAMinute(t *testing.T) {
	away := fmt.Errorf("%w: connection refused", sqldb.ErrAway)
	for name, c := range map[string]struct {
		open    func(tries int) error // nil: the store is there
		after   func(signals chan<- os.Signal)
		want    error
		took    time.Duration
		waiting int
	}{
		"never there":              {open: func(int) error { return away }, want: away, took: time.Minute, waiting: 1},
		"there at once":            {open: func(int) error { return nil }},
		"there after five seconds": {open: func(n int) error { return map[bool]error{true: away}[n <= 5] }, took: 5 * time.Second, waiting: 1},
		"then a refusal":           {open: func(n int) error { return map[bool]error{true: away, false: io.ErrClosedPipe}[n <= 2] }, want: io.ErrClosedPipe, took: 2 * time.Second, waiting: 1},
		"a signal": {open: func(int) error { return away }, after: func(signals chan<- os.Signal) {
			signals <- syscall.SIGHUP
			signals <- syscall.SIGTERM
		}, want: errEnded, waiting: 1},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				tries, waited, began := 0, 0, time.Now()
				signals := make(chan os.Signal, 2)
				if c.after != nil {
					c.after(signals)
				}
				_, err := awaitStore(t.Context(), func(context.Context) (*sqldb.DB, error) {
					tries++
					return nil, c.open(tries)
				}, func() error { waited++; return nil }, signals, slog.New(slog.DiscardHandler))
				if !errors.Is(err, c.want) || time.Since(began) != c.took || waited != c.waiting {
					t.Errorf("%v after %v, %d times told that it waits", err, time.Since(began), waited)
				}
			})
		})
	}
}

// A door refuses requests with the same problem as the API.
func TestAClosedDoorRefusesAsTheAPIDoes(t *testing.T) {
	for _, want := range []string{`"status":503`, `"code":"store_unavailable"`, `"title":`, `"detail":`} {
		if !strings.Contains(closedBody, want) {
			t.Errorf("no %s in %s", want, closedBody)
		}
	}
}
