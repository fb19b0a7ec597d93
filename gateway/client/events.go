package client

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"strings"
	"time"

	"github.com/askgate/askgate/gateway/sse"
)

// Event is one of the person's stream: what waits, and what became of it.
type Event struct {
	ID   string
	Name string
	Data []byte // JSON, one line
}

// quiet is how long a stream may say nothing: several of the gateway's heartbeats.
const quiet = time.Minute

var errNoReply = errors.New("the gateway does not reply")

// Events yields the events of GET /v1/events, from after the id of one (of an earlier call) or,
// where that is "", from a snapshot on. It reconnects by itself, for as long as ctx lets it; an
// error, ctx's or the gateway's refusal, is yielded last. Until the first connection the
// client's patience counts.
func (c *Client) Events(ctx context.Context, after string) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		patience, pause := c.options.Patience, pauses()
		for {
			s, err := c.open(ctx, patience, request{method: http.MethodGet, path: "/v1/events", header: header(after)}, "text/event-stream")
			if err != nil {
				yield(Event{}, err)
				return
			}
			patience = 0
			wait := pause.NextBackOff()
			for e, err := range sse.Read(s) {
				if errors.Is(err, sse.ErrTooLong) {
					s.end()
					yield(Event{}, err)
					return
				}
				if err != nil {
					break
				}
				pause.Reset()
				wait = cmp.Or(min(e.Retry, time.Minute), pause.NextBackOff())
				after = cmp.Or(e.ID, after)
				if e.Data != nil && !yield(Event{ID: e.ID, Name: e.Name, Data: e.Data}, nil) {
					s.end()
					return
				}
			}
			s.end()
			if err := sleep(ctx, wait); err != nil {
				yield(Event{}, err)
				return
			}
		}
	}
}

func header(after string) http.Header {
	if after == "" {
		return nil
	}
	return http.Header{"Last-Event-Id": {after}}
}

// open makes a call whose response may take longer than any patience.
func (c *Client) open(ctx context.Context, patience time.Duration, r request, accept string) (s *stream, err error) {
	return s, c.until(ctx, patience, func(trying context.Context) error {
		// The stream outlives the try that opens it.
		streaming, cancel := context.WithCancelCause(ctx)
		late := context.AfterFunc(trying, func() { cancel(context.Cause(trying)) })
		timer := time.AfterFunc(replyTime, func() { cancel(errNoReply) })
		resp, err := c.send(streaming, r, accept)
		if err == nil && !strings.Contains(accept, kind(resp)) && resp.StatusCode != http.StatusAccepted {
			resp.Body.Close()
			err = final{fmt.Errorf("%s does not reply as a gateway does: is the address that of the gateway?", c.base.Redacted())}
		}
		if err != nil || !late() {
			timer.Stop()
			cancel(errPatience)
			return cmp.Or(err, errPatience)
		}
		s = &stream{Response: resp, timer: timer, close: cancel}
		return nil
	})
}

// kind is the content type of a response, without parameters.
func kind(resp *http.Response) string {
	of, _, _ := strings.Cut(resp.Header.Get("Content-Type"), ";")
	return strings.TrimSpace(of)
}

// stream is a response. Its body ends when nothing has come for as long as quiet.
type stream struct {
	*http.Response
	timer *time.Timer
	close context.CancelCauseFunc
}

func (s *stream) end() {
	s.timer.Stop()
	s.close(nil) // and with it the body
}

// Read implements io.Reader.
func (s *stream) Read(p []byte) (int, error) {
	s.timer.Reset(quiet)
	n, err := s.Body.Read(p)
	if err != nil {
		s.Body.Close()
	}
	return n, err
}
