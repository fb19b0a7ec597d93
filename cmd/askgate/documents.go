package main

import (
	"errors"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/askgate/askgate/gateway"
	"github.com/askgate/askgate/tooltypes/documents"
)

var (
	documentsHeld    = prometheus.NewDesc("askgate_documents", "Documents in the index of a tool of type documents.", []string{"tool"}, nil)
	documentsSeconds = prometheus.NewDesc("askgate_documents_index_seconds", "Duration of the newest indexing that found changes.", []string{"tool"}, nil)
)

// documentsCollector exports metrics about the documents of the active configuration. Entries with
// the same id are added up; of their indexing times the longest is exported.
type documentsCollector struct{ shelf *documents.Shelf }

// Describe implements prometheus.Collector.
func (c *documentsCollector) Describe(out chan<- *prometheus.Desc) {
	out <- documentsHeld
	out <- documentsSeconds
}

// Collect implements prometheus.Collector.
func (c *documentsCollector) Collect(out chan<- prometheus.Metric) {
	held, seconds := map[string]int{}, map[string]float64{}
	for _, s := range c.shelf.Statuses() {
		held[s.ID] += s.Documents
		seconds[s.ID] = max(seconds[s.ID], s.Seconds)
	}
	for id, n := range held {
		out <- prometheus.MustNewConstMetric(documentsHeld, prometheus.GaugeValue, float64(n), id)
		out <- prometheus.MustNewConstMetric(documentsSeconds, prometheus.GaugeValue, seconds[id], id)
	}
}

var errIndexing = errors.New("indexing is not finished")

// documentsParts reports the state of the indexes for /readyz?verbose. Of several entries with the same
// id the worst counts.
func documentsParts(shelf *documents.Shelf) func() []gateway.Part {
	return func() []gateway.Part {
		var parts []gateway.Part
		at := map[string]int{}
		for _, s := range shelf.Statuses() {
			fault, hint := s.Err, "searches use the previous index; see the log for why the folder or the index cannot be used (no restart is needed)"
			if fault == nil && !s.Ready {
				fault, hint = errIndexing, "searches find what has been indexed so far; the log and askgate_documents show the progress"
			}
			p := gateway.Part{Name: "documents:" + s.ID, Hint: hint, Status: func() (time.Time, error) { return s.Since, fault }}
			switch i, twice := at[s.ID]; {
			case !twice:
				at[s.ID] = len(parts)
				parts = append(parts, p)
			case fault != nil:
				parts[i] = p
			}
		}
		return parts
	}
}
