package run

import (
	"errors"
	"time"

	"github.com/askgate/askgate/gateway/model"
	"github.com/askgate/askgate/gateway/trace"
	"github.com/askgate/askgate/tools"
)

// traceStep adds a request to the model to the trace; err is its error, if it failed.
func (d *draft) traceStep(began time.Time, a *answer, outcome string, err error) {
	if d.run.Trace == nil {
		return
	}
	m := d.run.Setup.Config.Gateway.Models[d.model]
	s := trace.Step{
		Began: began, FirstChunk: a.first, Name: d.model, Provider: m.Provider, Model: m.Model, BaseURL: m.BaseURL,
		Finish: string(a.finish), Usage: used(a.usage), Outcome: outcome,
	}
	var upstream *model.Error
	if errors.As(err, &upstream) {
		s.Status = upstream.Status
	}
	d.run.Trace.Step(s)
}

// traceCalls returns a function that observes the executor's calls, or nil if the run is not traced.
func (r *Run) traceCalls(calls []tools.Call) func(int, time.Time, tools.Outcome) {
	if r.Trace == nil {
		return nil
	}
	return func(i int, began time.Time, out tools.Outcome) { r.Trace.Call(calls[i], began, out) }
}
