package openai

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/askgate/askgate/gateway/model"
)

// finishTime is how long usage and [DONE] may take after the finish reason.
const finishTime = 5 * time.Second

// maxKept is the size in bytes of a buffer that is kept for the next stream.
const maxKept = 64 << 10

// stream is an answer being read.
type stream struct {
	lines   lines
	scanner scanner
	a       *attempt

	calls    calls
	finish   string
	usage    *model.Usage
	partial  []byte // data lines that are no JSON yet: an event may be spread over several
	broken   bool   // partial is in use
	promised bool   // the last piece said More
}

var streams = sync.Pool{New: func() any { return new(stream) }}

func newStream(a *attempt) *stream {
	s := streams.Get().(*stream)
	s.a, s.lines.r = a, a.lines
	return s
}

// release keeps the buffers for another stream.
func (s *stream) release() {
	keep := func(b []byte) []byte {
		if cap(b) > maxKept {
			return nil
		}
		return b[:0]
	}
	sc := scanner{head: keep(s.scanner.head), tail: keep(s.scanner.tail)}
	sc.buf[0], sc.buf[1] = keep(s.scanner.buf[0]), keep(s.scanner.buf[1])
	sc.head = sc.head[:0]
	*s = stream{scanner: sc, lines: lines{long: keep(s.lines.long)}, partial: keep(s.partial)}
	streams.Put(s)
}

type yieldFunc = func(model.Delta, error) bool

// run yields the answer's pieces, then its end or its error.
func (s *stream) run(ctx context.Context, yield yieldFunc) {
	first, err := s.first()
	switch {
	case err == nil && first == '{':
		err = s.whole(yield)
	case err == nil && first == '<':
		err = &model.Error{Kind: model.KindError, Detail: "the server answered with a web page; check baseUrl"}
	case err == nil:
		err = s.events(yield)
	}
	switch {
	case errors.Is(err, errLeft):
	case err == nil || errors.Is(err, errDone) || s.finish != "" && !isModelError(err) && ctx.Err() == nil:
		yield(s.last(), nil)
		if errors.Is(err, errDone) {
			s.a.drain()
		}
	default:
		yield(model.Delta{}, s.failure(ctx, err))
	}
}

// How reading ends, besides errors of the connection.
var (
	errDone = errors.New("done")            // [DONE]
	errLeft = errors.New("the caller left") // yield said no
)

func isModelError(err error) bool {
	var e *model.Error
	return errors.As(err, &e)
}

// first returns the first byte that is no white space, nor of a byte order mark.
func (s *stream) first() (byte, error) {
	for {
		b, err := s.lines.r.Peek(1)
		if err != nil {
			return 0, err
		}
		if !bytes.Contains([]byte(" \t\r\n\xef\xbb\xbf"), b) {
			return b[0], nil
		}
		_, _ = s.lines.r.Discard(1)
	}
}

// events reads the event stream. It returns nil at a body's end after a finish
// reason.
func (s *stream) events(yield yieldFunc) error {
	for {
		line, end := s.lines.next()
		payload, isData := data(line)
		var p piece
		var err error
		switch {
		case isData && string(bytes.TrimSpace(payload)) == "[DONE]":
			return errDone
		case isData:
			p, err = s.event(payload)
		case len(line) == 0 && end == nil:
			p, err = s.mend(false)
		}
		if err != nil {
			return err
		}
		if isData || len(p.text)+len(p.thinking) > 0 {
			if !s.yield(p, yield) {
				return errLeft
			}
		}
		if end != nil {
			return s.end(end, yield)
		}
	}
}

// end is what the end of the body means.
func (s *stream) end(err error, yield yieldFunc) error {
	if !errors.Is(err, io.EOF) {
		return err
	}
	p, mendErr := s.mend(true)
	if mendErr != nil {
		return mendErr
	}
	if !s.yield(p, yield) {
		return errLeft
	}
	if s.finish == "" {
		return errCut
	}
	return nil
}

// errCut is a body that ends properly, without an end of the answer.
var errCut = &model.Error{Kind: model.KindCut, Detail: "the stream ended without a finish reason or [DONE]"}

// errMalformed does not quote the chunk: it may hold the user's text.
var errMalformed = &model.Error{Kind: model.KindCut, Detail: "a chunk of the stream is not JSON, or not a chunk"}

// piece is the text of one chunk.
type piece struct{ text, thinking []byte }

// yield hands a piece on. An empty one is handed on only where the piece before
// promised more and now the next read would block: a writer may be waiting with it.
func (s *stream) yield(p piece, yield yieldFunc) bool {
	empty := len(p.text)+len(p.thinking) == 0
	if empty && !s.promised {
		return true
	}
	more := s.lines.more()
	if empty && more {
		return true
	}
	s.promised = more
	return yield(model.Delta{Text: p.text, Thinking: p.thinking, More: more}, nil)
}

// event decodes a data line.
func (s *stream) event(payload []byte) (piece, error) {
	if s.broken {
		if len(s.partial)+len(payload) > maxLine {
			return piece{}, errLongLine
		}
		s.partial = append(append(s.partial, '\n'), payload...)
		return piece{}, nil
	}
	if text, thinking, ok := s.scanner.chunk(payload); ok {
		return piece{text, thinking}, nil
	}
	if len(bytes.TrimSpace(payload)) == 0 {
		return piece{}, nil
	}
	c, err := parse(payload)
	if err != nil {
		s.partial, s.broken = append(s.partial[:0], payload...), true
		return piece{}, nil
	}
	return s.take(c)
}

// mend decodes what is left of data lines that made no sense one by one, at the
// end of their event.
func (s *stream) mend(ended bool) (piece, error) {
	if !s.broken {
		return piece{}, nil
	}
	s.broken = false
	c, err := parse(s.partial)
	if err != nil {
		if ended && s.finish == "" {
			return piece{}, errCut
		}
		return piece{}, errMalformed
	}
	return s.take(c)
}

// take keeps what comes at the end, and returns the text.
func (s *stream) take(c chunk) (piece, error) {
	if c.failure != nil {
		return piece{}, c.failure.streamError()
	}
	for i := range c.fragments {
		s.calls.add(&c.fragments[i])
	}
	if c.usage != nil {
		s.usage = c.usage // some servers count up in every chunk
	}
	if c.finish != "" {
		s.finish = c.finish
		s.a.body.limit(min(time.Duration(s.a.body.timeout.Load()), finishTime))
	}
	return piece{c.text, c.thinking}, nil
}

// whole reads an answer that is one JSON object: the server does not stream.
func (s *stream) whole(yield yieldFunc) error {
	raw, err := io.ReadAll(io.LimitReader(s.lines.r, maxLine+1))
	if err != nil {
		return err
	}
	if len(raw) > maxLine {
		return errLongLine
	}
	c, err := parse(raw)
	if err != nil {
		return errMalformed
	}
	p, err := s.take(c)
	switch {
	case err != nil:
		return err
	case c.choices == 0:
		return &model.Error{Kind: model.KindError, Detail: "the answer is no chat completion; check baseUrl"}
	case len(p.text)+len(p.thinking) > 0 && !yield(model.Delta{Text: p.text, Thinking: p.thinking, More: true}, nil):
		return errLeft
	}
	return nil
}

// last is the piece that ends the answer.
func (s *stream) last() model.Delta {
	d := model.Delta{ToolCalls: s.calls.whole(), Usage: s.usage}
	d.Finish = finishReason(strings.TrimSpace(s.finish), len(d.ToolCalls))
	return d
}

// failure makes an error for the caller of what ended the stream.
func (s *stream) failure(ctx context.Context, err error) error {
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case isModelError(err):
		return err
	case s.a.body.expired.Load():
		return &model.Error{Kind: model.KindTimeout, Detail: "no byte for " + time.Duration(s.a.body.timeout.Load()).String()}
	case errors.Is(err, errLongLine) || errors.Is(err, errTooLong):
		return &model.Error{Kind: model.KindError, Detail: err.Error()}
	case errors.Is(err, io.EOF):
		return errCut
	}
	return &model.Error{Kind: model.KindCut, Detail: "the stream broke", Err: err}
}
