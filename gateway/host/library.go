package host

import (
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/askgate/askgate/gateway/sse"
)

// library is the response that a front's library writes to. A stream of events gets heartbeats,
// and a client that takes nothing is dropped. Safe for concurrent use; nothing is written after
// close.
type library struct {
	r      *Request
	w      *Response
	mu     sync.Mutex
	stream *sse.Writer
	closed bool
}

// Header implements http.ResponseWriter.
func (l *library) Header() http.Header { return l.w.Header() }

// WriteHeader implements http.ResponseWriter. A stream begins with it.
func (l *library) WriteHeader(status int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.begin(status)
}

func (l *library) begin(status int) {
	switch {
	case l.closed || l.w.status != 0:
	case status == http.StatusOK && strings.HasPrefix(l.w.Header().Get("Content-Type"), TypeStream):
		l.r.AsStream()
		l.w.Header().Del("Connection") // net/http handles it
		l.stream = sse.NewWriter(l.w, l.r.Host.Stream)
		_ = l.stream.Write(nil) // only the client loses by it
	default:
		_ = http.NewResponseController(l.w).SetWriteDeadline(time.Now().Add(WriteTimeout)) // not supported: no connection to protect
		l.w.WriteHeader(status)
	}
}

// Write implements http.ResponseWriter.
func (l *library) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.begin(http.StatusOK)
	switch {
	case l.closed:
		return 0, sse.ErrClosed
	case l.stream == nil:
		return l.w.Write(p)
	}
	if err := l.stream.Write(p); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Flush implements http.Flusher. It does nothing: a stream is flushed at each write, and the rest
// at the end.
func (*library) Flush() {}

func (l *library) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	if l.stream != nil {
		l.stream.Close()
		return
	}
	rc := http.NewResponseController(l.w)
	_ = rc.Flush()
	_ = rc.SetWriteDeadline(time.Time{}) // the connection may carry the next request
}

// Lend lets a library write the whole response. An event stream gets heartbeats, and several
// goroutines may write to it, each of them whole events.
func Lend(r *Request, to http.Handler) {
	open := r.Host.Metrics.streams.WithLabelValues(r.App.ID)
	open.Inc()
	defer open.Dec()
	l := &library{r: r, w: r.Response()}
	defer l.close()
	to.ServeHTTP(l, r.HTTP())
}

// Sealed makes a text that a client keeps for the gateway, and Unsealed opens it, also on other
// nodes if they have a secret for it (auth.session.secret). It opens only for the same caller.
func Sealed(r *Request, data []byte) (string, error) {
	box, err := r.Host.keeper.of(r.Conf().Auth.Session.Secret)
	if err != nil {
		return "", err
	}
	return box.Seal(append([]byte(owns(r)), data...)), nil
}

// Unsealed opens what Sealed made.
func Unsealed(r *Request, text string) (data []byte, ok bool) {
	box, err := r.Host.keeper.of(r.Conf().Auth.Session.Secret)
	if err != nil {
		return nil, false
	}
	sealed, ok := box.Open(text)
	rest, own := strings.CutPrefix(string(sealed), owns(r))
	return []byte(rest), ok && own
}

// owns returns the beginning of what is sealed for the caller, in the format.
func owns(r *Request) string { return r.FormatName() + "\x00" + r.Principal() + "\x00" }
