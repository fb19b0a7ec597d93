package turn_test

import (
	"context"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/model"
	"github.com/askgate/askgate/gateway/stream"
)

// ponders sends reasoning, in these pieces, before an answer.
func ponders(a answer, pieces ...string) answer {
	return func(ctx context.Context, yield func(model.Delta, error) bool) {
		for _, p := range pieces {
			if !yield(model.Delta{Thinking: []byte(p)}, nil) {
				return
			}
		}
		a(ctx, yield)
	}
}

// thoughts returns those of the chat's messages, as a snapshot has them.
func (h *house) thoughts() string {
	h.t.Helper()
	var list []string
	for _, m := range h.snapshot().Messages {
		if m.Role == chat.RoleAssistant {
			list = append(list, m.Thinking)
		} else if m.Thinking != "" {
			list = append(list, "a person's "+m.Thinking)
		}
	}
	return strings.Join(list, "|")
}

// show configures whether people are shown the model's reasoning.
func (h *house) show(it bool) {
	m := h.engine.Setup().Config.Gateway.Models["default"]
	m.Reasoning.Show = it
	h.engine.Setup().Config.Gateway.Models["default"] = m
}

// Reasoning stays with its step, and is shown again with the chat; no model reads it.
func TestThinkingStaysWithItsStep(t *testing.T) {
	h := build(t, `{}`, nil, ponders(asks("count_1"), "First, ", "é"), ponders(says("Done."), "Then this"), says("Yes."))
	run := h.submit(h.message("hi"))
	run.Drive(t.Context(), nil)
	other := h.node(stream.NewLocal()) // has none of the events
	if got := other.thoughts(); got != "First, é|Then this" {
		t.Errorf("the snapshot has %q", got)
	}
	repeated := h.message("again")
	repeated.IdempotencyKey = "k"
	h.model.steps = []answer{ponders(says("Yes."), "Hm", "m")}
	h.drive(repeated)
	got := other.drive(repeated)
	if names := got.names(t); names != "turn.start user.message thinking chunk done" || !strings.Contains(got.b.String(), `"content":"Hmm"`) {
		t.Errorf("told again: %s", got.b.String())
	}
	for n := range h.model.sent {
		for _, m := range h.sent(n).Messages {
			if strings.Contains(m.Content, "First, ") || strings.Contains(m.Content, "Then this") {
				t.Errorf("the model was sent %+v", m)
			}
		}
	}
}

// With "show": false, no one sees it, neither now nor later; the state is still sent back.
func TestThinkingThatIsNotShownIsNotKept(t *testing.T) {
	h := build(t, `{}`, nil, made("a", `"state"`, ponders(asks("count_1"), "Hidden")), ponders(says("Done."), "Hidden"))
	h.show(false)
	if got := h.drive(h.message("hi")); strings.Contains(got.b.String(), "Hidden") || strings.Contains(got.names(t), "thinking") {
		t.Errorf("events %s", got.b.String())
	}
	if got := h.thoughts(); got != "|" {
		t.Errorf("the snapshot has %q", got)
	}
	h.wantStates("its state", `a:"state"`)
}

// The beginning of a step's reasoning is kept, up to a code point, and without gaps.
func TestTheThinkingOfAStepIsBounded(t *testing.T) {
	long := strings.Repeat("é", chat.MaxThinking/2-1) + "a" // one byte is left
	h := build(t, `{}`, nil, ponders(says("Done."), long, "é", "b"))
	if got := h.drive(h.message("hi")); !strings.Contains(got.b.String(), `"content":"b"`) {
		t.Error("reasoning that is not kept is not sent either")
	}
	if got := h.thoughts(); got != long {
		t.Errorf("%d bytes are kept, want %d", len(got), len(long))
	}
}

// A text that was stopped keeps what came before it, and a step that begins again begins empty.
func TestTheThinkingOfUnfinishedSteps(t *testing.T) {
	cut := &model.Error{Kind: model.KindCut}
	h := build(t, `{}`, nil, fails(cut, model.Delta{Thinking: []byte("Lost")}, text("Lost")), ponders(says("Done."), "Kept"))
	h.drive(h.message("hi"))
	if got := h.thoughts(); got != "Kept" {
		t.Errorf("after a cut: %q", got)
	}
	h = build(t, `{}`, nil, made("a", "1", fails(&model.Error{Kind: model.KindError, Failed: true}, model.Delta{Thinking: []byte("Half")}, text("Half"))), ponders(says("Whole."), "Whole"))
	got := h.drive(h.message("hi"))
	if !strings.Contains(got.b.String(), `"code":"model_error","message":"problem.model_error","retryable":true`) || h.thoughts() != "Half" || h.contents() != "hi|Half" {
		t.Errorf("after a failure: %q, %s", h.thoughts(), got.b.String())
	}
	h.wantResumable("failed", chat.FinishError, true)
	h.drive(h.resume())
	if h.thoughts() != "Whole" || h.contents() != "hi|Whole." {
		t.Errorf("resumed: %q, %q", h.thoughts(), h.contents())
	}
}

// The log explains what to change if the reasoning left no room for an answer.
func TestTheLogTellsOfAnAnswerThatIsAllReasoning(t *testing.T) {
	h := build(t, `{}`, nil, ponders(cutOff(""), "Hm"), cutOff("Half"))
	h.drive(h.message("hi"))
	if !strings.Contains(h.log.String(), "reasoning counts toward maxTokens") {
		t.Errorf("the log: %s", h.log)
	}
	before := len(h.log.String())
	if h.drive(h.message("hi")); strings.Contains(h.log.String()[before:], "maxTokens") {
		t.Error("for an answer that was only cut off, it logs the same")
	}
}

// Each token counts in one kind, and costs what its kind costs at the model that answered.
func TestTokensAreCountedByKindAndPriced(t *testing.T) {
	counted := func(u model.Usage, a answer) answer {
		return func(ctx context.Context, yield func(model.Delta, error) bool) {
			if yield(model.Delta{Usage: &u}, nil) {
				a(ctx, func(d model.Delta, err error) bool { d.Usage = nil; return yield(d, err) })
			}
		}
	}
	h := build(t, `{}`, nil,
		counted(model.Usage{InputTokens: 1000, CachedInputTokens: 600, CacheWriteTokens: 100, OutputTokens: 50, ReasoningTokens: 30}, asks("count_1")),
		counted(model.Usage{InputTokens: 10, CachedInputTokens: 99, CacheWriteTokens: 99, OutputTokens: 5, ReasoningTokens: 99}, says("one")), // a server that cannot count
		fails(away))
	other := &script{steps: []answer{counted(model.Usage{InputTokens: 7, OutputTokens: 3}, says("two"))}}
	withFallbacks(t, h, other, &script{})
	models := h.engine.Setup().Config.Gateway.Models
	priced := models["default"]
	priced.Prices = &config.Prices{Currency: "EUR", Input: 2, Cached: 0.2, CacheWrite: 2.5, Output: 10}
	models["default"] = priced
	got := h.drive(h.message("hi"))
	if !strings.Contains(got.b.String(), `"usage":{"inputTokens":1010,"outputTokens":55,"cachedInputTokens":610,"reasoningTokens":35}`) {
		t.Errorf("events %s", got.b.String())
	}
	h.drive(h.message("more"))
	if err := testutil.GatherAndCompare(h.engine.Options.Registry.(prometheus.Gatherer), strings.NewReader(`
# HELP askgate_model_tokens_by_kind_total Tokens as the model's server counts them, each in one kind: input, cached, cache_write, output, reasoning.
# TYPE askgate_model_tokens_by_kind_total counter
askgate_model_tokens_by_kind_total{app="helper",kind="cache_write",model="default"} 100
askgate_model_tokens_by_kind_total{app="helper",kind="cached",model="default"} 610
askgate_model_tokens_by_kind_total{app="helper",kind="input",model="default"} 300
askgate_model_tokens_by_kind_total{app="helper",kind="input",model="other"} 7
askgate_model_tokens_by_kind_total{app="helper",kind="output",model="default"} 20
askgate_model_tokens_by_kind_total{app="helper",kind="output",model="other"} 3
askgate_model_tokens_by_kind_total{app="helper",kind="reasoning",model="default"} 35
# HELP askgate_model_cost_total What requests to a model cost by the prices that are configured for it.
# TYPE askgate_model_cost_total counter
askgate_model_cost_total{app="helper",currency="EUR",model="default"} 0.001522
`), "askgate_model_tokens_by_kind_total", "askgate_model_cost_total"); err != nil {
		t.Error(err)
	}
}
