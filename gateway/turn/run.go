package turn

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"runtime/debug"
	"slices"
	"time"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/model"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/gateway/stream"
	"github.com/askgate/askgate/gateway/trace"
	"github.com/askgate/askgate/tools"
)

// Run is one uninterrupted stretch of a turn. It is driven by one goroutine;
// cancel and ended are for the others.
type Run struct {
	engine       *Engine
	setup        *Setup
	app          *config.App
	conversation chat.Conversation
	turn         chat.Turn
	record       chat.Run
	before       chat.EventID         // the chat's last event before
	message      *chat.Message        // the user's message that began the turn
	closed       []chat.Clarification // closed by what started this run
	takeover     bool                 // another run of this turn died
	budgets      []Budget             // of the principal, when this run began
	spent        *SpentError          // one of them is used up: nothing is asked
	started      time.Time
	ctx          context.Context
	cancel       context.CancelCauseFunc
	ended        chan struct{}
	trace        *trace.Run // nil: none is made
	log          *slog.Logger

	// While driven.
	view      *store.View                   // nil until loaded
	ahead     iter.Seq2[model.Delta, error] // the first answer, where it was asked for already
	calls     map[string]*chat.ToolCall
	unsettled []*chat.Clarification // closed, and their calls have no result yet
	rec       *stream.Recorder
	prompt    []model.Message
	prompted  int                      // messages of view that prompt has
	model     string                   // asked last: the app's, or one of its fallbacks
	raw       map[string]string        // arguments as the model sent them, by call id
	allowed   map[string]*tools.Answer // answers of those who allowed a call, by its id
	asked     map[string]*tools.Asked  // what calls that go on asked last, by their id
	text      []byte                   // of the unfinished step
	heard     bool                     // the first chunk has come
	usage     chat.Usage               // of this run
	owed      int64                    // tokens used and not yet taken out of the budgets

	// Instead of being driven.
	frames []byte // a run that is over already
	repeat bool   // the run was started by an earlier request
	queued string // id of the message that will start it

	result Result
}

// Drive carries the run out on this goroutine, and returns after its done was
// written to sink, which may be nil. A client that leaves does not end it. For
// a request that was made before, Drive shows the run that it started then, until ctx ends.
func (r *Run) Drive(ctx context.Context, sink stream.Sink) {
	switch {
	case r.queued != "":
		if r.await(ctx, sink) {
			r.show(ctx, sink)
		}
	case r.repeat:
		r.show(ctx, sink)
	case r.frames != nil:
		r.showFrames(ctx, sink)
	default:
		r.open(sink)
		defer r.close()
		if err := r.loop(); err != nil {
			r.failed(err)
		}
	}
}

// open begins the recording. It is not a part of loop: sending the head of a
// response wants a deep stack, which a goroutine would keep for the whole stream.
func (r *Run) open(sink stream.Sink) {
	log := r.engine.Hub.Record(r.conversation.ID, r.before, func() { r.cancel(errStopped) })
	r.rec = stream.NewRecorder(log, sink, r.conversation.ChatID, r.record.Fence)
	r.begin()
	r.rec.Flush()
}

func (r *Run) close() {
	r.trace.End(r.result.FinishReason, r.usage, r.result.Failure) // before Shutdown takes it for ended
	r.rec.Close()
	r.engine.unregister(r)
	close(r.ended)
	r.cancel(nil)
	if r.turn.State == chat.TurnEnded && r.app.Clarifications.OnMessageWhileRunning == config.RunningQueue {
		go r.engine.goOnWithQueue(r.conversation.Ref)
	}
}

// showFrames writes a run that is over already.
func (r *Run) showFrames(ctx context.Context, sink stream.Sink) {
	if sink != nil {
		_ = sink.Write(r.frames) // the client's loss only
	}
	r.result = r.engine.stored(ctx, r.conversation, r.record.Fence, r.record.Fence)
}

// Watches says that Drive only shows a run that was, or will be, started otherwise.
func (r *Run) Watches() bool { return r.repeat || r.queued != "" }

// Result says what the run came to. After Drive only.
func (r *Run) Result() Result { return r.result }

// errDone ends the loop after a done.
var errDone = errors.New("turn: run is over")

// loop lets the stored state decide the next step until the run is over.
func (r *Run) loop() (err error) {
	defer func() {
		if p := recover(); p != nil {
			r.log.Error("run panicked", "app", r.app.ID, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
			err = fmt.Errorf("panic")
		}
	}()
	if r.spent != nil {
		return r.spent
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

// begin records the events that open the run.
func (r *Run) begin() {
	chatID := r.conversation.ChatID
	if r.takeover {
		r.rec.Event(chat.EventStepRestart, chat.StepRestart{ChatID: chatID, TurnID: r.turn.ID})
		return
	}
	r.rec.Event(chat.EventTurnStart, chat.TurnStart{ChatID: chatID, TurnID: r.turn.ID, Resumed: r.record.Resumed})
	for i := range r.closed {
		r.rec.Event(chat.EventClarificationResolved, chat.NewResolved(&r.closed[i]))
	}
	if m := r.message; m != nil {
		r.rec.Event(chat.EventUserMessage, chat.UserMessage{ChatID: chatID, TurnID: r.turn.ID, MessageID: m.ID, Content: m.Content})
	}
}

// load reads the chat, once per run, unless it was only just created.
func (r *Run) load() error {
	if r.view == nil {
		view, err := r.read()
		if err != nil {
			return err
		}
		r.view = view
	}
	r.calls, r.allowed, r.asked = map[string]*chat.ToolCall{}, map[string]*tools.Answer{}, map[string]*tools.Asked{}
	for i := range r.view.Messages {
		r.index(&r.view.Messages[i])
	}
	for i := range r.view.Clarifications {
		c := &r.view.Clarifications[i]
		if c.Approved() {
			r.allowed[c.ToolCallID] = c.Answer
		}
		if c.Question.GoesOn(c.State) { // the last of several stays
			r.asked[c.ToolCallID] = &tools.Asked{Question: c.Question, Closing: tools.Closing{State: c.State, Answer: c.Answer}}
		}
		if call := r.calls[c.ToolCallID]; c.State != tools.StatePending && call != nil && call.Result == nil {
			r.unsettled = append(r.unsettled, c)
		}
	}
	if len(r.unsettled) > 0 {
		reached("resume.before")
	}
	return nil
}

// read reads the chat. A store that is away for a moment does not end a turn that it has
// just stored. It is not bound to r.ctx: who stops the run still ends it with all that is
// stored.
func (r *Run) read() (*store.View, error) {
	ctx, cancel := context.WithTimeout(context.Background(), storeTimeout)
	defer cancel()
	for {
		view, err := r.engine.Store.View(ctx, r.conversation.Ref)
		if !errors.Is(err, store.ErrUnavailable) {
			return view, err
		}
		select {
		case <-time.After(readAgain):
		case <-ctx.Done():
			return nil, err
		case <-r.ctx.Done():
			return nil, err
		}
	}
}

func (r *Run) index(m *chat.Message) {
	for i := range m.ToolCalls {
		r.calls[m.ToolCalls[i].ID] = &m.ToolCalls[i]
	}
}

// next is the one place that decides what the state asks for.
func (r *Run) next() func() error {
	last := r.lastStep()
	switch {
	case len(r.unsettled) > 0:
		return r.settle
	case last != nil && slices.ContainsFunc(last.ToolCalls, open):
		if len(r.view.Pending()) > 0 { // taken over between questions
			return r.pause
		}
		return r.call
	case last != nil && len(last.ToolCalls) == 0:
		return func() error { return r.end(chat.FinishStop, nil) }
	case r.turn.Steps >= r.app.MaxSteps:
		return r.outOfSteps
	default:
		return r.step
	}
}

func open(c chat.ToolCall) bool { return c.Result == nil }

// lastStep is the turn's newest assistant message, nil before the first.
func (r *Run) lastStep() *chat.Message {
	if n := len(r.view.Messages); n > 0 {
		if m := &r.view.Messages[n-1]; m.Role == chat.RoleAssistant && m.TurnID == r.turn.ID {
			return m
		}
	}
	return nil
}

// commit changes the store as this run, if it still has the turn. What was
// recorded so far counts as told: the chat's last event. A lazy commit does not
// wait for the disk. What is owed is paid with it.
func (r *Run) commit(what string, lazy bool, change func(tx store.Tx) error) error {
	turn := r.turn
	err := r.engine.update(r.conversation.Ref, what, lazy, func(tx store.Tx) error {
		head := tx.Conversation()
		if head.ID != r.conversation.ID || head.Fence != r.record.Fence {
			return errLost
		}
		head.LastEvent, head.UpdatedAt = r.rec.Last(), time.Now()
		*tx.Turn() = turn
		if change != nil {
			if err := change(tx); err != nil {
				return err
			}
		}
		return r.pay(tx)
	})
	if err == nil {
		r.owed = 0
	}
	return err
}

// end commits the turn's end with its last events and publishes them. A question waits for
// the disk. An end does not: where a power cut takes it, the turn is still running and is
// taken up again.
func (r *Run) end(reason chat.FinishReason, change func(tx store.Tx) error) error {
	state := chat.TurnEnded
	if reason == chat.FinishClarification {
		state = chat.TurnPaused
	}
	if err := r.turn.Move(state); err != nil {
		return err
	}
	now := time.Now()
	r.turn.LeaseOwner = ""
	what := "clarification"
	if state == chat.TurnEnded {
		r.turn.FinishReason, r.turn.EndedAt = reason, now
		what = "end"
	}
	mark := r.rec.Mark()
	r.recordDone(reason)
	record := r.record
	record.FinishReason, record.Usage, record.EndedAt, record.LastSeq = reason, r.usage, now, r.rec.Last().Seq
	record.Failure = r.result.Failure

	lane := r.engine.lane(r.conversation.Ref)
	lane.Lock()
	err := r.commit(what, state == chat.TurnEnded, func(tx store.Tx) error {
		if change != nil {
			if err := change(tx); err != nil {
				return err
			}
		}
		return tx.SaveRun(record)
	})
	if err != nil {
		lane.Unlock()
		r.rec.Rewind(mark)
		r.turn.State, r.turn.LeaseOwner = chat.TurnRunning, r.engine.Node
		return err
	}
	reached("event.before")
	r.rec.Publish(true)
	lane.Unlock()
	reached("event.after")
	r.count(reason, now)
	r.result.TurnID, r.result.FinishReason, r.result.Usage, r.result.Status = r.turn.ID, reason, r.usage, status(&r.turn)
	r.rec.Flush()
	return errDone
}

func (r *Run) count(reason chat.FinishReason, now time.Time) {
	m := r.engine.metrics
	m.turns.WithLabelValues(r.app.ID, string(reason)).Inc()
	m.turnSeconds.WithLabelValues(r.app.ID).Observe(now.Sub(r.started).Seconds())
}

func (r *Run) recordDone(reason chat.FinishReason) {
	r.rec.Event(chat.EventDone, chat.Done{
		ChatID: r.conversation.ChatID, TurnID: r.turn.ID, FinishReason: reason, Usage: r.usage,
	})
}

// pause ends the run before questions that are stored already.
func (r *Run) pause() error {
	for _, c := range r.view.Pending() {
		r.askEvent(&c)
	}
	return r.end(chat.FinishClarification, nil)
}

func (r *Run) askEvent(c *chat.Clarification) {
	asked := chat.NewAsked(c)
	r.rec.Event(chat.EventClarification, asked)
	if r.result.Clarification == nil {
		r.result.Clarification = &asked
	}
}

// outOfSteps ends a turn that used up its model requests, in words for the user.
func (r *Run) outOfSteps() error {
	text := r.engine.Text(r.turn.Language, "turn.max_steps", map[string]any{"Max": r.app.MaxSteps})
	r.rec.Chunk(chat.EventChunk, []byte(text))
	r.result.Text += text
	return r.end(chat.FinishMaxSteps, func(tx store.Tx) error { return tx.AppendMessage(r.assistant(text, nil)) })
}

func (r *Run) assistant(text string, calls []chat.ToolCall) chat.Message {
	return chat.Message{
		ID: chat.NewID("msg"), TurnID: r.turn.ID, Fence: r.record.Fence, Role: chat.RoleAssistant,
		Content: text, ToolCalls: calls, CreatedAt: time.Now(),
	}
}

// failed ends a run that could not come to its own end.
func (r *Run) failed(err error) {
	if cause := context.Cause(r.ctx); cause != nil {
		err = cause
	}
	switch {
	case errors.Is(err, errLost):
		r.rec.Flush()
		return // the turn is somebody else's
	case errors.Is(err, errHandover):
		r.rec.Flush()
		r.handOver()
		return
	case errors.Is(err, errStopped):
		err = r.abort(chat.FinishCancelled, nil)
	default:
		err = r.abort(chat.FinishError, r.failure(err))
	}
	if errors.Is(err, errDone) || errors.Is(err, errLost) {
		return
	}
	// Nothing can be stored. The client is told; the turn itself is taken up again when
	// its lease has lapsed and the store is back.
	r.log.Error("run could not be ended", "app", r.app.ID, "error", err)
	f := r.failure(err)
	r.rec.Event(chat.EventError, f)
	r.recordDone(chat.FinishError)
	r.rec.Publish(true)
	r.rec.Flush()
	r.count(chat.FinishError, time.Now())
	r.result.TurnID, r.result.FinishReason, r.result.Failure, r.result.Status = r.turn.ID, chat.FinishError, f, chat.StatusRunning
}

// abort ends the turn where it stands: the text so far is kept, and calls without
// a result get one.
func (r *Run) abort(reason chat.FinishReason, f *chat.Failure) error {
	mark := r.rec.Mark()
	var change []func(store.Tx) error
	if text := string(r.text); !blank(text) {
		r.result.Text += text
		m := r.assistant(text, nil)
		change = append(change, func(tx store.Tx) error { return tx.AppendMessage(m) })
	}
	if last := r.abortable(); last != nil {
		for _, c := range last.ToolCalls {
			if c.Result == nil {
				res := errorResult(&tools.Error{Code: tools.CodeCancelled, Message: "The turn was ended before this call had a result."}, r.record.Fence)
				r.endEvent(&c, &res)
				change = append(change, func(tx store.Tx) error { return tx.SetResult(c.ID, res) })
			}
		}
	}
	if f != nil {
		r.rec.Event(chat.EventError, f)
		r.result.Failure = f
	}
	err := r.end(reason, func(tx store.Tx) error {
		for _, c := range change {
			if err := c(tx); err != nil {
				return err
			}
		}
		return nil
	})
	if !errors.Is(err, errDone) {
		r.rec.Rewind(mark)
	}
	return err
}

// abortable is the step whose calls may lack results; nil if the chat was never read.
func (r *Run) abortable() *chat.Message {
	if r.view == nil {
		return nil
	}
	return r.lastStep()
}

// failure words an error for the client.
func (r *Run) failure(err error) *chat.Failure {
	f := &chat.Failure{ChatID: r.conversation.ChatID, Code: "internal", Retryable: true}
	var upstream *model.Error
	var spent *SpentError
	if errors.As(err, &spent) {
		return r.overspent(f, spent)
	} else if errors.As(err, &upstream) {
		f.Code, f.Retryable = string(upstream.Kind), upstream.Retryable()
		if upstream.Kind == model.KindCut {
			f.Code = string(model.KindError)
		}
		if upstream.RetryAfter > 0 {
			seconds := int((upstream.RetryAfter + time.Second - 1) / time.Second)
			f.RetryAfter = &seconds
		}
		r.log.Warn("model request failed", "app", r.app.ID, "model", r.model, "error", upstream)
	} else {
		r.log.Error("run failed", "app", r.app.ID, "error", err)
	}
	f.Message = r.engine.Text(r.turn.Language, "problem."+f.Code, nil)
	return f
}

// handOver gives the lease back, so that another process goes on at once.
func (r *Run) handOver() {
	err := r.commit("handover", false, func(tx store.Tx) error {
		tx.Turn().LeaseOwner = ""
		return nil
	})
	if err != nil && !errors.Is(err, errLost) {
		r.log.Warn("turn not given back; its lease lapses by itself", "app", r.app.ID, "error", err)
	}
}

// errorResult is an error as the model reads it.
func errorResult(e *tools.Error, fence int64) chat.ToolResult {
	content, _ := json.Marshal(map[string]*tools.Error{"error": e}) // two strings
	return chat.ToolResult{Content: string(content), Error: e, Fence: fence}
}
