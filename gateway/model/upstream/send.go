package upstream

import (
	"context"
	"errors"
	"io"
	"net/http"
	"time"

	"github.com/askgate/askgate/gateway/model"
)

const (
	maxBody      = 1 << 30  // bytes of one answer
	maxErrorBody = 64 << 10 // bytes read of an error's body
	// errorTime is how long reading the body of an error may take. Its status is known already.
	errorTime = 5 * time.Second
)

// Failure is an attempt that failed before the caller got a piece of an answer.
type Failure struct {
	Err   *model.Error
	Again bool   // another attempt may succeed
	Body  []byte // of an answer with a status other than 2xx
}

// Refusal returns the server's report of the error: the body of its answer, or a line of the stream.
// It is nil if there is none.
func (f *Failure) Refusal() []byte {
	var w *within
	if f.Body == nil && errors.As(f.Err.Err, &w) {
		return w.body
	}
	return f.Body
}

// Send makes one attempt. It returns when the first byte of an answer has arrived, or the attempt
// has failed. The caller must close the answer, and must not change body before that.
func (t *Tries) Send(ctx context.Context, body []byte) (_ *Answer, failed *Failure) {
	s := t.server
	ctx, cancel := context.WithCancel(ctx)
	answer := &Answer{server: s, said: t.Said}
	watch := &answer.body.watch
	watch.start(s.o.Timeout, time.Until(t.over), cancel)
	defer func() {
		if failed != nil {
			watch.stop()
			cancel()
			if watch.expired.Load() && failed.Err.Status == 0 {
				failed.Err = watch.timedOut("no first byte within ")
				failed.Again = false // the user has waited long enough
			}
		}
	}()
	sent := &requestBody{data: body}
	defer sent.release()
	r, err := s.request(ctx, sent)
	if err != nil {
		return nil, &Failure{Err: transportError(err)}
	}
	resp, err := s.o.Transport.RoundTrip(r)
	if err != nil {
		return nil, &Failure{Err: transportError(err), Again: true}
	}
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		defer resp.Body.Close()
		watch.limit(min(s.o.Timeout, errorTime))
		text, _ := io.ReadAll(io.LimitReader(resp.Body, maxErrorBody)) // the status counts even if the body cannot be read
		e := statusError(resp.StatusCode, resp.Header, text, s.reason(text, t.Said))
		s.o.Notes.Refused(Refusal{At: time.Now(), Status: e.Status, Reason: e.Reason})
		return nil, &Failure{Err: e, Again: Retried(resp.StatusCode) && e.Kind != model.KindTooLong && e.Fault == "", Body: text}
	}
	answer.open(resp)
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

func (s *Server) request(ctx context.Context, body *requestBody) (*http.Request, error) {
	first, err := body.open()
	if err != nil {
		return nil, err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, s.o.URL, first)
	if err != nil {
		return nil, err
	}
	r.ContentLength = int64(len(body.data))
	r.GetBody = body.open // to send it again if the server has closed the connection
	for name, values := range s.o.Header {
		r.Header[name] = values
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "text/event-stream")
	if _, given := r.Header["User-Agent"]; !given {
		r.Header.Set("User-Agent", "askgate")
	}
	return r, nil
}
