package main

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"os"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/gateway"
	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/outage"
	"github.com/askgate/askgate/gateway/store/sqldb"
)

const (
	// storeWait is how long a start waits for a store that cannot be reached.
	storeWait = time.Minute
	// storeRetry is the pause between two attempts.
	storeRetry = time.Second
)

// errEnded reports that a signal ended the wait.
var errEnded = errors.New("ended while waiting for the store")

// awaitStore opens the store. If its server cannot be reached, it calls waiting once, and then open
// again every storeRetry until storeWait is over or a signal ends the process. It returns any other
// error at once.
func awaitStore(ctx context.Context, open func(context.Context) (*sqldb.DB, error), waiting func() error, signals <-chan os.Signal, log *slog.Logger) (*sqldb.DB, error) {
	over := time.NewTimer(storeWait) // limits the waiting only: a migration may take longer
	defer over.Stop()
	down := outage.New(log, "waiting for the store", "the store is available")
	for first := true; ; first = false {
		db, err := open(ctx)
		if err != nil && errors.Is(err, sqldb.ErrAway) {
			down.Failed(err, "most", storeWait)
		}
		switch {
		case err == nil:
			down.Works()
			return db, nil
		case !errors.Is(err, sqldb.ErrAway):
			return nil, err
		case first:
			if err := waiting(); err != nil {
				return nil, err
			}
		}
		pause := time.After(storeRetry)
	rest:
		for {
			select {
			case <-pause:
				break rest
			case <-over.C:
				return nil, err
			case <-ctx.Done():
				return nil, errEnded
			case sig := <-signals:
				if sig != syscall.SIGHUP { // the start reads the configuration anyway
					return nil, errEnded
				}
			}
		}
	}
}

// doors are the addresses on which the process listens, possibly before the gateway is ready.
type doors struct {
	*servers
	settings      *config.Gateway
	certificate   *tls.Config // nil: none
	public, admin door
	listening     bool
	used          bool // whether a gateway answers
}

// listen starts to listen. Until open is called, requests are refused.
func (d *doors) listen(ctx context.Context) error {
	if d.listening {
		return nil
	}
	d.listening = true
	if err := d.servers.listen(ctx, "--listen", d.settings.Listen, &d.public, d.certificate); err != nil {
		return err
	}
	if d.settings.AdminListen == "" {
		return nil
	}
	return d.servers.listen(ctx, "--admin-listen", d.settings.AdminListen, &d.admin, nil)
}

// open lets the gateway answer requests, and calls listen if it was not called before.
func (d *doors) open(ctx context.Context, g *gateway.Gateway) error {
	d.public.open(g.Handler())
	d.admin.open(g.AdminHandler())
	err := d.listen(ctx)
	d.used = err == nil
	return err
}

// closeUnused closes the listeners after a failed start.
func (d *doors) closeUnused() {
	if !d.used {
		d.close(context.Background())
	}
}

// door is a handler that exists before the gateway does. Until it is opened, it answers /healthz and
// refuses everything else with 503.
type door struct{ behind atomic.Pointer[http.Handler] }

func (d *door) open(h http.Handler) { d.behind.Store(&h) }

// closedBody is the response to requests while the store cannot be reached.
const closedBody = `{"title":"Service Unavailable","status":503,"detail":"The gateway is starting and waits for its store.","code":"` + string(chat.CodeStoreUnavailable) + `"}` + "\n"

// ServeHTTP implements http.Handler.
func (d *door) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if h := d.behind.Load(); h != nil {
		(*h).ServeHTTP(w, r)
		return
	}
	w.Header().Set("Cache-Control", "no-store")
	if r.URL.Path == "/healthz" {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"status":"ok"}`+"\n")
		return
	}
	w.Header().Set("Content-Type", "application/problem+json")
	w.Header().Set("Retry-After", "1")
	w.WriteHeader(http.StatusServiceUnavailable)
	_, _ = io.WriteString(w, closedBody)
}
