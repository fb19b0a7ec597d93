package anthropic

import (
	"bytes"
	"context"
	"errors"
	"slices"

	"github.com/askgate/askgate/gateway/model"
	"github.com/askgate/askgate/gateway/model/upstream"
)

type yieldFunc = func(model.Delta, error) bool

// stream is an answer being read.
type stream struct {
	a       *upstream.Answer
	scanner scanner
	tools   []model.Definition // those that were offered

	calls   []*call
	size    int  // bytes of all arguments
	mute    bool // in a block of unknown type
	begun   bool // a piece was handed on
	usage   wireUsage
	counted bool   // usage is there
	finish  string // as the server wrote it
	stopped bool   // message_stop
	failed  *upstream.Failure
}

// call is a tool_use block.
type call struct {
	upstream.Call
	index int // of its block, closed when that has ended
	input []byte
}

// closed is not the index of any block.
const closed = -1

// How reading ends, besides errors of the connection.
var (
	errLeft   = errors.New("the caller left") // yield said no
	errFailed = errors.New("failed")          // stream.failed says how
)

// run yields the answer's pieces, then its end. If it fails, it returns a failure of the
// attempt while there was no piece yet, else the error to report.
func (s *stream) run(ctx context.Context, yield yieldFunc) (*upstream.Failure, error) {
	err := s.read(yield)
	var known *model.Error
	switch {
	case errors.Is(err, errLeft):
		return nil, nil
	case errors.Is(err, errFailed) && !s.begun && ctx.Err() == nil:
		return s.failed, nil
	case errors.Is(err, errFailed):
		return nil, s.a.Error(ctx, s.failed.Err)
	case err != nil && (s.finish == "" || errors.As(err, &known) || ctx.Err() != nil):
		return nil, s.a.Error(ctx, err)
	}
	yield(s.last(), nil)
	if s.stopped {
		s.a.Drain()
	}
	return nil, nil
}

// read returns nil at the end of the answer, else why it ended before.
func (s *stream) read(yield yieldFunc) error {
	switch first, err := s.a.First(); {
	case err != nil:
		return err
	case first == '<':
		return &model.Error{Kind: model.KindError, Detail: "the server answered with a web page; check baseUrl"}
	case first == '{':
		return s.whole()
	}
	for {
		line, end := s.a.Line()
		if payload, is := upstream.Data(line); is {
			text, thinking, err := s.event(payload)
			if err != nil && (end == nil || errors.Is(err, errFailed)) { // else the line is incomplete
				return err
			}
			s.begun = s.begun || len(text)+len(thinking) > 0
			if !s.a.Yield(text, thinking, yield) {
				return errLeft
			}
		}
		if s.stopped {
			return nil
		}
		if end != nil {
			return end
		}
	}
}

// whole reads an answer that is no stream: an error, or not what was asked for.
func (s *stream) whole() error {
	raw, err := s.a.Whole()
	if err != nil {
		return err
	}
	if w := upstream.ErrorIn(raw); w != nil {
		s.failed = failure(w, raw)
		return errFailed
	}
	return &model.Error{Kind: model.KindError, Detail: "the answer is no event stream of the Messages API; check baseUrl"}
}

// event decodes a data line.
func (s *stream) event(payload []byte) (text, thinking []byte, err error) {
	if piece, thinks, ok := s.scanner.delta(payload); ok {
		text, thinking = s.piece(piece, thinks)
		return text, thinking, nil
	}
	if len(bytes.TrimSpace(payload)) == 0 {
		return nil, nil, nil
	}
	e, err := parse(payload, &s.usage)
	if err != nil {
		return nil, nil, err
	}
	switch e.Type {
	case "message_start":
		s.counted = s.counted || e.Message.Usage != nil
	case "content_block_start":
		return s.start(&e)
	case "content_block_delta":
		text, thinking = s.delta(&e)
	case "content_block_stop":
		s.close(e.Index)
	case "message_delta":
		s.counted = s.counted || e.Usage != nil
		if e.Delta.StopReason != "" {
			s.finish = e.Delta.StopReason
			s.a.Ending()
		}
	case "message_stop":
		s.stopped = true
	case "error":
		w := upstream.ErrorIn(payload)
		if w == nil {
			w = &upstream.ServerError{}
		}
		s.failed = failure(w, payload)
		return nil, nil, errFailed
	}
	return text, thinking, nil
}

// piece is text or thinking, or nothing in a block of unknown type.
func (s *stream) piece(b []byte, thinks bool) (text, thinking []byte) {
	switch {
	case s.mute:
		return nil, nil
	case thinks:
		return nil, b
	default:
		return b, nil
	}
}

// start begins a block. Some servers put its beginning, or all of it, into the event.
func (s *stream) start(e *wireEvent) (text, thinking []byte, err error) {
	s.close(e.Index)
	b := &e.ContentBlock
	switch b.Type {
	case "text":
		return []byte(b.Text), nil, nil
	case "thinking":
		return nil, []byte(b.Thinking), nil
	case "tool_use":
		if len(s.calls) >= upstream.MaxCalls {
			return nil, nil, upstream.ErrTooManyCalls
		}
		c := &call{Call: upstream.Call{ID: upstream.CutName(b.ID), Name: upstream.CutName(b.Name)}, index: e.Index}
		if len(b.Input) > 0 && b.Input[0] == '{' {
			c.input = b.Input
		}
		s.calls = append(s.calls, c)
	default:
		s.mute = true
	}
	return nil, nil, nil
}

func (s *stream) delta(e *wireEvent) (text, thinking []byte) {
	switch d := &e.Delta; d.Type {
	case "text_delta":
		return s.piece([]byte(d.Text), false)
	case "thinking_delta":
		return s.piece([]byte(d.Thinking), true)
	case "input_json_delta":
		if i := s.open(e.Index); i >= 0 {
			s.calls[i].Add(d.PartialJSON, &s.size)
		}
	}
	return nil, nil
}

// open is the place in calls of the open block with that index; below 0: there is none.
func (s *stream) open(index int) int {
	return slices.IndexFunc(s.calls, func(c *call) bool { return c.index == index && index != closed })
}

// close ends a block.
func (s *stream) close(index int) {
	s.mute = false
	if i := s.open(index); i >= 0 {
		s.calls[i].index = closed
	}
}

// last is the piece that ends the answer.
func (s *stream) last() model.Delta {
	var d model.Delta
	for _, c := range s.calls {
		if len(c.Arguments) == 0 { // without input, the API sends no fragment or an empty one
			c.Add(string(c.input), &s.size)
		}
		c.Name = ownName(s.tools, c.Name)
		d.ToolCalls = append(d.ToolCalls, c.Whole())
	}
	if s.counted {
		d.Usage = s.usage.sum()
	}
	d.Finish = finishReason(s.finish, len(d.ToolCalls))
	return d
}
