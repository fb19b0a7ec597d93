package anthropic

import (
	"context"
	"iter"
	"net/http"

	"github.com/askgate/askgate/gateway/model"
	"github.com/askgate/askgate/gateway/model/adapt"
	"github.com/askgate/askgate/gateway/model/upstream"
)

const (
	// version is the API's only version (anthropic-version).
	version = "2023-06-01"
	path    = "/v1/messages"
)

// DefaultMaxTokens is the most tokens of an answer if Options has no limit. The API requires a
// number, and refuses one above the model's own limit. Every model since Claude 3.5 accepts 8192, and
// a chat's answers seldom need more.
const DefaultMaxTokens = 8192

// Options configures a client.
type Options = upstream.Settings

// Client is a model.Model over one server.
type Client struct {
	o       Options
	server  *upstream.Server
	maker   string // see model.Made
	kind    kind
	learned *adapt.Learned
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
	return &Client{
		o: o, server: upstream.NewServer(o, path, header), kind: kindOf(o.Model),
		maker:   model.Maker("anthropic", "", upstream.Endpoint(o.BaseURL, path), o.Model),
		learned: adapt.NewLearned(o.Notes),
	}
}

// Stream implements model.Model.
func (c *Client) Stream(ctx context.Context, req model.Request) iter.Seq2[model.Delta, error] {
	return func(yield func(model.Delta, error) bool) {
		c.learned.Ask(ctx, &adapt.Asking{
			Server: c.server, Request: &req,
			Encode: func(n *adapt.Negotiation) ([]byte, adapt.Sent, error) { return c.encode(req, n.Set()) },
			Read: func(ctx context.Context, a *upstream.Answer, n *adapt.Negotiation) (*upstream.Failure, error) {
				s := stream{a: a, tools: req.Tools, maker: c.maker, forgot: n.Set().Forgets(), accepted: n.Accepted, notes: c.o.Notes}
				return s.run(ctx, yield)
			},
		}, yield)
	}
}
