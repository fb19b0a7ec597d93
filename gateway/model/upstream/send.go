package upstream

import (
	"context"
	"errors"
	"io"
	"net/http"
	"time"

	"github.com/askgate/askgate/gateway/model"
	"github.com/askgate/askgate/gateway/model/direct"
)

const (
	maxBody      = 1 << 30  // bytes of one answer
	maxErrorBody = 64 << 10 // bytes read of an error's body
	// errorTime is how long the body of an error may take; its status is known.
	errorTime = 5 * time.Second
	// maxAhead is the longest request, in bytes, that is sent ahead: an idle connection's
	// send buffer takes that much without waiting.
	maxAhead = 16 << 10
)

// Failure is an attempt that came to nothing: the caller has had no piece of an answer.
type Failure struct {
	Err   *model.Error
	Again bool   // it may pass by itself
	Body  []byte // of an answer with another status than 2xx
}

// Attempt is one request, sent or about to be.
type Attempt struct {
	server  *Server
	cancel  context.CancelFunc
	watch   *watch
	body    *requestBody
	request *http.Request
	ahead   *direct.Ahead
	err     error
}

// Attempt prepares one attempt. Answer must be called, or ctx must end; body must not
// change until then.
func (s *Server) Attempt(ctx context.Context, body []byte) *Attempt {
	ctx, cancel := context.WithCancel(ctx)
	a := &Attempt{server: s, cancel: cancel, watch: newWatch(s.o.Timeout, cancel), body: &requestBody{data: body}}
	first, err := a.body.open()
	if err != nil {
		a.err = err
		return a
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, s.o.URL, first)
	if err != nil {
		a.err = err
		return a
	}
	r.ContentLength = int64(len(body))
	r.GetBody = a.body.open // for a connection that the server had closed
	for name, values := range s.o.Header {
		r.Header[name] = values
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "text/event-stream")
	r.Header.Set("User-Agent", "askgate")
	a.request = r
	return a
}

// Ahead sends the request now, if that needs no waiting: a connection stands open and
// the request is short.
func (a *Attempt) Ahead() {
	if t, ok := a.server.o.Transport.(*direct.Transport); ok && a.err == nil && a.request.ContentLength <= maxAhead {
		a.ahead = t.Ahead(a.request)
	}
}

func (a *Attempt) roundTrip() (*http.Response, error) {
	switch {
	case a.err != nil:
		return nil, a.err
	case a.ahead != nil:
		return a.ahead.RoundTrip()
	default:
		return a.server.o.Transport.RoundTrip(a.request)
	}
}

// Answer returns when the first byte of an answer is there, or none will come. The
// answer must be closed.
func (a *Attempt) Answer() (_ *Answer, failed *Failure) {
	s, watch, cancel := a.server, a.watch, a.cancel
	defer func() {
		if failed != nil {
			watch.stop()
			cancel()
			if watch.expired.Load() && failed.Err.Status == 0 {
				failed.Err = &model.Error{Kind: model.KindTimeout, Detail: "no first byte within " + s.o.Timeout.String()}
				failed.Again = false // it has waited long enough
			}
		}
	}()
	defer a.body.release()
	resp, err := a.roundTrip()
	if err != nil {
		return nil, &Failure{Err: transportError(err), Again: a.err == nil}
	}
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		defer resp.Body.Close()
		watch.limit(min(s.o.Timeout, errorTime))
		text, _ := io.ReadAll(io.LimitReader(resp.Body, maxErrorBody)) // the status counts, whatever the body
		return nil, &Failure{Err: statusError(resp.StatusCode, resp.Header, text), Again: Retried(resp.StatusCode), Body: text}
	}
	answer := newAnswer(resp, &watchedBody{watch: watch, body: resp.Body, left: maxBody})
	if _, err := answer.lines.Peek(1); err != nil {
		answer.Close()
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return nil, &Failure{Again: true, Err: &model.Error{
			Kind: model.KindUnavailable, Detail: "the answer ended before its first byte", Err: err,
		}}
	}
	return answer, nil
}
