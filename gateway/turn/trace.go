package turn

import (
	"errors"
	"log/slog"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/model"
	"github.com/askgate/askgate/gateway/trace"
	"github.com/askgate/askgate/tools"
)

// traced opens the run's span, where traces are made. Its lines in the log name it.
func (s *submission) traced(takeover bool) (*trace.Run, *slog.Logger) {
	e := s.engine
	t := e.Traces.Begin(trace.Start{
		Run: s.record, App: s.app.ID, Node: e.Node, Closed: s.closed, Takeover: takeover, Caller: s.cmd.TraceParent,
	})
	if t == nil {
		return nil, e.Log
	}
	return t, e.Log.With("traceId", t.ID())
}

// traceStep adds a request to the model, which failed with err or did not.
func (r *Run) traceStep(began time.Time, a *answer, outcome string, err error) {
	if r.trace == nil {
		return
	}
	m := r.setup.Config.Gateway.Models[r.model]
	s := trace.Step{
		Began: began, FirstChunk: a.first, Name: r.model, Provider: m.Provider, Model: m.Model, BaseURL: m.BaseURL,
		Finish: string(a.finish), Usage: chat.Usage(a.usage), Outcome: outcome,
	}
	var upstream *model.Error
	if errors.As(err, &upstream) {
		s.Status = upstream.Status
	}
	r.trace.Step(s)
}

// traceCalls is what the executor tells of calls to; nil where nobody listens.
func (r *Run) traceCalls(calls []tools.Call) func(int, time.Time, tools.Outcome) {
	if r.trace == nil {
		return nil
	}
	return func(i int, began time.Time, out tools.Outcome) { r.trace.Call(calls[i], began, out) }
}
