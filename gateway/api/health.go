package api

import (
	"context"
	"slices"
	"time"

	"github.com/gin-gonic/gin"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/gateway/chat"
)

// readyTimeout is how long the parts behind /readyz may take. Kubernetes asks
// with a timeout of one second by default, and may be told more.
const readyTimeout = 2 * time.Second

type health struct {
	Status string `json:"status"`
}

// healthz says that the process answers.
func (a *API) healthz(r *request) error { return r.json(health{"ok"}) }

// readyz says whether new requests should come here.
func (a *API) readyz(r *request) error {
	if a.isDraining() {
		return &fault{code: chat.CodeDraining}
	}
	if a.Ready != nil {
		ctx, cancel := context.WithTimeout(r.ctx(), readyTimeout)
		defer cancel()
		if err := a.Ready(ctx); err != nil {
			return &chat.Error{Code: chat.CodeStoreUnavailable, Err: err}
		}
	}
	return r.json(health{"ready"})
}

func (a *API) openMetrics(c *gin.Context) { a.scrape.ServeHTTP(c.Writer, c.Request) }

// guardedMetrics is /metrics on the main listener: where callers have keys, it
// takes one with the role metrics.
func (a *API) guardedMetrics(c *gin.Context) {
	a.handle(func(r *request) error {
		if a.Config.Current().Gateway.Auth.Mode != config.AuthNone {
			if err := a.signedIn(r); err != nil {
				return err
			}
			if !slices.Contains(r.caller.Roles, metricsRole) {
				return &fault{code: chat.CodeForbidden}
			}
		}
		a.openMetrics(c)
		return nil
	})(c)
}
