package trace_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/gatewaytest"
	"github.com/askgate/askgate/gateway/prove/testenv"
	"github.com/askgate/askgate/gateway/trace"
	"github.com/askgate/askgate/gateway/trace/tracetest"
	"github.com/askgate/askgate/tools"
)

func TestMain(m *testing.M) {
	testenv.Clear()
	m.Run()
}

func open(t *testing.T) (*trace.Tracer, *prometheus.Registry, *gatewaytest.Log) {
	t.Helper()
	registry, log := prometheus.NewRegistry(), &gatewaytest.Log{}
	tracer, err := trace.New(t.Context(), trace.Options{Registry: registry, Log: slog.New(slog.NewTextHandler(log, nil)), Version: "v1"})
	if err != nil {
		t.Fatal(err)
	}
	return tracer, registry, log
}

func start(turn string, fence int64) trace.Start {
	return trace.Start{Run: chat.Run{ConversationID: "conv_1", TurnID: turn, Fence: fence, StartedAt: time.Now()}, App: "helper", Node: "node_1"}
}

// waitFor waits for something that happens soon in another goroutine.
func waitFor(t *testing.T, condition func() bool) {
	t.Helper()
	for deadline := time.Now().Add(5 * time.Minute); !condition(); {
		if time.Now().After(deadline) {
			t.Fatal("it did not happen")
		}
		<-time.After(5 * time.Millisecond)
	}
}

func counts(t *testing.T, registry *prometheus.Registry, want string) error {
	t.Helper()
	const head = "# HELP askgate_trace_spans_total Spans of traces, by outcome: sent, failed (the collector did not take them), dropped (too many waited).\n# TYPE askgate_trace_spans_total counter\n"
	return testutil.GatherAndCompare(registry, strings.NewReader(head+want))
}

// The id of a turn is enough to find its trace; nothing about it is stored.
func TestTheTraceOfATurnIsTheHashOfItsID(t *testing.T) {
	c := tracetest.New(t)
	tracer, _, _ := open(t)
	r := tracer.Begin(start("turn_1", 7))
	sum := sha256.Sum256([]byte("turn_1"))
	want := hex.EncodeToString(sum[:16])
	if r.ID() != want {
		t.Errorf("trace %s, want %s", r.ID(), want)
	}
	r.End(chat.FinishStop, chat.Usage{}, nil)
	tracer.Shutdown(t.Context())
	if spans := c.Spans(); len(spans) != 1 || spans[0].Trace != want || spans[0].Parent != "" {
		t.Errorf("%+v", spans)
	}
}

// A run that takes over a turn links to the one that died, which another process ran.
func TestTakeoverLinksToTheRunBefore(t *testing.T) {
	c := tracetest.New(t)
	a, _, _ := open(t)
	b, _, _ := open(t)
	first, second := start("turn_1", 7), start("turn_1", 8)
	second.Takeover = true
	a.Begin(first).End("", chat.Usage{}, nil)
	a.Shutdown(t.Context())
	b.Begin(second).End(chat.FinishStop, chat.Usage{}, nil)
	b.Shutdown(t.Context())
	runs := c.Named("invoke_agent helper")
	if len(runs) != 2 || len(runs[1].Links) != 1 {
		t.Fatalf("%+v", runs)
	}
	link := runs[1].Links[0]
	if link.Trace != runs[0].Trace || link.Span != runs[0].ID || link.Attributes["askgate.link"] != "takes_over" {
		t.Errorf("link %+v, the previous run is %s of %s", link, runs[0].ID, runs[0].Trace)
	}
	if got := runs[0].Attributes["askgate.finish_reason"]; got != "handed_over" {
		t.Errorf("finish reason %v", got)
	}
	if got := runs[1].Attributes["askgate.run.started_by"]; got != "takeover" {
		t.Errorf("started by %v", got)
	}
}

// A run records what started it.
func TestARunSaysThatAPersonResumedItsTurn(t *testing.T) {
	c := tracetest.New(t)
	tracer, _, _ := open(t)
	answered, resumed := start("turn_1", 8), start("turn_1", 9)
	answered.Resumed, answered.Closed, resumed.Resumed = true, []chat.Clarification{{ID: "clr_1"}}, true
	for _, s := range []trace.Start{answered, resumed} {
		tracer.Begin(s).End(chat.FinishStop, chat.Usage{}, nil)
	}
	tracer.Shutdown(t.Context())
	for i, run := range c.Named("invoke_agent helper") {
		if got, want := run.Attributes["askgate.run.started_by"], []string{"clarification", "resume"}[i]; got != want {
			t.Errorf("started by %v, want %s", got, want)
		}
	}
}

// A share of the turns is traced, each completely or not at all, whichever nodes run it.
func TestTurnsAreSampledWhole(t *testing.T) {
	c := tracetest.New(t)
	t.Setenv("OTEL_TRACES_SAMPLER", "parentbased_traceidratio")
	t.Setenv("OTEL_TRACES_SAMPLER_ARG", "0.5")
	a, _, _ := open(t)
	b, _, _ := open(t)
	const turns = 200
	for i := range turns {
		for fence, tracer := range []*trace.Tracer{a, b} {
			r := tracer.Begin(start(fmt.Sprintf("turn_%d", i), int64(fence)))
			r.Step(trace.Step{Began: time.Now(), Name: "default", Provider: "openai", Outcome: "ok"})
			r.End(chat.FinishStop, chat.Usage{}, nil)
		}
	}
	a.Shutdown(t.Context())
	b.Shutdown(t.Context())
	spans := map[string]int{}
	for _, s := range c.Spans() {
		spans[s.Trace]++
	}
	for id, n := range spans {
		if n != 4 {
			t.Errorf("trace %s has %d spans, want 4", id, n)
		}
	}
	if len(spans) < turns/4 || len(spans) > turns*3/4 {
		t.Errorf("%d of %d turns are traced", len(spans), turns)
	}
}

// A name that a model made up is a text, which no span contains; the name of a tool is not.
func TestUnknownToolsAreNotNamed(t *testing.T) {
	c := tracetest.New(t)
	tracer, _, _ := open(t)
	r := tracer.Begin(start("turn_1", 7))
	refused := tools.Outcome{Error: &tools.Error{Code: tools.CodeNotAvailable, Message: "private"}}
	r.Call(tools.Call{ID: "call_1", Name: "private", Arguments: `{"x":"private"}`}, time.Now(), refused)
	r.Call(tools.Call{ID: "call_2", Name: "clock", Arguments: `{"x":"private"}`}, time.Now(), tools.Outcome{Result: "private"})
	r.End(chat.FinishError, chat.Usage{}, &chat.Failure{Code: "model_timeout", Message: "private"})
	tracer.Shutdown(t.Context())
	if raw, _ := c.Raw(); strings.Contains(string(raw), "private") {
		t.Error("a text is in the spans")
	}
	unknown, clock, run := c.Named("execute_tool unknown"), c.Named("execute_tool clock"), c.Named("invoke_agent helper")
	if len(unknown) != 1 || !unknown[0].Error || unknown[0].Attributes["error.type"] != tools.CodeNotAvailable {
		t.Errorf("%+v", unknown)
	}
	if len(clock) != 1 || clock[0].Error || clock[0].Attributes["gen_ai.tool.call.id"] != "call_2" {
		t.Errorf("%+v", clock)
	}
	if len(run) != 1 || !run[0].Error || run[0].Attributes["error.type"] != "model_timeout" {
		t.Errorf("%+v", run)
	}
}

// A model request that a person stopped is not an error.
func TestWhatIsStoppedIsNoError(t *testing.T) {
	c := tracetest.New(t)
	tracer, _, _ := open(t)
	r := tracer.Begin(start("turn_1", 7))
	for _, outcome := range []string{"cancelled", "model_unavailable"} {
		r.Step(trace.Step{Began: time.Now(), Name: "default", Provider: "openai", Model: "m", Outcome: outcome, Status: 503})
	}
	r.End(chat.FinishCancelled, chat.Usage{}, nil)
	tracer.Shutdown(t.Context())
	steps := c.Named("chat m")
	if len(steps) != 2 || steps[0].Error || steps[0].Attributes["error.type"] != "cancelled" {
		t.Fatalf("%+v", steps)
	}
	if !steps[1].Error || steps[1].Attributes["error.type"] != "model_unavailable" || steps[1].Attributes["http.response.status_code"] != 503 {
		t.Errorf("%+v", steps[1])
	}
}

// A collector that does not respond delays nothing: spans beyond the memory set aside are
// dropped and counted, and shutdown does not wait longer than it may.
func TestACollectorThatHangsHoldsNobodyUp(t *testing.T) {
	c := tracetest.New(t)
	c.Hang()
	tracer, registry, _ := open(t)
	const most, more = 2048, 100
	for i := range most + more {
		tracer.Begin(start(fmt.Sprintf("turn_%d", i), 1)).End(chat.FinishStop, chat.Usage{}, nil)
	}
	if err := counts(t, registry, fmt.Sprintf("askgate_trace_spans_total{outcome=\"dropped\"} %d\naskgate_trace_spans_total{outcome=\"failed\"} 0\naskgate_trace_spans_total{outcome=\"sent\"} 0\n", more)); err != nil {
		t.Error(err)
	}
	c.Answer(0)
	tracer.Shutdown(t.Context())
	if got := len(c.Spans()); got != most {
		t.Errorf("%d spans arrived when it responded again, want %d", got, most)
	}
}

// A collector that refuses is logged once, and once more when it accepts spans again; the status
// reports it in between. Its response is truncated, and none of our keys is in the log.
func TestACollectorThatRefusesIsToldOnce(t *testing.T) {
	c := tracetest.New(t)
	t.Setenv("OTEL_EXPORTER_OTLP_HEADERS", "authorization=Bearer%20secret,broken secret")
	c.Answer(401)
	tracer, registry, log := open(t)
	if _, err := tracer.Status(); err != nil {
		t.Errorf("before the first: %v", err)
	}
	end := func(n int) {
		tracer.Begin(start(fmt.Sprintf("turn_%d", n), 1)).End(chat.FinishStop, chat.Usage{}, nil)
	}
	for i := range 3 {
		end(i)
		waitFor(t, func() bool {
			return counts(t, registry, fmt.Sprintf("askgate_trace_spans_total{outcome=\"dropped\"} 0\naskgate_trace_spans_total{outcome=\"failed\"} %d\naskgate_trace_spans_total{outcome=\"sent\"} 0\n", i+1)) == nil
		})
	}
	if _, err := tracer.Status(); err == nil {
		t.Error("the status does not report that the collector refuses")
	}
	if _, header := c.Raw(); header.Get("Authorization") != "Bearer secret" {
		t.Error("the key did not arrive")
	}
	c.Answer(0)
	end(3)
	waitFor(t, func() bool { return strings.Contains(log.String(), "traces are sent again") })
	if _, err := tracer.Status(); err != nil {
		t.Errorf("it accepts them again: %v", err)
	}
	tracer.Shutdown(t.Context())
	if got := strings.Count(log.String(), "cannot send traces"); got != 1 || strings.Contains(log.String(), "secret") {
		t.Errorf("the log says\n%s", log.String())
	}
}

// A caller's traceparent is used if it is well-formed, and ignored otherwise.
func FuzzTraceParent(f *testing.F) {
	for _, s := range []string{"", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", "00-0-0-0", "ff-" + strings.Repeat("0", 60), "00-00000000000000000000000000000000-0000000000000000-01"} {
		f.Add(s)
	}
	tracetest.New(f).Hang() // the content does not matter here
	tracer, err := trace.New(f.Context(), trace.Options{Registry: prometheus.NewRegistry(), Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, traceparent string) {
		s := start("turn_1", 7)
		s.Caller = traceparent
		sum := sha256.Sum256([]byte("turn_1"))
		if r := tracer.Begin(s); r.ID() != hex.EncodeToString(sum[:16]) {
			t.Errorf("%q changed the trace to %s", traceparent, r.ID())
		}
	})
}

// BenchmarkTurn measures the cost of a turn of one model request for the goroutine that runs it.
func BenchmarkTurn(b *testing.B) {
	tracetest.New(b)
	tracer, err := trace.New(b.Context(), trace.Options{Registry: prometheus.NewRegistry(), Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		b.Fatal(err)
	}
	defer tracer.Shutdown(b.Context())
	b.ReportAllocs()
	for b.Loop() {
		r := tracer.Begin(start("turn_1", 7))
		r.Step(trace.Step{Began: time.Now(), Name: "default", Provider: "openai", Model: "m", BaseURL: "http://127.0.0.1:11434/v1", Outcome: "ok"})
		r.End(chat.FinishStop, chat.Usage{InputTokens: 1, OutputTokens: 1}, nil)
	}
}

// Without traces, nothing is done.
func TestWithoutATracerNothingIsMade(t *testing.T) {
	var tracer *trace.Tracer
	got := testing.AllocsPerRun(100, func() {
		r := tracer.Begin(trace.Start{})
		r.Step(trace.Step{})
		r.Call(tools.Call{}, time.Time{}, tools.Outcome{})
		r.Asked(&chat.Clarification{})
		r.End(chat.FinishStop, chat.Usage{}, nil)
	})
	tracer.Shutdown(t.Context())
	if got != 0 {
		t.Errorf("%v allocations", got)
	}
}
