package host

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

// Options are the parts that a Host is made of. All are needed but those marked optional.
type Options struct {
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
	Options
	Started  time.Time
	Metrics  *metrics
	auth     *authority
	Texts    texts
	Draining context.Context // ends when drain is called
	Drain    context.CancelFunc
	keeper   sealer // of what fronts have clients keep
	endings  endings
	inFlight *limit.Bytes
	noise    noise
	leaving  atomic.Bool  // Leave was called
	asked    atomic.Int64 // how long after the start /readyz was asked last
}

// New makes a Host and registers its metrics.
func New(o Options) (*Host, error) {
	m, err := newMetrics(o.Registry, o.Version)
	if err != nil {
		return nil, err
	}
	h := &Host{Options: o, Started: time.Now(), Metrics: m, auth: newAuthority(o.Log, m), Texts: texts{o.Catalog}, noise: newNoise()}
	h.keeper.purpose = purposeFront
	h.asked.Store(-int64(probed)) // never
	h.inFlight = limit.NewBytes(cmp.Or(o.InFlight, defaultInFlight))
	h.Draining, h.Drain = context.WithCancel(context.Background())
	return h, nil
}

func (h *Host) IsDraining() bool { return h.Draining.Err() != nil }

// Route is one address. Path has parameters as ":app".
type Route struct {
	Method, Path string
	Serve        func(*Request) error
	// OwnPages keeps the pages of other sites out, see ownPages.
	OwnPages bool
	// NoHead: HEAD is not served beside GET, as the response has no length to tell.
	NoHead bool
	// Changes says that what BodyOf reads there counts in the limit of changes; what of it is a
	// request, Serve has counted by Admit.
	Changes bool
}

// Handle makes a gin handler of a route: what it returns as an error becomes a problem, in the
// format.
func (h *Host) Handle(route *Route, format Format) gin.HandlerFunc {
	serve := route.Serve
	if route.OwnPages {
		serve = OwnPages(serve)
	}
	return func(c *gin.Context) {
		r := h.NewRequest(c)
		r.Format, r.changes = format, route.Changes
		defer r.Release()
		if err := serve(r); err != nil {
			if r.bodyRead && !r.counted {
				readInVain(r)
			}
			r.Refuse(err)
		}
		c.Writer.WriteHeaderNow() // tell gin that there is a response: for 404 and 405 it would write its own behind it
	}
}

// OwnHost refuses what is not sent to a host of the gateway's own, where anybody who
// reaches it is let in, or a proxy says who it is. A page elsewhere can make its own name
// point here: for the browser the gateway is that page's site then, and all that tells is
// the name. Headers that name another host count for nothing. Probes use any address.
func (h *Host) OwnHost(c *gin.Context) {
	switch conf := &ResponseOf(c.Writer).setup.Config.Gateway; {
	case conf.Auth.Mode != config.AuthNone && conf.Auth.Mode != config.AuthProxy:
	case c.FullPath() == "/healthz" || c.FullPath() == "/readyz":
	case !answers(conf, c.Request):
		h.Handle(&Route{Serve: func(*Request) error { return &Fault{Code: codeMisdirected} }}, nil)(c)
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
