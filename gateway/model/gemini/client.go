package gemini

import (
	"context"
	"iter"
	"net/http"
	"net/url"
	"strings"

	"github.com/askgate/askgate/gateway/model"
	"github.com/askgate/askgate/gateway/model/adapt"
	"github.com/askgate/askgate/gateway/model/upstream"
)

// DefaultBaseURL is the URL of Google's own server.
const DefaultBaseURL = "https://generativelanguage.googleapis.com/v1beta"

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
	if o.BaseURL == "" {
		o.BaseURL = DefaultBaseURL
	}
	path := o.Model
	if !strings.Contains(path, "/") { // otherwise it includes the collection, like tunedModels/name
		path = "models/" + path
	}
	path = "/" + path + ":streamGenerateContent"
	header := http.Header{}
	if o.APIKey != "" {
		header.Set("X-Goog-Api-Key", o.APIKey)
	}
	maker := model.Maker("gemini", "", upstream.Endpoint(o.BaseURL, path), o.Model)
	o.BaseURL = streamed(o.BaseURL)
	return &Client{
		o: o, server: upstream.NewServer(o, path, header), maker: maker, kind: kindOf(o.Model),
		learned: adapt.NewLearned(o.Notes),
	}
}

// streamed adds to a base URL the query that requests server-sent events.
func streamed(base string) string {
	u, err := url.Parse(strings.TrimSpace(base))
	if err != nil {
		return base // the fault is reported when a request is sent
	}
	q := u.Query()
	q.Set("alt", "sse")
	u.RawQuery = q.Encode()
	return u.String()
}

// kind describes a model, as far as its name shows. The server's refusals take precedence.
type kind struct {
	signs  bool // demands signatures of thoughts
	budget bool // thinking has a budget, not a level
	system bool // accepts a systemInstruction
}

func kindOf(name string) kind {
	name = strings.ToLower(name[strings.LastIndexByte(name, '/')+1:])
	older := strings.HasPrefix(name, "gemini-1") || strings.HasPrefix(name, "gemini-2")
	gemma := strings.HasPrefix(name, "gemma")
	return kind{signs: !older && !gemma, budget: older, system: !gemma}
}

// Stream implements model.Model.
func (c *Client) Stream(ctx context.Context, req model.Request) iter.Seq2[model.Delta, error] {
	return func(yield func(model.Delta, error) bool) {
		malformed := 0
		c.learned.Ask(ctx, &adapt.Asking{
			Server: c.server, Request: &req,
			Encode: func(n *adapt.Negotiation) ([]byte, adapt.Sent, error) { return c.encode(req, n.Set()) },
			Read: func(ctx context.Context, a *upstream.Answer, n *adapt.Negotiation) (*upstream.Failure, error) {
				s := stream{a: a, tools: req.Tools, maker: c.maker, forgot: n.Set().Forgets(), accepted: n.Accepted, notes: c.o.Notes}
				return s.run(ctx, yield)
			},
			Again: func(f *upstream.Failure) bool {
				if f.Err == errMalformedCall {
					malformed++
				}
				return f.Err == errMalformedCall && malformed == 1
			},
		}, yield)
	}
}
