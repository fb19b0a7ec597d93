package gateway

import (
	"log/slog"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/askgate/askgate/gateway/figure"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/gateway/turn"
)

// pendingCollector counts the pending questions in the store, so that the number is true over
// restarts and nodes. A scrape gets a count that was made shortly before it.
type pendingCollector struct {
	now    func() time.Time // of the store
	counts *figure.Figure[[]store.PendingCount]
	setup  func() *turn.Setup
	log    *slog.Logger
}

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
	counts, err := p.counts.Get()
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
			age = max(0, p.now().Sub(c.Oldest).Seconds())
		}
		ch <- prometheus.MustNewConstMetric(pendingDesc, prometheus.GaugeValue, float64(c.Count), c.App)
		ch <- prometheus.MustNewConstMetric(oldestDesc, prometheus.GaugeValue, age, c.App)
	}
}
