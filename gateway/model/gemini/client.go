package gemini

import (
	"context"
	"iter"
	"net/http"
	"net/url"
	"strings"

	"github.com/askgate/askgate/gateway/aside"
	"github.com/askgate/askgate/gateway/model"
	"github.com/askgate/askgate/gateway/model/adapt"
	"github.com/askgate/askgate/gateway/model/upstream"
)

// DefaultBaseURL is Google's own address.
const DefaultBaseURL = "https://generativelanguage.googleapis.com/v1beta"

// Options say which server to speak to, and how.
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
	if !strings.Contains(path, "/") { // else it names its collection, as tunedModels/name does
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

// streamed is a base URL whose query asks for server-sent events.
func streamed(base string) string {
	u, err := url.Parse(strings.TrimSpace(base))
	if err != nil {
		return base // sending it reports the fault
	}
	q := u.Query()
	q.Set("alt", "sse")
	u.RawQuery = q.Encode()
	return u.String()
}

// kind is what can be read off a model's name. What the server says counts more.
type kind struct {
	signs  bool // demands signatures of thoughts
	budget bool // thinking has a budget, not a level
	system bool // takes a systemInstruction
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
		tries, negotiation, again := c.server.Tries(), c.learned.Begin(), true
		tries.Said = func() []string { return upstream.SaidIn(req) }
		for {
			sent, failed, err := c.attempt(ctx, &tries, negotiation, req, yield)
			if failed != nil {
				if failed.Err == errMalformedCall && again {
					again = false
					continue
				}
				sent.Said = upstream.SaidIn(req)
				if negotiation.Refused(failed, sent) {
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

// attempt sends the request and yields the answer's pieces. It fails only as long as there was
// none. The request is written again each time, which is rare, so that a long history's bytes are
// not held while the answer is read.
func (c *Client) attempt(ctx context.Context, tries *upstream.Tries, n *adapt.Negotiation, req model.Request, yield yieldFunc) (sent adapt.Sent, failed *upstream.Failure, err error) {
	var a *upstream.Answer
	aside.Run(func() {
		var body []byte
		if body, sent, err = c.encode(req, n.Set()); err == nil {
			a, failed = tries.Send(ctx, body)
		}
	})
	if err != nil || failed != nil {
		return sent, failed, err
	}
	defer a.Close()
	s := stream{a: a, tools: req.Tools, maker: c.maker, forgot: n.Set().Forgets(), accepted: n.Accepted, notes: c.o.Notes}
	failed, err = s.run(ctx, yield)
	return sent, failed, err
}
