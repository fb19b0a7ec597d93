package toolexec

import (
	"context"
	"log/slog"
)

type logKey struct{}

// WithLog returns a context whose log lines go to log, which adds for whom the work is done.
func WithLog(ctx context.Context, log *slog.Logger) context.Context {
	return context.WithValue(ctx, logKey{}, log)
}

// logger returns the log for a line about an app. The log of WithLog already names the app; to
// the executor's own, logger adds it.
func (e *Executor) logger(ctx context.Context, app string) *slog.Logger {
	if log, ok := ctx.Value(logKey{}).(*slog.Logger); ok {
		return log
	}
	return e.log.With("app", app)
}
