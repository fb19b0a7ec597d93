package openai

import (
	"bytes"
	"context"
	"iter"
	"net/http"
	"sync/atomic"

	"github.com/askgate/askgate/gateway/aside"
	"github.com/askgate/askgate/gateway/model"
	"github.com/askgate/askgate/gateway/model/upstream"
)

// Options say which server to speak to, and how.
type Options = upstream.Settings

// Client is a model.Model over one server.
type Client struct {
	server *upstream.Server
	model  string
	// plain is set once the server has refused stream_options.
	plain atomic.Bool
}

var _ model.Model = (*Client)(nil)

// New returns a client. It does not contact the server.
func New(o Options) *Client {
	header := http.Header{}
	if o.APIKey != "" {
		header.Set("Authorization", "Bearer "+o.APIKey)
	}
	return &Client{model: o.Model, server: upstream.New(upstream.Options{
		URL: upstream.Endpoint(o.BaseURL, "/chat/completions"), Header: header,
		Timeout: o.Timeout, StepTimeout: o.StepTimeout, Secret: o.APIKey, MaxRetries: o.MaxRetries, Transport: o.Transport,
	})}
}

// Stream implements model.Model.
func (c *Client) Stream(ctx context.Context, req model.Request) iter.Seq2[model.Delta, error] {
	return func(yield func(model.Delta, error) bool) {
		var a *upstream.Answer
		var err error
		aside.Run(func() { a, err = c.open(ctx, req) })
		if err != nil {
			yield(model.Delta{}, err)
			return
		}
		defer a.Close()
		s := newStream(a)
		defer s.release()
		s.run(ctx, yield)
	}
}

// open sends the request until an answer begins, or MaxRetries are used up.
func (c *Client) open(ctx context.Context, req model.Request) (*upstream.Answer, error) {
	plain, downgraded := c.plain.Load(), false
	for tries := c.server.Tries(); ; {
		body, err := c.encode(req, plain)
		if err != nil {
			return nil, err
		}
		a, failed := tries.Send(ctx, body)
		if failed == nil {
			if downgraded {
				c.plain.Store(true)
			}
			return a, nil
		}
		if refusesUsage(failed) && !plain { // the server is not failing: it does not count as an attempt
			plain, downgraded = true, true
			continue
		}
		if err := tries.Wait(ctx, failed); err != nil {
			return nil, err
		}
	}
}

// refusesUsage says whether the server does not know stream_options. The errors of OpenAI
// and most others name the unknown key.
func refusesUsage(f *upstream.Failure) bool {
	return (f.Err.Status == http.StatusBadRequest || f.Err.Status == http.StatusUnprocessableEntity) &&
		(bytes.Contains(f.Body, []byte("stream_options")) || bytes.Contains(f.Body, []byte("include_usage")))
}
