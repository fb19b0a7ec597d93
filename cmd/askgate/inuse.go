package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/gateway/limit/redislimit"
	"github.com/askgate/askgate/gateway/store/sqldb"
)

// line describes one thing that is in use: a title and its attributes.
type line struct {
	what  string
	attrs []any // names and values, alternating as in log/slog
}

// String formats the line for a terminal.
func (l line) String() string {
	var b strings.Builder
	b.WriteString(l.what + ":")
	for i := 0; i+1 < len(l.attrs); i += 2 {
		fmt.Fprintf(&b, " %v=%v", l.attrs[i], l.attrs[i+1])
	}
	return b.String()
}

// inUse describes what the process uses: each model, and where the configuration and the store are.
// It helps an admin to see why the gateway does not do what a file says. It contains no secrets, and
// no addresses with secrets.
func inUse(dir string, snapshot *config.Snapshot) []line {
	g := &snapshot.Gateway
	var lines []line
	for _, id := range slices.Sorted(maps.Keys(g.Models)) {
		m := g.Models[id]
		attrs := []any{"model", id, "provider", m.Provider}
		if m.Provider != config.ProviderDemo {
			attrs = append(attrs, "name", m.Model, "host", hostOf(m.BaseURL), "apiKey", whence(m.APIKey))
		}
		lines = append(lines, line{"model in use", attrs})
	}
	if dir == "" {
		dir = "built in"
	} else if path, err := filepath.Abs(dir); err == nil {
		dir = path
	}
	attrs := []any{"config", dir, "apps", len(snapshot.Apps()), "store", place(g.Store), "auth", g.Auth.Mode}
	if g.Redis != "" {
		attrs = append(attrs, "redis", place(g.Redis))
	}
	return append(lines, line{"configuration in use", attrs})
}

// logInUse logs what the process uses, at the start.
func logInUse(log *slog.Logger, dir string, snapshot *config.Snapshot) {
	for _, l := range inUse(dir, snapshot) {
		log.Info(l.what, l.attrs...) //nolint:sloglint // one of the constants above
	}
}

// connectToAll connects to the store and to Redis, and returns why one of them cannot be used.
func connectToAll(ctx context.Context, g *config.Gateway) error {
	if err := reachStore(ctx, g.Store); err != nil {
		return err
	}
	if g.Redis == "" {
		return nil
	}
	limiter, err := redislimit.Open(ctx, redislimit.Options{URL: g.Redis, Registry: prometheus.NewRegistry(), Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		return err
	}
	defer limiter.Close()
	if _, err := limiter.Status(); err != nil {
		return fmt.Errorf("redis: %s: %w", place(g.Redis), err)
	}
	return nil
}

// reachStore returns an error if the store cannot be reached within readPatience. Commands that only
// read call it first, because opening a store may take longer: it may migrate.
func reachStore(ctx context.Context, url string) error {
	ctx, cancel := context.WithTimeout(ctx, readPatience)
	defer cancel()
	err := sqldb.Try(ctx, url)
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("%w; see that the server at %s runs, or name another with --store", err, place(url))
	}
	return err
}

// whence describes where the API key of a model came from, without the key.
func whence(key string) string {
	switch key {
	case "":
		return "none"
	case strings.TrimSpace(os.Getenv("OPENAI_API_KEY")):
		return "OPENAI_API_KEY from the environment"
	}
	return "configured"
}

func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Host
}

// place returns the address of a store or of Redis without user, password and parameters.
func place(address string) string {
	if path, is := strings.CutPrefix(address, "sqlite:"); is {
		path, _, _ = strings.Cut(path, "?")
		if whole, err := filepath.Abs(path); err == nil {
			path = whole
		}
		return "sqlite:" + path
	}
	u, err := url.Parse(address)
	if err != nil {
		scheme, _, _ := strings.Cut(address, ":")
		return scheme
	}
	return u.Scheme + "://" + u.Host + u.Path
}

// links returns the URLs of the chat page and the admin view, for a browser on this machine.
func links(base string) []any {
	base = reachable(base)
	return []any{"page", base + "/", "admin", base + "/admin"}
}

// addresses describes where a gateway would listen, and the links of its page, admin view and metrics:
// the ones that people use if publicUrl is set, else those for a browser on this machine.
func addresses(g *config.Gateway) []line {
	scheme := "http://"
	if g.TLS.Certificate != nil {
		scheme = "https://"
	}
	listens := []any{"listen", g.Listen}
	local := reachable(scheme + g.Listen)
	metrics := local + "/metrics"
	if g.AdminListen != "" {
		listens, metrics = append(listens, "adminListen", g.AdminListen), reachable("http://"+g.AdminListen)+"/metrics"
	}
	base := cmp.Or(g.PublicURL, local)
	return []line{{"would listen", listens}, {"links", append(links(base), "metrics", metrics)}}
}

// reachable returns a URL with localhost in place of every address of the machine.
func reachable(base string) string {
	u, err := url.Parse(base)
	if err != nil {
		return base
	}
	if addr, err := netip.ParseAddr(u.Hostname()); u.Hostname() == "" || err == nil && addr.IsUnspecified() {
		u.Host = net.JoinHostPort("localhost", u.Port())
	}
	return u.String()
}

// logDraining logs how many turns a shutdown waits for, and for how long at most.
func logDraining(log *slog.Logger, running int, timeout time.Duration) {
	attrs := []any{"running", running, "shutdownTimeout", timeout}
	if running > 0 {
		attrs = append(attrs, "note", "running turns may finish; a second signal, or Ctrl-C, ends them at once")
	}
	log.Info("draining", attrs...)
}
