// Package tracetest contains a collector of traces for tests: it accepts what a gateway sends by
// OTLP over HTTP, and makes it available.
package tracetest

import (
	"encoding/hex"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"

	collectorpb "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// TB is the part of *testing.T that is needed.
type TB interface {
	Helper()
	Errorf(format string, args ...any)
	Setenv(name, value string)
	Cleanup(func())
}

// Span is a span as it arrived.
type Span struct {
	Trace, ID, Parent string // hex digits; Parent is "" for none
	Name              string
	Kind              string // CLIENT, INTERNAL
	Error             bool
	Attributes        map[string]any
	Service           map[string]any // attributes of its resource
	Links             []Link
	Seconds           float64 // duration
}

// Link is a link of a span.
type Link struct {
	Trace, Span string
	Attributes  map[string]any
}

// Collector collects spans. It is safe for concurrent use.
type Collector struct {
	URL    string
	t      TB
	server *httptest.Server

	mu    sync.Mutex
	spans []Span
	raw   []byte
	last  http.Header
	hangs chan struct{} // nil: it responds
	code  int           // 0: success
}

// New starts a collector, and names it in the environment until the test ends. Spans are sent as
// soon as they end.
func New(t TB) *Collector {
	t.Helper()
	c := &Collector{t: t}
	c.server = httptest.NewServer(c)
	c.URL = c.server.URL
	t.Cleanup(func() {
		c.Answer(0)
		c.server.Close()
	})
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", c.URL)
	t.Setenv("OTEL_BSP_SCHEDULE_DELAY", "1") // milliseconds
	return c
}

// Answer makes the collector refuse requests with this status; 0: accept them.
func (c *Collector) Answer(status int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.code = status
	if c.hangs != nil {
		close(c.hangs)
		c.hangs = nil
	}
}

// Hang makes it accept connections without responding, until Answer is called.
func (c *Collector) Hang() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.hangs = make(chan struct{})
}

// Spans returns those that have arrived so far.
func (c *Collector) Spans() []Span {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.spans)
}

// Named returns the spans of that name.
func (c *Collector) Named(name string) []Span {
	return slices.DeleteFunc(c.Spans(), func(s Span) bool { return s.Name != name })
}

// Raw returns every byte that arrived, and the headers of the last request.
func (c *Collector) Raw() ([]byte, http.Header) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.raw), c.last.Clone()
}

// ServeHTTP implements http.Handler.
func (c *Collector) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the sender has given up
	}
	c.mu.Lock()
	hangs := c.hangs
	c.mu.Unlock()
	if hangs != nil {
		<-hangs
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.last = r.Header
	if c.code != 0 {
		http.Error(w, "not now", c.code)
		return
	}
	var batch collectorpb.ExportTraceServiceRequest
	if err := proto.Unmarshal(body, &batch); err != nil || r.URL.Path != "/v1/traces" || r.Header.Get("Content-Type") != "application/x-protobuf" {
		c.t.Errorf("%s %s, %s: %v", r.Method, r.URL.Path, r.Header.Get("Content-Type"), err)
		http.Error(w, "no spans", http.StatusBadRequest)
		return
	}
	c.raw = append(c.raw, body...)
	for _, resource := range batch.ResourceSpans {
		for _, scope := range resource.ScopeSpans {
			for _, s := range scope.Spans {
				c.spans = append(c.spans, span(s, attributes(resource.Resource.Attributes)))
			}
		}
	}
}

func span(s *tracepb.Span, service map[string]any) Span {
	out := Span{
		Trace: hex.EncodeToString(s.TraceId), ID: hex.EncodeToString(s.SpanId), Parent: hex.EncodeToString(s.ParentSpanId),
		Name: s.Name, Kind: s.Kind.String()[len("SPAN_KIND_"):], Error: s.Status.GetCode() == tracepb.Status_STATUS_CODE_ERROR,
		Attributes: attributes(s.Attributes), Service: service,
		Seconds: float64(s.EndTimeUnixNano-s.StartTimeUnixNano) / 1e9,
	}
	for _, l := range s.Links {
		out.Links = append(out.Links, Link{hex.EncodeToString(l.TraceId), hex.EncodeToString(l.SpanId), attributes(l.Attributes)})
	}
	return out
}

func attributes(list []*commonpb.KeyValue) map[string]any {
	m := map[string]any{}
	for _, a := range list {
		m[a.Key] = value(a.Value)
	}
	return m
}

func value(v *commonpb.AnyValue) any {
	switch v := v.Value.(type) {
	case *commonpb.AnyValue_StringValue:
		return v.StringValue
	case *commonpb.AnyValue_BoolValue:
		return v.BoolValue
	case *commonpb.AnyValue_IntValue:
		return int(v.IntValue)
	case *commonpb.AnyValue_DoubleValue:
		return v.DoubleValue
	case *commonpb.AnyValue_ArrayValue:
		var list []any
		for _, item := range v.ArrayValue.Values {
			list = append(list, value(item))
		}
		return list
	}
	return nil
}
