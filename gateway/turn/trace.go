package turn

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/model"
	"github.com/askgate/askgate/gateway/trace"
	"github.com/askgate/askgate/toolexec"
	"github.com/askgate/askgate/tools"
)

// WithLog has what is done under the context, beside a run, logged there.
func WithLog(ctx context.Context, log *slog.Logger) context.Context {
	return toolexec.WithLog(ctx, log)
}

// traced opens the run's span, where traces are made, and the run's log: each of its lines
// says which run it is about. A run that no request began has an id in the request's place.
func (t *transition) traced() (*trace.Run, *slog.Logger) {
	e := t.engine
	request := t.cmd.RequestID
	if request == "" {
		request = chat.NewID("run")
	}
	log := e.Log.With("requestId", request, "turnId", t.turn.ID, "chatId", t.head.ChatID, "app", t.app.ID)
	span := e.Traces.Begin(trace.Start{
		Run: t.record, App: t.app.ID, Node: e.Node, Closed: t.closed, Caller: t.cmd.TraceParent,
		Takeover: t.message == nil && !t.record.Resumed,
	})
	if span == nil {
		return nil, log
	}
	return span, log.With("traceId", span.ID())
}

// traceStep adds a request to the model, which failed with err or did not.
func (r *Run) traceStep(began time.Time, a *answer, outcome string, err error) {
	if r.trace == nil {
		return
	}
	m := r.setup.Config.Gateway.Models[r.draft.model]
	s := trace.Step{
		Began: began, FirstChunk: a.first, Name: r.draft.model, Provider: m.Provider, Model: m.Model, BaseURL: m.BaseURL,
		Finish: string(a.finish), Usage: chat.Usage(a.usage), Outcome: outcome,
	}
	var upstream *model.Error
	if errors.As(err, &upstream) {
		s.Status = upstream.Status
	}
	r.trace.Step(s)
}

// traceCalls observes the executor's calls; nil where no traces are made.
func (r *Run) traceCalls(calls []tools.Call) func(int, time.Time, tools.Outcome) {
	if r.trace == nil {
		return nil
	}
	return func(i int, began time.Time, out tools.Outcome) { r.trace.Call(calls[i], began, out) }
}
