package openai

import (
	"context"
	"errors"
	"iter"
	"net/http"
	"strings"
	"sync"
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
	host     host
	maker    string
	learned  *adapt.Learned
	leaves   atomic.Bool // the caller goes over to Responses where the server wants that
	leftOut  sync.Map    // names of tools that have no portable form
}

var _ model.Model = (*Client)(nil)

// New returns a client. It does not contact the server.
func New(o Options) *Client {
	h, header := hostOf(o.BaseURL), http.Header{}
	switch {
	case o.APIKey == "":
	case h.azure && !strings.HasPrefix(o.APIKey, "eyJ"): // else a token of Entra, which is a JWT
		header.Set("api-key", o.APIKey)
	default:
		header.Set("Authorization", "Bearer "+o.APIKey)
	}
	return &Client{
		server: upstream.NewServer(o, "/chat/completions", header), settings: o, host: h,
		maker: model.Maker("openai", "chat", o.BaseURL, o.Model), learned: adapt.NewLearned(o.Notes),
	}
}

// Stream implements model.Model.
func (c *Client) Stream(ctx context.Context, req model.Request) iter.Seq2[model.Delta, error] {
	return func(yield func(model.Delta, error) bool) {
		var a *upstream.Answer
		var forgot bool
		var err error
		aside.Run(func() { a, forgot, err = c.open(ctx, req) })
		if err != nil {
			yield(model.Delta{}, err)
			return
		}
		defer a.Close()
		s := newStream(a, c.maker, forgot)
		defer s.release()
		s.run(ctx, yield)
	}
}

// elsewhere is the error of a server that wants the request at its Responses API.
type elsewhere struct{ accepted func() } // to be called once Responses has answered

func (*elsewhere) Error() string { return "the server wants this request at its Responses API" }

// open sends the request until an answer begins, or MaxRetries are used up. forgot says that it was
// sent without state, because the server refused that.
func (c *Client) open(ctx context.Context, req model.Request) (_ *upstream.Answer, forgot bool, _ error) {
	n, tries := c.learned.Begin(), c.server.Tries()
	tries.Said = func() []string { return upstream.SaidIn(req) }
	for {
		if c.leaves.Load() && n.Set().Without(fieldAPI) {
			return nil, false, &elsewhere{n.Accepted}
		}
		body, sent, err := c.encode(&req, n.Set())
		if err != nil {
			return nil, false, err
		}
		a, failed := tries.Send(ctx, body)
		if failed == nil {
			n.Accepted()
			return a, n.Set().Forgets(), nil
		}
		sent.Said = tries.Said()
		if n.Refused(failed, sent) { // the server is not failing: it does not count as an attempt
			continue
		}
		if err := tries.Wait(ctx, failed); err != nil {
			return nil, false, err
		}
	}
}

// leaveOut tells, once, that a tool cannot be offered.
func (c *Client) leaveOut(tool string, why error) {
	if _, told := c.leftOut.LoadOrStore(tool, true); !told {
		c.settings.Notes.Learnt(upstream.Adaptation{What: "tool", Detail: tool + " is not offered: " + why.Error()})
	}
}

// asElsewhere finds an elsewhere in err.
func asElsewhere(err error) (*elsewhere, bool) {
	var e *elsewhere
	ok := errors.As(err, &e)
	return e, ok
}
