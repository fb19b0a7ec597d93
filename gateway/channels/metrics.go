package channels

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// The outcomes of an attempt. Given up is counted in addition to the failure that was the last; not
// told, once for each person who could not be told of a question.
const (
	outcomeDelivered = "delivered"
	outcomeFailed    = "failed"
	outcomeGivenUp   = "given_up"
	outcomeNotTold   = "not_told"
)

var outcomes = []string{outcomeDelivered, outcomeFailed, outcomeGivenUp, outcomeNotTold}

type metrics struct{ deliveries *prometheus.CounterVec }

func newMetrics(t *Teller) *metrics {
	m := &metrics{prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "askgate_channel_deliveries_total", Help: "Attempts of this node to tell a person, by outcome: delivered, failed; given_up, after the last; and not_told, who could not be told of a question.",
	}, []string{"channel", "outcome"})}
	for _, c := range t.o.Config().Gateway.Channels {
		m.prepare(c.ID)
	}
	t.o.Registry.MustRegister(m.deliveries, &waiting{t})
	return m
}

// prepare makes the counters of a channel begin at 0.
func (m *metrics) prepare(channel string) {
	for _, outcome := range outcomes {
		m.deliveries.WithLabelValues(channel, outcome)
	}
}

func (m *metrics) count(channel, outcome string) {
	m.deliveries.WithLabelValues(channel, outcome).Inc()
}

// waiting reads what waits from the store when it is scraped. It is the same on every node.
type waiting struct{ t *Teller }

// scrapeTimeout bounds how long a scrape may take.
const scrapeTimeout = 2 * time.Second

var oldestDesc = prometheus.NewDesc("askgate_channel_oldest_waiting_seconds", "How long the oldest message of a channel waits; 0: none does.", []string{"channel"}, nil)

// Describe implements prometheus.Collector.
func (*waiting) Describe(ch chan<- *prometheus.Desc) { ch <- oldestDesc }

// Collect implements prometheus.Collector.
func (w *waiting) Collect(ch chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), scrapeTimeout)
	defer cancel()
	channels := w.t.o.Config().Gateway.Channels
	for i := range channels {
		since, err := w.t.o.Store.Outbox().OldestNotice(ctx, channels[i].ID)
		if err != nil {
			w.t.o.Log.Warn("cannot read the oldest message of a channel", "error", err)
			return
		}
		age := 0.0
		if !since.IsZero() {
			age = max(0, w.t.o.Store.Now().Sub(since).Seconds())
		}
		ch <- prometheus.MustNewConstMetric(oldestDesc, prometheus.GaugeValue, age, channels[i].ID)
	}
}
