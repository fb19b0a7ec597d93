package admin

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"time"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/host"
)

// readyTimeout is how long the parts behind /readyz may take. Kubernetes waits one second by
// default, and can be configured to wait longer.
const readyTimeout = 2 * time.Second

type health struct {
	Status string `json:"status"`
}

// Part is a dependency that the gateway can run without: /readyz?verbose reports its fault, and
// the gateway stays ready.
type Part struct {
	Name string
	// Status returns since when the part works or, with an error, since when it does not. The error
	// is not published. A Warning leaves the part in use.
	Status func() (since time.Time, err error)
	// Hint tells operators what the fault means and what to do.
	Hint string
}

// Warning is a condition that operators should deal with before it becomes a fault.
type Warning struct{ Err error }

func (w Warning) Error() string { return w.Err.Error() }

// partHealth is a part in the form that /readyz?verbose shows.
type partHealth struct {
	Status string     `json:"status"` // ok; warning: it works, but something is wrong; degraded: the gateway does without it; down: the gateway cannot do without it
	Since  *chat.Time `json:"since,omitempty"`
	Hint   string     `json:"hint,omitempty"`
}

// readiness is the body of /readyz?verbose.
type readiness struct {
	Status string                `json:"status"`
	Parts  map[string]partHealth `json:"parts"`
}

// Health reports the state of the node to operators and proxies.
type Health struct {
	Ready     func(ctx context.Context) error // optional, as are the parts
	Parts     []Part
	LiveParts func() []Part
	Scrape    http.Handler // serves metrics
}

// Healthz reports that the process answers.
func (h Health) Healthz(r *host.Request) error { return r.JSON(health{"ok"}) }

// Readyz reports whether new requests should come here.
func (h Health) Readyz(r *host.Request) error {
	r.Host.WasAsked()
	var store error
	if h.Ready != nil {
		ctx, cancel := context.WithTimeout(r.Context(), readyTimeout)
		defer cancel()
		store = h.Ready(ctx)
	}
	if _, verbose := r.Query("verbose"); verbose {
		h.writeReadiness(r, store)
		return nil
	}
	if r.Host.IsDraining() {
		return &host.Fault{Code: chat.CodeDraining}
	}
	if store != nil {
		return &chat.Error{Code: chat.CodeStoreUnavailable, Err: store}
	}
	return r.JSON(health{"ready"})
}

// writeReadiness reports each part; store is the store's error, nil if it works.
func (h Health) writeReadiness(r *host.Request, store error) {
	code, body := http.StatusOK, readiness{"ready", map[string]partHealth{"store": {Status: "ok"}}}
	parts := h.Parts
	if h.LiveParts != nil {
		parts = append(slices.Clip(parts), h.LiveParts()...)
	}
	for _, p := range parts {
		since, err := p.Status()
		h := partHealth{Status: "ok", Since: (*chat.Time)(&since)}
		if err != nil {
			h.Status, h.Hint = "degraded", p.Hint
			if _, is := errors.AsType[Warning](err); is {
				h.Status = "warning"
			}
		}
		body.Parts[p.Name] = h
	}
	if store != nil {
		body.Parts["store"] = partHealth{Status: "down", Hint: "chats are refused until the store accepts writes again; see the log for its error"}
		code, body.Status = http.StatusServiceUnavailable, string(chat.CodeStoreUnavailable)
	}
	if r.Host.IsDraining() {
		code, body.Status = http.StatusServiceUnavailable, string(chat.CodeDraining)
	}
	_ = r.Write(code, "application/json", body)
}

// Metrics serves /metrics to all callers.
func (h Health) Metrics(r *host.Request) error {
	h.Scrape.ServeHTTP(r.Response(), r.HTTP())
	return nil
}

// GuardedMetrics is /metrics on the main listener: if callers have keys, it requires one with the
// role metrics.
func (h Health) GuardedMetrics(r *host.Request) error {
	if r.Conf().Auth.Mode != config.AuthNone {
		if err := r.SignIn(); err != nil {
			return err
		}
		if !slices.Contains(r.Caller.Roles, host.MetricsRole) {
			return &host.Fault{Code: chat.CodeForbidden}
		}
	}
	return h.Metrics(r)
}
