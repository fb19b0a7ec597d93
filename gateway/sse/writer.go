package sse

import (
	"errors"
	"math"
	"net/http"
	"sync"
	"time"

	"github.com/askgate/askgate/gateway/smallstack"
)

// These are the defaults of Options. Proxies commonly close a connection that was quiet for 30 s
// or 60 s, some after 20 s. The gateway promises a sign of life every 15 s, and this leaves a
// second for transmission. A write blocks only for a client that is far behind (see Listen); a
// client that stays behind for the write timeout is dropped, and gets everything when it
// reconnects.
const (
	DefaultHeartbeat    = 14 * time.Second
	DefaultWriteTimeout = time.Second
)

// ErrClosed is the error of writing to a closed Writer.
var ErrClosed = errors.New("sse: writer is closed")

// Options are the options of a Writer. The zero value means the defaults.
type Options struct {
	// Heartbeat is the longest time without a write.
	Heartbeat time.Duration
	// WriteTimeout is how long a client may take nothing before it is dropped. Because the deadline
	// is moved lazily, a write may fail after half of it, but not earlier.
	WriteTimeout time.Duration
}

// Writer sends one event stream. Its methods are safe for concurrent use, with each other and
// with the heartbeat. After an error, all of them return the first one. Every Writer must be
// closed before its handler returns.
type Writer struct {
	// What a write looks at is together.
	mu       sync.Mutex
	err      error
	last     time.Time // time of the last write
	deadline time.Time // when the write deadline was set; zero: no deadline
	timeout  time.Duration
	conn     *conn // writes chunks directly; nil: through w
	sent     int64 // bytes that conn has written
	begun    bool  // something was sent

	w         http.ResponseWriter
	rc        *http.ResponseController
	flush     flusher
	heartbeat time.Duration
	timer     *time.Timer
}

var heartbeatFrame = appendComment(nil, "heartbeat")

// NewWriter begins an event stream on w: headers, status 200 and a first comment. w may be
// wrapped by anything that http.ResponseController can unwrap. They are sent together with the
// first write; Write(nil) sends them at once.
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
	// net/http handles Connection: keep-alive is the default of HTTP/1.1, and the field is not
	// allowed in HTTP/2.
	w.WriteHeader(http.StatusOK)

	s.mu.Lock()
	defer s.mu.Unlock()
	_, s.err = w.Write(appendComment(nil, "stream"))
	s.last = time.Now()
	s.timer.Reset(s.rest())
	return s
}

// Write sends any number of whole frames (see AppendEvent) in one write and one flush. It blocks
// while the client takes nothing, up to the write timeout. It does not keep frames.
func (s *Writer) Write(frames []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.write(frames)
}

// Comment sends a comment, which clients ignore and people see in a trace.
func (s *Writer) Comment(text string) error { return s.Write(appendComment(nil, text)) }

// Retry tells the client how long to wait before it comes back after the stream has ended.
func (s *Writer) Retry(d time.Duration) error { return s.Write(appendRetry(nil, d)) }

// Close stops the heartbeat and removes the write deadline from the connection, so that it can
// carry the next request. It waits for a write under way and may be called more than once. The
// response itself ends when its handler returns.
func (s *Writer) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if errors.Is(s.err, ErrClosed) {
		return
	}
	s.timer.Stop()
	if s.sent > 0 {
		s.w.(Direct).Sent(s.sent)
	}
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
		// If deadlines are not supported, there is no connection to protect.
		_ = s.rc.SetWriteDeadline(s.last.Add(s.timeout))
		if s.deadline.IsZero() { // beat must check sooner
			s.timer.Reset(s.timeout / 4)
		}
		s.deadline = s.last
	}
	if s.begun {
		s.send(p)
	} else {
		s.begun = true
		s.begin(p)
	}
	return s.err
}

// begin sends the response's header along with p, and looks for a way around net/http for what follows.
func (s *Writer) begin(p []byte) {
	var c *conn
	if d, ok := s.w.(Direct); ok {
		c, _ = d.Conn().(*conn)
	}
	if c != nil {
		c.expectHead()
	}
	smallstack.Run(func() { s.send(p) })
	if c != nil && s.err == nil && c.isChunked() {
		s.conn = c
	}
}

func (s *Writer) send(p []byte) {
	if s.conn != nil && len(p) > 0 && len(p) <= maxChunk {
		if s.err = s.conn.chunk(p); s.err == nil {
			s.sent += int64(len(p))
			return
		}
		// The connection takes nothing more. net/http notices when it writes, and ends the request's context.
		_, _ = s.w.Write(heartbeatFrame)
		_ = s.flush.FlushError()
		return
	}
	if _, s.err = s.w.Write(p); s.err == nil {
		s.err = s.flush.FlushError()
	}
}

// beat runs when the timer fires: it sends a heartbeat if one is due, and removes the deadline
// from a stream that has gone quiet. Writes touch the timer only when they end the quiet.
func (s *Writer) beat() {
	if !s.mu.TryLock() {
		// A write is under way: do not wait for it, perhaps for as long as the client takes nothing. If
		// Close has just stopped the timer, it fires once more and does nothing.
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
	// HTTP/2 resets a stream whose deadline passes even while nothing is being written, so a quiet
	// stream must have none. After a write, at least half of the time is left until the deadline.
	if quiet >= s.timeout/4 && !s.deadline.IsZero() {
		_ = s.rc.SetWriteDeadline(time.Time{})
		s.deadline = time.Time{}
	}
	s.timer.Reset(s.rest())
}

// rest returns the time until beat has something to do. The caller holds mu.
func (s *Writer) rest() time.Duration {
	if !s.deadline.IsZero() {
		return min(s.timeout/4, s.heartbeat)
	}
	return max(s.heartbeat-time.Since(s.last), 0)
}

// flusher is looked up once, as http.ResponseController would do at each flush.
type flusher struct {
	plain   http.Flusher // a wrapper that flushes without reporting the outcome, or nil
	checked interface{ FlushError() error }
}

// findFlusher goes from the outermost wrapper inwards to the first that can flush. Some wrappers
// (gin's) can only flush without an error. Then the next one below that reports errors is called
// as well: with nothing left to flush, that costs nearly nothing and shows at once that the
// client is gone.
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
