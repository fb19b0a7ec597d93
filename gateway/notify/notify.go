package notify

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/gateway/attempts"
	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/outage"
	"github.com/askgate/askgate/gateway/store"
)

const (
	lease   = 30 * time.Second // of a claim: longer than an attempt takes
	timeout = 10 * time.Second // of an attempt
	atOnce  = 8                // attempts for one webhook on one node at a time
	page    = 100              // questions that become undelivered at a time
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
	o       Options
	metrics *metrics
	listens atomic.Pointer[string]
	loop    *attempts.Loop
	way     http.RoundTripper // nil: the network
	sending sync.WaitGroup
	outages *outage.Group      // by webhook
	senders map[string]*sender // by webhook; used by Run only
}

// New makes a notifier and registers its metrics.
func New(o Options) *Notifier {
	n := &Notifier{o: o, outages: outage.NewGroup(o.Log, "webhook delivery failed; will retry", "webhook delivers again", "webhook"), loop: attempts.NewLoop(o.Log, "webhook deliveries"), senders: map[string]*sender{}}
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
	n.loop.Run(ctx, n.round, n.dropStale)
}

// round begins attempts for what is due, as far as there is room.
func (n *Notifier) round(ctx context.Context) {
	snap := n.o.Config()
	apps, err := n.o.Store.Outbox().TurnUndelivered(ctx, page)
	n.loop.Noted(ctx, err)
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
		n.loop.Noted(ctx, err)
		for _, d := range due {
			s.busy.Add(1)
			n.sending.Go(func() {
				defer n.loop.Again()
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
			n.loop.Noted(ctx, n.o.Store.Outbox().DropDeliveries(ctx, id, n.o.Store.Now().Add(attempts.InAll)))
		}
	}
}

// dropStale removes deliveries that are too old and whose webhooks are gone, as after a restart with
// another configuration. Younger ones may be for another node, whose configuration is newer.
func (n *Notifier) dropStale(ctx context.Context) {
	ids, err := n.o.Store.Outbox().Webhooks(ctx)
	n.loop.Noted(ctx, err)
	there := map[string]bool{}
	for _, hook := range n.o.Config().Gateway.Webhooks {
		there[hook.ID] = true
	}
	for _, id := range ids {
		if !there[id] {
			n.loop.Noted(ctx, n.o.Store.Outbox().DropDeliveries(ctx, id, n.o.Store.Now().Add(-attempts.InAll)))
		}
	}
	n.loop.Noted(ctx, dropUnused(ctx, n.o.Store))
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
	if d.Tool != "" && !json.Valid([]byte(d.Told)) {
		n.o.Log.Error("a webhook delivery is damaged in the store; it is left out", "webhook", d.Webhook, "event", d.Event, "id", d.ID)
		n.stored(n.o.Store.Outbox().EndDelivery(ctx, d))
		return
	}
	err := s.send(ctx, &l)
	// The outcome is stored even if the node ends meanwhile.
	kept, cancel := context.WithTimeout(context.WithoutCancel(ctx), attempts.Storing)
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
	pause := attempts.Pause(d.Attempts)
	if n.o.Store.Now().Sub(d.At)+pause > attempts.InAll {
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
