package upstream

import (
	"context"
	"io"
	"math"
	"sync/atomic"
	"time"

	"github.com/askgate/askgate/gateway/model"
)

// watch cancels a request that waits too long for bytes, in one wait or in all waits together.
// Beginning and ending a wait does not change the timer: when it fires, look checks how long the wait
// has been.
type watch struct {
	timer   *time.Timer
	timeout atomic.Int64 // time.Duration
	left    atomic.Int64 // time.Duration: of the step's time, without the current wait
	since   atomic.Int64 // when the wait began, see clock; 0: none is under way
	expired atomic.Bool
	over    atomic.Bool // it was the step's time that expired
	cancel  context.CancelFunc
}

// start begins the first wait; step is the time that all of them have. The zero watch can be started once.
func (w *watch) start(timeout, step time.Duration, cancel context.CancelFunc) {
	w.cancel = cancel
	w.timer = time.AfterFunc(math.MaxInt64, w.look) // set before look can run
	w.left.Store(int64(step))
	w.limit(timeout)
}

// limit begins a wait that may take d.
func (w *watch) limit(d time.Duration) {
	w.timeout.Store(int64(d))
	w.begin()
	w.timer.Reset(min(d, time.Duration(w.left.Load())))
}

// epoch is when clock began.
var epoch = time.Now()

// clock reads the monotonic clock, in nanoseconds. It is never 0.
func clock() int64 { return int64(time.Since(epoch)) | 1 }

func (w *watch) begin() { w.since.Store(clock()) }

// end ends the wait and counts it. The order matters: look, which may run at the same time, must not
// count the wait twice.
func (w *watch) end() {
	if since := w.since.Swap(0); since != 0 {
		w.left.Add(since - clock())
	}
}

func (w *watch) look() {
	left := time.Duration(w.left.Load()) // must be read before since, see end
	rest := time.Duration(w.timeout.Load())
	if since := w.since.Load(); since != 0 {
		waited := time.Duration(clock() - since)
		rest, left = rest-waited, left-waited
	}
	if rest > 0 && left > 0 {
		w.timer.Reset(min(rest, left))
		return
	}
	w.over.Store(left <= 0)
	w.expired.Store(true)
	w.cancel()
}

func (w *watch) stop() { w.timer.Stop() }

// timedOut returns the error of a request that the watch has cancelled. before begins the text with
// what did not arrive.
func (w *watch) timedOut(before string) *model.Error {
	if w.over.Load() {
		return &model.Error{Kind: model.KindTimeout, Detail: "the answer did not end within ten times the model's \"timeout\""}
	}
	return &model.Error{Kind: model.KindTimeout, Detail: before + time.Duration(w.timeout.Load()).String()}
}

// watchedBody is a body whose reads are timed and whose bytes are counted. The time that the caller
// takes between reads does not count.
type watchedBody struct {
	watch
	body  io.ReadCloser
	left  int64 // bytes that may still follow
	begun bool  // false: the first read belongs to the wait that the request began
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
