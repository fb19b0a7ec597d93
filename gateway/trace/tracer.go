package trace

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/go-logr/logr"
	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	oteltrace "go.opentelemetry.io/otel/trace"
)

// maxWaiting bounds the spans that wait to be sent. At about 2 KB each that is 4 MB; a
// turn without a tool has two.
const maxWaiting = 2048

// Options set up a Tracer.
type Options struct {
	Registry prometheus.Registerer
	Log      *slog.Logger
	Version  string // of this program
}

// Tracer makes traces of turns. A nil one makes none. Safe for concurrent use.
type Tracer struct {
	provider *sdktrace.TracerProvider
	tracer   oteltrace.Tracer
	sender   *sender
}

// New makes a tracer that sends to the collector that the environment names, by the
// standard variables OTEL_EXPORTER_OTLP_..., OTEL_SERVICE_NAME, OTEL_RESOURCE_ATTRIBUTES,
// OTEL_TRACES_SAMPLER and OTEL_BSP_...; package config has checked them. The collector
// need not be there. One process makes one tracer.
func New(ctx context.Context, o Options) (*Tracer, error) {
	otel.SetLogger(logr.Discard()) // it would log headers that it cannot parse, with keys in them
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) {
		o.Log.Warn("opentelemetry", "error", short(err))
	}))
	exporter, err := otlptracehttp.New(ctx)
	if err != nil {
		return nil, fmt.Errorf("traces: %w", err)
	}
	about, err := resource.New(ctx,
		resource.WithAttributes(serviceName.String("askgate"), serviceVersion.String(o.Version)),
		resource.WithTelemetrySDK(), resource.WithFromEnv(), // the last one wins
	)
	if err != nil {
		o.Log.Warn("traces lack some of the resource attributes set in the environment", "error", short(err))
	}
	s := newSender(exporter, o)
	provider := sdktrace.NewTracerProvider(
		sdktrace.WithIDGenerator(ids{}), sdktrace.WithResource(about), sdktrace.WithSpanProcessor(s),
	)
	return &Tracer{provider, provider.Tracer("github.com/askgate/askgate", oteltrace.WithInstrumentationVersion(o.Version)), s}, nil
}

// Status says since when the collector accepts spans, or, with an error, since when it
// does not. Before the first were sent there is no error.
func (t *Tracer) Status() (since time.Time, err error) { return t.sender.status() }

// Shutdown sends the waiting spans, until ctx ends. Runs that end later are not traced.
func (t *Tracer) Shutdown(ctx context.Context) {
	if t == nil {
		return
	}
	if err := t.provider.Shutdown(ctx); err != nil {
		t.sender.log.Warn("the last traces were not sent", "error", short(err))
	}
}

// caller reads a caller's traceparent; a malformed one is ignored.
func caller(traceparent string) oteltrace.SpanContext {
	ctx := propagation.TraceContext{}.Extract(context.Background(), propagation.MapCarrier{"traceparent": traceparent})
	return oteltrace.SpanContextFromContext(ctx)
}
