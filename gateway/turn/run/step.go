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
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/gateway/turn/budget"
	"github.com/askgate/askgate/tools"
)

const (
	// maxText bounds one step's text and thinking in bytes; a model that writes more is cut
	// off. Of the thinking, less is kept: chat.MaxThinking.
	maxText = 4 << 20
	// maxUnflushed is how much may gather while the model has more at hand.
	maxUnflushed = 16 << 10
)

// draft is the step that the model writes, until it is stored.
type draft struct {
	model   string            // asked last: the app's, or one of its fallbacks
	text    []byte            // so far
	thought []byte            // so far, as it is kept; of what is not shown, nothing
	full    bool              // thought has no room for the next piece
	raw     map[string]string // arguments that cannot be read, as the model sent them, by call id
	repairs []repair          // of the newest step's calls
	heard   bool              // the run's first text has come
	refused int               // requests for the step that were too long
}

// again begins the step once more, or the next one.
func (d *draft) again() { d.text, d.thought, d.full = d.text[:0], d.thought[:0], false }

// think keeps a piece of the thinking, as long as there is room: the beginning of a step's, without
// gaps.
func (d *draft) think(piece []byte) {
	if d.full {
		return
	}
	if room := chat.MaxThinking - len(d.thought); len(piece) > room {
		piece, d.full = []byte(tools.Clip(string(piece), room)), true
	}
	d.thought = append(d.thought, piece...)
}

// answer is what a model request came to.
type answer struct {
	size   int       // bytes of text and thinking that came
	first  time.Time // when the first piece came
	calls  []model.ToolCall
	finish model.FinishReason
	usage  model.Usage
	made   model.Made
	forgot bool // the server refused the state of the messages before
}

// begun says that a piece of it came.
func (a *answer) begun() bool { return a.size > 0 || len(a.calls) > 0 }

// step is one model request, and its message stored.
func (r *Run) step() error {
	reached("request.before")
	r.draft.refused = 0
	a, err := r.ask()
	var upstream *model.Error
	if errors.As(err, &upstream) && upstream.Kind == model.KindCut && r.ctx.Err() == nil {
		// The model's stream was cut: the step is begun again, once.
		r.draft.again()
		r.rec.Event(chat.Event{Type: chat.EventStepRestart, Data: chat.StepRestart{ChatID: r.Conversation.ChatID, TurnID: r.Turn.ID}})
		r.rec.Flush()
		a, err = r.ask()
	}
	if err != nil {
		return err
	}
	return r.keep(a)
}

// ask has the app's model answer. Where that cannot, and nothing of an answer has come,
// the next of its fallbacks is asked.
func (r *Run) ask() (answer, error) {
	r.draft.model = r.App.Model
	rest := r.Setup.Config.Fallbacks(r.draft.model)
	for {
		m, ok := r.Setup.Models[r.draft.model]
		if !ok {
			return answer{}, fmt.Errorf("app %s: no model %q", r.App.ID, r.draft.model)
		}
		a, err := r.askFitting(m)
		var upstream *model.Error
		if len(rest) == 0 || a.begun() || r.ctx.Err() != nil || !errors.As(err, &upstream) || !upstream.Elsewhere() {
			return a, err
		}
		r.node.Metrics.Fallbacks.WithLabelValues(r.draft.model, rest[0]).Inc()
		r.because(upstream).Warn("model cannot answer, another is asked", "model", r.draft.model, "to", rest[0], "error", upstream)
		r.draft.model, rest = rest[0], rest[1:]
	}
}

// askFitting has a model answer, of a request that fits: turns that do not are left out, the
// oldest first, and again where the server refuses it for its length.
func (r *Run) askFitting(m model.Model) (answer, error) {
	for {
		req, sent, err := r.prompt.Request(r.ctx, r.draft.model)
		if err != nil {
			return answer{}, err
		}
		a, err := r.generate(m.Stream(r.ctx, req))
		r.spend(&req, &a, err)
		if err == nil {
			sent.Counted(a.usage.InputTokens)
			r.prompt.Answered(sent, a.made.State != nil, a.forgot)
		}
		refused := tooLong(err)
		if refused == nil || a.begun() {
			return a, err
		}
		if r.draft.refused++; !r.prompt.Shrink(sent, refused, r.draft.refused) {
			return a, err
		}
	}
}

// tooLong is the error of a request that was refused for its length, nil for another.
func tooLong(err error) *model.Error {
	if e, ok := errors.AsType[*model.Error](err); ok && e.Kind == model.KindTooLong {
		return e
	}
	return nil
}

// generate streams one answer of the model to the viewers. The hot path: each
// delta is encoded once, and flushed when the model has no more at hand.
func (r *Run) generate(deltas iter.Seq2[model.Delta, error]) (answer, error) {
	var a answer
	var failed error
	began, m := time.Now(), r.Setup.Config.Gateway.Models[r.draft.model]
	for d, err := range deltas {
		if err != nil {
			failed = err
			break
		}
		full := len(d.Text)+len(d.Thinking) > maxText-a.size
		if full {
			d = cut(d, maxText-a.size)
		}
		if len(d.Text) > 0 {
			if !r.draft.heard {
				r.draft.heard = true
				r.node.Metrics.FirstChunk.WithLabelValues(r.App.ID).Observe(r.node.Store.Now().Sub(r.At).Seconds())
			}
			r.draft.text = append(r.draft.text, d.Text...)
			r.rec.Chunk(chat.EventChunk, d.Text)
		}
		if len(d.Thinking) > 0 && m.Reasoning.Show {
			r.draft.think(d.Thinking)
			r.rec.Chunk(chat.EventThinking, d.Thinking)
		}
		n := len(d.Text) + len(d.Thinking)
		if a.first.IsZero() && n+len(d.ToolCalls) > 0 {
			a.first = time.Now()
		}
		a.size += n
		if !d.More && d.Finish == "" || r.rec.Pending() >= maxUnflushed {
			r.rec.Flush()
			reached("chunk")
		}
		a.calls = append(a.calls, d.ToolCalls...)
		if d.Finish != "" {
			a.finish = d.Finish
		}
		if d.Usage != nil {
			a.usage = d.Usage.Within()
		}
		if d.Made != nil {
			a.made = model.Made{By: d.Made.By, State: bytes.Clone(d.Made.State)}
		}
		a.forgot = a.forgot || d.Forgot
		if full {
			a.finish = model.FinishLength
			break
		}
	}
	if failed != nil || len(a.calls) > 0 {
		r.rec.Flush()
	} // else what came with the end of the answer goes out with the turn's done: one write less
	outcome := r.node.Metrics.Request(r.ctx, r.App.ID, r.draft.model, m.Prices, a.usage, failed)
	r.traceStep(began, &a, outcome, failed)
	if failed != nil {
		return a, failed
	}
	return a, context.Cause(r.ctx)
}

// cut is a piece that goes beyond the room that is left, without what does, and without
// what follows.
func cut(d model.Delta, room int) model.Delta {
	clip := func(b []byte, n int) []byte { return []byte(tools.Clip(string(b), n)) }
	d.Thinking = clip(d.Thinking, room)
	d.Text = clip(d.Text, room-len(d.Thinking))
	d.ToolCalls, d.More = nil, false
	return d
}

// keep stores the step. One without calls is the turn's last.
func (r *Run) keep(a answer) error {
	text := string(r.draft.text)
	r.Record.Usage.Add(used(a.usage))
	r.Turn.Usage.Add(used(a.usage))
	known, err := r.knownCalls(a.calls)
	if err != nil {
		return err
	}
	calls := r.sanitize(a, known)
	if len(calls) == 0 && tools.Blank(text) && finishReason(a.finish) == chat.FinishStop {
		return errEmpty
	}
	if len(calls) == 0 && tools.Blank(text) && a.finish == model.FinishLength {
		r.Log.Warn("model used up the length of its answer before a word or a whole call; its reasoning counts into maxTokens", "model", r.draft.model)
	}
	r.Turn.Steps++
	m := r.assistant(text, calls)
	r.made(&m, &a)
	drop := r.overState(&m)
	if len(calls) == 0 {
		err := r.end(finishReason(a.finish), func(tx store.RunTx) error {
			if tools.Blank(text) && m.Thinking == "" {
				return nil // nobody was shown anything
			}
			return appendStep(tx, m, drop)
		})
		if errors.Is(err, errDone) {
			r.result.Text += text
		} // else the text is kept as far as the turn came
		return err
	}
	mark := r.rec.Mark()
	for i := range calls {
		r.rec.Event(chat.NewToolCallStart(r.Conversation.ChatID, &calls[i]))
	}
	if err := r.commit("step", false, func(tx store.RunTx) error { return appendStep(tx, m, drop) }); err != nil {
		r.rec.Rewind(mark) // whoever takes over announces its own calls
		return err
	}
	for _, done := range r.draft.repairs {
		r.node.Executor.Repaired(r.Setup.Catalog, r.App.ID, done.tool, done.kinds)
	}
	r.result.Text += text
	r.draft.again()
	if drop != nil {
		r.history.DropState(*drop)
		r.prompt.StateDropped()
	}
	r.history.Add(m)
	r.rec.Flush()
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

// used is what a model request used, as it is stored.
func used(u model.Usage) chat.Usage {
	return chat.Usage{
		InputTokens: u.InputTokens, OutputTokens: u.OutputTokens,
		CachedInputTokens: u.CachedInputTokens, ReasoningTokens: u.ReasoningTokens,
	}
}

// spend notes what a model request cost, to be charged with the run's next commit. What
// was refused before anything came is free.
func (r *Run) spend(req *model.Request, a *answer, failed error) {
	if r.Setup.Config.Gateway.Limits.Tokens == (config.Tokens{}) {
		return
	}
	if budget.Free(failed, a.usage, a.size, a.calls) {
		return
	}
	r.uncharged += budget.Cost(req, a.usage, a.size, a.calls)
}
