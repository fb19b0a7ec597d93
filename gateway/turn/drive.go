package turn

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"time"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/gateway/stream"
	"github.com/askgate/askgate/gateway/turn/budget"
	"github.com/askgate/askgate/gateway/turn/history"
)

// Drive carries the run out on this goroutine, and returns after its done was
// written to sink, which may be nil. A client that leaves does not end it.
func (r *Run) Drive(sink stream.Sink) {
	r.open(sink)
	defer r.close()
	if err := r.loop(); err != nil {
		r.failed(err)
	}
}

// Result says what the run came to. After Drive only.
func (r *Run) Result() chat.Result { return r.result }

// open begins the recording. Small stack: see package aside.
func (r *Run) open(sink stream.Sink) {
	log := r.engine.Hub.Record(r.conversation.ID, r.before, func() { r.cancel(errStopped) })
	r.rec = stream.NewRecorder(log, sink, r.conversation.ChatID, r.record.Fence)
	for _, ev := range r.opening.Events() {
		r.rec.Event(ev)
	}
	r.rec.Flush()
}

func (r *Run) close() {
	r.trace.End(r.result.FinishReason, r.record.Usage, r.result.Failure) // before Shutdown takes it for ended
	r.rec.Close()
	r.engine.unregister(r)
	r.title()
	close(r.ended)
	r.cancel(nil)
	if r.conversation.Passing && r.turn.State == chat.TurnEnded {
		r.engine.passed(r.conversation.Ref)
	}
	policy := &r.app.Clarifications
	queues := r.turn.State == chat.TurnEnded && (policy.OnMessageWhileRunning == config.RunningQueue || policy.OnMessageWhilePending == config.PendingQueue)
	if untold := r.untold.Load(); untold || queues {
		go func() {
			if untold {
				r.engine.beginOne(r.conversation.Ref, untoldAsides, (*transition).takeUntold)
			}
			if queues {
				r.engine.beginOne(r.conversation.Ref, "queued messages", (*transition).takeQueued)
			}
		}()
	}
}

// loop lets the stored state decide the next step until the run is over.
func (r *Run) loop() (err error) {
	defer func() {
		if p := recover(); p != nil {
			r.log.Error("run panicked", "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
			err = fmt.Errorf("panic")
		}
	}()
	if r.tokens.spent != nil {
		return r.tokens.spent
	}
	if err := r.load(); err != nil {
		return err
	}
	for {
		if cause := context.Cause(r.ctx); cause != nil {
			return cause
		}
		switch err := r.next()(); {
		case errors.Is(err, errDone):
			return nil
		case err != nil:
			return err
		}
	}
}

// load reads the chat, or as much of it as the model may be sent, once per run, unless it
// was only just created. A store that is
// away for a moment does not end a turn that it has just stored. Reading is not bound to
// r.ctx: a run that is stopped still ends with all that is stored.
func (r *Run) load() error {
	if r.history != nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), storeTimeout)
	defer cancel()
	for {
		recent, err := r.engine.Store.Recent(ctx, r.conversation.Ref, r.prompt.Span)
		if err == nil {
			r.read(recent)
			if len(r.history.Unsettled) > 0 {
				reached("resume.before")
			}
			return nil
		}
		if !errors.Is(err, store.ErrUnavailable) {
			return err
		}
		select {
		case <-time.After(readAgain):
		case <-ctx.Done():
			return err
		case <-r.ctx.Done():
			return err
		}
	}
}

// read takes the chat, as it was read.
func (r *Run) read(recent *store.Recent) {
	r.history = history.New(recent)
	r.earlier.History = r.history
	r.prompt.Read(r.ctx, r.history, recent.Questions)
}

// next is the one place that decides what the state asks for.
func (r *Run) next() func() error {
	last := r.history.LastStep(r.turn.ID)
	switch {
	case len(r.history.Unsettled) > 0:
		return r.settle
	case last != nil && slices.ContainsFunc(last.ToolCalls, open):
		if len(r.history.View.Pending()) > 0 { // taken over between questions
			return r.pause
		}
		return r.call
	case r.turn.Steps >= r.app.MaxSteps:
		return r.outOfSteps
	case r.formDue():
		return r.askForm
	default:
		return r.step
	}
}

func open(c chat.ToolCall) bool { return c.Result == nil }

// pause ends the run before questions that are stored already.
func (r *Run) pause() error {
	for _, c := range r.history.View.Pending() {
		r.askEvent(&c)
	}
	return r.end(chat.FinishClarification, nil)
}

// outOfSteps ends a turn that used up its model requests, in words for the user.
func (r *Run) outOfSteps() error {
	text := r.engine.Text(r.turn.Language, "turn.max_steps", map[string]any{"Max": r.app.MaxSteps})
	mark := r.rec.Mark()
	r.rec.Chunk(chat.EventChunk, []byte(text))
	err := r.end(chat.FinishMaxSteps, func(tx store.RunTx) error { return tx.AppendMessage(r.assistant(text, nil)) })
	if !errors.Is(err, errDone) {
		r.rec.Rewind(mark)
		return err
	}
	r.result.Text += text
	return err
}

// Budgets are those of the run's principal, as they were when it began.
func (r *Run) Budgets() []budget.Budget { return r.tokens.budgets }
