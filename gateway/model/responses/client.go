package responses

import (
	"context"
	"iter"

	"github.com/askgate/askgate/gateway/model"
	"github.com/askgate/askgate/gateway/model/adapt"
	"github.com/askgate/askgate/gateway/model/upstream"
)

// Options configures a client.
type Options = upstream.Settings

// Client is a model.Model over one server.
type Client struct {
	o       Options
	server  *upstream.Server
	maker   string
	own     bool // the server is OpenAI's or Azure's
	learned *adapt.Learned
}

var _ model.Model = (*Client)(nil)

// New returns a client. It does not contact the server.
func New(o Options) *Client {
	host := upstream.HostOf(o.BaseURL)
	return &Client{
		o: o, own: host.OpenAI, learned: adapt.NewLearned(o.Notes),
		maker:  model.Maker("openai", "responses", o.BaseURL, o.Model),
		server: upstream.NewServer(o, "/responses", upstream.OpenAIKey(host, o.APIKey)),
	}
}

// Stream implements model.Model.
func (c *Client) Stream(ctx context.Context, req model.Request) iter.Seq2[model.Delta, error] {
	return c.StreamAfter(ctx, req, 0)
}

// StreamAfter is like Stream, after so many refused requests for the same answer, which count towards
// adapt.MaxRequests.
func (c *Client) StreamAfter(ctx context.Context, req model.Request, refused int) iter.Seq2[model.Delta, error] {
	return func(yield func(model.Delta, error) bool) {
		c.learned.Ask(ctx, &adapt.Asking{
			Server: c.server, Request: &req, Refused: refused,
			Encode: func(n *adapt.Negotiation) ([]byte, adapt.Sent, error) { return c.encode(req, n.Set()) },
			Read: func(ctx context.Context, a *upstream.Answer, n *adapt.Negotiation) (*upstream.Failure, error) {
				s := stream{a: a, maker: c.maker, forgot: n.Set().Forgets(), accepted: n.Accepted}
				return s.run(ctx, yield)
			},
		}, yield)
	}
}
