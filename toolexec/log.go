package toolexec

import (
	"context"
	"log/slog"
)

type logKey struct{}

// WithLog has what is done under the context logged there: the lines say for whom.
func WithLog(ctx context.Context, log *slog.Logger) context.Context {
	return context.WithValue(ctx, logKey{}, log)
}

// logger is the log of the context, for a line about an app: what WithLog was given says
// which, the executor's own does not.
func (e *Executor) logger(ctx context.Context, app string) *slog.Logger {
	if log, ok := ctx.Value(logKey{}).(*slog.Logger); ok {
		return log
	}
	return e.log.With("app", app)
}
