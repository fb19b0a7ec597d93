package toolexec

import (
	"log/slog"
	"strings"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tools/arguments"
)

type metrics struct {
	calls    *prometheus.CounterVec
	rejected *prometheus.CounterVec
	repairs  *prometheus.CounterVec
	sources  *prometheus.CounterVec

	spoiled   *prometheus.CounterVec
	unfounded *prometheus.CounterVec
	approvals *prometheus.CounterVec
}

// Outcomes of calls that ended with a result or an error.
const (
	outcomeOK        = "ok"
	outcomeError     = "error"     // the tool failed
	outcomeRejected  = "rejected"  // the tool's service works, and rejected this call
	outcomeRefused   = "refused"   // the model's arguments are not accepted
	outcomeCancelled = "cancelled" // the turn ended before the call did
)

// outcomeOf returns the outcome of a call that ended with e, which is nil for a result.
func outcomeOf(e *tools.Error) string {
	switch {
	case e == nil:
		return outcomeOK
	case e.Rejected:
		return outcomeRejected
	}
	switch e.Code {
	case tools.CodeInvalidArguments, tools.CodeInvalidClarification, tools.CodeNotAvailable, tools.CodeNotPermitted:
		return outcomeRefused
	case tools.CodeCancelled:
		return outcomeCancelled
	}
	return outcomeError
}

func (m *metrics) call(app, tool, outcome string) {
	m.calls.WithLabelValues(app, tool, outcome).Inc()
}

// New makes an executor that registers its metrics in registry.
func New(registry prometheus.Registerer, log *slog.Logger) *Executor {
	m := &metrics{
		calls: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "askgate_tool_calls_total",
			Help: "Tool calls of the model, by outcome: ok, error, rejected, refused, cancelled, question, repeated, remembered.",
		}, []string{"app", "tool", "outcome"}),
		rejected: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "askgate_clarifications_rejected_total",
			Help: "Calls that would have asked a person and were refused, by reason.",
		}, []string{"app", "reason"}),
		repairs: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "askgate_clarification_repairs_total",
			Help: "Silent repairs of ask_user arguments, by kind.",
		}, []string{"app", "kind"}),
		sources: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "askgate_option_source_requests_total",
			Help: "Calls of tools that list the options of a template, by outcome: ok, empty, refused, timeout, failed, unreadable.",
		}, []string{"app", "template", "outcome"}),
		spoiled: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "askgate_tool_argument_repairs_total",
			Help: "Repairs of malformed arguments of tool calls, by kind: " + strings.Join(arguments.RepairKinds, ", ") + ".",
		}, []string{"app", "tool", "kind"}),
		unfounded: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "askgate_tool_arguments_unfounded_total",
			Help: "Required arguments of tool calls that no one gave.",
		}, []string{"app", "tool"}),
		approvals: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "askgate_approvals_total",
			Help: "Decisions about tool calls: allowed_by_rule, denied_by_rule, allowed, refused, responded.",
		}, []string{"app", "tool", "decision"}),
	}
	registry.MustRegister(m.calls, m.rejected, m.repairs, m.sources, m.spoiled, m.unfounded, m.approvals)
	return &Executor{log: log, metrics: m}
}

// Label returns the metrics' label for a tool of an app: the id of its entry. This also applies
// to members of a family, whose names are not chosen by the admin.
func (c *Catalog) Label(app, tool string) string {
	if b, ok := c.find(app, tool); ok {
		return b.label()
	}
	return "unknown"
}

// Repaired counts the repairs of a call's arguments that were made before the call was executed
// (kinds of package arguments). It is called after the call is stored.
func (e *Executor) Repaired(c *Catalog, app, tool string, kinds []string) {
	b, ok := c.find(app, tool)
	for _, kind := range kinds {
		if ok && b.entry.Type == config.TypeAskUser {
			e.metrics.repairs.WithLabelValues(app, kind).Inc()
		} else {
			e.metrics.spoiled.WithLabelValues(app, c.Label(app, tool), kind).Inc()
		}
	}
}
