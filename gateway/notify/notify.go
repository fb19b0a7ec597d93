package notify

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/figure"
	"github.com/askgate/askgate/gateway/outage"
	"github.com/askgate/askgate/gateway/store"
)

const (
	every     = 500 * time.Millisecond // how often the store is asked for what is due
	lease     = 30 * time.Second       // of a claim: longer than an attempt takes
	timeout   = 10 * time.Second       // of an attempt
	atOnce    = 8                      // attempts for one webhook on one node at a time
	firstWait = 5 * time.Second        // after the first attempt; then twice as long each time
	longest   = time.Hour
	inAll     = 24 * time.Hour  // from the event to the last attempt
	storing   = 5 * time.Second // the outcome of an attempt
	page      = 100             // questions that become undelivered at a time
)

// Store is the part of a store that a notifier needs.
type Store interface {
	Outbox() store.Outbox
	Now() time.Time
	Clarification(ctx context.Context, id string) (chat.Clarification, error)
}

// Options are the parts that a notifier works with. All are needed.
type Options struct {
	Store    Store
	Config   func() *config.Snapshot // returns the current one
	Text     func(language, id string, params map[string]any) string
	Registry prometheus.Registerer
	Log      *slog.Logger
}

// Notifier delivers what is due. Several notifiers may work on one store.
type Notifier struct {
	o           Options
	metrics     *metrics
	listens     atomic.Pointer[string]
	wake        chan struct{}
	way         http.RoundTripper // nil: the network
	every       time.Duration
	sending     sync.WaitGroup
	undelivered *figure.Figure[map[string]int] // by app
	outages     *outage.Group                  // by webhook
	senders     map[string]*sender             // by webhook; used by Run only
	failing     bool                           // the store failed the last time; used by Run only
}

// New makes a notifier and registers its metrics.
func New(o Options) *Notifier {
	n := &Notifier{o: o, outages: outage.NewGroup(o.Log, "webhook delivery failed; will retry", "webhook delivers again", "webhook"), every: every, wake: make(chan struct{}, 1), senders: map[string]*sender{}}
	n.undelivered = figure.New(func(ctx context.Context) (map[string]int, error) {
		return o.Store.Outbox().Undelivered(ctx, o.Store.Now().Add(-o.Config().Gateway.UndeliveredAfter()))
	})
	n.metrics = newMetrics(n)
	return n
}

// Listens sets the address at which the gateway listens, for links if the configuration has no
// publicUrl.
func (n *Notifier) Listens(address string) { n.listens.Store(&address) }

// Base returns where people reach the gateway, without a trailing slash.
func (n *Notifier) Base(g *config.Gateway) string {
	listens := ""
	if at := n.listens.Load(); at != nil {
		listens = *at
	}
	return cmp.Or(g.PublicURL, listens, "http://"+g.Listen)
}

// Run delivers until ctx ends. Attempts that are under way then are given up, and due again at once.
func (n *Notifier) Run(ctx context.Context) {
	defer n.sending.Wait()
	n.sending.Go(func() { n.undelivered.Keep(ctx) })
	tick := time.NewTicker(n.every)
	defer tick.Stop()
	stale := time.NewTicker(time.Hour)
	defer stale.Stop()
	n.dropStale(ctx)
	for ctx.Err() == nil {
		n.round(ctx)
		select {
		case <-tick.C:
		case <-n.wake:
		case <-stale.C:
			n.dropStale(ctx)
		case <-ctx.Done():
		}
	}
}

// round begins attempts for what is due, as far as there is room.
func (n *Notifier) round(ctx context.Context) {
	snap := n.o.Config()
	apps, err := n.o.Store.Outbox().TurnUndelivered(ctx, page)
	n.noted(ctx, err)
	for _, app := range apps {
		n.metrics.undelivered.WithLabelValues(app).Inc()
	}
	there := map[string]bool{}
	for _, hook := range snap.Gateway.Webhooks {
		there[hook.ID] = true
		s := n.sender(hook)
		free := atOnce - int(s.busy.Load())
		if free <= 0 {
			continue
		}
		due, err := n.o.Store.Outbox().ClaimDeliveries(ctx, hook.ID, lease, free)
		n.noted(ctx, err)
		for _, d := range due {
			s.busy.Add(1)
			n.sending.Go(func() {
				defer n.again()
				defer s.busy.Add(-1)
				n.deliver(ctx, s, snap, d)
			})
		}
	}
	for id, s := range n.senders {
		if !there[id] {
			delete(n.senders, id)
			s.client.CloseIdleConnections()
			n.metrics.deliveries.DeletePartialMatch(prometheus.Labels{"webhook": id})
			n.noted(ctx, n.o.Store.Outbox().DropDeliveries(ctx, id, n.o.Store.Now().Add(inAll)))
		}
	}
}

// again wakes Run: there is room, and what has ended may have held up another delivery.
func (n *Notifier) again() {
	select {
	case n.wake <- struct{}{}:
	default:
	}
}

// dropStale removes deliveries that are too old and whose webhooks are gone, as after a restart with
// another configuration. Younger ones may be for another node, whose configuration is newer.
func (n *Notifier) dropStale(ctx context.Context) {
	ids, err := n.o.Store.Outbox().Webhooks(ctx)
	n.noted(ctx, err)
	there := map[string]bool{}
	for _, hook := range n.o.Config().Gateway.Webhooks {
		there[hook.ID] = true
	}
	for _, id := range ids {
		if !there[id] {
			n.noted(ctx, n.o.Store.Outbox().DropDeliveries(ctx, id, n.o.Store.Now().Add(-inAll)))
		}
	}
}

// noted logs, once, that the store has begun to fail.
func (n *Notifier) noted(ctx context.Context, err error) {
	if ctx.Err() != nil {
		return
	}
	if err != nil && !n.failing {
		n.o.Log.Warn("cannot read webhook deliveries from the store; they wait", "error", err)
	}
	n.failing = err != nil
}

// deliver makes one attempt at a delivery, and stores its outcome.
func (n *Notifier) deliver(ctx context.Context, s *sender, snap *config.Snapshot, d store.Delivery) {
	l := letter{hook: s.hook, d: d, snap: snap, base: n.Base(&snap.Gateway), text: n.o.Text}
	if d.ClarificationID != "" && d.Event != config.WebhookTurnEnded {
		c, err := n.o.Store.Clarification(ctx, d.ClarificationID)
		switch {
		case errors.Is(err, store.ErrNotFound): // erased meanwhile, or not the gateway's own
			n.stored(n.o.Store.Outbox().EndDelivery(ctx, d))
			return
		case err != nil:
			return // the claim lapses
		}
		l.c = &c
	}
	err := s.send(ctx, &l)
	// The outcome is stored even if the node ends meanwhile.
	kept, cancel := context.WithTimeout(context.WithoutCancel(ctx), storing)
	defer cancel()
	switch {
	case err == nil:
		n.outages.Of(d.Webhook).Works()
		n.metrics.count(d.Webhook, outcomeDelivered)
		n.stored(n.o.Store.Outbox().EndDelivery(kept, d))
		return
	case ctx.Err() != nil:
		n.stored(n.o.Store.Outbox().PostponeDelivery(kept, d, 0))
		return
	}
	n.metrics.count(d.Webhook, outcomeFailed)
	pause := wait(d.Attempts)
	if n.o.Store.Now().Sub(d.At)+pause > inAll {
		n.metrics.count(d.Webhook, outcomeGivenUp)
		n.o.Log.Error("webhook delivery failed; giving up", "webhook", d.Webhook, "event", d.Event, "id", d.ID, "attempts", d.Attempts, "error", err)
		n.stored(n.o.Store.Outbox().EndDelivery(kept, d))
		return
	}
	n.outages.Of(d.Webhook).Failed(err, "event", d.Event, "id", d.ID, "attempts", d.Attempts)
	n.stored(n.o.Store.Outbox().PostponeDelivery(kept, d, pause))
}

// stored logs an outcome that could not be stored: the delivery will be attempted again.
func (n *Notifier) stored(err error) {
	if err != nil {
		n.o.Log.Warn("cannot store the outcome of a webhook delivery; it will be repeated", "error", err)
	}
}

// wait returns how long to wait after so many attempts, up to a tenth more or less, so that
// deliveries which failed together are not repeated together.
func wait(attempts int) time.Duration {
	pause := longest
	if attempts < 12 { // doubled any more often, 5 s is more than an hour
		pause = min(longest, firstWait<<max(attempts-1, 0))
	}
	return pause + time.Duration((rand.Float64()-0.5)/5*float64(pause))
}

// sender returns the sender for a webhook.
func (n *Notifier) sender(hook config.Webhook) *sender {
	s := n.senders[hook.ID]
	if s != nil && s.hook.URL == hook.URL && s.hook.AllowPrivate == hook.AllowPrivate {
		if !same(&s.hook, &hook) {
			s = &sender{hook: hook, client: s.client, busy: s.busy}
			n.senders[hook.ID] = s
		}
		return s
	}
	busy := new(atomic.Int64)
	if s != nil {
		s.client.CloseIdleConnections()
		busy = s.busy
	}
	target, err := url.Parse(hook.URL)
	if err != nil { // checked when the configuration was read
		target = new(url.URL)
	}
	s = newSender(hook, target, busy)
	if n.way != nil {
		s.client.Transport = n.way
	}
	n.senders[hook.ID] = s
	n.metrics.prepare(hook.ID)
	return s
}

func same(a, b *config.Webhook) bool {
	return a.Secret == b.Secret && a.Texts == b.Texts && a.Format == b.Format && a.AnswerLink == b.AnswerLink
}
