package sse

import (
	"errors"
	"math"
	"net/http"
	"sync"
	"time"

	"github.com/askgate/askgate/gateway/smallstack"
)

// Defaults of Options. Proxies commonly close a connection that was quiet for
// 30 s or 60 s, some after 20 s; the gateway promises a sign of life every 15 s,
// and this leaves a second for the way. A write blocks only for a client that is far behind
// (see Listen); one that stays so for the write timeout is dropped, and gets everything
// when it reconnects.
const (
	DefaultHeartbeat    = 14 * time.Second
	DefaultWriteTimeout = time.Second
)

// ErrClosed is what writing to a closed Writer returns.
var ErrClosed = errors.New("sse: writer is closed")

// Options of a Writer. The zero value means the defaults.
type Options struct {
	// Heartbeat is the longest time without a write.
	Heartbeat time.Duration
	// WriteTimeout is how long a client may take nothing before it is dropped. As
	// the deadline moves lazily, a write fails after half of it at the earliest.
	WriteTimeout time.Duration
}

// Writer sends one event stream. Its methods are safe for concurrent use, with
// each other and with the heartbeat; each returns the first error there was,
// from then on always. Every Writer must be closed before its handler returns.
type Writer struct {
	w     http.ResponseWriter
	rc    *http.ResponseController
	flush flusher

	heartbeat time.Duration
	timeout   time.Duration

	mu       sync.Mutex
	err      error
	last     time.Time // of the last write
	deadline time.Time // when the write deadline was set; zero: none is
	timer    *time.Timer
	begun    bool // something was sent
}

var heartbeatFrame = appendComment(nil, "heartbeat")

// NewWriter begins an event stream on w, which may be wrapped by anything that
// http.ResponseController can see through: headers, status 200 and a first comment.
// They are sent together with the first write; Write(nil) sends them at once.
func NewWriter(w http.ResponseWriter, opts Options) *Writer {
	if opts.Heartbeat <= 0 {
		opts.Heartbeat = DefaultHeartbeat
	}
	if opts.WriteTimeout <= 0 {
		opts.WriteTimeout = DefaultWriteTimeout
	}
	s := &Writer{
		w:         w,
		rc:        http.NewResponseController(w),
		flush:     findFlusher(w),
		timeout:   opts.WriteTimeout,
		heartbeat: opts.Heartbeat,
	}
	s.timer = time.AfterFunc(math.MaxInt64, s.beat) // set before beat can run
	h := w.Header()
	h.Set("Content-Type", "text/event-stream; charset=utf-8")
	h.Set("Cache-Control", "no-cache, no-transform") // no-transform: compression would buffer
	h.Set("X-Accel-Buffering", "no")                 // nginx, and proxies that imitate it
	h.Del("Content-Length")
	// Connection is left to net/http: keep-alive is the default of HTTP/1.1, and
	// the field is not allowed in HTTP/2.
	w.WriteHeader(http.StatusOK)

	s.mu.Lock()
	defer s.mu.Unlock()
	_, s.err = w.Write(appendComment(nil, "stream"))
	s.last = time.Now()
	s.timer.Reset(s.rest())
	return s
}

// Write sends whole frames (see AppendEvent), as many as there are, in one write
// and one flush. It blocks while the client takes nothing, up to the write
// timeout. It does not keep frames.
func (s *Writer) Write(frames []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.write(frames)
}

// Comment sends a comment, which clients ignore and people see in a trace.
func (s *Writer) Comment(text string) error { return s.Write(appendComment(nil, text)) }

// Retry tells the client how long to wait before it comes back after the stream
// has ended.
func (s *Writer) Retry(d time.Duration) error { return s.Write(appendRetry(nil, d)) }

// Close stops the heartbeat and takes the write deadline off the connection, so
// that it can carry the next request. It waits for a write under way and may be
// called more than once. The response itself ends when its handler returns.
func (s *Writer) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if errors.Is(s.err, ErrClosed) {
		return
	}
	s.timer.Stop()
	if s.err == nil {
		_ = s.rc.SetWriteDeadline(time.Time{}) // not supported: none was set
	}
	s.err = ErrClosed
}

// write sends p. The caller holds mu.
func (s *Writer) write(p []byte) error {
	if s.err != nil {
		return s.err
	}
	s.last = time.Now()
	if s.last.Sub(s.deadline) >= s.timeout/2 {
		// Where deadlines are not supported there is no connection to protect.
		_ = s.rc.SetWriteDeadline(s.last.Add(s.timeout))
		if s.deadline.IsZero() { // beat must look sooner
			s.timer.Reset(s.timeout / 4)
		}
		s.deadline = s.last
	}
	if s.begun {
		s.send(p)
	} else {
		s.begun = true
		smallstack.Run(func() { s.send(p) }) // the response's head is sent with it
	}
	return s.err
}

func (s *Writer) send(p []byte) {
	if _, s.err = s.w.Write(p); s.err == nil {
		s.err = s.flush.FlushError()
	}
}

// beat runs when the timer fires: it sends a heartbeat where one is due, and takes
// the deadline off a stream that went quiet. Writes touch the
// timer only when they end the quiet.
func (s *Writer) beat() {
	if !s.mu.TryLock() {
		// A write is under way: do not wait for it, perhaps for as long as the client
		// takes nothing. If Close has just stopped the timer, it fires once more and
		// does nothing.
		s.timer.Reset(s.timeout)
		return
	}
	defer s.mu.Unlock()
	quiet := time.Since(s.last)
	if s.err == nil && quiet >= s.heartbeat {
		_ = s.write(heartbeatFrame)
	}
	if s.err != nil {
		return
	}
	// HTTP/2 resets a stream whose deadline passes even while nothing is being
	// written: a quiet stream must have none. After a write, at least half of the time
	// is left until the deadline.
	if quiet >= s.timeout/4 && !s.deadline.IsZero() {
		_ = s.rc.SetWriteDeadline(time.Time{})
		s.deadline = time.Time{}
	}
	s.timer.Reset(s.rest())
}

// rest is the time until beat has something to do. The caller holds mu.
func (s *Writer) rest() time.Duration {
	if !s.deadline.IsZero() {
		return min(s.timeout/4, s.heartbeat)
	}
	return max(s.heartbeat-time.Since(s.last), 0)
}

// flusher is found once, as http.ResponseController would look for it at each
// flush.
type flusher struct {
	plain   http.Flusher // a wrapper that flushes without saying how it went, or nil
	checked interface{ FlushError() error }
}

// findFlusher walks from the outermost wrapper inwards to the first that can
// flush. Some wrappers (gin's) can only flush without an error; then the next
// one below that reports errors is asked too: with nothing left to flush, that
// costs nearly nothing and shows at once that the client is gone.
func findFlusher(w http.ResponseWriter) flusher {
	var f flusher
	for {
		if checked, ok := w.(interface{ FlushError() error }); ok {
			f.checked = checked
			return f
		}
		if plain, ok := w.(http.Flusher); ok && f.plain == nil {
			f.plain = plain
		}
		wrapper, ok := w.(interface{ Unwrap() http.ResponseWriter })
		if !ok {
			return f
		}
		w = wrapper.Unwrap()
	}
}

func (f flusher) FlushError() error {
	if f.plain != nil {
		f.plain.Flush()
	}
	if f.checked != nil {
		return f.checked.FlushError()
	}
	if f.plain == nil {
		return http.ErrNotSupported
	}
	return nil
}
