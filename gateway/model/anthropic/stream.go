package anthropic

import (
	"bytes"
	"context"
	"errors"
	"time"

	"github.com/askgate/askgate/gateway/model"
	"github.com/askgate/askgate/gateway/model/upstream"
)

type yieldFunc = func(model.Delta, error) bool

// stream reads an answer.
type stream struct {
	a        *upstream.Answer
	scanner  scanner
	tools    []model.Definition // the offered tools
	maker    string
	forgot   bool   // the request had no state
	accepted func() // called when the server answers the request
	notes    *upstream.Notes

	content content
	begun   bool // a piece has been yielded
	usage   wireUsage
	counted bool   // usage is set
	finish  string // the server's word
	stopped bool   // message_stop has arrived
	failed  *upstream.Failure
}

// Errors with which reading ends, in addition to those of the connection.
var (
	errLeft   = errors.New("the caller stopped") // yield returned false
	errFailed = errors.New("failed")             // the reason is in stream.failed
)

// run yields the answer's pieces, then its end. On an error it returns a failure of the attempt if no
// piece has been yielded, or else the error to report.
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
	s.accepted()
	last, err := s.last()
	if err == nil {
		yield(last, nil)
	} else if last.Usage != nil && !yield(last, nil) { // the tokens are billed in spite of the error
		return nil, nil
	}
	if s.stopped {
		s.a.Drain()
	}
	if err != nil {
		return nil, s.a.Error(ctx, err)
	}
	return nil, nil
}

// read returns nil at the end of the answer, or the error that ended it before.
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
			if err != nil && (end == nil || errors.Is(err, errFailed)) { // otherwise the line is incomplete
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

// whole reads an answer that is not a stream: an error, or something unexpected.
func (s *stream) whole() error {
	raw, err := s.a.Whole()
	if err != nil {
		return err
	}
	if w := upstream.ErrorIn(raw); w != nil {
		s.failed = failure(w, raw)
		return errFailed
	}
	return &model.Error{Kind: model.KindError, Detail: "the answer is not an event stream of the Messages API; check baseUrl"}
}

// event decodes a data line.
func (s *stream) event(payload []byte) (text, thinking []byte, err error) {
	if piece, thinks, ok := s.scanner.delta(payload); ok {
		text, thinking = s.content.piece(s.scanner.index, piece, thinks)
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
		s.accepted()
	case "content_block_start":
		return s.content.start(&e)
	case "content_block_delta":
		text, thinking = s.content.delta(&e)
	case "content_block_stop":
		s.content.close(e.Index)
	case "message_delta":
		s.counted = s.counted || e.Usage != nil
		if e.Delta.StopReason != "" {
			s.finish = e.Delta.StopReason
			s.a.Ending()
			s.refused(e.Delta.StopDetails.Category)
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

// refused reports to operators why the model refused to answer, if the server states it (stop_details
// of a refusal). It leaves out the server's explanation, which may quote the chat.
func (s *stream) refused(category string) {
	if category = upstream.PlainWord(category); category != "" && upstream.EndOf(s.finish) == upstream.EndRefused {
		s.notes.Refused(upstream.Refusal{At: time.Now(), Reason: "the model refused to answer: " + category})
	}
}

// last returns the last piece of the answer, or the error with which it ended.
func (s *stream) last() (model.Delta, error) {
	var d model.Delta
	if s.counted {
		d.Usage = s.usage.sum()
	}
	ending := upstream.EndOf(s.finish)
	switch ending {
	case upstream.EndFailed:
		e := &model.Error{Kind: model.KindError, Failed: true, Detail: "the answer ended with a stop_reason that is a failure or is unknown"}
		if word := upstream.PlainWord(s.finish); word != "" {
			e.Detail += ": " + word
		}
		return d, e
	case upstream.EndNone:
		if !s.content.whole() {
			return d, upstream.ErrCut
		}
	}
	d.Made = &model.Made{By: s.maker}
	if ending <= upstream.EndCalls { // otherwise calls are not run, and incomplete blocks do not go back
		d.ToolCalls = s.content.handed(s.tools)
		d.Made.State = s.content.state(d.ToolCalls)
	}
	d.Finish, d.Forgot = finishReason(ending, len(d.ToolCalls)), s.forgot
	return d, nil
}
