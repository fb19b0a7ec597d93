package trace

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/askgate/askgate/gateway/outage"
)

// maxError bounds how much of an error is logged, in bytes: a collector's answer may be
// in it.
const maxError = 300

// sender keeps spans until a batch of them is sent, and counts their outcomes. It is on
// both sides of the library's batches: in front of them, so that they never get more than
// they hold, and behind them, as their exporter.
type sender struct {
	sdktrace.SpanProcessor // the library's batch processor
	exporter               sdktrace.SpanExporter
	log                    *slog.Logger
	outage                 *outage.Log
	waiting                atomic.Int64
	sent, failed, dropped  prometheus.Counter

	mu    sync.Mutex
	since time.Time // of err, or of its absence
	err   error     // of the latest batch
}

func newSender(exporter sdktrace.SpanExporter, o Options) *sender {
	spans := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "askgate_trace_spans_total",
		Help: "Spans of traces, by outcome: sent, failed (the collector did not take them), dropped (too many waited).",
	}, []string{"outcome"})
	o.Registry.MustRegister(spans)
	s := &sender{
		exporter: exporter, log: o.Log, since: time.Now(),
		outage: outage.New(o.Log, "cannot send traces; turns continue without them", "traces are sent again"),
		sent:   spans.WithLabelValues("sent"), failed: spans.WithLabelValues("failed"), dropped: spans.WithLabelValues("dropped"),
	}
	s.SpanProcessor = sdktrace.NewBatchSpanProcessor(outlet{s}, sdktrace.WithMaxQueueSize(maxWaiting))
	return s
}

// OnEnd implements sdktrace.SpanProcessor. It does not wait.
func (s *sender) OnEnd(span sdktrace.ReadOnlySpan) {
	if s.waiting.Add(1) > maxWaiting {
		s.waiting.Add(-1)
		s.dropped.Inc()
		return
	}
	s.SpanProcessor.OnEnd(span)
}

// outlet is the sender as the batches see it.
type outlet struct{ *sender }

// ExportSpans implements sdktrace.SpanExporter. It logs itself that nothing could be
// sent, once and not for each batch.
func (o outlet) ExportSpans(ctx context.Context, spans []sdktrace.ReadOnlySpan) error {
	err := o.exporter.ExportSpans(ctx, spans)
	o.waiting.Add(-int64(len(spans)))
	if err != nil {
		o.failed.Add(float64(len(spans)))
	} else {
		o.sent.Add(float64(len(spans)))
	}
	o.changed(err)
	return nil
}

// Shutdown implements sdktrace.SpanExporter.
func (o outlet) Shutdown(ctx context.Context) error { return o.exporter.Shutdown(ctx) }

// changed remembers how a batch went, and logs a change.
func (s *sender) changed(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if (err == nil) != (s.err == nil) {
		s.since = time.Now()
	}
	s.err = err
	if err != nil {
		s.outage.Failed(errors.New(short(err)))
	} else {
		s.outage.Works()
	}
}

func (s *sender) status() (time.Time, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.since, s.err
}

func short(err error) string {
	text := err.Error()
	return text[:min(len(text), maxError)]
}
