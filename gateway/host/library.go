package host

import (
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/askgate/askgate/gateway/sse"
)

// Library is the response as a front's library writes it: a stream of events gets
// heartbeats, and a client that takes nothing is dropped. Safe for concurrent use; nothing is
// written after close.
type Library struct {
	R      *Request
	W      *response
	mu     sync.Mutex
	stream *sse.Writer
	closed bool
}

// Header implements http.ResponseWriter.
func (l *Library) Header() http.Header { return l.W.Header() }

// WriteHeader implements http.ResponseWriter. A stream begins with it.
func (l *Library) WriteHeader(status int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.begin(status)
}

func (l *Library) begin(status int) {
	switch {
	case l.closed || l.W.status != 0:
	case status == http.StatusOK && strings.HasPrefix(l.W.Header().Get("Content-Type"), TypeStream):
		l.R.AsStream()
		l.W.Header().Del("Connection") // net/http sees to it
		l.stream = sse.NewWriter(l.W, l.R.Host.Stream)
		_ = l.stream.Write(nil) // the client's loss only
	default:
		_ = http.NewResponseController(l.W).SetWriteDeadline(time.Now().Add(WriteTimeout)) // not supported: no connection to protect
		l.W.WriteHeader(status)
	}
}

// Write implements http.ResponseWriter.
func (l *Library) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.begin(http.StatusOK)
	switch {
	case l.closed:
		return 0, sse.ErrClosed
	case l.stream == nil:
		return l.W.Write(p)
	}
	if err := l.stream.Write(p); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Flush implements http.Flusher: a stream is flushed at each write, and the rest at the end.
func (*Library) Flush() {}

func (l *Library) Close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	if l.stream != nil {
		l.stream.Close()
		return
	}
	rc := http.NewResponseController(l.W)
	_ = rc.Flush()
	_ = rc.SetWriteDeadline(time.Time{}) // the connection may carry the next request
}
