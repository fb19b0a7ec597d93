package openai

import (
	"context"
	"iter"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/askgate/askgate/gateway/model"
	"github.com/askgate/askgate/gateway/model/direct"
)

// Limits of what a server may send.
const (
	maxLine      = 16 << 20 // bytes of one line, or of an answer that is not streamed
	maxArguments = 12 << 20 // bytes of tool arguments in one answer
	maxCalls     = 128      // tool calls in one answer: OpenAI's own limit of tools in a request
	maxBody      = 1 << 30  // bytes of one answer
	maxErrorBody = 64 << 10 // bytes read of an error's body
	maxDrain     = 64 << 10 // bytes read after [DONE]
	drainTime    = 50 * time.Millisecond
)

// DefaultTimeout is the timeout where Options names none (contract, section 3).
const DefaultTimeout = 120 * time.Second

// Options says which server to speak to.
type Options struct {
	BaseURL    string        // such as "https://api.openai.com/v1"; a final "/chat/completions" or slash is fine
	APIKey     string        // "" for none
	Model      string        // the server's name of the model
	Timeout    time.Duration // to the first byte and between bytes; 0: DefaultTimeout
	MaxRetries int           // further attempts after one that failed before the first byte; below 0: none
	// Transport carries the requests; nil: one of its own, made for many long streams. A
	// redirect is reported, not followed: that would carry the prompt to another host.
	Transport http.RoundTripper
}

// Client is a model.Model over one server.
type Client struct {
	url        string
	key        string
	model      string
	timeout    time.Duration
	maxRetries int
	transport  http.RoundTripper
	// plain is set once the server has refused stream_options.
	plain atomic.Bool
}

var _ model.Model = (*Client)(nil)

// New returns a client. It does not contact the server.
func New(o Options) *Client {
	c := &Client{
		url: endpoint(o.BaseURL), key: o.APIKey, model: o.Model,
		timeout: o.Timeout, maxRetries: max(o.MaxRetries, 0), transport: o.Transport,
	}
	if c.timeout <= 0 {
		c.timeout = DefaultTimeout
	}
	if c.transport == nil {
		c.transport = direct.NewTransport()
	}
	return c
}

// endpoint is the URL to post to. A query (such as Azure's api-version) stays.
func endpoint(base string) string {
	base = strings.TrimSpace(base)
	const path = "/chat/completions"
	if u, err := url.Parse(base); err == nil && u.Host != "" {
		u.Path = strings.TrimRight(u.Path, "/")
		if !strings.HasSuffix(u.Path, path) {
			u.Path += path
		}
		u.RawPath = ""
		return u.String()
	}
	return strings.TrimRight(base, "/") + path // sending it reports the fault
}

// Stream implements model.Model.
func (c *Client) Stream(ctx context.Context, req model.Request) iter.Seq2[model.Delta, error] {
	return func(yield func(model.Delta, error) bool) {
		a, err := c.open(ctx, req)
		if err != nil {
			yield(model.Delta{}, err)
			return
		}
		defer a.close()
		s := newStream(a)
		defer s.release()
		s.run(ctx, yield)
	}
}
