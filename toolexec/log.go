package toolexec

import (
	"context"
	"log/slog"

	"github.com/askgate/askgate/tools"
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

// logFailure logs a call that failed, or that the tool's service rejected. Errors that are the
// model's, and calls that were cancelled, are not logged. cause is "" if nothing more is known.
// The line has no arguments, and nothing that a server, the model or a user wrote.
func (e *Executor) logFailure(ctx context.Context, b *bound, app string, failed *tools.Error, cause string) {
	level := slog.LevelError
	switch outcomeOf(failed) {
	case outcomeError:
	case outcomeRejected:
		level = slog.LevelInfo // the tool works
	default:
		return
	}
	attrs := []slog.Attr{slog.String("tool", b.entry.ID), slog.String("code", failed.Code)}
	if failed.Status != 0 {
		attrs = append(attrs, slog.Int("status", failed.Status))
	}
	if cause != "" {
		attrs = append(attrs, slog.String("error", cause))
	}
	e.logger(ctx, app).LogAttrs(ctx, level, "tool failed", attrs...)
}
