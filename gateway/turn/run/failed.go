package run

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"slices"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/limit"
	"github.com/askgate/askgate/gateway/model"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/gateway/turn/budget"
)

// failed ends a run that could not end by itself.
func (r *Run) failed(err error) {
	if cause := context.Cause(r.ctx); cause != nil {
		err = cause
	}
	switch {
	case errors.Is(err, ErrLost):
		r.rec.Flush()
		return // another run has the turn
	case errors.Is(err, ErrHandover):
		r.rec.Flush()
		r.handOver()
		return
	case errors.Is(err, ErrStopped):
		r.keepStreamed()
		err = r.abort(chat.FinishCancelled, nil)
	default:
		err = r.abort(chat.FinishError, wording{r}.failure(err))
	}
	if errors.Is(err, errDone) || errors.Is(err, ErrLost) {
		return
	}
	// Nothing can be stored. Only the client hears of the failure. The turn itself is taken up again
	// when its lease has lapsed and the store is back.
	r.Log.Error("cannot end a run", "error", err)
	f := wording{r}.failure(err)
	r.rec.Flush()
	r.announce(&chat.Rows{Run: &chat.Run{FinishReason: chat.FinishError, Failure: f, Usage: r.Record.Usage}})
	r.rec.Confide()
	r.result.Failure = f
	r.ends(chat.FinishError, chat.StatusRunning, r.node.Store.Now())
}

// abort ends the turn in its current state. The text so far is kept, and calls without a result get
// one. A person's answer counts: it is the result of its call. A call that an answer lets run stays
// open if the turn ends with an error that is not final, so that a resumption can run it.
func (r *Run) abort(reason chat.FinishReason, f *chat.Failure) error {
	var rows chat.Rows
	if r.history != nil {
		rows = r.answered()
	}
	if text := string(r.draft.text); text != "" || len(r.draft.thought) > 0 { // blank text counts, too: it was shown
		r.result.Text += text
		m := r.assistant(text, nil)
		rows.Steps = []*chat.Message{&m}
	}
	for _, c := range r.unfinishedCalls() {
		answered := slices.ContainsFunc(rows.Ended, func(e chat.Ended) bool { return e.Call.ID == c.ID })
		if answered || reason == chat.FinishError && !f.Final() && c.Started == 0 && r.history.MayRun(c.ID) {
			continue
		}
		why := cancelled
		if c.Started != 0 {
			why = abandoned
		}
		result := chat.ErrorResult(why, r.Record.Fence)
		rows.Ended = append(rows.Ended, chat.Ended{Call: &c, Result: &result})
	}
	if f != nil {
		r.result.Failure = f
	}
	return r.end(reason, rows, nil)
}

// unfinishedCalls returns the calls of the newest step that have no result, or none if the chat was
// never read.
func (r *Run) unfinishedCalls() []chat.ToolCall {
	var list []chat.ToolCall
	if r.history == nil {
		return nil
	}
	if last := r.history.LastStep(r.Turn.ID); last != nil {
		for _, c := range last.ToolCalls {
			if c.Result == nil {
				list = append(list, c)
			}
		}
	}
	return list
}

// wording words for people why a run failed.
type wording struct{ run *Run }

// failure words an error for the client.
func (w wording) failure(err error) *chat.Failure {
	f := &chat.Failure{ChatID: w.run.Conversation.ChatID, Code: "internal", Retryable: true}
	var upstream *model.Error
	var spent *budget.SpentError
	if errors.As(err, &spent) {
		return w.overspent(f, spent)
	} else if errors.As(err, &upstream) {
		f.Code, f.Retryable = string(upstream.Kind), upstream.Retryable()
		if upstream.Kind == model.KindCut {
			f.Code = string(model.KindError)
		}
		if f.Code == string(model.KindError) && !f.Retryable || f.Code == string(model.KindTooLong) {
			f.Message = w.refused(upstream)
		}
		if upstream.RetryAfter > 0 {
			seconds := limit.Seconds(upstream.RetryAfter)
			f.RetryAfter = &seconds
		}
		w.log(upstream, "model", w.run.draft.model)
	} else if errors.Is(err, errRefusedAgain) {
		f.Code, f.Retryable, f.Resumable = string(model.KindError), false, new(false)
		f.Message = w.run.node.Text(w.run.Turn.Language, "problem.model_asks_again", nil)
	} else if errors.Is(err, store.ErrUnreadable) {
		f.Code, f.Retryable, f.Resumable = string(chat.CodeNotReadable), false, new(false)
		w.run.Log.Warn("the turn ends: this version cannot read a row of its chat")
	} else if errors.Is(err, errEmpty) {
		f.Code, f.Message = string(model.KindError), w.run.node.Text(w.run.Turn.Language, "problem.model_no_answer", nil)
		w.run.Log.Warn("the model gave no answer", "model", w.run.draft.model)
	} else {
		w.run.Log.Error("run failed", "error", err)
	}
	if f.Message == "" {
		f.Message = w.run.node.Text(w.run.Turn.Language, "problem."+f.Code, nil)
	}
	return f
}

// log logs a request that a model could not answer. If its server is down or has no room, that is an
// outage of the model, and not every request gets a line.
func (w wording) log(e *model.Error, attrs ...any) {
	switch e.Kind {
	case model.KindUnavailable, model.KindTimeout, model.KindRateLimited:
		w.run.node.Outages.Of(w.run.draft.model).FailedIn(w.because(e), e, attrs...)
	default:
		w.because(e).With(attrs...).Warn("model request failed", "error", e)
	}
}

// because returns the run's log, with the reason that a model's server gave for an error, if any.
func (w wording) because(e *model.Error) *slog.Logger {
	if e.Reason == "" {
		return w.run.Log
	}
	return w.run.Log.With("reason", e.Reason)
}

// errEmpty is for an answer without text or calls.
var errEmpty = errors.New("turn: the model gave no answer")

// hints are the ids of the messages that say what to change, by the cause.
var hints = map[model.Fault]string{
	model.FaultFunds:     "hint.model_funds",
	model.FaultKey:       "hint.model_key",
	model.FaultModel:     "hint.model_name",
	model.FaultTools:     "hint.model_tools",
	model.FaultFlag:      "hint.model_flag",
	model.FaultParameter: "hint.model_parameter",
}

// refused words a permanent error of the model. Where every user is the operator, it says what to
// change; otherwise only the log does.
func (w wording) refused(e *model.Error) string {
	id := "problem.model_refused"
	if e.Kind == model.KindTooLong {
		id = "problem." + string(e.Kind)
	}
	if w.run.Setup.Config.Gateway.Auth.Mode == config.AuthNone {
		id = cmp.Or(hints[e.Fault], "hint.model_request")
		if e.Kind == model.KindTooLong {
			id = "hint.model_context"
		}
	}
	m := w.run.Setup.Config.Gateway.Models[w.run.draft.model]
	return w.run.node.Text(w.run.Turn.Language, id, map[string]any{"Model": w.run.draft.model, "Name": m.Model})
}

// overspent words the end of a run whose budget was used up while its message waited in the queue.
func (w wording) overspent(f *chat.Failure, spent *budget.SpentError) *chat.Failure {
	wait := limit.Seconds(spent.Reset)
	f.Code, f.RetryAfter = string(chat.CodeRateLimited), &wait
	f.Message = w.run.node.Text(w.run.Turn.Language, "detail."+spent.Scope, spent.Params())
	return f
}
