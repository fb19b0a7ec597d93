package turn

import (
	"context"
	"log/slog"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/trace"
	"github.com/askgate/askgate/toolexec"
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
