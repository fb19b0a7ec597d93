package openai

import (
	"context"
	"errors"
	"iter"
	"sync/atomic"

	"github.com/askgate/askgate/gateway/model"
	"github.com/askgate/askgate/gateway/model/adapt"
	"github.com/askgate/askgate/gateway/model/upstream"
)

// Options configures a client.
type Options = upstream.Settings

// Client is a model.Model over one server's Chat Completions.
type Client struct {
	server   *upstream.Server
	settings Options
	host     upstream.Host
	maker    string
	learned  *adapt.Learned
	leaves   atomic.Bool // the caller can switch to Responses if the server demands it
}

var _ model.Model = (*Client)(nil)

// New returns a client. It does not contact the server.
func New(o Options) *Client {
	h := upstream.HostOf(o.BaseURL)
	return &Client{
		server: upstream.NewServer(o, "/chat/completions", upstream.OpenAIKey(h, o.APIKey)), settings: o, host: h,
		maker: model.Maker("openai", "chat", o.BaseURL, o.Model), learned: adapt.NewLearned(o.Notes),
	}
}

// Stream implements model.Model.
func (c *Client) Stream(ctx context.Context, req model.Request) iter.Seq2[model.Delta, error] {
	return c.streamAfter(ctx, req, 0)
}

// streamAfter is like Stream, after so many refused requests for the same answer, which count towards
// adapt.MaxRequests.
func (c *Client) streamAfter(ctx context.Context, req model.Request, refused int) iter.Seq2[model.Delta, error] {
	return func(yield func(model.Delta, error) bool) {
		c.learned.Ask(ctx, &adapt.Asking{
			Server: c.server, Request: &req, Refused: refused,
			Encode: func(n *adapt.Negotiation) ([]byte, adapt.Sent, error) {
				if c.leaves.Load() && n.Set().Without(fieldAPI) {
					return nil, adapt.Sent{}, &elsewhere{n}
				}
				return c.encode(&req, n.Set())
			},
			Read: func(ctx context.Context, a *upstream.Answer, n *adapt.Negotiation) (*upstream.Failure, error) {
				s := newStream(a, c.maker, n)
				defer s.release()
				return s.run(ctx, yield), nil
			},
		}, yield)
	}
}

// elsewhere is the error if a server accepts the request only at its Responses API.
type elsewhere struct{ asked *adapt.Negotiation }

func (*elsewhere) Error() string { return "the server accepts this request only at its Responses API" }

// asElsewhere finds an elsewhere in err.
func asElsewhere(err error) (*elsewhere, bool) {
	var e *elsewhere
	ok := errors.As(err, &e)
	return e, ok
}
