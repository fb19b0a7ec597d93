package gemini

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
	usage   *wireUsage
	finish  string // the server's word
	blocked string // the reason why there is no candidate
	failed  *upstream.Failure
}

// Errors with which reading ends, in addition to those of the connection.
var (
	errLeft   = errors.New("the caller stopped") // yield returned false
	errFailed = errors.New("failed")             // the reason is in stream.failed
	// errMalformedCall is the error of a call that the model did not write properly. The next answer
	// to the same request may be better.
	errMalformedCall = &model.Error{Kind: model.KindError, Failed: true, Detail: "the model failed: " + malformedCall}
)

const malformedCall = "MALFORMED_FUNCTION_CALL"

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
	case err != nil && (s.finish == "" && s.blocked == "" || errors.As(err, &known) || ctx.Err() != nil):
		return nil, s.a.Error(ctx, err)
	}
	last, err := s.last()
	if errors.Is(err, errMalformedCall) && !s.begun {
		return &upstream.Failure{Err: errMalformedCall}, nil
	}
	if err == nil {
		yield(last, nil)
		return nil, nil
	}
	if last.Usage != nil && !yield(last, nil) { // the tokens are billed in spite of the error
		return nil, nil
	}
	return nil, s.a.Error(ctx, err)
}

// read returns the error with which the stream ended. It is never nil, because the end of an answer has
// no marker.
func (s *stream) read(yield yieldFunc) error {
	switch first, err := s.a.First(); {
	case err != nil:
		return err
	case first == '<':
		return &model.Error{Kind: model.KindError, Fault: model.FaultModel, Detail: "the server answered with a web page; check baseUrl"}
	case first == '{' || first == '[':
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
	return &model.Error{Kind: model.KindError, Fault: model.FaultModel, Detail: "the answer is not an event stream of the Gemini API; check baseUrl"}
}

// event decodes a data line.
func (s *stream) event(payload []byte) (text, thinking []byte, err error) {
	if piece, thought, ok := s.scanner.chunk(payload); ok {
		s.accepted()
		if thought {
			s.content.thought(piece)
			return nil, piece, nil
		}
		s.content.text(len(piece))
		return piece, nil, nil
	}
	if len(bytes.TrimSpace(payload)) == 0 || string(payload) == "[DONE]" { // some proxies send it
		return nil, nil, nil
	}
	e, err := parse(payload)
	if err != nil {
		return nil, nil, err
	}
	if len(e.Error) > 0 && string(e.Error) != "null" {
		s.failed = failure(upstream.ErrorIn(payload), payload)
		return nil, nil, errFailed
	}
	s.accepted()
	if e.Usage != nil {
		s.usage = e.Usage
	}
	if e.Feedback.Block != "" && s.blocked == "" {
		s.blocked = e.Feedback.Block
		s.refused("the prompt was blocked", s.blocked)
	}
	if len(e.Candidates) == 0 {
		return nil, nil, nil
	}
	first := &e.Candidates[0]
	for _, raw := range first.Content.Parts {
		t, th, err := s.content.part(raw)
		if err != nil {
			return nil, nil, err
		}
		text, thinking = append(text, t...), append(thinking, th...)
	}
	if first.Finish != "" && s.finish == "" {
		s.finish = first.Finish
		s.a.Ending()
		if upstream.EndOf(s.finish) == upstream.EndRefused {
			s.refused("the answer was blocked", s.finish)
		}
	}
	return text, thinking, nil
}

// refused reports to operators why the model refused to answer.
func (s *stream) refused(what, word string) {
	if word = upstream.PlainWord(word); word != "" {
		what += ": " + word
	}
	s.notes.Refused(upstream.Refusal{At: time.Now(), Reason: what})
}

// last returns the last piece of the answer, or the error with which it ended.
func (s *stream) last() (model.Delta, error) {
	d := model.Delta{Usage: s.usage.sum()}
	ending := upstream.EndOf(s.finish)
	switch {
	case s.blocked != "" && s.finish == "":
		ending = upstream.EndRefused
	case s.finish == malformedCall:
		return d, errMalformedCall
	case ending == upstream.EndFailed:
		e := &model.Error{Kind: model.KindError, Failed: true, Detail: "the model failed"}
		if word := upstream.PlainWord(s.finish); word != "" {
			e.Detail += ": " + word
		}
		return d, e
	}
	d.Made = &model.Made{By: s.maker}
	if ending <= upstream.EndCalls { // otherwise calls are not run, and incomplete parts do not go back
		d.ToolCalls = s.content.handed(s.tools)
		d.Made.State = s.content.state()
	}
	d.Finish, d.Forgot = finishReason(ending, len(d.ToolCalls)), s.forgot
	return d, nil
}
