package run

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/smallstack"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/gateway/stream"
	"github.com/askgate/askgate/gateway/turn/budget"
	"github.com/askgate/askgate/gateway/turn/title"
)

// Drive carries out the run on this goroutine. It returns after the run's done event was written to
// sink, which may be nil. A client that leaves does not end the run.
func (r *Run) Drive(sink stream.Sink) {
	r.open(sink)
	defer r.close()
	err := r.loop()
	r.opened()
	if err != nil {
		r.failed(err)
	}
}

// Announce publishes a run that consists of one of several answers; next is the first question that
// is still open. Nothing is driven. It returns all events of the run.
func (r *Run) Announce(next *chat.Clarification) (stream.Events, chat.Result) {
	var events stream.Events
	r.open(&events)
	r.opened()
	r.rec.Close()
	r.cancel(nil) // cancels nothing, but frees the resources
	r.Trace.End(chat.FinishClarification, r.Record.Usage, nil)
	r.node.Metrics.Runs.WithLabelValues(r.App.ID, string(chat.FinishClarification)).Inc()
	asked := chat.NewAsked(next)
	return events, chat.Result{
		TurnID: r.Turn.ID, Status: chat.StatusOf(&r.Turn), FinishReason: chat.FinishClarification, Clarification: &asked,
	}
}

// Result returns the outcome of the run. It may be called only after Drive.
func (r *Run) Result() chat.Result { return r.result }

// open begins the recording. Its events go to the client while the model is asked (see opened): a
// model's server that was asked earlier answers earlier. It keeps its stack small: see package
// smallstack.
func (r *Run) open(sink stream.Sink) {
	log := r.node.Hub.Record(r.Conversation.ID, r.Before, func() { r.cancel(ErrStopped) })
	r.rec = stream.NewRecorder(log, sink, r.Conversation.ChatID, r.Record.Fence)
	r.rec.Emit(r.Begun.After(r.rec.Last())...)
	r.rec.Publish(r.Begun.Run != nil)
	r.Begun = nil // an open stream does not need it
	r.opening = smallstack.Go(r.rec.Flush)
	if r.Before == (chat.EventID{}) {
		stream.AnnounceBegun(r.node.Hub, r.Conversation.Ref, r.Record.Fence)
	}
}

// opened waits until the opening events are written. The recorder must not be used before.
func (r *Run) opened() {
	if wait := r.opening; wait != nil {
		r.opening = nil
		wait()
	}
}

func (r *Run) close() {
	r.Trace.End(r.result.FinishReason, r.Record.Usage, r.result.Failure) // before Shutdown considers the run ended
	r.rec.Close()
	r.node.Ending(r)
	r.title()
	r.loan.Return(nil)
	close(r.ended)
	r.cancel(nil)
	r.node.Ended(r)
}

// loop lets the stored state decide each next step, until the run is over.
func (r *Run) loop() (err error) {
	defer func() {
		if p := recover(); p != nil {
			r.Log.Error("run panicked", "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
			err = fmt.Errorf("panic")
		}
	}()
	if r.Spent != nil {
		return r.Spent
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

// load reads the chat, or as much of it as the model may be sent, once per run. A chat that was only
// just created is not read. Reading is not bound to r.ctx: a run that is stopped still ends with
// everything that is stored.
func (r *Run) load() error {
	if r.history != nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), store.Timeout)
	defer cancel()
	var err error
	r.loan = r.node.Histories.Borrow(r.Conversation.ID)
	known := r.loan.Known
	if known != nil && known.At == r.Before { // nothing but this run's beginning came since
		known.At = r.known
	}
	span := func(fits []chat.Fit) store.Span {
		s := r.prompt.Span(fits)
		s.Known = known
		return s
	}
	smallstack.Run(func() {
		var recent *store.Recent
		if recent, err = r.store.Recent(ctx, r.Conversation.Ref, span); err == nil {
			r.read(recent)
		}
	})
	if err != nil {
		return err
	}
	if len(r.history.Unsettled) > 0 {
		reached("resume.before")
	}
	return nil
}

// next is the only place that decides what the stored state asks for.
func (r *Run) next() func() error {
	last := r.history.LastStep(r.Turn.ID)
	switch {
	case len(r.history.Unsettled) > 0:
		return aside(r, r.settle)
	case last != nil && slices.ContainsFunc(last.ToolCalls, open):
		return aside(r, r.callOrPause)
	case r.Turn.Steps >= r.App.MaxSteps:
		return aside(r, r.outOfSteps)
	case r.asking.formDue():
		return aside(r, r.asking.askForm)
	default:
		return r.step
	}
}

// aside makes what needs a deep stack happen on another one: see package smallstack.
func aside(r *Run, do func() error) func() error {
	return func() (err error) {
		r.opened()
		smallstack.Run(func() { err = do() })
		return err
	}
}

func open(c chat.ToolCall) bool { return c.Result == nil }

// callOrPause carries out the step's open calls, unless some of them wait for a person: a run that
// takes over between two questions finds these.
func (r *Run) callOrPause() error {
	if len(r.history.View.Pending()) > 0 {
		return r.pause()
	}
	return r.call()
}

// pause ends the run with questions that are stored already.
func (r *Run) pause() error {
	pending := r.history.View.Pending()
	r.asking.ask(pending)
	return r.end(chat.FinishClarification, chat.Rows{Asked: pending}, nil)
}

// outOfSteps ends a turn that has used up its model requests, with a text for the user.
func (r *Run) outOfSteps() error {
	text := r.node.Text(r.Turn.Language, "turn.max_steps", map[string]any{"Max": r.App.MaxSteps})
	mark := r.rec.Mark()
	r.rec.Chunk(chat.EventChunk, []byte(text))
	m := r.assistant(text, nil)
	err := r.end(chat.FinishMaxSteps, chat.Rows{Steps: []*chat.Message{&m}}, nil)
	if !errors.Is(err, errDone) {
		r.rec.Rewind(mark)
		return err
	}
	r.result.Text += text
	return err
}

// Budgets returns the budgets of the run's principal as they were when the run began.
func (r *Run) Budgets() []budget.Budget { return r.Left }

// title has the model give the chat a title after the first turn that it answered.
func (r *Run) title() {
	c := &r.Conversation
	if r.App.Titles != config.TitlesModel || r.Turn.State != chat.TurnEnded || r.Turn.FinishReason != chat.FinishStop ||
		c.TitleBy != "" || c.Ephemeral || r.Setup.Config.Demo(r.App) || r.history == nil || r.node.Draining.Load() {
		return
	}
	m, ok := r.Setup.Models[r.draft.model]
	if !ok {
		return
	}
	r.node.Titles.Name(&title.Chat{
		Ref: c.Ref, ID: c.ID, Budgets: &r.Setup.Config.Gateway.Limits.Tokens, Model: m, ModelName: r.draft.model,
		Language: r.Turn.Language, Said: r.history.FirstSaid(), Replied: r.result.Text, Log: r.Log,
	})
}
