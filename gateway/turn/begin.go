package turn

import (
	"errors"
	"log/slog"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/gateway/trace"
	"github.com/askgate/askgate/gateway/turn/run"
)

// begin makes a transition that no client asked for. The run that it returns must be
// driven; nil where none begins: nothing is due after all, or other questions are open.
func (e *Engine) begin(ref chat.Ref, change func(*transition) error) (*run.Run, error) {
	setup := e.Setup()
	app, err := e.usable(setup, ref.App)
	if err != nil || e.node.Draining.Load() {
		return nil, nil //nolint:nilerr // it waits until the app is back, or for another node
	}
	accepted, err := e.apply("begin", false, update{setup: setup, app: app, cmd: &Command{Ref: ref}}, change)
	if errors.Is(err, errNothing) {
		return nil, nil
	}
	begun, _ := accepted.(Begun)
	return begun.Run, err
}

// usable is the app, if a run of it can begin: it is enabled, in this setup and in the one
// in force, and its model is still named. Nothing is taken that could then not go on.
func (e *Engine) usable(setup *Setup, id string) (*config.App, error) {
	for _, s := range []*Setup{e.Setup(), setup} {
		app, ok := s.Config.App(id)
		if !ok { // gone since the caller looked
			return nil, &chat.Error{Code: chat.CodeNotFound}
		}
		if _, ok := s.Models[app.Model]; !ok {
			return nil, chat.Errorf(chat.CodeInternal, "app %s: no model %q; name it in gateway.json, or another in the app", id, app.Model)
		}
	}
	app, _ := setup.Config.App(id)
	return app, nil
}

// apply makes a transition in one update, under the chat's lane, and begins the run that
// it asks for. The store may call change more than once; each time it gets a new copy.
func (e *Engine) apply(point string, lazy bool, from update, change func(*transition) error) (Accepted, error) {
	from.engine = e
	lane := e.node.Lane(from.cmd.Ref)
	lane.Lock()
	defer lane.Unlock()
	var t *transition
	known := false
	err := e.node.Update(from.cmd.Ref, point, lazy, func(tx store.Tx) error {
		u := from
		u.tx, u.now = tx, e.Store.Now()
		t = &transition{update: &u, start: run.Start{Setup: u.setup, App: u.app}}
		known = e.readable.knows(tx.Conversation())
		if err := change(t); err != nil || t.instead != nil {
			return err
		}
		return t.save()
	})
	if err != nil {
		return nil, err
	}
	if known && t.instead == nil { // and what is written from now on, this process can read
		e.readable.learn(t.start.Conversation.ID, t.start.Conversation.Fence)
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
		t.engine.node.Metrics.Closed(&t.closed[i])
	}
	if len(t.closed) > 0 || t.async != nil {
		t.engine.Hub.Nudge()
	}
	if t.async != nil {
		return t.async.announce()
	}
	r := t.run()
	if len(t.open) > 0 {
		events, result := r.Announce(&t.open[0])
		return Over{Events: events, Result: result}
	}
	t.engine.runs.register(r)
	return Begun{r}
}

// run is the run that begins.
func (t *transition) run() *run.Run {
	t.start.At = t.now
	if t.fresh {
		t.start.Only = t.message
	}
	t.start.Trace, t.start.Log = t.traced()
	return t.engine.node.Begin(t.start)
}

// beginOne makes a transition and drives the run that it begins.
func (e *Engine) beginOne(ref chat.Ref, what string, change func(*transition) error) {
	r, err := e.begin(ref, change)
	if err != nil {
		e.Log.Warn("turn not taken up", "what", what, "app", ref.App, "chatId", ref.ChatID, "error", err)
	} else if r != nil {
		e.runs.drive(r)
	}
}

// traced opens the run's span, where traces are made, and the run's log: each of its lines
// says which run it is about. A run that no request began has an id in the request's place.
func (t *transition) traced() (*trace.Run, *slog.Logger) {
	e := t.engine
	request := t.cmd.RequestID
	if request == "" {
		request = chat.NewID("run")
	}
	log := e.Log.With("requestId", request, "turnId", t.start.Turn.ID, "chatId", t.start.Conversation.ChatID, "app", t.app.ID)
	span := e.Traces.Begin(trace.Start{
		Run: t.start.Record, App: t.app.ID, Node: e.Node, Closed: t.closed, Caller: t.cmd.TraceParent,
		Takeover: t.message == nil && !t.start.Record.Resumed,
	})
	if span == nil {
		return nil, log
	}
	return span, log.With("traceId", span.ID())
}
