// Package outage logs what is down without flooding the log: one line when an outage begins, at
// most one every 10 s while it lasts, with the failures since the line before, and one when it
// ends, with how long it lasted. Whatever reaches another server reports each attempt to a Log:
//
//	l := outage.New(log, "redis is unavailable", "redis is in use again", "for", "events")
//	l.Failed(err) // or
//	l.Works()
//
// Handler keeps the lines of others about the same outage out of the log.
package outage

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Every is the least time between two lines about the same outage.
const Every = 10 * time.Second

// Log is the log of one thing that can be down. The zero value is not usable. It is safe for
// concurrent use.
type Log struct {
	log         *slog.Logger
	fails, back string

	down     atomic.Bool
	mu       sync.Mutex
	began    time.Time // of the outage; zero while the thing works
	told     time.Time // when the newest line was logged
	open     bool      // the newest line says that the outage goes on
	failures int       // since the newest line
	all      int       // since the outage began
}

// New makes a Log whose lines say fails while an outage lasts, and back when it ends. attrs, as in
// log/slog, are in each line.
func New(log *slog.Logger, fails, back string, attrs ...any) *Log {
	return &Log{log: log.With(attrs...), fails: fails, back: back}
}

// Failed reports an attempt that failed. Further attrs are part of the line, if one is logged.
func (l *Log) Failed(err error, attrs ...any) { l.FailedIn(l.log, err, attrs...) }

// FailedIn is Failed with another logger, such as that of a run. The attrs of New are not added.
func (l *Log) FailedIn(log *slog.Logger, err error, attrs ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	if l.began.IsZero() {
		l.began, l.all = now, 0
		l.down.Store(true)
	}
	l.failures++
	l.all++
	if !l.told.IsZero() && now.Sub(l.told) < Every { // also if another outage has just ended
		return
	}
	attrs = append([]any{"error", err}, attrs...)
	if l.failures > 1 || now.After(l.began) {
		attrs = append(attrs, "failures", l.failures, "duration", now.Sub(l.began))
	}
	log.With(attrs...).Warn(l.fails) //nolint:sloglint // a constant of the caller
	l.told, l.open, l.failures = now, true, 0
}

// Works reports an attempt that succeeded, and whether it logged the end of an outage. attrs are as
// those of Failed.
func (l *Log) Works(attrs ...any) bool {
	if !l.down.Load() { // as nearly always: callers have hot paths
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.began.IsZero() {
		return false
	}
	now, ends := time.Now(), l.open
	if ends { // otherwise the log does not know of the outage
		attrs = append([]any{"duration", now.Sub(l.began), "failures", l.all}, attrs...)
		l.log.With(attrs...).Info(l.back) //nolint:sloglint // a constant of the caller
		l.told, l.open, l.failures = now, false, 0
	}
	l.began = time.Time{}
	l.down.Store(false)
	return ends
}

// Group has a Log for each of several things of one kind, such as models. It is safe for concurrent
// use.
type Group struct {
	make func(name string) *Log
	logs sync.Map // of *Log, by name
}

// NewGroup makes a group. Its lines have the name of the thing as the attribute kind.
func NewGroup(log *slog.Logger, fails, back, kind string) *Group {
	return &Group{make: func(name string) *Log { return New(log, fails, back, kind, name) }}
}

// Of returns the Log of a thing. Names must be from a bounded set.
func (g *Group) Of(name string) *Log {
	l, ok := g.logs.Load(name)
	if !ok {
		l, _ = g.logs.LoadOrStore(name, g.make(name))
	}
	return l.(*Log) //nolint:forcetypeassert // it has no others
}

// Handler returns a handler that passes records to next, but drops those at warning and error whose
// error is part of an outage that a Log reports. At level debug, it passes all of them.
func Handler(next slog.Handler, reported func(error) bool) slog.Handler {
	return &handler{Handler: next, reported: reported}
}

type handler struct {
	slog.Handler
	reported func(error) bool
	with     []slog.Attr // of the logger, which Handler does not have yet
}

// Handle implements slog.Handler.
func (h *handler) Handle(ctx context.Context, r slog.Record) error {
	if r.Level >= slog.LevelWarn && !h.Enabled(ctx, slog.LevelDebug) && h.drops(r) {
		return nil
	}
	if len(h.with) == 0 {
		return h.Handler.Handle(ctx, r)
	}
	all := slog.NewRecord(r.Time, r.Level, r.Message, r.PC)
	all.AddAttrs(h.with...)
	r.Attrs(func(a slog.Attr) bool {
		all.AddAttrs(a)
		return true
	})
	return h.Handler.Handle(ctx, all)
}

func (h *handler) drops(r slog.Record) (drop bool) {
	r.Attrs(func(a slog.Attr) bool {
		err, is := a.Value.Any().(error)
		drop = is && h.reported(err)
		return !drop
	})
	return drop
}

// WithAttrs implements slog.Handler. Attributes of a logger, such as those of a Log, are not looked at.
// They are formatted with the first record: each run has a logger, and most write nothing.
func (h *handler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return &handler{h.Handler, h.reported, slices.Concat(h.with, attrs)}
}

// WithGroup implements slog.Handler.
func (h *handler) WithGroup(name string) slog.Handler {
	next := h.Handler
	if len(h.with) > 0 {
		next = next.WithAttrs(h.with)
	}
	return &handler{Handler: next.WithGroup(name), reported: h.reported}
}

// Milliseconds is for slog.HandlerOptions.ReplaceAttr: durations are numbers of milliseconds, and
// their names end with _ms, the same in each format.
func Milliseconds(_ []string, a slog.Attr) slog.Attr {
	if a.Value.Kind() != slog.KindDuration {
		return a
	}
	return slog.Float64(a.Key+"_ms", float64(a.Value.Duration().Microseconds())/1000)
}
