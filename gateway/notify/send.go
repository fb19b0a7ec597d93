package notify

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"sync/atomic"
	"time"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/tools/outgoing"
)

// maxReply is how many bytes of a response are read. Its content is ignored.
const maxReply = 4 << 10

type sender struct {
	hook   config.Webhook
	client *http.Client // its requests fail if the address is invalid
	busy   *atomic.Int64
}

func newSender(hook config.Webhook, target *url.URL, busy *atomic.Int64) *sender {
	client, err := outgoing.New(target, outgoing.Options{AllowPrivate: hook.AllowPrivate})
	if err != nil { // checked when the configuration was read
		client = &http.Client{Transport: refuses{err}}
	}
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &sender{hook: hook, client: client, busy: busy}
}

// send makes one attempt. Its error shows neither the address, which may contain a secret, nor what
// the receiver answered.
func (s *sender) send(ctx context.Context, l *letter) error {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	header := http.Header{"User-Agent": {"AskGate"}}
	body := l.body(header)
	sign(header, l.hook.Key(), l.d.ID, time.Now(), body)
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, s.hook.URL, bytes.NewReader(body))
	if err != nil { // the error would show the address
		return fmt.Errorf("the address of webhook %s cannot be read", s.hook.ID)
	}
	r.Header = header
	resp, err := s.client.Do(r)
	if err != nil {
		if ctx.Err() != nil {
			return fmt.Errorf("no answer within %s", timeout)
		}
		_, why := outgoing.Cause(err)
		return why
	}
	defer resp.Body.Close()
	_, _ = io.CopyN(io.Discard, resp.Body, maxReply) // lets the connection be reused
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		return fmt.Errorf("the receiver answered with status %d", resp.StatusCode)
	}
	return nil
}

// refuses is the transport to an invalid address.
type refuses struct{ error }

func (r refuses) RoundTrip(*http.Request) (*http.Response, error) { return nil, r.error }
