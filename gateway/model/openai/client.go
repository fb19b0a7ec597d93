package openai

import (
	"context"
	"errors"
	"iter"
	"sync/atomic"

	"github.com/askgate/askgate/gateway/aside"
	"github.com/askgate/askgate/gateway/model"
	"github.com/askgate/askgate/gateway/model/adapt"
	"github.com/askgate/askgate/gateway/model/upstream"
)

// Options say which server to speak to, and how.
type Options = upstream.Settings

// Client is a model.Model over one server's Chat Completions.
type Client struct {
	server   *upstream.Server
	settings Options
	host     upstream.Host
	maker    string
	learned  *adapt.Learned
	leaves   atomic.Bool // the caller goes over to Responses where the server wants that
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
	return func(yield func(model.Delta, error) bool) {
		n, tries := c.learned.Begin(), c.server.Tries()
		tries.Said = func() []string { return upstream.SaidIn(req) }
		for {
			sent, failed, err := c.attempt(ctx, &tries, n, &req, yield)
			if failed != nil {
				aside.Run(func() { err = again(ctx, &tries, n, sent, failed) })
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

// elsewhere is the error of a server that wants the request at its Responses API.
type elsewhere struct{ accepted func() } // to be called once Responses has answered

func (*elsewhere) Error() string { return "the server wants this request at its Responses API" }

// attempt sends the request and yields the answer. It fails only before the first piece of it.
// The request is written for each attempt, so that a long history's bytes are not held while the
// answer is read.
func (c *Client) attempt(ctx context.Context, tries *upstream.Tries, n *adapt.Negotiation, req *model.Request, yield yieldFunc) (sent adapt.Sent, failed *upstream.Failure, err error) {
	var a *upstream.Answer
	aside.Run(func() {
		if c.leaves.Load() && n.Set().Without(fieldAPI) {
			err = &elsewhere{n.Accepted}
			return
		}
		var body []byte
		if body, sent, err = c.encode(req, n.Set()); err == nil {
			a, failed = tries.Send(ctx, body)
		}
	})
	if err != nil || failed != nil {
		return sent, failed, err
	}
	defer a.Close()
	s := newStream(a, c.maker, n)
	defer s.release()
	return sent, s.run(ctx, yield), nil
}

// again returns nil when it is time for another attempt: at once with a request that differs in what
// the server refused, which does not count, or else after a while.
func again(ctx context.Context, tries *upstream.Tries, n *adapt.Negotiation, sent adapt.Sent, failed *upstream.Failure) error {
	if ctx.Err() == nil {
		if sent.Said = tries.Said(); n.Refused(failed, sent) {
			return nil
		}
	}
	return tries.Wait(ctx, failed)
}

// asElsewhere finds an elsewhere in err.
func asElsewhere(err error) (*elsewhere, bool) {
	var e *elsewhere
	ok := errors.As(err, &e)
	return e, ok
}
