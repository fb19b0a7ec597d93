package toolexec

import (
	"log/slog"

	"github.com/prometheus/client_golang/prometheus"
)

type metrics struct {
	calls    *prometheus.CounterVec
	rejected *prometheus.CounterVec
	repairs  *prometheus.CounterVec
	sources  *prometheus.CounterVec

	unfounded *prometheus.CounterVec
}

func (m *metrics) call(app, tool, outcome string) {
	m.calls.WithLabelValues(app, tool, outcome).Inc()
}

// New makes an executor that counts in registry (contract 7).
func New(registry prometheus.Registerer, log *slog.Logger) *Executor {
	m := &metrics{
		calls: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "askgate_tool_calls_total",
			Help: "Tool calls of the model, by outcome: ok, error, refused, question, repeated, remembered.",
		}, []string{"app", "tool", "outcome"}),
		rejected: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "askgate_clarifications_rejected_total",
			Help: "Calls of ask_user that were refused, by reason.",
		}, []string{"app", "reason"}),
		repairs: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "askgate_clarification_repairs_total",
			Help: "Silent repairs of ask_user arguments, by kind.",
		}, []string{"app", "kind"}),
		sources: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "askgate_option_source_requests_total",
			Help: "Calls of tools that list the options of a template, by outcome: ok, empty, refused, timeout, failed, unreadable.",
		}, []string{"app", "template", "outcome"}),
		unfounded: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "askgate_tool_arguments_unfounded_total",
			Help: "Required arguments of tool calls that nobody gave.",
		}, []string{"app", "tool"}),
	}
	registry.MustRegister(m.calls, m.rejected, m.repairs, m.sources, m.unfounded)
	return &Executor{log: log, metrics: m}
}
