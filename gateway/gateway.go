package gateway

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/gateway/admin"
	"github.com/askgate/askgate/gateway/api"
	"github.com/askgate/askgate/gateway/channels"
	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/files"
	"github.com/askgate/askgate/gateway/follow"
	"github.com/askgate/askgate/gateway/front"
	"github.com/askgate/askgate/gateway/inbox"
	"github.com/askgate/askgate/gateway/limit"
	"github.com/askgate/askgate/gateway/model"
	"github.com/askgate/askgate/gateway/model/upstream"
	"github.com/askgate/askgate/gateway/notify"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/gateway/stream"
	"github.com/askgate/askgate/gateway/trace"
	"github.com/askgate/askgate/gateway/turn"
	"github.com/askgate/askgate/gateway/web"
	"github.com/askgate/askgate/locales"
	"github.com/askgate/askgate/toolexec"
	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tools/extract"
)

// flushWait bounds how long an end is held up by a collector of traces.
const flushWait = 3 * time.Second

// Options are the parts of a gateway.
type Options struct {
	// Config provides each configuration. One that cannot be set up is rejected.
	Config config.Source
	// LastReload returns the result of the last attempt to read the configuration's files. Optional.
	LastReload func() config.Reload
	Store      store.Store
	Files      files.Store // for uploads; nil: there are none
	// Extract reads the texts of uploaded PDF and DOCX files; nil: models get only their names.
	Extract *extract.Reader
	Hub     stream.Hub
	Shared  bool // other nodes may work on the store
	Limiter limit.Limiter
	Traces  *trace.Tracer // nil: none are made. Shutdown ends it
	Texts   *locales.Catalog
	// Tools makes all available tools, by type or by the id of a built-in tool.
	Tools toolexec.Factories
	// Providers make a model from its configuration, by provider. What the model learns about its
	// server, and what the server refuses, goes into the notes.
	Providers map[string]func(config.Model, *upstream.Notes) model.Model
	// Trial is the tool that admins try models with: ask_user. Optional.
	Trial tools.Definition
	// Channels are the types of channels, which tell people of questions. Optional.
	Channels map[string]channels.Type
	// Fronts are the wire formats in addition to the gateway's own. Optional.
	Fronts   []front.Front
	Registry *prometheus.Registry
	Log      *slog.Logger
	Version  string
	// Parts are the parts that the gateway can do without; /readyz?verbose reports their state.
	Parts []Part
	// LiveParts are those that come and go with the configuration. Optional.
	LiveParts func() []Part
	// InFlight bounds the bytes of bodies and large responses in flight; 0: 64 MiB.
	InFlight int64
	// SeparateAdmin leaves metrics and health to AdminHandler.
	SeparateAdmin bool
}

// Part is something that the gateway can do without.
type Part = admin.Part

// Gateway is an assembled gateway.
type Gateway struct {
	o      Options
	engine *turn.Engine
	api    *api.API
	notify *notify.Notifier
	teller *channels.Teller
	setup  atomic.Pointer[turn.Setup] // the current one
	// models are those of the setup by name: each is kept over reloads, with its connections and
	// notes, as long as its configuration is the same.
	models      atomic.Pointer[map[string]made]
	adaptations *prometheus.CounterVec
}

// made is a model with what it was made of.
type made struct {
	fingerprint string // of its configuration
	model       model.Model
	notes       *upstream.Notes
}

// New assembles a gateway, and makes it known to the store as a node.
func New(ctx context.Context, o Options) (*Gateway, error) {
	g := &Gateway{o: o, adaptations: prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "askgate_model_adaptations_total", Help: "Parts of requests that a model's server refused, so that they are left out or changed from then on, by the part.",
	}, []string{"model", "what"})}
	o.Registry.MustRegister(g.adaptations)
	err := o.Config.Follow(g.configure)
	if err != nil {
		return nil, err
	}
	g.engine, err = turn.New(ctx, turn.Options{
		Store: o.Store, Hub: o.Hub, Files: o.Files, Extract: o.Extract, Executor: toolexec.New(o.Registry, o.Log), Setup: g.setup.Load,
		Text: o.Texts.Text, Registry: o.Registry, Traces: o.Traces, Log: o.Log, Node: nodeID(), Shared: o.Shared,
	})
	if err != nil {
		return nil, err
	}
	g.notify = notify.New(notify.Options{
		Store: o.Store, Config: func() *config.Snapshot { return g.setup.Load().Config }, Text: o.Texts.Text, Registry: o.Registry, Log: o.Log,
	})
	g.teller = channels.New(channels.Options{
		Store: o.Store, Config: func() *config.Snapshot { return g.setup.Load().Config }, Types: o.Channels, Text: o.Texts.Text, Registry: o.Registry, Log: o.Log,
		Base: func() string { return g.notify.Base(&g.setup.Load().Config.Gateway) },
	})
	o.Registry.MustRegister(skew(o.Store), &pendingCollector{store: o.Store, setup: g.setup.Load, log: o.Log})
	g.api, err = api.New(api.Options{
		Engine: api.ForEngine(g.engine, &follow.Reader{Store: o.Store, Hub: o.Hub, Shared: o.Shared}),
		Inbox:  api.ForInbox(inbox.New(inbox.Options{Store: o.Store, Hub: o.Hub, Shared: o.Shared, Log: o.Log})),
		Store:  api.ForStore(o.Store), Setup: g.setup.Load, Catalog: o.Texts, Limiter: o.Limiter,
		Address: (&channels.Addresses{Store: o.Store, Log: o.Log}).Keep, Registry: o.Registry, Ready: o.Store.Ping, Parts: o.Parts, LiveParts: g.liveParts, Page: web.Handler(o.Texts, g.framing), Answer: web.AnswerPage, Log: o.Log, Version: o.Version,
		SeparateAdmin: o.SeparateAdmin, InFlight: o.InFlight, LastReload: o.LastReload, Definitions: definitions, Fronts: o.Fronts,
		ModelNotes: g.modelNotes, Trial: o.Trial, KeptAddress: o.Store.Outbox().Address,
	})
	return g, err
}

// nodeID is unique, and begins with the machine's name, for those who read it.
func nodeID() string {
	host, err := os.Hostname()
	if err != nil {
		host = "node"
	}
	return chat.NewID(host)
}

// framing returns the origins whose pages may frame the chat page.
func (g *Gateway) framing() []string { return g.setup.Load().Config.Gateway.FrameAncestors }

// Handler serves the API and the page.
func (g *Gateway) Handler() http.Handler { return g.api.Handler() }

// AdminHandler serves metrics and health on a listener of their own.
func (g *Gateway) AdminHandler() http.Handler { return g.api.AdminHandler() }

// Run does the work that does not belong to a request, until ctx ends.
func (g *Gateway) Run(ctx context.Context) {
	var others sync.WaitGroup
	others.Go(func() { g.noteAudit(ctx) })
	others.Go(func() { g.notify.Run(ctx) })
	others.Go(func() { g.teller.Run(ctx) })
	g.engine.Sweep(ctx)
	others.Wait()
}

// Listens sets the address at which Handler is served. Call it before Run. Links use it if the
// configuration has no publicUrl.
func (g *Gateway) Listens(url string) { g.notify.Listens(url) }

// noteEvery is the interval at which the head of the audit is logged. Anyone who changes all of the
// store's records would have to change the log as well.
const noteEvery = 10 * time.Minute

// noteAudit writes the newest record's hash to the log, at the start, when there are new
// ones, and at the end.
func (g *Gateway) noteAudit(ctx context.Context) {
	var last store.AuditHead
	note := func(ctx context.Context) {
		if !g.setup.Load().Config.Gateway.Audit.Enabled {
			return
		}
		head, err := g.o.Store.Audit().AuditHead(ctx)
		switch {
		case err != nil:
			g.o.Log.Warn("cannot read the audit head", "error", err)
		case head != last:
			g.o.Log.Info("audit head", "id", head.ID, "hash", head.Hash)
			last = head
		}
	}
	tick := time.NewTicker(noteEvery)
	defer tick.Stop()
	for ctx.Err() == nil {
		note(ctx)
		select {
		case <-tick.C:
		case <-ctx.Done():
		}
	}
	end, cancel := context.WithTimeout(context.WithoutCancel(ctx), flushWait)
	defer cancel()
	note(end)
}

// Running is how many turns run here.
func (g *Gateway) Running() int { return g.engine.Running() }

// Shutdown refuses new turns, lets followers go, and waits for running turns
// until ctx ends; those left are handed over. The last traces are sent then, or given up.
func (g *Gateway) Shutdown(ctx context.Context) {
	g.api.Leave(ctx)
	g.engine.Shutdown(ctx)
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), flushWait)
	defer cancel()
	g.o.Traces.Shutdown(last)
	g.setup.Load().Catalog.Close()
}

// definitions returns the tools of an app as its model gets them if someone can answer.
func definitions(setup *turn.Setup, app, language string) []tools.Definition {
	return setup.Catalog.Definitions(app, language, true)
}

// configure sets up a configuration and makes it the current one. On error, the previous
// configuration and setup stay in use.
func (g *Gateway) configure(snap *config.Snapshot) error {
	catalog, err := toolexec.NewCatalog(snap, g.o.Tools)
	if err != nil {
		return err
	}
	catalog.Log = g.o.Log
	before := map[string]made{}
	if kept := g.models.Load(); kept != nil {
		before = *kept
	}
	models := map[string]made{}
	byName := map[string]model.Model{}
	for name, c := range snap.Gateway.Models {
		provider, ok := g.o.Providers[c.Provider]
		if !ok {
			catalog.Close()
			return fmt.Errorf("model %s: no provider %q in this version", name, c.Provider)
		}
		m := before[name]
		if key := c.Fingerprint(); m.fingerprint != key {
			notes := upstream.NewNotes(g.learnt(name))
			m = made{key, provider(c, notes), notes}
		}
		models[name], byName[name] = m, m.model
	}
	g.models.Store(&models)
	old := g.setup.Swap(&turn.Setup{Config: snap, Catalog: catalog, Models: byName})
	if old != nil {
		old.Catalog.Close() // runs that began with it keep what the new one has too
	}
	return nil
}

// learnt tells operators of each way in which requests to a model differ from its configuration.
func (g *Gateway) learnt(name string) func(upstream.Adaptation) {
	return func(a upstream.Adaptation) {
		g.o.Log.Warn("the model server refused part of a request; later requests are adapted", "model", name, "what", a.What, "detail", a.Detail)
		g.adaptations.WithLabelValues(name, a.What).Inc()
	}
}

// modelNotes returns what is known about a model's server, nil if there is no such model.
func (g *Gateway) modelNotes(name string) *upstream.Notes { return (*g.models.Load())[name].notes }
