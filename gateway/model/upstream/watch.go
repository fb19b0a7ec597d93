package upstream

import (
	"context"
	"io"
	"math"
	"sync/atomic"
	"time"
)

// watch cancels a request that waits too long for bytes. Beginning and ending a wait
// do not touch the timer: when it fires, it looks how long the wait has been.
type watch struct {
	timer   *time.Timer
	timeout atomic.Int64 // time.Duration
	since   atomic.Int64 // when the wait began, Unix nanoseconds; 0: nobody waits
	expired atomic.Bool
	cancel  context.CancelFunc
}

func newWatch(timeout time.Duration, cancel context.CancelFunc) *watch {
	w := &watch{cancel: cancel}
	w.timer = time.AfterFunc(math.MaxInt64, w.look) // set before look can run
	w.limit(timeout)
	return w
}

// limit begins a wait that may take d.
func (w *watch) limit(d time.Duration) {
	w.timeout.Store(int64(d))
	w.begin()
	w.timer.Reset(d)
}

func (w *watch) begin() { w.since.Store(time.Now().UnixNano()) }
func (w *watch) end()   { w.since.Store(0) }

func (w *watch) look() {
	timeout := time.Duration(w.timeout.Load())
	rest := timeout
	if since := w.since.Load(); since != 0 {
		rest -= time.Since(time.Unix(0, since))
	}
	if rest > 0 {
		w.timer.Reset(rest)
		return
	}
	w.expired.Store(true)
	w.cancel()
}

func (w *watch) stop() { w.timer.Stop() }

// watchedBody is a body whose reads are timed, and its bytes counted. The time
// that the caller takes between reads does not count.
type watchedBody struct {
	*watch
	body  io.ReadCloser
	left  int64 // bytes that may still come
	begun bool  // the first read goes on with the time that the request has left
}

func (b *watchedBody) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, errTooLong
	}
	if b.begun {
		b.watch.begin()
	}
	b.begun = true
	n, err := b.body.Read(p)
	b.end()
	b.left -= int64(n)
	return n, err
}
