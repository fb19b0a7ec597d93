package openai

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"sync"

	"github.com/askgate/askgate/gateway/model"
	"github.com/askgate/askgate/gateway/model/upstream"
)

// stream is an answer being read.
type stream struct {
	scanner scanner
	a       *upstream.Answer

	calls   calls
	finish  string
	usage   *model.Usage
	partial []byte // data lines that are no JSON yet: an event may be spread over several
	broken  bool   // partial is in use
}

var streams = sync.Pool{New: func() any { return new(stream) }}

func newStream(a *upstream.Answer) *stream {
	s := streams.Get().(*stream)
	s.a = a
	return s
}

// release keeps the buffers for another stream.
func (s *stream) release() {
	sc := scanner{head: upstream.Keep(s.scanner.head), tail: upstream.Keep(s.scanner.tail)}
	sc.buf[0], sc.buf[1] = upstream.Keep(s.scanner.buf[0]), upstream.Keep(s.scanner.buf[1])
	sc.head = sc.head[:0]
	*s = stream{scanner: sc, partial: upstream.Keep(s.partial)}
	streams.Put(s)
}

type yieldFunc = func(model.Delta, error) bool

// run yields the answer's pieces, then its end or its error.
func (s *stream) run(ctx context.Context, yield yieldFunc) {
	first, err := s.a.First()
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
			s.a.Drain()
		}
	default:
		yield(model.Delta{}, s.a.Error(ctx, err))
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

// events reads the event stream. It returns nil at a body's end after a finish
// reason.
func (s *stream) events(yield yieldFunc) error {
	for {
		line, end := s.a.Line()
		payload, isData := upstream.Data(line)
		var p piece
		var err error
		switch {
		case isData && string(bytes.TrimSpace(payload)) == "[DONE]":
			return errDone
		case isData:
			p, err = s.event(payload)
		case len(line) == 0 && end == nil:
			p, err = s.join(false)
		}
		if err != nil {
			return err
		}
		if isData || len(p.text)+len(p.thinking) > 0 {
			if !s.a.Yield(p.text, p.thinking, yield) {
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
	p, joinErr := s.join(true)
	if joinErr != nil {
		return joinErr
	}
	if !s.a.Yield(p.text, p.thinking, yield) {
		return errLeft
	}
	if s.finish == "" {
		return upstream.ErrCut
	}
	return nil
}

// piece is the text of one chunk.
type piece struct{ text, thinking []byte }

// event decodes a data line.
func (s *stream) event(payload []byte) (piece, error) {
	if s.broken {
		var err error
		s.partial, err = upstream.Append(s.partial, payload)
		return piece{}, err
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

// join decodes, at the end of their event, data lines that could not be decoded one by
// one. ended says that the body ended with it.
func (s *stream) join(ended bool) (piece, error) {
	if !s.broken {
		return piece{}, nil
	}
	s.broken = false
	c, err := parse(s.partial)
	if err != nil {
		if ended && s.finish == "" {
			return piece{}, upstream.ErrCut
		}
		return piece{}, upstream.ErrMalformed
	}
	return s.take(c)
}

// take keeps what belongs to the answer's end, and returns the text.
func (s *stream) take(c chunk) (piece, error) {
	if c.failure != nil {
		return piece{}, c.failure
	}
	for i := range c.fragments {
		if err := s.calls.add(&c.fragments[i]); err != nil {
			return piece{}, err
		}
	}
	if c.usage != nil {
		s.usage = c.usage // some servers count up in every chunk
	}
	if c.finish != "" {
		s.finish = c.finish
		s.a.Ending()
	}
	return piece{c.text, c.thinking}, nil
}

// whole reads an answer that is one JSON object: the server does not stream.
func (s *stream) whole(yield yieldFunc) error {
	raw, err := s.a.Whole()
	if err != nil {
		return err
	}
	c, err := parse(raw)
	if err != nil {
		return upstream.ErrMalformed
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
