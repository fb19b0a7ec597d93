package openai

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"sync"

	"github.com/askgate/askgate/gateway/model"
	"github.com/askgate/askgate/gateway/model/adapt"
	"github.com/askgate/askgate/gateway/model/upstream"
	"github.com/askgate/askgate/gateway/smallstack"
)

// stream reads an answer.
type stream struct {
	scanner scanner
	a       *upstream.Answer
	maker   string
	asked   *adapt.Negotiation
	begun   bool         // there was a chunk that is not an error
	failure *model.Error // the error in a chunk

	tags    tags
	made    made
	texted  int     // bytes of text that have been yielded
	details growing // the reasoning in reasoning_details, if it comes in no other form
	calls   calls
	refused bool // by the model
	finish  string
	usage   *model.Usage
	partial []byte // data lines of an event whose JSON is spread over several lines
	broken  bool   // partial is in use
}

var streams = sync.Pool{New: func() any { return new(stream) }}

func newStream(a *upstream.Answer, maker string, asked *adapt.Negotiation) *stream {
	s := streams.Get().(*stream)
	s.a, s.maker, s.asked = a, maker, asked
	return s
}

// release keeps the buffers for another stream.
func (s *stream) release() {
	sc := scanner{head: upstream.Keep(s.scanner.head), tail: upstream.Keep(s.scanner.tail)}
	sc.buf[0], sc.buf[1] = upstream.Keep(s.scanner.buf[0]), upstream.Keep(s.scanner.buf[1])
	sc.head = sc.head[:0]
	s.made.release()
	*s = stream{scanner: sc, made: s.made, partial: upstream.Keep(s.partial)}
	streams.Put(s)
}

type yieldFunc = func(model.Delta, error) bool

// run yields the answer's pieces, then its end or its error. If the answer is only an error of the
// server, it yields nothing and returns the failure.
func (s *stream) run(ctx context.Context, yield yieldFunc) *upstream.Failure {
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
		s.last(yield)
		if errors.Is(err, errDone) {
			s.a.Drain()
		}
	case s.failure != nil && !s.begun:
		return &upstream.Failure{Err: s.failure, Again: s.failure.Elsewhere()}
	default:
		yield(model.Delta{}, s.a.Error(ctx, err))
	}
	return nil
}

// begin notes that the server has accepted the request.
func (s *stream) begin() {
	s.begun = true
	s.asked.Accepted()
}

// Errors with which reading ends, in addition to those of the connection.
var (
	errDone = errors.New("done")               // [DONE]
	errLeft = errors.New("the caller stopped") // yield returned false
)

func isModelError(err error) bool {
	var e *model.Error
	return errors.As(err, &e)
}

// events reads the event stream. It returns nil if the body ends after a finish reason.
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
			if !s.begun && !s.broken {
				s.begin()
			}
			if s.tags.at != tagsDone {
				p = s.untagged(p)
			}
			s.texted += len(p.text)
			if !s.a.Yield(p.text, p.thinking, yield) {
				return errLeft
			}
		}
		if end != nil {
			return s.end(end, yield)
		}
	}
}

// end handles the end of the body.
func (s *stream) end(err error, yield yieldFunc) error {
	if !errors.Is(err, io.EOF) {
		return err
	}
	p, joinErr := s.join(true)
	if joinErr != nil {
		return joinErr
	}
	p = s.untagged(p)
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

// untagged moves the reasoning between tags from a piece's text to its thinking.
func (s *stream) untagged(p piece) piece {
	if s.tags.at == tagsDone || len(p.text) == 0 {
		return p
	}
	var inner []byte
	p.text, inner = s.tags.read(p.text)
	// MiniMax sends the same reasoning between tags and separately (vellum-assistant#34556, June 2026).
	if len(p.thinking) == 0 && !s.made.reasoned() {
		p.thinking = inner
	}
	return p
}

// event decodes a data line.
func (s *stream) event(payload []byte) (piece, error) {
	if s.broken {
		var err error
		s.partial, err = upstream.Append(s.partial, payload)
		return piece{}, err
	}
	if text, thinking, ok := s.scanner.chunk(payload); ok {
		if len(thinking) > 0 {
			s.made.reason(s.scanner.under, thinking)
		}
		return piece{text, thinking}, nil
	}
	if len(bytes.TrimSpace(payload)) == 0 {
		return piece{}, nil
	}
	return s.other(payload)
}

// other decodes a data line that is not just a piece of text.
func (s *stream) other(payload []byte) (p piece, err error) {
	smallstack.Run(func() {
		c, broken := parse(payload)
		if broken != nil {
			s.partial, s.broken = append(s.partial[:0], payload...), true
			return
		}
		p, err = s.take(c)
	})
	return p, err
}

// join decodes data lines together, at the end of their event, if they could not be decoded one by one.
// ended is set if the body ended with the event.
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

// take keeps a chunk's data for the end of the answer, and returns its text.
func (s *stream) take(c chunk) (piece, error) {
	if c.failure != nil {
		s.failure = c.failure
		return piece{}, c.failure
	}
	for i := range c.fragments {
		if err := s.calls.add(&c.fragments[i], &s.made); err != nil {
			return piece{}, err
		}
	}
	s.keep(&c)
	if len(c.state.ReasoningDetails) > 0 && len(c.thinking) == 0 && !s.made.reasoned() {
		c.thinking = []byte(s.details.add(detailText(c.state.ReasoningDetails)))
		s.details.all = s.details.all[:0] // only new text is needed
	}
	if c.usage != nil {
		s.usage = c.usage // the last one counts: some servers update it in every chunk
	}
	s.refused = s.refused || c.refused
	if c.finish != "" {
		s.finish = c.finish
		s.a.Ending()
	}
	return piece{c.text, c.thinking}, nil
}

// keep collects the state in a chunk.
func (s *stream) keep(c *chunk) {
	s.made.text(fieldReasoningContent, c.state.ReasoningContent)
	s.made.text(fieldReasoning, c.state.Reasoning)
	s.made.members(&c.state)
	for _, p := range c.parts {
		s.made.part(p.kind, p.raw, s.texted+p.at)
	}
}

// detailText returns the reasoning in a piece of reasoning_details.
func detailText(raw json.RawMessage) (text string) {
	eachItem(raw, func(item json.RawMessage) { text += readBlock(item).text })
	return text
}

// whole reads an answer that is one JSON object, from a server that does not stream.
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
		return &model.Error{Kind: model.KindError, Detail: "the answer is not a chat completion; check baseUrl"}
	}
	s.begin()
	if p = s.untagged(p); len(p.text)+len(p.thinking) > 0 && !yield(model.Delta{Text: p.text, Thinking: p.thinking, More: true}, nil) {
		return errLeft
	}
	return nil
}

// last yields the end of the answer.
func (s *stream) last(yield yieldFunc) {
	if !s.begun {
		s.begin()
	}
	if rest := s.tags.rest(); len(rest) > 0 && !yield(model.Delta{Text: rest, More: true}, nil) {
		return
	}
	ending := upstream.EndOf(s.finish)
	if s.refused {
		ending = upstream.EndRefused
	}
	d := model.Delta{Usage: s.usage, Forgot: s.asked.Set().Forgets()}
	var states []callState
	switch ending {
	case upstream.EndNone, upstream.EndGood, upstream.EndCalls:
		smallstack.Run(func() { d.ToolCalls, states = s.calls.whole(&s.made) })
		if ending == upstream.EndNone && !complete(d.ToolCalls) {
			yield(model.Delta{}, upstream.ErrCut)
			return
		}
		d.Finish = model.FinishStop
		if len(d.ToolCalls) > 0 { // some servers send "stop" together with calls
			d.Finish = model.FinishToolCalls
		}
	case upstream.EndRefused:
		d.Finish = model.FinishContentFilter
	case upstream.EndFailed:
		if s.usage == nil || yield(model.Delta{Usage: s.usage, More: true}, nil) {
			yield(model.Delta{}, failed(s.finish))
		}
		return
	default:
		d.Finish = model.FinishLength
	}
	s.made.has |= s.scanner.has
	d.Made = &model.Made{By: s.maker}
	smallstack.Run(func() { d.Made.State = s.made.state(s.tags.before(), states) })
	yield(d, nil)
}

// failed returns the error for a finish reason that is a failure or is unknown.
func failed(word string) error {
	if word = upstream.PlainWord(word); word == "" {
		word = "(not a plain word)"
	}
	return &model.Error{Kind: model.KindError, Failed: true, Detail: "the answer ended with a finish reason that is a failure or is unknown: " + word}
}
