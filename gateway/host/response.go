package host

import (
	"cmp"
	"encoding/json"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"time"

	"github.com/askgate/askgate/gateway/turn"
)

// WriteTimeout is how long a client may take to read a response that is not a stream.
const WriteTimeout = 30 * time.Second

// writeJSON sends a whole JSON response. The client has WriteTimeout to take it.
func writeJSON(w *Response, status int, contentType string, body any) error {
	data, err := json.Marshal(body)
	if err != nil { // values of our own types marshal
		panic(err)
	}
	return send(w, status, contentType, data)
}

// send sends a whole response. The client has WriteTimeout to take it. An error means that the
// client did not take all of it.
func send(w *Response, status int, contentType string, data []byte) error {
	h := w.Header()
	h.Set("Content-Type", contentType)
	h.Set("Content-Length", strconv.Itoa(len(data)))
	h.Set("Cache-Control", "no-store")
	rc := http.NewResponseController(w)
	_ = rc.SetWriteDeadline(time.Now().Add(WriteTimeout)) // not supported: no connection to protect
	w.WriteHeader(status)
	_, err := w.Write(data)
	if flushed := rc.Flush(); err == nil && !errors.Is(flushed, http.ErrNotSupported) {
		err = flushed
	}
	_ = rc.SetWriteDeadline(time.Time{}) // the connection may carry the next request
	return err
}

// Response counts what goes out. It sits between gin and net/http, and streams write to it
// directly.
type Response struct {
	http.ResponseWriter
	flusher   interface{ FlushError() error } // the same; nil if it cannot report the outcome of a flush
	conn      net.Conn                        // nil if it is not known
	requestID string
	About     about
	setup     *turn.Setup // taken once, so that a reload does not change a request under way
	route     string      // the pattern, "" if none matched
	status    int         // 0: not sent yet
	bytes     int64
}

func (w *Response) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// WriteHeader passes on the first status. gin writes one of its own after the handler, because it
// does not see what was written here.
func (w *Response) WriteHeader(status int) {
	if w.status != 0 {
		return
	}
	if status >= 200 {
		w.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *Response) Write(p []byte) (int, error) {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	n, err := w.ResponseWriter.Write(p)
	w.bytes += int64(n)
	return n, err
}

// FlushError saves the stream's writer the calls of Unwrap at each flush.
func (w *Response) FlushError() error {
	if w.flusher != nil {
		return w.flusher.FlushError()
	}
	return http.NewResponseController(w.ResponseWriter).Flush()
}

// Conn implements sse.Direct.
func (w *Response) Conn() net.Conn { return w.conn }

// Sent implements sse.Direct.
func (w *Response) Sent(bytes int64) { w.bytes += bytes }

// ResponseOf returns the Response below other writers.
func ResponseOf(w http.ResponseWriter) *Response {
	for {
		if r, ok := w.(*Response); ok {
			return r
		}
		w = w.(interface{ Unwrap() http.ResponseWriter }).Unwrap()
	}
}

// knownMethod keeps callers from inventing label values.
func knownMethod(m string) string {
	switch m {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions:
		return m
	}
	return "other"
}

// about has what the log lines of a request say in addition to its id, as far as it is known: the
// id of the key that it came with, and the chat and turn that it is about. The chat of a
// successful request that begins no run is not logged.
type about struct{ keyID, App, ChatID, turnID string }

func (w *Response) attrs() []slog.Attr {
	list := []slog.Attr{slog.String("requestId", w.requestID)}
	for _, a := range []slog.Attr{
		slog.String("turnId", w.About.turnID), slog.String("chatId", w.About.ChatID), slog.String("app", w.About.App), slog.String("keyId", w.About.keyID),
	} {
		if a.Value.String() != "" {
			list = append(list, a)
		}
	}
	return list
}

// ran notes the turn of a run once it is known, or the one that was known before.
func (a *about) ran(turn string) { a.turnID = cmp.Or(turn, a.turnID) }

// bodyTimeout is how long a client may take to send its body, even one that no handler reads:
// net/http reads the rest of it before it answers.
const bodyTimeout = 30 * time.Second

// bytesInTime is how much of a larger body must arrive within bodyTimeout.
const bytesInTime = 4 << 20

// awaitBody sets the deadline for a body of at most size bytes; bodyIsIn lifts it, for requests
// that go on longer than that.
func (w *Response) awaitBody(size int64) {
	within := time.Duration(max(1, (size+bytesInTime-1)/bytesInTime)) * bodyTimeout
	_ = http.NewResponseController(w.ResponseWriter).SetReadDeadline(time.Now().Add(within)) // not supported: no connection to protect
}

func (w *Response) BodyIsIn() {
	_ = http.NewResponseController(w.ResponseWriter).SetReadDeadline(time.Time{})
}
