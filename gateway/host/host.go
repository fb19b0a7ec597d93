package host

import (
	"cmp"
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/limit"
	"github.com/askgate/askgate/gateway/sse"
	"github.com/askgate/askgate/gateway/turn"
	"github.com/askgate/askgate/locales"
)

// Options are the parts that a Host is made of. All are required except those marked optional.
type Options struct {
	Engine  Engine
	Inbox   Inbox
	Store   Store
	Setup   func() *turn.Setup // the current configuration, with what was made of it
	Catalog *locales.Catalog
	Limiter limit.Limiter
	// Address is called with the verified email address of a caller's token. Optional.
	Address  KeepAddress
	Registry *prometheus.Registry
	Log      *slog.Logger
	Version  string      // the version shown by the page, the admin view and askgate_build_info. Optional
	InFlight int64       // see api.Options. Optional
	Stream   sse.Options // heartbeat and write timeout of event streams. Optional
}

// KeepAddress keeps the verified email address of a caller's token. It blocks no longer than a write
// of the store.
type KeepAddress func(ctx context.Context, conf *config.Gateway, p chat.Principal, email string)

const defaultInFlight = 64 << 20

// Host is shared by all requests: it knows who calls and how often they may, counts what is in
// flight, and writes refusals. It is safe for concurrent use.
type Host struct {
	Options
	Started  time.Time
	Metrics  *metrics
	auth     *authority
	Texts    texts
	Draining context.Context // ends when Drain is called
	Drain    context.CancelFunc
	keeper   sealer // seals what clients of fronts keep
	endings  endings
	inFlight *limit.Bytes
	noise    noise
	leaving  atomic.Bool  // Leave was called
	asked    atomic.Int64 // when /readyz was last requested, relative to the start
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

// IsDraining reports whether the gateway is shutting down and takes nothing new.
func (h *Host) IsDraining() bool { return h.Draining.Err() != nil }

// probed is how recent a request of /readyz must be for it to count as regular, and how long a
// node that shuts down waits for the next: proxies ask every second.
const probed = 1500 * time.Millisecond
