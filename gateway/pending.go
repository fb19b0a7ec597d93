package gateway

import (
	"context"
	"log/slog"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/gateway/turn"
)

// pendingCollector reads from the store how many questions wait, so that the number is true over
// restarts and nodes. The store keeps the counts, so that a scrape counts no rows.
type pendingCollector struct {
	store store.Store
	setup func() *turn.Setup
	log   *slog.Logger
}

// scrapeTimeout bounds how long a scrape may take.
const scrapeTimeout = 2 * time.Second

var (
	pendingDesc = prometheus.NewDesc("askgate_clarifications_pending", "Questions that wait for an answer.", []string{"app"}, nil)
	oldestDesc  = prometheus.NewDesc("askgate_clarification_oldest_pending_seconds", "Age of the oldest question that waits.", []string{"app"}, nil)
)

// Describe implements prometheus.Collector.
func (*pendingCollector) Describe(ch chan<- *prometheus.Desc) {
	ch <- pendingDesc
	ch <- oldestDesc
}

// Collect implements prometheus.Collector.
func (p *pendingCollector) Collect(ch chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), scrapeTimeout)
	defer cancel()
	counts, err := p.store.Due().Pending(ctx)
	if err != nil {
		p.log.Warn("cannot count pending questions", "error", err)
		return
	}
	byApp := map[string]store.PendingCount{}
	for _, app := range p.setup().Config.Apps() {
		byApp[app.ID] = store.PendingCount{App: app.ID} // nothing waits: a zero, not a gap
	}
	for _, c := range counts {
		byApp[c.App] = c
	}
	for _, c := range byApp {
		age := 0.0
		if c.Count > 0 {
			age = max(0, p.store.Now().Sub(c.Oldest).Seconds())
		}
		ch <- prometheus.MustNewConstMetric(pendingDesc, prometheus.GaugeValue, float64(c.Count), c.App)
		ch <- prometheus.MustNewConstMetric(oldestDesc, prometheus.GaugeValue, age, c.App)
	}
}
