// Package metrics counts the outcomes of questions, turns and requests to models.
package metrics

import (
	"context"
	"errors"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/model"
	"github.com/askgate/askgate/gateway/turn/reuse"
	"github.com/askgate/askgate/tools"
)

// Metrics holds the metrics of one node.
type Metrics struct {
	Requested  *prometheus.CounterVec
	Resolved   *prometheus.CounterVec
	Others     *prometheus.CounterVec
	Repeats    *prometheus.CounterVec
	Earlier    *prometheus.CounterVec
	Wait       *prometheus.HistogramVec
	Runs       *prometheus.CounterVec
	RunSeconds *prometheus.HistogramVec
	FirstChunk *prometheus.HistogramVec
	Requests   *prometheus.CounterVec
	Fallbacks  *prometheus.CounterVec
	Tokens     *prometheus.CounterVec
	ByKind     *prometheus.CounterVec
	Cost       *prometheus.CounterVec
	Trimmed    *prometheus.CounterVec
	LeftOut    *prometheus.CounterVec
}

// The values of how in askgate_clarification_earlier_total.
const (
	earlierKept       = "kept"
	earlierChanged    = "changed"
	earlierRemembered = "remembered" // used without asking
)

// New makes the metrics and registers them.
func New(registry prometheus.Registerer) *Metrics {
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
	return &Metrics{
		Requested: counter("askgate_clarifications_requested_total", "Questions asked.", "app", "input_type"),
		Resolved:  counter("askgate_clarifications_resolved_total", "Questions closed, by outcome.", "app", "input_type", "outcome"),
		Others:    counter("askgate_clarification_others_total", "Answers in words of their own, in place of an option or another value.", "app", "input_type"),
		Repeats:   counter("askgate_clarification_repeats_total", "Questions that repeat one of their turn, by what became of them: returned, waited, again.", "app", "how"),
		Earlier:   counter("askgate_clarification_earlier_total", "Answers to questions that offered an earlier one: kept, changed.", "app", "how"),
		Wait: histogram("askgate_clarification_wait_seconds", "Time from a question to its end.",
			[]float64{1, 5, 15, 30, 60, 300, 900, hour, 4 * hour, day, 7 * day}, "app", "outcome"),
		Runs: counter("askgate_runs_total", "Runs of turns that came to their done, by finish reason.", "app", "finish_reason"),
		RunSeconds: histogram("askgate_run_seconds", "Time a run of a turn took; waiting for people is not in it.",
			[]float64{0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300}, "app"),
		FirstChunk: histogram("askgate_time_to_first_chunk_seconds", "Time from an accepted message or answer to its first text.",
			[]float64{0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30}, "app"),
		Requests:  counter("askgate_model_requests_total", "Requests to a model, by outcome: ok, cancelled, cut, or the error's code.", "model", "outcome"),
		Fallbacks: counter("askgate_model_fallbacks_total", "Requests that a model could not answer, by the model that was asked next.", "model", "to"),
		Tokens:    counter("askgate_model_tokens_total", "Tokens as the model's server counts them, by direction: input, output.", "model", "direction"),
		ByKind:    counter("askgate_model_tokens_by_kind_total", "Tokens as the model's server counts them, each in one kind: input, cached, cache_write, output, reasoning.", "app", "model", "kind"),
		Cost:      counter("askgate_model_cost_total", "What requests to a model cost by the prices that are configured for it.", "app", "model", "currency"),
		Trimmed:   counter("askgate_history_turns_trimmed_total", "Turns that no longer fit into what a model is sent, each counted once for each model.", "app"),
		LeftOut:   counter("askgate_history_tokens_trimmed_total", "Tokens of these turns, as estimated.", "app"),
	}
}

// Erased counts a question that was deleted with its chat while it was pending.
func (m *Metrics) Erased(c *chat.Clarification) {
	if c.Copied {
		return
	}
	m.Resolved.WithLabelValues(c.App, c.Question.InputType(), string(tools.StateCancelled)).Inc()
}

// Closed counts a question's end. A question is asked once, so the copies in forks do not count.
func (m *Metrics) Closed(c *chat.Clarification) {
	if c.Copied {
		return
	}
	m.Resolved.WithLabelValues(c.App, c.Question.InputType(), string(c.State)).Inc()
	if c.State == tools.StateAnswered && c.Answer != nil && c.Answer.UsesOther() {
		m.Others.WithLabelValues(c.App, c.Question.InputType()).Inc()
	}
	if c.State == tools.StateAnswered && c.Answer != nil {
		for _, changed := range reuse.Changed(c) {
			how := earlierKept
			if changed {
				how = earlierChanged
			}
			m.Earlier.WithLabelValues(c.App, how).Inc()
		}
	}
	if c.State == tools.StateRemembered {
		m.Earlier.WithLabelValues(c.App, earlierRemembered).Inc()
		return // no one waited
	}
	m.Wait.WithLabelValues(c.App, string(c.State)).Observe(c.AnsweredAt.Sub(c.AskedAt).Seconds())
}

// Request counts an app's request to a model and, if it was answered, its tokens and what they cost.
// If prices is nil, the cost is not counted. It returns the outcome.
func (m *Metrics) Request(ctx context.Context, app, name string, prices *config.Prices, usage model.Usage, failed error) string {
	outcome := outcomeOf(ctx, failed)
	m.Requests.WithLabelValues(name, outcome).Inc()
	if outcome != "ok" {
		return outcome
	}
	u := usage.Within()
	plain := u.InputTokens - u.CachedInputTokens - u.CacheWriteTokens
	m.Tokens.WithLabelValues(name, "input").Add(float64(u.InputTokens))
	m.Tokens.WithLabelValues(name, "output").Add(float64(u.OutputTokens))
	for _, k := range [...]struct {
		kind   string
		tokens int64
	}{
		{"input", plain}, {"cached", u.CachedInputTokens}, {"cache_write", u.CacheWriteTokens},
		{"output", u.OutputTokens - u.ReasoningTokens}, {"reasoning", u.ReasoningTokens},
	} {
		if k.tokens > 0 {
			m.ByKind.WithLabelValues(app, name, k.kind).Add(float64(k.tokens))
		}
	}
	if prices != nil {
		m.Cost.WithLabelValues(app, name, prices.Currency).Add((float64(plain)*prices.Input + float64(u.CachedInputTokens)*prices.Cached +
			float64(u.CacheWriteTokens)*prices.CacheWrite + float64(u.OutputTokens)*prices.Output) / 1e6)
	}
	return outcome
}

func outcomeOf(ctx context.Context, err error) string {
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
