package api

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"sync/atomic"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/gateway/client/hook"
	"github.com/askgate/askgate/gateway/doctor"
	"github.com/askgate/askgate/gateway/front"
	"github.com/askgate/askgate/gateway/limit"
	"github.com/askgate/askgate/gateway/model/upstream"
	"github.com/askgate/askgate/gateway/notify"
	"github.com/askgate/askgate/gateway/sse"
	"github.com/askgate/askgate/gateway/turn"
	"github.com/askgate/askgate/locales"
	"github.com/askgate/askgate/tools"
)

// Options are the parts an API is made of. All are needed but those marked optional.
type Options struct {
	Engine   Engine
	Feed     Feed
	Store    Store              // for lists, and a chat's language where nothing else says one
	Setup    func() *turn.Setup // the configuration in force, with what was made of it
	Catalog  *locales.Catalog
	Limiter  limit.Limiter
	Registry *prometheus.Registry
	// Ready says whether requests can be served now; it is given two seconds. Optional.
	Ready func(ctx context.Context) error
	// Parts are the dependencies that the gateway can run without. Optional.
	Parts []Part
	// LiveParts are those that come and go with the configuration. Optional.
	LiveParts func() []Part
	// Page serves /, /admin and /assets/. Optional.
	Page http.Handler
	// Answer is the page behind answer links: it makes a response of what it shows, as JSON,
	// and sets its headers. Optional: the JSON alone.
	Answer func(h http.Header, data []byte) (contentType string, body []byte)
	// Fronts are the wire formats that are served beside the API's own. Optional.
	Fronts []front.Front
	// LastReload is the result of the last reload of the configuration. Optional.
	LastReload func() config.Reload
	// Definitions are the tool definitions that an app's model gets, in a language. Optional.
	Definitions func(setup *turn.Setup, app, language string) []tools.Definition
	// ModelNotes are what is known of a model's server, by the model's name in the configuration;
	// nil: nothing. Optional.
	ModelNotes func(name string) *upstream.Notes
	// Trial is the tool that models are tried with. Optional.
	Trial tools.Definition
	Log   *slog.Logger
	// Version is a label of askgate_build_info. Optional.
	Version string
	// InFlight bounds the memory, in bytes, of what is in flight: beyond, requests are refused
	// with overloaded. 0: 64 MiB.
	InFlight int64
	// SeparateAdmin leaves /metrics, /healthz and /readyz out of Handler: they are
	// served by AdminHandler on a listener of its own.
	SeparateAdmin bool
	// Stream sets heartbeat and write timeout of event streams. Optional.
	Stream sse.Options
}

const defaultInFlight = 64 << 20

// API answers HTTP requests. It is safe for concurrent use.
type API struct {
	Options
	metrics  *metrics
	scrape   http.Handler
	main     *gin.Engine
	admin    *gin.Engine
	draining context.Context // ends when Drain is called
	drain    context.CancelFunc
	csrf     *http.CrossOriginProtection
	started  time.Time
	keyring  keyring
	sealer   sealer // of sessions
	keeper   sealer // of what fronts have clients keep
	endings  endings
	inFlight *limit.Bytes
	noise    noise
	leaving  atomic.Bool  // Leave was called
	asked    atomic.Int64 // how long after the start /readyz was asked last
}

// New makes an API and registers its metrics.
func New(o Options) (*API, error) {
	if o.Engine == nil || o.Feed == nil || o.Store == nil || o.Setup == nil || o.Catalog == nil || o.Limiter == nil || o.Registry == nil || o.Log == nil {
		return nil, errors.New("api: an option is missing")
	}
	m, err := newMetrics(o.Registry, o.Version)
	if err != nil {
		return nil, fmt.Errorf("api: %w", err)
	}
	a := &API{
		Options: o,
		metrics: m,
		scrape:  promhttp.HandlerFor(o.Registry, promhttp.HandlerOpts{}),
		csrf:    http.NewCrossOriginProtection(),
		started: time.Now(),
		noise:   newNoise(),
	}
	if a.Answer == nil {
		a.Answer = bareAnswerPage
	}
	a.sealer.purpose, a.keeper.purpose = purposeSession, purposeFront
	a.asked.Store(-int64(probed)) // never
	a.inFlight = limit.NewBytes(cmp.Or(o.InFlight, defaultInFlight))
	a.draining, a.drain = context.WithCancel(context.Background())
	a.main = a.router()
	a.main.Use(a.perAddress)
	a.publicRoutes(a.main)
	a.frontRoutes(a.main)
	a.overseerRoutes(a.main)
	if !o.SeparateAdmin {
		a.adminRoutes(a.main, a.guardedMetrics)
	}
	a.admin = a.router()
	a.adminRoutes(a.admin, a.openMetrics)
	for _, r := range append(a.main.Routes(), a.admin.Routes()...) { // from 0 on, so that rates miss none
		m.draining.WithLabelValues(r.Path, r.Method)
	}
	return a, nil
}

// Handler serves the API and the page, and unless SeparateAdmin is set also
// health and metrics.
func (a *API) Handler() http.Handler { return a.observe(a.main) }

// AdminHandler serves /metrics, /healthz and /readyz without authentication, for
// a listener that only operators reach.
func (a *API) AdminHandler() http.Handler { return a.observe(a.admin) }

// Drain prepares the shutdown: /readyz fails from now on, new messages are refused with
// draining, and /events streams end with a time to reconnect. Streams of running turns go
// on. It may be called more than once.
func (a *API) Drain() { a.drain() }

func (a *API) isDraining() bool { return a.draining.Err() != nil }

func init() {
	// gin keeps its mode in a global; anything but release writes to stdout.
	gin.SetMode(gin.ReleaseMode)
}

// router is a gin engine without gin's logger and recovery (observe does both)
// and without redirects: a path is exactly right or not found.
func (a *API) router() *gin.Engine {
	r := gin.New()
	r.RedirectTrailingSlash = false
	r.HandleMethodNotAllowed = true
	r.UseRawPath = true // an id of a client's for its chat may have a slash, as %2F
	r.Use(noteRoute, a.ownHost)
	r.NoRoute(a.missed(notFound("route")))
	r.NoMethod(a.noMethod)
	return r
}

func (a *API) publicRoutes(r *gin.Engine) {
	a.get(r, "/v1/apps", a.listApps)
	a.get(r, "/v1/apps/:app", a.showApp)
	a.get(r, "/v1/apps/:app/documents/:tool/:id", a.ownPages(a.passage))
	r.POST("/v1/apps/:app/clarifications", a.handle(a.askPeople))
	a.get(r, "/v1/apps/:app/chats", a.listChats)
	a.get(r, "/v1/apps/:app/chats/:chatId", a.ownPages(a.snapshot))
	r.PATCH("/v1/apps/:app/chats/:chatId", a.handle(a.renameChat))
	r.DELETE("/v1/apps/:app/chats/:chatId", a.handle(a.deleteChat))
	r.GET("/v1/apps/:app/chats/:chatId/events", a.handle(a.ownPages(a.events))) // no HEAD: a stream has no length to tell
	r.POST("/v1/apps/:app/chats/:chatId/messages", a.handle(a.messages))
	r.POST("/v1/apps/:app/chats/:chatId/resume", a.handle(a.resume))
	r.POST("/v1/apps/:app/chats/:chatId/fork", a.handle(a.fork))
	r.POST("/v1/apps/:app/chats/:chatId/stop", a.handle(a.stopTurn))
	r.DELETE("/v1/apps/:app/chats/:chatId/approvals/:tool", a.handle(a.revokeApproval))
	a.get(r, "/v1/apps/:app/chats/:chatId/clarifications/:clarificationId/options", a.ownPages(a.searchOptions))
	a.get(r, "/v1/apps/:app/chats/:chatId/contents/:contentId", a.content)
	r.POST("/v1/apps/:app/chats/:chatId/files", a.handle(a.uploadToChat))
	a.get(r, "/v1/apps/:app/chats/:chatId/files/:fileId", a.file)
	r.DELETE("/v1/apps/:app/chats/:chatId/files/:fileId", a.handle(a.discardFile))
	r.POST("/v1/clarifications/:clarificationId/files", a.handle(a.uploadFor))
	a.get(r, "/v1/clarifications/:clarificationId/files/:fileId", a.fileOf)
	a.get(r, "/v1/clarifications", a.ownPages(a.listClarifications))
	a.get(r, "/v1/clarifications/:clarificationId", a.showClarification)
	a.get(r, "/v1/clarifications/:clarificationId/options", a.ownPages(a.optionsByID))
	r.POST("/v1/clarifications/:clarificationId/answer", a.handle(a.answerOne))
	r.POST("/v1/clarifications/:clarificationId/cancel", a.handle(a.withdraw))
	r.POST("/v1/clarifications/:clarificationId/messages", a.handle(a.tell))
	r.POST("/v1/clarifications/:clarificationId/seen", a.handle(a.seen))
	r.PUT("/v1/clarifications/:clarificationId/draft", a.handle(a.saveDraft))
	a.get(r, "/v1/memory", a.ownPages(a.listMemory))
	r.DELETE("/v1/memory", a.handle(a.deleteMemories))
	r.PUT("/v1/memory/:memoryId", a.handle(a.editMemory))
	r.DELETE("/v1/memory/:memoryId", a.handle(a.deleteMemory))
	r.POST("/v1/hooks/claude-code", a.handle(a.hooked(hook.ClaudeCode)))
	r.GET("/v1/events", a.handle(a.ownPages(a.feed))) // no HEAD, likewise
	a.get(r, notify.LinkPath+":link", a.showLinked)
	r.POST(notify.LinkPath+":link", a.handle(a.answerLinked))
	a.get(r, "/v1/session", a.showSession)
	r.POST("/v1/session", a.handle(a.signIn))
	r.DELETE("/v1/session", a.handle(a.signOut))
	r.POST(doctor.Path, a.handle(a.examine))
	a.get(r, openAPIPath, a.openAPI)
	if a.Page != nil {
		for _, path := range []string{"/", "/admin", "/assets/*file"} {
			r.GET(path, a.page)
			r.HEAD(path, a.page)
		}
		a.get(r, "/page/texts", a.pageTexts)
	}
}

func (a *API) adminRoutes(r *gin.Engine, metrics gin.HandlerFunc) {
	r.GET("/metrics", metrics)
	r.HEAD("/metrics", metrics)
	a.get(r, "/healthz", a.healthz)
	a.get(r, "/readyz", a.readyz)
}

// get serves path for GET and HEAD; net/http leaves the body of the latter out.
func (a *API) get(r *gin.Engine, path string, h func(*request) error) {
	r.GET(path, a.handle(h))
	r.HEAD(path, a.handle(h))
}

// handle makes a gin handler: what h returns as an error becomes a problem.
func (a *API) handle(h func(*request) error) gin.HandlerFunc {
	return func(c *gin.Context) {
		r := a.newRequest(c)
		if err := h(r); err != nil {
			a.refuse(r, err)
		}
		c.Writer.WriteHeaderNow() // tell gin that there is a response: for 404 and 405 it would write its own behind it
	}
}

// page serves the page's files; clients have writeTimeout to take one.
func (a *API) page(c *gin.Context) {
	rc := http.NewResponseController(responseOf(c.Writer))
	_ = rc.SetWriteDeadline(time.Now().Add(writeTimeout)) // not supported: no connection to protect
	a.Page.ServeHTTP(c.Writer, c.Request)
	c.Writer.WriteHeaderNow() // gin keeps the status of a response without a body
	_ = rc.Flush()
	_ = rc.SetWriteDeadline(time.Time{})
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
	a.missed(&fault{code: codeMethodNotAllowed})(c)
}

// Routes lists the routes of both handlers as "METHOD path", sorted, for checks
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
