package client

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// DefaultURL is the address of a gateway with the default configuration.
const DefaultURL = "http://127.0.0.1:8080"

// Options say which gateway to ask, and as whom.
type Options struct {
	URL      string // of the gateway; "" is DefaultURL
	Key      string // sent as the bearer token; "" for none
	Language string // for Accept-Language: of refusals, and of yes and no; "" for the gateway's own

	// Patience is how long to retry a gateway that cannot be reached, before anything is stored;
	// 0 means 30 s.
	Patience time.Duration
	// Trouble, if set, is called with the error of each attempt that will be retried, and with nil
	// when a retry succeeds. It must not block.
	Trouble func(error)
	// HTTP, if set, sends the requests. Its redirects are never followed, because the key would be sent along.
	HTTP *http.Client
}

// Client speaks to one gateway as one principal.
type Client struct {
	options Options
	base    *url.URL
	http    *http.Client
}

const (
	patience   = 30 * time.Second
	dialTime   = 5 * time.Second
	replyTime  = 15 * time.Second // of a call that does not wait for a person
	maxReply   = 16 << 20
	maxProblem = 64 << 10
)

// New makes a client; it connects to nothing yet. The error is about options.URL.
func New(options Options) (*Client, error) {
	options.URL = cmp.Or(options.URL, DefaultURL)
	options.Patience = cmp.Or(options.Patience, patience)
	base, err := url.Parse(options.URL)
	if err != nil || base.Scheme != "http" && base.Scheme != "https" || base.Host == "" {
		return nil, fmt.Errorf("the gateway's address must begin with http:// or https://, and name a host, such as %s", DefaultURL)
	}
	base.RawQuery, base.Fragment = "", ""
	c := &Client{options: options, base: base, http: &http.Client{}}
	if options.HTTP != nil {
		*c.http = *options.HTTP
	} else {
		transport := http.DefaultTransport.(*http.Transport).Clone()
		transport.DialContext = (&net.Dialer{Timeout: dialTime}).DialContext
		c.http.Transport = transport
	}
	c.http.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return c, nil
}

// Problem is a refusal of the gateway. Detail is for people; Code is one of the protocol's,
// or "" where something else than a gateway answered.
type Problem struct {
	Status int    `json:"status"`
	Code   string `json:"code"`
	Title  string `json:"title"`
	Detail string `json:"detail"`
	// Errors lists the errors in an answer or a question, with status 422.
	Errors []struct {
		Question int    `json:"question"`
		Field    string `json:"field"`
		Code     string `json:"code"`
		Message  string `json:"message"`
	} `json:"errors"`
	State      string        `json:"state"`   // of a clarification that has ended: 410
	Outcome    string        `json:"outcome"` // likewise: 409
	RetryAfter time.Duration `json:"-"`
	RequestID  string        `json:"-"`
	URL        string        `json:"-"` // without its query

	rpc json.RawMessage // the error of JSON-RPC that it came as, nil for none
}

// Error implements error: what is wrong, and how to fix it if known.
func (p *Problem) Error() string {
	text := cmp.Or(p.Detail, p.Title)
	for _, e := range p.Errors {
		at := ""
		if len(p.Errors) > 1 || e.Question > 0 {
			at = fmt.Sprintf("question %d, ", e.Question+1)
		}
		text += fmt.Sprintf("\n  %s%s: %s", at, e.Field, e.Message)
	}
	switch {
	case p.Code == "" && p.Status/100 == 3:
		return fmt.Sprintf("%s redirects to %s, which is not followed: use the address that it redirects to", p.URL, p.Detail)
	case p.Code == "":
		return fmt.Sprintf("%s: %d %s, and not as a gateway says it: is the address that of the gateway?", p.URL, p.Status, http.StatusText(p.Status))
	case p.RetryAfter > 0:
		text += fmt.Sprintf(" (again in %v)", p.RetryAfter)
	}
	return fmt.Sprintf("%s (%d %s)", text, p.Status, p.Code)
}

// request is one call. answer is what its reply is decoded into, nil for none.
type request struct {
	method, path string
	query        url.Values
	header       http.Header
	body         any
	answer       any
	time         time.Duration // at most; 0 is replyTime
}

// once makes a call, once.
func (c *Client) once(ctx context.Context, r request) error {
	ctx, cancel := context.WithTimeoutCause(ctx, cmp.Or(r.time, replyTime), errors.New("the gateway does not reply"))
	defer cancel()
	resp, err := c.send(ctx, r, "application/json")
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if r.answer == nil {
		return nil
	}
	data, err := io.ReadAll(io.LimitReader(resp.Body, maxReply))
	if err != nil {
		return because(ctx, err)
	}
	if err := json.Unmarshal(data, r.answer); err != nil {
		return final{fmt.Errorf("%s does not reply as a gateway does: is the address that of the gateway? (%w)", c.base.Redacted(), err)}
	}
	return nil
}

// send sends a call, and returns the response where it is a success.
func (c *Client) send(ctx context.Context, r request, accept string) (*http.Response, error) {
	var body io.Reader
	if r.body != nil {
		data, err := json.Marshal(r.body)
		if err != nil {
			return nil, final{err}
		}
		body = bytes.NewReader(data)
	}
	u := c.base.JoinPath(r.path)
	u.RawQuery = r.query.Encode()
	req, err := http.NewRequestWithContext(ctx, r.method, u.String(), body)
	if err != nil {
		return nil, final{err}
	}
	for name, values := range r.header {
		req.Header[name] = values
	}
	c.sign(req)
	req.Header.Set("Accept", accept)
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, because(ctx, err)
	}
	if resp.StatusCode/100 != 2 {
		defer resp.Body.Close()
		return nil, problem(resp)
	}
	return resp, nil
}

func (c *Client) sign(req *http.Request) {
	if c.options.Key != "" {
		req.Header.Set("Authorization", "Bearer "+c.options.Key)
	}
	if c.options.Language != "" {
		req.Header.Set("Accept-Language", c.options.Language)
	}
	req.Header.Set("User-Agent", "askgate-client")
}

// because prefers the reason why ctx has ended to the error that follows from it.
func because(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

func problem(resp *http.Response) error {
	p := &Problem{}
	data, _ := io.ReadAll(io.LimitReader(resp.Body, maxProblem)) // cut off: as none
	var rpc struct {
		Error json.RawMessage `json:"error"`
	}
	if json.Unmarshal(data, p) != nil || p.Code == "" {
		p = &Problem{Detail: resp.Header.Get("Location")}
		if json.Unmarshal(data, &rpc) == nil {
			p.rpc = rpc.Error
		}
	}
	p.Status, p.RequestID = resp.StatusCode, resp.Header.Get("X-Request-Id")
	at := *resp.Request.URL
	at.RawQuery, at.User = "", nil
	p.URL = at.String()
	if s, err := time.ParseDuration(strings.TrimSpace(resp.Header.Get("Retry-After")) + "s"); err == nil && s > 0 {
		p.RetryAfter = s
	}
	return p
}

// App is an app that the caller may use.
type App struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// URL returns the gateway's address, without a password.
func (c *Client) URL() string { return c.base.Redacted() }

// Apps are all apps that the caller may use.
func (c *Client) Apps(ctx context.Context) ([]App, error) {
	return all[App](ctx, c, "/v1/apps", url.Values{})
}

// all reads a list to its end.
func all[T any](ctx context.Context, c *Client, path string, query url.Values) ([]T, error) {
	var list []T
	for {
		var page struct {
			Items      []T     `json:"items"`
			NextCursor *string `json:"nextCursor"`
		}
		err := c.retry(ctx, c.options.Patience, request{method: http.MethodGet, path: path, query: query, answer: &page})
		if err != nil {
			return nil, err
		}
		list = append(list, page.Items...)
		if page.NextCursor == nil || *page.NextCursor == "" {
			return list, nil
		}
		query.Set("cursor", *page.NextCursor)
	}
}
