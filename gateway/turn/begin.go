package turn

import (
	"context"
	"errors"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/gateway/turn/earlier"
	"github.com/askgate/askgate/gateway/turn/prompt"
	"github.com/askgate/askgate/toolexec"
)

// begin makes a transition that no client asked for. The run that it returns must be
// driven; nil where none begins: nothing is due after all, or other questions are open.
func (e *Engine) begin(ref chat.Ref, change func(*transition) error) (*Run, error) {
	setup := e.Setup()
	app, err := e.usable(setup, ref.App)
	if err != nil || e.draining.Load() {
		return nil, nil //nolint:nilerr // it waits until the app is back, or for another node
	}
	accepted, err := e.apply("begin", false, transition{setup: setup, app: app, cmd: &Command{Ref: ref}}, change)
	if errors.Is(err, errNothing) {
		return nil, nil
	}
	run, _ := accepted.(*Run)
	return run, err
}

// apply makes a transition in one update, under the chat's lane, and begins the run that
// it asks for. The store may call change more than once; each time it gets a new copy.
func (e *Engine) apply(point string, lazy bool, from transition, change func(*transition) error) (Accepted, error) {
	from.engine = e
	lane := e.lane(from.cmd.Ref)
	lane.Lock()
	defer lane.Unlock()
	var t *transition
	err := e.update(from.cmd.Ref, point, lazy, func(tx store.Tx) error {
		next := from
		t, next.tx, next.now = &next, tx, time.Now()
		if err := change(t); err != nil || t.instead != nil {
			return err
		}
		return t.save()
	})
	if err != nil {
		return nil, err
	}
	return t.committed(), nil
}

// committed begins the run, under the lane: one whose beginning is stored is registered,
// and answers appear in their order.
func (t *transition) committed() Accepted {
	if t.instead != nil {
		return t.instead
	}
	for i := range t.closed {
		t.engine.metrics.closed(&t.closed[i])
	}
	if len(t.closed) > 0 || t.aside != nil {
		t.engine.Hub.Nudge()
	}
	if t.aside != nil {
		return t.announceAside()
	}
	r := t.run()
	if len(t.open) > 0 {
		return r.announce(&t.open[0], t.asksNow(t.head.Fence))
	}
	t.engine.register(r)
	return r
}

// run is the run that begins.
func (t *transition) run() *Run {
	e := t.engine
	r := &Run{
		engine: e, setup: t.setup, app: t.app, conversation: t.head, before: t.before, opening: t.opening(&t.head, &t.turn),
		turn: t.turn, record: t.record, started: t.now, ended: make(chan struct{}), tokens: tokens{budgets: t.budgets, spent: t.spent},
	}
	r.trace, r.log = t.traced()
	r.ctx, r.cancel = context.WithCancelCause(toolexec.WithLog(context.Background(), r.log))
	r.earlier = earlier.Answers{
		App: r.app, Catalog: r.setup.Catalog, Conversation: &r.conversation, Turn: &r.turn,
		Memory:   earlier.NewMemory(e.Store, &r.conversation, r.log),
		Repeated: func(how string) { e.metrics.repeats.WithLabelValues(r.app.ID, how).Inc() },
	}
	r.prompt.Source = r.source()
	if t.fresh { // there is nothing else to read
		r.read(&store.Recent{View: store.View{Messages: []chat.Message{*t.message}}, First: 1})
	}
	return r
}

// source is what the run's prompts are made of.
func (r *Run) source() prompt.Source {
	e := r.engine
	return prompt.Source{
		Config: r.setup.Config, Catalog: r.setup.Catalog, App: r.app, Conversation: &r.conversation, Turn: &r.turn,
		Memories: r.earlier.Memory.List, File: e.Uploads.Bytes, Extent: e.Store.Extent, Log: r.log,
		LeftOut: func(turns, tokens int64) {
			e.metrics.trimmed.WithLabelValues(r.app.ID).Add(float64(turns))
			e.metrics.leftOut.WithLabelValues(r.app.ID).Add(float64(tokens))
		},
	}
}

// announce publishes a run that consists of one answer of several, next of which is the
// first that is still open: nothing is driven. again are those that wait since it began.
func (r *Run) announce(next *chat.Clarification, again []chat.Clarification) Over {
	var frames buffer
	r.open(&frames)
	for i := range again {
		r.askEvent(&again[i])
	}
	r.recordDone(chat.FinishClarification)
	r.rec.Publish(true)
	r.rec.Flush()
	r.rec.Close()
	r.cancel(nil) // of nobody: its resources
	r.trace.End(chat.FinishClarification, r.record.Usage, nil)
	r.engine.metrics.turns.WithLabelValues(r.app.ID, string(chat.FinishClarification)).Inc()
	asked := chat.NewAsked(next)
	return Over{Frames: frames, Result: chat.Result{
		TurnID: r.turn.ID, Status: chat.StatusOf(&r.turn), FinishReason: chat.FinishClarification, Clarification: &asked,
	}}
}

// buffer is a sink in memory.
type buffer []byte

func (b *buffer) Write(frames []byte) error {
	*b = append(*b, frames...)
	return nil
}

// beginAll makes a transition in each chat that find lists, as many as there is room for.
func (e *Engine) beginAll(ctx context.Context, what string, find func(context.Context, int) ([]chat.Ref, error), change func(*transition) error) {
	room := cap(e.slots) - len(e.slots)
	if room == 0 || e.draining.Load() {
		return
	}
	refs, err := find(ctx, room)
	if err != nil {
		e.Log.Warn("turns to take up not read", "what", what, "error", err)
		return
	}
	for _, ref := range refs {
		e.beginOne(ref, what, change)
	}
}

// beginOne makes a transition and drives the run that it begins.
func (e *Engine) beginOne(ref chat.Ref, what string, change func(*transition) error) {
	r, err := e.begin(ref, change)
	if err != nil {
		e.Log.Warn("turn not taken up", "what", what, "app", ref.App, "chatId", ref.ChatID, "error", err)
	} else if r != nil {
		e.drive(r)
	}
}

// drive drives a run that no request waits for, when there is a place.
func (e *Engine) drive(r *Run) {
	go func() {
		e.slots <- struct{}{}
		defer func() { <-e.slots }()
		r.Drive(nil)
	}()
}
