package anthropic

import (
	"context"
	"iter"
	"net/http"

	"github.com/askgate/askgate/gateway/aside"
	"github.com/askgate/askgate/gateway/model"
	"github.com/askgate/askgate/gateway/model/upstream"
)

// version is that of the API (anthropic-version), the only one there is.
const version = "2023-06-01"

// DefaultMaxTokens is how many tokens an answer may have where Options says nothing.
// The API wants a number, and refuses one above the model's own limit: every model since
// Claude 3.5 takes 8192, and a chat's answers seldom need more.
const DefaultMaxTokens = 8192

// Options say which server to speak to, and how.
type Options = upstream.Settings

// Client is a model.Model over one server.
type Client struct {
	server    *upstream.Server
	model     string
	maxTokens int
}

var _ model.Model = (*Client)(nil)

// New returns a client. It does not contact the server.
func New(o Options) *Client {
	header := http.Header{}
	header.Set("Anthropic-Version", version)
	if o.APIKey != "" {
		header.Set("X-Api-Key", o.APIKey)
	}
	if o.MaxTokens <= 0 {
		o.MaxTokens = DefaultMaxTokens
	}
	return &Client{model: o.Model, maxTokens: o.MaxTokens, server: upstream.New(upstream.Options{
		URL: upstream.Endpoint(o.BaseURL, "/v1/messages"), Header: header,
		Timeout: o.Timeout, StepTimeout: o.StepTimeout, Secret: o.APIKey, MaxRetries: o.MaxRetries, Transport: o.Transport,
	})}
}

// Stream implements model.Model.
func (c *Client) Stream(ctx context.Context, req model.Request) iter.Seq2[model.Delta, error] {
	return func(yield func(model.Delta, error) bool) {
		for tries := c.server.Tries(); ; {
			failed, err := c.attempt(ctx, &tries, req, yield)
			if failed != nil {
				err = tries.Wait(ctx, failed)
				if err == nil {
					continue
				}
			}
			if err != nil {
				yield(model.Delta{}, err)
			}
			return
		}
	}
}

// attempt sends the request and yields the answer's pieces. It fails only as long as
// there was none. The request is written anew each time, which is rare, so that a long
// history's bytes are not held while the answer is read.
func (c *Client) attempt(ctx context.Context, tries *upstream.Tries, req model.Request, yield yieldFunc) (*upstream.Failure, error) {
	var a *upstream.Answer
	var failed *upstream.Failure
	var err error
	aside.Run(func() {
		var body []byte
		if body, err = c.encode(req); err == nil {
			a, failed = tries.Send(ctx, body)
		}
	})
	if err != nil || failed != nil {
		return failed, err
	}
	defer a.Close()
	s := stream{a: a, tools: req.Tools}
	return s.run(ctx, yield)
}
