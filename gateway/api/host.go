package api

import (
	"cmp"
	"context"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"sync/atomic"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/gateway/limit"
	"github.com/askgate/askgate/gateway/sse"
	"github.com/askgate/askgate/gateway/turn"
	"github.com/askgate/askgate/locales"
)

// HostOptions are the parts that a Host is made of. All are needed but those marked optional.
type HostOptions struct {
	Engine   Engine
	Feed     Feed
	Store    Store
	Setup    func() *turn.Setup // the configuration in force, with what was made of it
	Catalog  *locales.Catalog
	Limiter  limit.Limiter
	Registry *prometheus.Registry
	Log      *slog.Logger
	Version  string      // a label of askgate_build_info. Optional
	InFlight int64       // see api.Options. Optional
	Stream   sse.Options // heartbeat and write timeout of event streams. Optional
}

const defaultInFlight = 64 << 20

// Host is what all requests share: it knows who calls and how often they may, counts what is in
// flight, and writes refusals. It is safe for concurrent use.
type Host struct {
	HostOptions
	started  time.Time
	metrics  *metrics
	auth     *authority
	texts    texts
	draining context.Context // ends when drain is called
	drain    context.CancelFunc
	keeper   sealer // of what fronts have clients keep
	endings  endings
	inFlight *limit.Bytes
	noise    noise
	leaving  atomic.Bool  // Leave was called
	asked    atomic.Int64 // how long after the start /readyz was asked last
}

// newHost makes a Host and registers its metrics.
func newHost(o HostOptions) (*Host, error) {
	m, err := newMetrics(o.Registry, o.Version)
	if err != nil {
		return nil, err
	}
	h := &Host{HostOptions: o, started: time.Now(), metrics: m, auth: newAuthority(o.Log, m), texts: texts{o.Catalog}, noise: newNoise()}
	h.keeper.purpose = purposeFront
	h.asked.Store(-int64(probed)) // never
	h.inFlight = limit.NewBytes(cmp.Or(o.InFlight, defaultInFlight))
	h.draining, h.drain = context.WithCancel(context.Background())
	return h, nil
}

func (h *Host) isDraining() bool { return h.draining.Err() != nil }

// Route is one address. Path has parameters as ":app".
type Route struct {
	Method, Path string
	Serve        func(*request) error
	// OwnPages keeps the pages of other sites out, see ownPages.
	OwnPages bool
	// NoHead: HEAD is not served beside GET, as the response has no length to tell.
	NoHead bool
}

// handle makes a gin handler: what serve returns as an error becomes a problem.
func (h *Host) handle(serve func(*request) error) gin.HandlerFunc {
	return func(c *gin.Context) {
		r := h.newRequest(c)
		if err := serve(r); err != nil {
			r.refuse(err)
		}
		c.Writer.WriteHeaderNow() // tell gin that there is a response: for 404 and 405 it would write its own behind it
	}
}

// ownHost refuses what is not sent to a host of the gateway's own, where anybody who
// reaches it is let in, or a proxy says who it is. A page elsewhere can make its own name
// point here: for the browser the gateway is that page's site then, and all that tells is
// the name. Headers that name another host count for nothing. Probes use any address.
func (h *Host) ownHost(c *gin.Context) {
	switch conf := &responseOf(c.Writer).setup.Config.Gateway; {
	case conf.Auth.Mode != config.AuthNone && conf.Auth.Mode != config.AuthProxy:
	case c.FullPath() == "/healthz" || c.FullPath() == "/readyz":
	case !answers(conf, c.Request):
		h.handle(func(*request) error { return &fault{code: codeMisdirected} })(c)
		c.Abort()
	}
}

func answers(conf *config.Gateway, r *http.Request) bool {
	bare, _, err := net.SplitHostPort(r.Host)
	if err != nil {
		bare = r.Host // without a port
	}
	host, ok := config.ParseHost(bare)
	return ok && (config.IsLoopback(host) || slices.Contains(conf.Hosts, host))
}
