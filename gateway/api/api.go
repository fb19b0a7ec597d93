package api

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/gateway/admin"
	"github.com/askgate/askgate/gateway/front"
	"github.com/askgate/askgate/gateway/host"
	"github.com/askgate/askgate/gateway/limit"
	"github.com/askgate/askgate/gateway/model/upstream"
	"github.com/askgate/askgate/gateway/native"
	"github.com/askgate/askgate/gateway/sse"
	"github.com/askgate/askgate/gateway/turn"
	"github.com/askgate/askgate/locales"
	"github.com/askgate/askgate/tools"
)

// Options are the parts that an API is made of. All are required except those marked optional.
type Options struct {
	Engine  Engine
	Inbox   host.Inbox
	Store   host.Store         // for lists, and for the language of a chat if nothing else determines one
	Setup   func() *turn.Setup // the current configuration, with what was made of it
	Catalog *locales.Catalog
	Limiter limit.Limiter
	// Address is called with the verified email address of a caller's token. Optional.
	Address  host.KeepAddress
	Registry *prometheus.Registry
	// Ready returns an error if requests cannot be served now; it is given two seconds. Optional.
	Ready func(ctx context.Context) error
	// Parts are the dependencies that the gateway can run without. Optional.
	Parts []admin.Part
	// LiveParts are parts that come and go with the configuration. Optional.
	LiveParts func() []admin.Part
	// Page serves /, /admin and /assets/. Optional.
	Page http.Handler
	// Answer makes the page behind answer links: a response from the JSON of what it shows, whose
	// headers it sets. Optional: without it, the JSON is sent.
	Answer func(h http.Header, data []byte) (contentType string, body []byte)
	// Fronts are the wire formats that are served in addition to the API's own. Optional.
	Fronts []front.Front
	// KeptAddress reads the sealed email address that Address has kept; "" is none. Optional.
	KeptAddress func(ctx context.Context, tenant, subject string) (sealed string, err error)
	// LastReload is the result of the last reload of the configuration. Optional.
	LastReload func() config.Reload
	// Definitions returns the tool definitions that an app's model gets, in a language. Optional.
	Definitions func(setup *turn.Setup, app, language string) []tools.Definition
	// ModelNotes returns what is known of a model's server, by the model's name in the
	// configuration, or nil. Optional.
	ModelNotes func(name string) *upstream.Notes
	// Trial is the tool with which models are tried. Optional.
	Trial tools.Definition
	Log   *slog.Logger
	// Version is the version shown by the page, the admin view and askgate_build_info. Optional.
	Version string
	// InFlight bounds the memory, in bytes, of what is in flight; requests beyond it are refused
	// with overloaded. 0: 64 MiB.
	InFlight int64
	// SeparateAdmin leaves /metrics, /healthz and /readyz out of Handler: AdminHandler serves them
	// on a listener of its own.
	SeparateAdmin bool
	// Stream sets the heartbeat and the write timeout of event streams. Optional.
	Stream sse.Options
}

// API answers HTTP requests. It is safe for concurrent use.
type API struct {
	host   *host.Host
	page   http.Handler
	fronts []front.Front
	main   *gin.Engine
	admin  *gin.Engine
}

// New makes an API and registers its metrics.
func New(o Options) (*API, error) {
	if o.Engine == nil || o.Inbox == nil || o.Store == nil || o.Setup == nil || o.Catalog == nil || o.Limiter == nil || o.Registry == nil || o.Log == nil {
		return nil, errors.New("api: an option is missing")
	}
	h, err := host.New(host.Options{
		Engine: o.Engine, Inbox: o.Inbox, Store: o.Store, Setup: o.Setup, Catalog: o.Catalog, Limiter: o.Limiter, Registry: o.Registry, Address: o.Address, Log: o.Log,
		Version: o.Version, InFlight: o.InFlight, Stream: o.Stream,
	})
	if err != nil {
		return nil, fmt.Errorf("api: %w", err)
	}
	a := &API{host: h, page: o.Page, fronts: o.Fronts}
	health := admin.Health{Ready: o.Ready, Parts: o.Parts, LiveParts: o.LiveParts, Scrape: promhttp.HandlerFor(o.Registry, promhttp.HandlerOpts{})}
	a.main, a.admin = a.router(), a.router()
	a.main.Use(h.PerAddress)
	a.serve(a.main, nativeRoutes(&o), nil)
	a.serve(a.main, adminRoutes(&o), nil)
	a.servePage(a.main)
	for _, f := range o.Fronts {
		a.serve(a.main, f.Routes(), f)
	}
	if !o.SeparateAdmin {
		a.serve(a.main, healthRoutes(health, health.GuardedMetrics), nil)
	}
	a.serve(a.admin, healthRoutes(health, health.Metrics), nil)
	for _, r := range append(a.main.Routes(), a.admin.Routes()...) { // from 0 on, so that rates miss none
		h.Metrics.Draining.WithLabelValues(r.Path, r.Method)
	}
	return a, nil
}

// Handler serves the API and the page and, unless SeparateAdmin is set, health and metrics.
func (a *API) Handler() http.Handler { return a.host.Observe(a.main) }

// AdminHandler serves /metrics, /healthz and /readyz without authentication, for a listener that
// only operators can reach.
func (a *API) AdminHandler() http.Handler { return a.host.Observe(a.admin) }

// Drain prepares the shutdown: from now on, /readyz fails, new messages are refused with
// draining, and /events streams end with a time to reconnect. Streams of running turns go on. It
// may be called more than once.
func (a *API) Drain() { a.host.Drain() }

// Leave calls Drain once those who request /readyz regularly have seen it fail.
func (a *API) Leave(ctx context.Context) { a.host.Leave(ctx) }

func init() {
	// gin keeps its mode in a global; anything but release writes to stdout.
	gin.SetMode(gin.ReleaseMode)
}

// router returns a gin engine without gin's logger and recovery (Observe does both) and without
// redirects: a path either matches exactly or is not found.
func (a *API) router() *gin.Engine {
	r := gin.New()
	r.RedirectTrailingSlash = false
	r.HandleMethodNotAllowed = true
	r.UseRawPath = true // a client's id for its chat may have a slash, as %2F
	r.Use(host.NoteRoute, a.host.OwnHost)
	r.NoRoute(a.missed(host.NotFound("route")))
	r.NoMethod(a.noMethod)
	return r
}

// serve adds routes, of a format or the gateway's own. net/http omits the body of HEAD.
func (a *API) serve(r *gin.Engine, routes []host.Route, format host.Format) {
	for i := range routes {
		route := &routes[i]
		h := a.host.Handle(route, format)
		r.Handle(route.Method, route.Path, h)
		if route.Method == http.MethodGet && !route.NoHead {
			r.HEAD(route.Path, h)
		}
	}
}

// servePage adds the page's files; clients have WriteTimeout to take one.
func (a *API) servePage(r *gin.Engine) {
	if a.page == nil {
		return
	}
	serve := func(c *gin.Context) {
		rc := http.NewResponseController(host.ResponseOf(c.Writer))
		_ = rc.SetWriteDeadline(time.Now().Add(host.WriteTimeout)) // not supported: no connection to protect
		a.page.ServeHTTP(c.Writer, c.Request)
		c.Writer.WriteHeaderNow() // gin keeps the status of a response without a body
		_ = rc.Flush()
		_ = rc.SetWriteDeadline(time.Time{})
	}
	for _, path := range []string{"/", "/admin", "/assets/*file"} {
		r.GET(path, serve)
		r.HEAD(path, serve)
	}
	a.serve(r, []host.Route{{Method: http.MethodGet, Path: "/page/texts", Serve: native.PageTexts}}, nil)
}

// noMethod answers OPTIONS, and refuses methods that a known path does not have.
func (a *API) noMethod(c *gin.Context) {
	h := c.Writer.Header()
	if c.Request.Method == http.MethodOptions {
		h.Set("Allow", h.Get("Allow")+", OPTIONS")
		c.Status(http.StatusNoContent)
		c.Writer.WriteHeaderNow()
		return
	}
	a.missed(&host.Fault{Code: host.CodeMethodNotAllowed})(c)
}

// Routes lists the routes of both handlers as "METHOD path", sorted, so that they can be checked
// against the documentation.
func (a *API) Routes() []string {
	var routes []string
	for _, e := range []*gin.Engine{a.main, a.admin} {
		for _, route := range e.Routes() {
			routes = append(routes, route.Method+" "+route.Path)
		}
	}
	slices.Sort(routes)
	return slices.Compact(routes)
}
