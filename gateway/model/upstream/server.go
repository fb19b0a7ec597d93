package upstream

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/askgate/askgate/gateway/model/httpconn"
)

// DefaultTimeout is the timeout where Options names none (contract, section 3).
const DefaultTimeout = 120 * time.Second

// Options says which server to speak to.
type Options struct {
	URL     string        // to post to, see Endpoint
	Header  http.Header   // of each request, beside those of its body
	Timeout time.Duration // to the first byte and between bytes; 0: DefaultTimeout
	// StepTimeout bounds a whole request: its attempts, and all of the answer; 0: ten times
	// Timeout.
	StepTimeout time.Duration
	Secret      string   // the key in Header: it stays out of errors
	Secrets     []string // these, too: values of headers, and whatever else came from the environment
	MaxRetries  int      // further attempts after one that failed before the answer; below 0: none
	Notes       *Notes   // told of each request that the server refused; nil: nobody is
	// Transport carries the requests; nil: one of its own, made for many long streams. A
	// redirect is reported, not followed: that would carry the prompt to another host.
	Transport http.RoundTripper
}

// secrets are all that stays out of errors.
func (o *Options) secrets() []string {
	return append(o.Secrets[:len(o.Secrets):len(o.Secrets)], o.Secret)
}

// Server is a model's server. Safe for concurrent use.
type Server struct{ o Options }

// New returns a server. It does not contact it.
func New(o Options) *Server {
	if o.Timeout <= 0 {
		o.Timeout = DefaultTimeout
	}
	if o.StepTimeout <= 0 {
		o.StepTimeout = 10 * o.Timeout
	}
	if o.Transport == nil {
		o.Transport = httpconn.NewTransport()
	}
	return &Server{o}
}

// NewServer returns the server that settings name, for one call of its API: path as Endpoint takes
// it, header what the provider itself sends, the key included. A header that the admin set wins.
func NewServer(s Settings, path string, header http.Header) *Server {
	sent, secrets := http.Header{}, slices.Clone(s.Secrets)
	maps.Copy(sent, header)
	for name, values := range s.Header {
		sent[http.CanonicalHeaderKey(name)] = values
		secrets = append(secrets, values...)
	}
	return New(Options{
		URL: Endpoint(s.BaseURL, path), Header: sent, Timeout: s.Timeout, StepTimeout: s.StepTimeout,
		Secret: s.APIKey, Secrets: secrets, MaxRetries: s.MaxRetries, Notes: s.Notes, Transport: s.Transport,
	})
}

// Endpoint is the URL of an API's call: base and path. base may already end with the
// path's beginning, or all of it. A query (such as Azure's api-version) stays.
func Endpoint(base, path string) string {
	base = strings.TrimSpace(base)
	if u, err := url.Parse(base); err == nil && u.Host != "" {
		u.Path, u.RawPath = join(u.Path, path), ""
		return u.String()
	}
	return join(base, path) // sending it reports the fault
}

func join(base, path string) string {
	base = strings.TrimRight(base, "/")
	for i := len(path); i > 0; i = strings.LastIndexByte(path[:i], '/') {
		if strings.HasSuffix(base, path[:i]) {
			return base + path[i:]
		}
	}
	return base + path
}
