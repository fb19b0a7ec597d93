package turn

import (
	"context"
	"errors"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/model"
	"github.com/askgate/askgate/gateway/turn/earlier"
	"github.com/askgate/askgate/tools"
)

type metrics struct {
	requested   *prometheus.CounterVec
	resolved    *prometheus.CounterVec
	others      *prometheus.CounterVec
	repeats     *prometheus.CounterVec
	earlier     *prometheus.CounterVec
	wait        *prometheus.HistogramVec
	turns       *prometheus.CounterVec
	turnSeconds *prometheus.HistogramVec
	firstChunk  *prometheus.HistogramVec
	requests    *prometheus.CounterVec
	fallbacks   *prometheus.CounterVec
	tokens      *prometheus.CounterVec
	trimmed     *prometheus.CounterVec
	leftOut     *prometheus.CounterVec
}

// The values of how in askgate_clarification_earlier_total.
const (
	earlierKept       = "kept"
	earlierChanged    = "changed"
	earlierRemembered = "remembered" // used without asking
)

func newMetrics(registry prometheus.Registerer) *metrics {
	counter := func(name, help string, labels ...string) *prometheus.CounterVec {
		c := prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
		registry.MustRegister(c)
		return c
	}
	histogram := func(name, help string, buckets []float64, labels ...string) *prometheus.HistogramVec {
		h := prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: name, Help: help, Buckets: buckets}, labels)
		registry.MustRegister(h)
		return h
	}
	hour, day := time.Hour.Seconds(), 24*time.Hour.Seconds()
	return &metrics{
		requested: counter("askgate_clarifications_requested_total", "Questions asked.", "app", "input_type"),
		resolved:  counter("askgate_clarifications_resolved_total", "Questions closed, by outcome.", "app", "input_type", "outcome"),
		others:    counter("askgate_clarification_others_total", "Answers in words of their own, in place of an option.", "app", "input_type"),
		repeats:   counter("askgate_clarification_repeats_total", "Questions that repeat one of their turn, by what became of them: returned, waited, again, asked.", "app", "how"),
		earlier:   counter("askgate_clarification_earlier_total", "Answers to questions that offered an earlier one: kept, changed.", "app", "how"),
		wait: histogram("askgate_clarification_wait_seconds", "Time from a question to its end.",
			[]float64{1, 5, 15, 30, 60, 300, 900, hour, 4 * hour, day, 7 * day}, "app", "outcome"),
		turns: counter("askgate_turns_total", "Runs of turns that came to their done, by finish reason.", "app", "finish_reason"),
		turnSeconds: histogram("askgate_turn_seconds", "Time a run of a turn took; waiting for people is not in it.",
			[]float64{0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300}, "app"),
		firstChunk: histogram("askgate_time_to_first_chunk_seconds", "Time from an accepted message or answer to its first text.",
			[]float64{0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30}, "app"),
		requests:  counter("askgate_model_requests_total", "Requests to a model, by outcome: ok, cancelled, cut, or the error's code.", "model", "outcome"),
		fallbacks: counter("askgate_model_fallbacks_total", "Requests that a model could not answer, by the model that was asked next.", "model", "to"),
		tokens:    counter("askgate_model_tokens_total", "Tokens as the model's server counts them, by direction: input, output.", "model", "direction"),
		trimmed:   counter("askgate_history_turns_trimmed_total", "Turns that no longer fit into what a model is sent, each counted once for each model.", "app"),
		leftOut:   counter("askgate_history_tokens_left_out_total", "Tokens of these turns, as estimated.", "app"),
	}
}

// erased counts a question that was deleted with its chat while it was pending.
func (m *metrics) erased(c *chat.Clarification) {
	if c.Copied {
		return
	}
	m.resolved.WithLabelValues(c.App, c.Question.InputType(), string(tools.StateCancelled)).Inc()
}

// closed counts a question's end. It was asked once, so the copies of forks do not count.
func (m *metrics) closed(c *chat.Clarification) {
	if c.Copied {
		return
	}
	m.resolved.WithLabelValues(c.App, c.Question.InputType(), string(c.State)).Inc()
	if c.State == tools.StateAnswered && c.Answer != nil && c.Answer.UsesOther() {
		m.others.WithLabelValues(c.App, c.Question.InputType()).Inc()
	}
	if c.State == tools.StateAnswered && c.Answer != nil {
		for _, changed := range earlier.Changed(c) {
			how := earlierKept
			if changed {
				how = earlierChanged
			}
			m.earlier.WithLabelValues(c.App, how).Inc()
		}
	}
	if c.State == tools.StateRemembered {
		m.earlier.WithLabelValues(c.App, earlierRemembered).Inc()
		return // nobody waited
	}
	m.wait.WithLabelValues(c.App, string(c.State)).Observe(c.AnsweredAt.Sub(c.AskedAt).Seconds())
}

// asked counts a request to a model, and its tokens if it was answered. It returns the outcome.
func (m *metrics) asked(ctx context.Context, name string, usage model.Usage, failed error) string {
	outcome := requestOutcome(ctx, failed)
	m.requests.WithLabelValues(name, outcome).Inc()
	if outcome == "ok" {
		m.tokens.WithLabelValues(name, "input").Add(float64(max(0, usage.InputTokens)))
		m.tokens.WithLabelValues(name, "output").Add(float64(max(0, usage.OutputTokens)))
	}
	return outcome
}

func requestOutcome(ctx context.Context, err error) string {
	var upstream *model.Error
	switch {
	case err == nil && ctx.Err() == nil:
		return "ok"
	case ctx.Err() != nil:
		return "cancelled"
	case errors.As(err, &upstream):
		return string(upstream.Kind)
	default:
		return "error"
	}
}
