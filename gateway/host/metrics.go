package host

import (
	"errors"
	"runtime"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
)

// metrics are those that only the API can count. Labels come from closed sets: routes, methods,
// app ids of the configuration, codes.
type metrics struct {
	requests *prometheus.HistogramVec
	streams  *prometheus.GaugeVec
	limits   *prometheus.CounterVec
	rejected *prometheus.CounterVec
	// unanswered counts results of clients' tools that were not given by a person.
	unanswered *prometheus.CounterVec
	Draining   *prometheus.CounterVec
	keySets    *prometheus.CounterVec
	commands   *prometheus.CounterVec
	uploads    *prometheus.CounterVec
}

func newMetrics(reg *prometheus.Registry, version string) (*metrics, error) {
	m := &metrics{
		requests: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "askgate_http_request_duration_seconds", Help: "Time from the request's headers to the end of the response, streams included.",
			Buckets: []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60, 300},
		}, []string{"route", "method", "code"}),
		streams: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "askgate_sse_connections", Help: "Open event streams.",
		}, []string{"app"}),
		limits: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "askgate_rate_limit_decisions_total", Help: "Decisions of the rate limiter: allowed, limited, or error where it could not decide.",
		}, []string{"app", "scope", "decision"}),
		rejected: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "askgate_clarification_answers_rejected_total", Help: "Refused answers, by what was wrong with them.",
		}, []string{"app", "reason"}),
	}
	m.unanswered = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "askgate_answers_refused_total", Help: "Results of a question's call that no person gave: text, error, status, empty. The question stays open.",
	}, []string{"front", "reason"})
	m.Draining = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "askgate_http_draining_total", Help: "Requests refused with 503 because this node ends.",
	}, []string{"route", "method"})
	m.commands = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "askgate_commands_total", Help: "Messages, answers and resumptions that were taken, by the protocol they came in: native, or a front's name.",
	}, []string{"app", "front", "command"})
	m.uploads = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "askgate_uploads_total", Help: "Files that people sent as answers, by result: ok, or the code of the refusal.",
	}, []string{"app", "result"})
	m.keySets = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "askgate_jwks_fetches_total", Help: "Fetches of the key set of auth.jwt, by result: ok, error.",
	}, []string{"result"})
	for _, result := range []string{"ok", "error"} {
		m.keySets.WithLabelValues(result)
	}
	info := prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "askgate_build_info", Help: "Always 1; the labels say what is running.",
		ConstLabels: prometheus.Labels{"version": version, "goversion": runtime.Version()},
	})
	info.Set(1)
	for _, c := range []prometheus.Collector{m.requests, m.streams, m.limits, m.rejected, m.unanswered, m.Draining, m.keySets, m.commands, m.uploads, info} {
		if err := reg.Register(c); err != nil {
			return nil, err
		}
	}
	// The registry may already have these.
	for _, c := range []prometheus.Collector{collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{})} {
		if err := reg.Register(c); err != nil {
			if _, ok := errors.AsType[prometheus.AlreadyRegisteredError](err); !ok {
				return nil, err
			}
		}
	}
	return m, nil
}

func (m *metrics) keySetFetched(err error) {
	result := "ok"
	if err != nil {
		result = "error"
	}
	m.keySets.WithLabelValues(result).Inc()
}
