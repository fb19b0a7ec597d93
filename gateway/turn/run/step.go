package run

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"time"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/model"
	"github.com/askgate/askgate/gateway/smallstack"
	"github.com/askgate/askgate/gateway/turn/budget"
	"github.com/askgate/askgate/gateway/turn/prompt"
	"github.com/askgate/askgate/tools"
)

const (
	// maxText bounds one step's text and thinking in bytes. A model that writes more is cut off. Of the
	// thinking, less is kept: chat.MaxThinking.
	maxText = 4 << 20
	// maxUnflushed is how many bytes may gather while the model has more at hand.
	maxUnflushed = 16 << 10
)

// step makes one model request, and stores its message.
func (r *Run) step() error {
	reached("request.before")
	r.draft.refused = 0
	a, err := r.draft.ask()
	var upstream *model.Error
	if errors.As(err, &upstream) && upstream.Kind == model.KindCut && r.ctx.Err() == nil {
		// The model's stream was cut: begin the step again, once.
		r.draft.again()
		r.rec.Event(chat.Event{Type: chat.EventStepRestart, Data: chat.StepRestart{ChatID: r.Conversation.ChatID, TurnID: r.Turn.ID}})
		r.rec.Flush()
		a, err = r.draft.ask()
	}
	if err != nil {
		return err
	}
	smallstack.Run(func() { err = r.draft.keep(a) })
	return err
}

// ask asks the app's model. If that cannot answer, and no part of an answer has come, ask asks the
// next of its fallbacks.
func (d *draft) ask() (*answer, error) {
	d.model = d.run.App.Model
	rest := d.run.Setup.Config.Fallbacks(d.model)
	for {
		m, ok := d.run.Setup.Models[d.model]
		if !ok {
			return nil, fmt.Errorf("app %s: no model %q", d.run.App.ID, d.model)
		}
		a, err := d.askFitting(m)
		if err == nil || len(rest) == 0 || !d.fallsBack(a, err, rest[0]) {
			return a, err
		}
		d.model, rest = rest[0], rest[1:]
	}
}

// fallsBack reports whether to ask another model after a failed request.
func (d *draft) fallsBack(a *answer, err error, to string) bool {
	var upstream *model.Error
	if a.begun() || d.run.ctx.Err() != nil || !errors.As(err, &upstream) || !upstream.Elsewhere() {
		return false
	}
	d.run.node.Metrics.Fallbacks.WithLabelValues(d.model, to).Inc()
	wording{d.run}.log(upstream, "model", d.model, "to", to)
	return true
}

// askFitting asks a model with a request that fits. Turns that do not fit are left out, the oldest
// first, and more of them if the server refuses the request for its length.
//
// Small stack: see package smallstack. What is large is behind pointers, down to where the answer is
// read.
func (d *draft) askFitting(m model.Model) (*answer, error) {
	for {
		var q modelRequest
		var err error
		smallstack.Run(func() { q, err = d.request(m) })
		a := &answer{}
		if err != nil {
			return a, err
		}
		if err = d.generate(q.deltas, a); !d.shrinks(&q, a, err) {
			return a, err
		}
	}
}

// modelRequest is a request to a model, and what it was made of.
type modelRequest struct {
	deltas iter.Seq2[model.Delta, error]
	req    *model.Request
	sent   prompt.Sent
}

// request makes the request to a model.
func (d *draft) request(m model.Model) (modelRequest, error) {
	req, sent, err := d.run.prompt.Request(d.run.ctx, d.model)
	if err != nil {
		return modelRequest{}, err
	}
	return modelRequest{m.Stream(d.run.ctx, req), &req, sent}, nil
}

// shrinks notes what became of a request, and reports whether to ask again with a shorter one.
func (d *draft) shrinks(q *modelRequest, a *answer, err error) bool {
	d.spend(q.req, a, err)
	if err == nil {
		d.run.node.Outages.Of(d.model).Works()
		q.sent.Counted(a.usage.InputTokens)
		d.run.prompt.Answered(q.sent, a.made.State != nil, a.forgot)
		return false
	}
	refused := tooLong(err)
	if refused == nil || a.begun() {
		return false
	}
	d.refused++
	return d.run.prompt.Shrink(q.sent, refused, d.refused)
}

// tooLong returns the error of a request that was refused for its length, or nil for any other.
func tooLong(err error) *model.Error {
	if e, ok := errors.AsType[*model.Error](err); ok && e.Kind == model.KindTooLong {
		return e
	}
	return nil
}

// generate streams one answer of the model to the viewers, and notes in a what came. This is the hot path: each delta is
// encoded once, and flushed when the model has no more at hand.
func (d *draft) generate(deltas iter.Seq2[model.Delta, error], a *answer) error {
	var failed error
	began, m := time.Now(), d.run.Setup.Config.Gateway.Models[d.model]
	for piece, err := range deltas {
		d.run.opened()
		if err != nil {
			failed = err
			break
		}
		over := d.take(&piece, a, m.Reasoning.Show)
		if !piece.More && piece.Finish == "" || d.run.rec.Pending() >= maxUnflushed {
			d.run.rec.Flush()
			reached("chunk")
		}
		if over {
			break
		}
	}
	d.run.opened()
	if failed != nil || len(a.calls) > 0 {
		d.run.rec.Flush()
	} // else what came with the end of the answer goes out with the turn's done event, which saves a write
	outcome := d.run.node.Metrics.Request(d.run.ctx, d.run.App.ID, d.model, m.Prices, a.usage, failed)
	d.traceStep(began, a, outcome, failed)
	if failed != nil {
		return failed
	}
	return context.Cause(d.run.ctx)
}

// take records a piece of the answer, and reports whether the answer ends with it because it is too
// long.
func (d *draft) take(piece *model.Delta, a *answer, showThinking bool) (over bool) {
	if over = len(piece.Text)+len(piece.Thinking) > maxText-a.size; over {
		cut(piece, maxText-a.size)
	}
	if len(piece.Text) > 0 {
		if !d.heard {
			d.heard = true
			d.run.node.Metrics.FirstChunk.WithLabelValues(d.run.App.ID).Observe(d.run.node.Store.Now().Sub(d.run.At).Seconds())
		}
		d.show(chat.EventChunk, piece.Text)
	}
	if len(piece.Thinking) > 0 && showThinking {
		d.show(chat.EventThinking, piece.Thinking)
	}
	n := len(piece.Text) + len(piece.Thinking)
	if a.first.IsZero() && n+len(piece.ToolCalls) > 0 {
		a.first = time.Now()
	}
	a.size += n
	a.calls = append(a.calls, piece.ToolCalls...)
	if piece.Finish != "" {
		a.finish = piece.Finish
	}
	if piece.Usage != nil {
		a.usage = piece.Usage.Within()
	}
	if piece.Made != nil {
		a.made = model.Made{By: piece.Made.By, State: bytes.Clone(piece.Made.State)}
	}
	a.forgot = a.forgot || piece.Forgot
	if over {
		a.finish = model.FinishLength
	}
	return over
}

// cut removes from a piece what exceeds the room that is left, and what follows.
func cut(d *model.Delta, room int) {
	clip := func(b []byte, n int) []byte { return []byte(tools.Clip(string(b), n)) }
	d.Thinking = clip(d.Thinking, room)
	d.Text = clip(d.Text, room-len(d.Thinking))
	d.ToolCalls, d.More = nil, false
}

// keep stores the step. A step without calls is the turn's last.
func (d *draft) keep(a *answer) error {
	text := string(d.text)
	d.run.Record.Usage.Add(used(a.usage))
	d.run.Turn.Usage.Add(used(a.usage))
	known, err := d.knownCalls(a.calls)
	if err != nil {
		return err
	}
	calls := d.sanitize(a, known)
	if len(calls) == 0 && tools.Blank(text) && finishReason(a.finish) == chat.FinishStop {
		return errEmpty
	}
	if len(calls) == 0 && tools.Blank(text) && a.finish == model.FinishLength {
		d.run.Log.Warn("the model reached maxTokens before it wrote a word or a whole tool call; its reasoning counts toward maxTokens", "model", d.model)
	}
	d.run.Turn.Steps++
	m := d.run.assistant(text, calls)
	d.made(&m, a)
	drop := d.overState(&m)
	if len(calls) == 0 {
		var rows chat.Rows
		if !tools.Blank(text) || m.Thinking != "" { // otherwise no one was shown anything
			rows.Steps = []*chat.Message{&m}
		}
		err := d.run.end(finishReason(a.finish), rows, dropState(drop))
		if errors.Is(err, errDone) {
			d.run.result.Text += text
		} // else the text stays in the draft, and failed stores it
		return err
	}
	rows := chat.Rows{Steps: []*chat.Message{&m}}
	if err := d.run.commit("step", false, &rows, dropState(drop)); err != nil {
		return err // a run that takes over announces calls of its own
	}
	for _, done := range d.repairs {
		d.run.node.Executor.Repaired(d.run.Setup.Catalog, d.run.App.ID, done.tool, done.kinds)
	}
	d.run.result.Text += text
	d.again()
	if drop != nil {
		d.run.history.DropState(*drop)
		d.run.prompt.StateDropped()
	}
	d.run.history.Add(m)
	d.run.rec.Flush()
	return nil
}

func finishReason(f model.FinishReason) chat.FinishReason {
	switch f {
	case model.FinishLength:
		return chat.FinishLength
	case model.FinishContentFilter:
		return chat.FinishContentFilter
	default:
		return chat.FinishStop
	}
}

// used returns what a model request used, as it is stored.
func used(u model.Usage) chat.Usage {
	return chat.Usage{
		InputTokens: u.InputTokens, OutputTokens: u.OutputTokens,
		CachedInputTokens: u.CachedInputTokens, ReasoningTokens: u.ReasoningTokens,
	}
}

// spend notes what a model request cost, to be charged with the run's next commit. A request that
// was refused before any part of an answer came is free.
func (d *draft) spend(req *model.Request, a *answer, failed error) {
	if d.run.Setup.Config.Gateway.Limits.Tokens == (config.Tokens{}) {
		return
	}
	if budget.Free(failed, a.usage, a.size, a.calls) {
		return
	}
	d.run.uncharged += budget.Cost(req, a.usage, a.size, a.calls)
}
