package responses

import (
	"context"
	"iter"
	"slices"

	"github.com/askgate/askgate/gateway/aside"
	"github.com/askgate/askgate/gateway/model"
	"github.com/askgate/askgate/gateway/model/adapt"
	"github.com/askgate/askgate/gateway/model/upstream"
)

// Options say which server to speak to, and how.
type Options = upstream.Settings

// Client is a model.Model over one server.
type Client struct {
	o       Options
	server  *upstream.Server
	maker   string
	own     bool // the server is OpenAI's or Azure's own
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
	return func(yield func(model.Delta, error) bool) {
		n, tries := c.learned.Begin(), c.server.Tries()
		tries.Said = func() []string { return upstream.SaidIn(req) }
		for {
			w, failed, err := c.attempt(ctx, &tries, n, req, yield)
			if failed != nil {
				if ctx.Err() == nil && n.Refused(failed, c.describe(w, tries.Said())) {
					continue
				}
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
// there was none. The request is written again each time, which is rare, so that a long
// history's bytes are not held while the answer is read.
func (c *Client) attempt(ctx context.Context, tries *upstream.Tries, n *adapt.Negotiation, req model.Request, yield yieldFunc) (written, *upstream.Failure, error) {
	var w written
	var a *upstream.Answer
	var failed *upstream.Failure
	var err error
	aside.Run(func() {
		var body []byte
		if body, w, err = c.encode(req, n.Set()); err == nil {
			a, failed = tries.Send(ctx, body)
		}
	})
	if err != nil || failed != nil {
		return w, failed, err
	}
	defer a.Close()
	s := stream{a: a, maker: c.maker, forgot: n.Set().Forgets(), accepted: n.Accepted}
	failed, err = s.run(ctx, yield)
	return w, failed, err
}

// describe is the request that was sent, for package adapt.
func (c *Client) describe(w written, said []string) adapt.Sent {
	sent := adapt.Sent{Fields: w.fields, Tools: w.tools, Body: c.o.Body, Said: said}
	if slices.Contains(w.tools, askUser) {
		sent.Keep = askUser
	}
	return sent
}
