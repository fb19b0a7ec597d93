package upstream

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/askgate/askgate/gateway/model"
)

const (
	// readSize is the size of a stream's read buffer in bytes, enough for some events. It reads
	// from the transport's own buffer. Longer lines are assembled.
	readSize = 2 << 10
	maxLine  = 16 << 20 // bytes of one line, or of an answer that is not streamed
	maxKept  = 64 << 10 // bytes of a buffer that is kept for another answer
	// endTime is how long the rest of the stream, such as usage, may take after the answer's end.
	endTime   = 5 * time.Second
	maxDrain  = 64 << 10 // bytes read after a complete answer
	drainTime = 50 * time.Millisecond
)

// Answer is an answer whose first byte has arrived. It is not safe for concurrent use.
type Answer struct {
	server   *Server
	said     func() []string // see Tries
	body     watchedBody
	lines    *lines
	promised bool // the last piece had More set
}

// lines holds the buffers of an answer, which later answers use again.
type lines struct {
	*bufio.Reader
	long []byte // a line that is longer than the reader's buffer
}

var buffers = sync.Pool{New: func() any { return &lines{Reader: bufio.NewReaderSize(nil, readSize)} }}

// open makes the answer read resp.
func (a *Answer) open(resp *http.Response) {
	resp.Header, resp.Request = nil, nil // the body keeps resp in memory until the answer ends
	a.body.body, a.body.left = resp.Body, maxBody
	a.lines = buffers.Get().(*lines)
	a.lines.Reset(&a.body)
}

// Close ends the request.
func (a *Answer) Close() {
	a.body.stop()
	a.body.cancel()
	_ = a.body.body.Close()
	a.lines.Reset(nil)
	a.lines.long = Keep(a.lines.long)
	buffers.Put(a.lines)
	a.lines = nil
}

// Keep returns a buffer for the next answer: b emptied, or nil if it is large.
func Keep(b []byte) []byte {
	if cap(b) > maxKept {
		return nil
	}
	return b[:0]
}

// Reasons for which reading ends, other than errors of the connection.
var (
	errLongLine = errors.New("a line has more than 16 MiB")
	errTooLong  = errors.New("the answer has more than 1 GiB")
	// ErrCut is the error of a body that ends before the answer in it does.
	ErrCut = &model.Error{Kind: model.KindCut, Detail: "the stream ended before the answer did"}
	// ErrTooManyCalls is the error of an answer with more than MaxCalls calls.
	ErrTooManyCalls = &model.Error{Kind: model.KindError, Detail: "the answer has more than " + strconv.Itoa(MaxCalls) + " tool calls"}
	// ErrMalformed is the error of a line that cannot be decoded. The line is not quoted, because it
	// may contain the user's text.
	ErrMalformed = &model.Error{Kind: model.KindCut, Detail: "a piece of the stream is not JSON, or not in the format of the API"}
)

// First skips white space and a byte order mark, and returns the byte after them without
// reading it.
func (a *Answer) First() (byte, error) {
	for {
		b, err := a.lines.Peek(1)
		if err != nil {
			return 0, err
		}
		if strings.IndexByte(" \t\r\n\xef\xbb\xbf", b[0]) < 0 {
			return b[0], nil
		}
		_, _ = a.lines.Discard(1)
	}
}

// Line returns a line without its end, valid until the next read. If it also returns an error, the
// line is the last one, and may be unfinished.
func (a *Answer) Line() ([]byte, error) {
	line, err := a.lines.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) {
		a.lines.long = a.lines.long[:0]
		for errors.Is(err, bufio.ErrBufferFull) {
			if len(a.lines.long)+len(line) > maxLine {
				return nil, errLongLine
			}
			a.lines.long = append(a.lines.long, line...)
			line, err = a.lines.ReadSlice('\n')
		}
		a.lines.long = append(a.lines.long, line...)
		line = a.lines.long
	}
	if n := len(line); n > 0 && line[n-1] == '\n' {
		line = line[:n-1]
	}
	if n := len(line); n > 0 && line[n-1] == '\r' {
		line = line[:n-1]
	}
	return line, err
}

// Data returns the payload of a data line, or false for other lines. A bare JSON object counts as
// a data line, because some servers report an error within a stream that way.
func Data(line []byte) ([]byte, bool) {
	const field = "data:"
	if len(line) >= len(field) && string(line[:len(field)]) == field {
		line = line[len(field):]
		if len(line) > 0 && line[0] == ' ' {
			line = line[1:]
		}
		return line, true
	}
	return line, len(line) > 0 && line[0] == '{'
}

// Append appends a line to others that are decoded together. The limit is that of one line.
func Append(dst, line []byte) ([]byte, error) {
	if len(dst)+len(line) > maxLine {
		return dst, errLongLine
	}
	return append(append(dst, '\n'), line...), nil
}

// Whole reads the rest of the body, for an answer that is not streamed.
func (a *Answer) Whole() ([]byte, error) {
	raw, err := io.ReadAll(io.LimitReader(a.lines, maxLine+1))
	if err == nil && len(raw) > maxLine {
		err = errLongLine
	}
	return raw, err
}

// more reports whether another whole data line has already been read.
func (a *Answer) more() bool {
	rest, _ := a.lines.Peek(a.lines.Buffered())
	for {
		end := bytes.IndexByte(rest, '\n')
		if end < 0 {
			return false
		}
		if _, is := Data(rest[:end]); is {
			return true
		}
		rest = rest[end+1:]
	}
}

// Yield yields a piece, and returns false if the caller has stopped. An empty piece is yielded
// only if the last one had More set and the next read would block, because the caller may be
// holding the last one back.
func (a *Answer) Yield(text, thinking []byte, yield func(model.Delta, error) bool) bool {
	empty := len(text)+len(thinking) == 0
	if empty && !a.promised {
		return true
	}
	more := a.more()
	if empty && more {
		return true
	}
	a.promised = more
	return yield(model.Delta{Text: text, Thinking: thinking, More: more}, nil)
}

// Ending limits the time for the rest of the stream. It is called when the server has sent the
// reason why the model stopped.
func (a *Answer) Ending() {
	a.body.limit(min(time.Duration(a.body.timeout.Load()), endTime))
}

// Drain reads the body of a complete answer to its end, within limits, so that the connection goes
// back to the pool. Otherwise net/http closes it, and the next request has to make a new one.
func (a *Answer) Drain() {
	a.body.limit(drainTime)
	_, _ = io.CopyN(io.Discard, a.body.body, maxDrain) // an error does not matter: the answer is complete
}

// Error returns the error to report if reading ended with err.
func (a *Answer) Error(ctx context.Context, err error) error {
	return a.server.told(a.ended(ctx, err), a.said)
}

func (a *Answer) ended(ctx context.Context, err error) error {
	var known *model.Error
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.As(err, &known):
		return err
	case a.body.expired.Load():
		return a.body.timedOut("no byte for ")
	case errors.Is(err, errLongLine) || errors.Is(err, errTooLong):
		return &model.Error{Kind: model.KindError, Detail: err.Error()}
	case errors.Is(err, io.EOF):
		return ErrCut
	}
	return &model.Error{Kind: model.KindCut, Detail: "the stream broke", Err: err}
}
