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

// begin makes a transition that no client asked for. The returned run must be driven. It is nil if
// none begins, because nothing is due after all or other questions are open.
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

// usable returns the app if a run of it can begin: it is enabled both in this setup and in the
// current one, and its model is still configured. So nothing is taken that could not go on.
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

// apply makes a transition in one update, under the chat's lane, and begins the run that the
// transition asks for. The store may call change more than once, with a new transition each time.
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
	if known && t.instead == nil { // this process can read whatever it writes
		e.readable.learn(t.start.Conversation.ID, t.start.Conversation.Fence)
	}
	return t.committed(), nil
}

// committed begins the run. It must be called under the lane, so that each run whose beginning is
// stored is registered, and answers appear in their order.
func (t *transition) committed() Accepted {
	if q, ok := t.instead.(Queued); ok {
		t.engine.Hub.Nudge()
		if r := t.engine.runs.registered(q.Conversation.ID); r != nil {
			r.Queued.Store(true)
		}
	}
	if t.instead != nil {
		return t.instead
	}
	for i := range t.closed {
		c := &t.closed[i]
		t.engine.node.Metrics.Closed(c)
		if d := c.Decision(); d != nil {
			t.engine.node.Executor.Decided(t.setup.Catalog, c.App, c.ToolName, d.Outcome)
		}
	}
	if len(t.closed) > 0 || len(t.amended) > 0 || t.async != nil {
		t.engine.Hub.Nudge()
	}
	if t.async != nil {
		return t.async.announce()
	}
	r := t.run()
	r.Queued.Store(t.queued)
	if len(t.open) > 0 {
		events, result := r.Announce(&t.open[0])
		return Over{Events: events, Result: result}
	}
	t.engine.runs.register(r)
	return Begun{r}
}

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
		e.Log.Warn("cannot resume a turn", "what", what, "app", ref.App, "chatId", ref.ChatID, "error", err)
	} else if r != nil {
		e.runs.drive(r)
	}
}

// traced opens the run's span, if runs are traced, and the run's log, each line of which names the
// run. For a run that no request began, a new id takes the place of the request's.
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
