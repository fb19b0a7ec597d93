package notify

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// The outcomes of an attempt. Given up is counted in addition to the failure that was the last.
const (
	outcomeDelivered = "delivered"
	outcomeFailed    = "failed"
	outcomeGivenUp   = "given_up"
)

type metrics struct {
	deliveries  *prometheus.CounterVec
	undelivered *prometheus.CounterVec
}

func newMetrics(n *Notifier) *metrics {
	m := &metrics{
		deliveries: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "askgate_webhook_deliveries_total", Help: "Attempts of this node to tell a webhook, by outcome: delivered, failed; and given_up, after the last.",
		}, []string{"webhook", "outcome"}),
		undelivered: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "askgate_clarifications_undelivered_total", Help: "Questions that no screen had shown in time, as this node found.",
		}, []string{"app"}),
	}
	for _, hook := range n.o.Config().Gateway.Webhooks {
		m.prepare(hook.ID)
	}
	for _, app := range n.o.Config().Apps() {
		m.undelivered.WithLabelValues(app.ID)
	}
	n.o.Registry.MustRegister(m.deliveries, m.undelivered, &waiting{n})
	return m
}

// prepare makes the counters of a webhook begin at 0.
func (m *metrics) prepare(webhook string) {
	for _, outcome := range []string{outcomeDelivered, outcomeFailed, outcomeGivenUp} {
		m.deliveries.WithLabelValues(webhook, outcome)
	}
}

func (m *metrics) count(webhook, outcome string) {
	m.deliveries.WithLabelValues(webhook, outcome).Inc()
}

// waiting reads what waits from the store when it is scraped. It is the same on every node.
type waiting struct{ n *Notifier }

// scrapeTimeout bounds how long a scrape may take.
const scrapeTimeout = 2 * time.Second

var (
	oldestDesc      = prometheus.NewDesc("askgate_webhook_oldest_waiting_seconds", "How long the oldest delivery of a webhook waits; 0: none does.", []string{"webhook"}, nil)
	undeliveredDesc = prometheus.NewDesc("askgate_clarifications_undelivered", "Questions that wait, and that no screen has shown in time.", []string{"app"}, nil)
)

// Describe implements prometheus.Collector.
func (*waiting) Describe(ch chan<- *prometheus.Desc) {
	ch <- oldestDesc
	ch <- undeliveredDesc
}

// Collect implements prometheus.Collector.
func (w *waiting) Collect(ch chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), scrapeTimeout)
	defer cancel()
	snap := w.n.o.Config()
	for i := range snap.Gateway.Webhooks {
		id := snap.Gateway.Webhooks[i].ID
		since, err := w.n.o.Store.Outbox().OldestDelivery(ctx, id)
		if err != nil {
			w.n.o.Log.Warn("cannot read the oldest webhook delivery", "error", err)
			return
		}
		age := 0.0
		if !since.IsZero() {
			age = max(0, w.n.o.Store.Now().Sub(since).Seconds())
		}
		ch <- prometheus.MustNewConstMetric(oldestDesc, prometheus.GaugeValue, age, id)
	}
	before := w.n.o.Store.Now().Add(-snap.Gateway.UndeliveredAfter())
	counts, err := w.n.o.Store.Outbox().Undelivered(ctx, before)
	if err != nil {
		w.n.o.Log.Warn("cannot count undelivered questions", "error", err)
		return
	}
	for _, app := range snap.Apps() {
		ch <- prometheus.MustNewConstMetric(undeliveredDesc, prometheus.GaugeValue, float64(counts[app.ID]), app.ID)
		delete(counts, app.ID)
	}
	for app, count := range counts { // of apps that are gone
		ch <- prometheus.MustNewConstMetric(undeliveredDesc, prometheus.GaugeValue, float64(count), app)
	}
}
