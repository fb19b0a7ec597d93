package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"os/signal"
	"runtime/debug"
	"slices"
	"syscall"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/spf13/cobra"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/gateway"
	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/files"
	"github.com/askgate/askgate/gateway/front"
	"github.com/askgate/askgate/gateway/front/agui"
	"github.com/askgate/askgate/gateway/front/aisdk"
	"github.com/askgate/askgate/gateway/front/mcp"
	"github.com/askgate/askgate/gateway/front/openai"
	"github.com/askgate/askgate/gateway/notify"
	"github.com/askgate/askgate/gateway/outage"
	"github.com/askgate/askgate/gateway/smallstack"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/gateway/store/sqldb"
	"github.com/askgate/askgate/gateway/trace"
	"github.com/askgate/askgate/locales"
	"github.com/askgate/askgate/tools/extract"
	"github.com/askgate/askgate/tooltypes/documents"
	"github.com/askgate/askgate/tooltypes/mcptool"
)

// serveFlags are the flags of serve. Each can also be set by an environment variable.
type serveFlags struct {
	configFlags
	logLevel string
	logForm  string
}

func serveCommand() *cobra.Command {
	var f serveFlags
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Serve the gateway (the default command)",
		Example: `  askgate
  askgate serve --config conf --env-file .env
  askgate serve --listen 127.0.0.1:8081 --store sqlite:/var/lib/askgate/askgate.db`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return serve(cmd.Context(), &f) },
	}
	f.registerServing(cmd)
	cmd.Flags().StringVar(&f.logLevel, "log-level", "info", "debug, info, warn or error (ASKGATE_LOG_LEVEL)")
	cmd.Flags().StringVar(&f.logForm, "log-format", "text", "text or json (ASKGATE_LOG_FORMAT)")
	return cmd
}

func (f *serveFlags) logger() (*slog.Logger, error) {
	var level slog.Level
	if err := level.UnmarshalText([]byte(f.logLevel)); err != nil {
		return nil, usageError{fmt.Errorf("--log-level %q: use debug, info, warn or error", f.logLevel)}
	}
	options := &slog.HandlerOptions{Level: level, ReplaceAttr: outage.Milliseconds}
	switch f.logForm {
	case "text":
		return slog.New(outage.Handler(slog.NewTextHandler(os.Stderr, options), storeAway)), nil
	case "json":
		return slog.New(outage.Handler(slog.NewJSONHandler(os.Stderr, options), storeAway)), nil
	default:
		return nil, usageError{fmt.Errorf("--log-format %q: use text or json", f.logForm)}
	}
}

// storeAway reports whether an error is part of an outage that the store itself logs.
func storeAway(err error) bool {
	return errors.Is(err, store.ErrUnavailable) || errors.Is(err, sqldb.ErrSlow)
}

// keptStacks is how many goroutines that begin turns are kept. 16 are enough for some 10,000 turns a
// second, and take at most 1 MiB.
const keptStacks = 16

// serve runs the gateway until a signal ends the process, and releases all resources.
func serve(ctx context.Context, f *serveFlags) error {
	log, err := f.logger()
	if err != nil {
		return err
	}
	signals := make(chan os.Signal, 4)
	// Never call signal.Stop: a third signal could then end the process before it says why.
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()

	smallstack.Keep(keptStacks)
	registry := prometheus.NewRegistry()
	reloads := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "askgate_config_reload_total", Help: "Reloads of the configuration, by result: ok, error.",
	}, []string{"result"})
	registry.MustRegister(reloads)
	for _, result := range []string{config.ReloadOK, config.ReloadError} {
		reloads.WithLabelValues(result)
	}
	shelf := documents.NewShelf(log)
	shelf.Extract = extract.New()
	defer shelf.Extract.Close()
	f.options.Tools = toolTypes(nil, nil, shelf) // shelf reports the state of its indexes
	watcher, err := config.Watch(ctx, f.options, log, func(result string) { reloads.WithLabelValues(result).Inc() })
	if err != nil {
		return err
	}
	settings := watcher.Current().Gateway
	texts, err := locales.New()
	if err != nil {
		return err
	}
	seals := newSeals(watcher.Current, registry, log)
	s := newServers(log)
	doors := &doors{servers: s, settings: &settings, certificate: certificate(watcher.Current)}
	defer doors.closeUnused()
	options := storeOptions(watcher.Current, seals, registry, log)
	db, err := awaitStore(ctx, func(ctx context.Context) (*sqldb.DB, error) { return sqldb.Open(ctx, settings.Store, options) }, func() error { return doors.listen(ctx) }, signals, log)
	if errors.Is(err, errEnded) {
		log.Info("ended")
		return nil
	} else if err != nil {
		return err
	}
	defer db.Close()
	nodes, err := share(ctx, settings, seals.redis, registry, log)
	if err != nil {
		return err
	}
	defer nodes.close()
	pool := mcptool.NewPool(buildVersion(), between(nodes, db, seals), log)
	shelf.Dir = settings.DocumentsCache()
	g, err := assemble(ctx, watcher, db, nodes, texts, pool, shelf, registry, log)
	if err != nil {
		return err
	}
	if err := doors.open(ctx, g); err != nil {
		return err
	}
	g.Listens(s.urls[0])
	swept := make(chan struct{})
	sweep, stopSweep := context.WithCancel(ctx)
	defer stopSweep()
	go func() {
		defer close(swept)
		g.Run(sweep)
	}()
	if settings.Auth.Session.Secret != "" {
		go logForged(sweep, db, log) // in the background: there may be many questions
	}
	// The start leaves more garbage than serving needs memory at first, and the parser of the
	// migrations leaves 16 MiB of buffers in a sync.Pool, which takes two collections to empty.
	debug.FreeOSMemory()
	debug.FreeOSMemory()
	go returnMemory(ctx)
	logInUse(log, f.options.Dir, watcher.Current())
	log.Info("askgate serves", append([]any{"url", s.urls[0], "version", buildVersion()}, links(s.urls[0])...)...)
	if settings.Models["default"].Provider == config.ProviderDemo {
		log.Info("the default model is the built-in demo, a script and not an LLM; for a real one set OPENAI_BASE_URL and ASKGATE_MODEL (any OpenAI-compatible server) or OPENAI_API_KEY, or write a gateway.json (askgate init DIR), then try it: askgate check --models")
	}
	if slices.ContainsFunc(slices.Collect(maps.Values(settings.Models)), func(m config.Model) bool { return m.Provider != config.ProviderDemo }) {
		log.Info("to try the models before people use them, run: askgate check --models (with the flags and environment of this process)")
	}
	for {
		select {
		case err := <-s.failed:
			return err
		case <-ctx.Done():
		case sig := <-signals:
			if sig == syscall.SIGHUP {
				_ = watcher.Reload() // logged and counted by the watcher
				continue
			}
		}
		break
	}
	err = shutdown(log, g, s, signals, stopSweep, swept, watcher.Current().Gateway.ShutdownTimeout.Std())
	if err == nil { // otherwise a second signal asked to end at once
		last, cancelLast := context.WithTimeout(context.Background(), closeTimeout)
		defer cancelLast()
		pool.Wait(last)
		shelf.Wait(last)
	}
	return err
}

// storeOptions returns the options of the store from which the gateway serves.
func storeOptions(current func() *config.Snapshot, seals *seals, registry prometheus.Registerer, log *slog.Logger) sqldb.Options {
	return sqldb.Options{
		Logger: log, Recorded: countRecords(registry), Unreadable: countUnreadable(registry), Signer: seals.store, AuditSecrets: func() []string { return auditSecrets(current()) },
	}
}

// countRecords registers the metric of audit records, and returns a function that counts one record.
func countRecords(registry prometheus.Registerer) func(chat.AuditWhat) {
	recorded := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "askgate_audit_records_total", Help: "Records that this node added to the audit, by what happened: asked, resolved, erased.",
	}, []string{"what"})
	registry.MustRegister(recorded)
	for _, what := range []chat.AuditWhat{chat.AuditAsked, chat.AuditResolved, chat.AuditErased} {
		recorded.WithLabelValues(string(what))
	}
	return func(what chat.AuditWhat) { recorded.WithLabelValues(string(what)).Inc() }
}

// countUnreadable registers the metric of rows that this version cannot read, and returns a function
// that counts one row.
func countUnreadable(registry prometheus.Registerer) func(table string) {
	rows := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "askgate_unreadable_rows_total", Help: "Rows of the store that this version cannot read, each once, by table.",
	}, []string{"table"})
	registry.MustRegister(rows)
	for _, table := range sqldb.ReadTables {
		rows.WithLabelValues(table)
	}
	return func(table string) { rows.WithLabelValues(table).Inc() }
}

// assemble builds the gateway of this process from its parts.
func assemble(ctx context.Context, watcher *config.Watcher, db store.Store, nodes *shared, texts *locales.Catalog, pool *mcptool.Pool, shelf *documents.Shelf, registry *prometheus.Registry, log *slog.Logger) (*gateway.Gateway, error) {
	traces, err := openTraces(ctx, watcher.Current(), registry, log)
	if err != nil {
		return nil, err
	}
	parts := nodes.parts
	if traces != nil {
		parts = append(slices.Clip(parts), gateway.Part{
			Name: "traces", Status: traces.Status,
			Hint: "turns run untraced; check that the collector at OTEL_EXPORTER_OTLP_ENDPOINT can be reached, and see the log (no restart is needed)",
		})
	}
	if watcher.Current().Gateway.TLS.Certificate != nil {
		registry.MustRegister(expiry(watcher.Current))
	}
	registry.MustRegister(&mcpCollector{pool: pool}, &documentsCollector{shelf})
	shelf.Changed = notify.NewChanges(db, watcher.Current, log).Look
	kept, err := openFiles(&watcher.Current().Gateway)
	if err != nil {
		return nil, err
	}
	return gateway.New(ctx, gateway.Options{
		Config: watcher, LastReload: watcher.LastReload, Store: db, Files: kept, Extract: shelf.Extract, Hub: nodes.hub, Shared: nodes.others, Limiter: nodes.limiter, Traces: traces, Parts: parts, LiveParts: documentsParts(shelf), Texts: texts,
		Tools: builtinTools(texts, pool, shelf), Providers: providers(texts), Trial: trialTool(), Fronts: fronts, Channels: channelTypes(), Registry: registry, Log: log,
		Version: buildVersion(), InFlight: limitMemory("/sys/fs/cgroup"), SeparateAdmin: watcher.Current().Gateway.AdminListen != "",
	})
}

// openFiles opens the store of uploaded files. It returns nil if the configuration names none: uploads
// are then refused.
func openFiles(g *config.Gateway) (files.Store, error) {
	if g.FilesStore() == "" {
		return nil, nil //nolint:nilnil // no store is configured
	}
	kept, err := files.Open(g.FilesStore())
	if err != nil {
		return nil, fmt.Errorf("files.store: %w", err)
	}
	return kept, nil
}

// fronts are the wire formats that the gateway serves in addition to AskGate's own.
var fronts = []front.Front{
	aisdk.Front{},
	agui.Front{},
	openai.Chat{},
	openai.Responses{},
	&mcp.Front{Version: buildVersion()},
}

// openTraces starts tracing if the environment names a collector; otherwise it returns nil.
func openTraces(ctx context.Context, snapshot *config.Snapshot, registry prometheus.Registerer, log *slog.Logger) (*trace.Tracer, error) {
	if !snapshot.Traces {
		return nil, nil
	}
	log.Info("turns are traced; traces go to the collector that the environment names")
	return trace.New(ctx, trace.Options{Registry: registry, Log: log, Version: buildVersion()})
}

// sameSignal is how long after the first signal a further one is taken for the same: a terminal sends
// Ctrl-C to askgate and to the make or npm that started it, which passes it on.
const sameSignal = time.Second

// shutdown lets running turns finish, for at most timeout. A second signal ends it at once, with an
// error, unless it arrives within sameSignal.
func shutdown(log *slog.Logger, g *gateway.Gateway, s *servers, signals <-chan os.Signal, stopSweep func(), swept <-chan struct{}, timeout time.Duration) error {
	logDraining(log, g.Running(), timeout)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		ctx, cancel := context.WithTimeout(context.Background(), timeout)
		defer cancel()
		g.Shutdown(ctx)
		stopSweep()
		<-swept
		last, cancelLast := context.WithTimeout(context.Background(), closeTimeout)
		defer cancelLast()
		s.close(last)
	}()
	if secondSignal(signals, ended) {
		return errors.New("ended at once by a second signal")
	}
	log.Info("ended")
	return nil
}

// secondSignal waits for a signal that is not the first one again, and returns true, or for ended.
func secondSignal(signals <-chan os.Signal, ended <-chan struct{}) bool {
	first := time.Now()
	for {
		select {
		case <-ended:
			return false
		case sig := <-signals:
			if sig != syscall.SIGHUP && time.Since(first) >= sameSignal {
				return true
			}
		}
	}
}
