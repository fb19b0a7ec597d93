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

// DefaultTimeout is the timeout if Options has none (contract, section 3).
const DefaultTimeout = 120 * time.Second

// Options configures a server.
type Options struct {
	URL     string        // to post to, see Endpoint
	Header  http.Header   // of each request, in addition to those that describe its body
	Timeout time.Duration // to the first byte and between bytes; 0: DefaultTimeout
	// StepTimeout bounds a whole request: its attempts, and all of the answer; 0: ten times
	// Timeout.
	StepTimeout time.Duration
	Secret      string   // the key in Header, which is removed from errors
	Secrets     []string // further secrets: values of headers, and others from the environment
	MaxRetries  int      // attempts after the first, until an answer begins; below 0: none
	Notes       *Notes   // records each request that the server refuses; nil: they are dropped
	// Transport sends the requests; nil: one of its own, made for many long streams. Redirects
	// are reported and not followed, because that would send the prompt to another host.
	Transport http.RoundTripper
}

// secrets returns all values that are removed from errors.
func (o *Options) secrets() []string {
	return append(o.Secrets[:len(o.Secrets):len(o.Secrets)], o.Secret)
}

// Server is a model's server. It is safe for concurrent use.
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

// NewServer returns the server of settings, for one endpoint of its API. path is that of Endpoint;
// header has the headers of the provider, including the key. Headers that the admin has set take
// precedence.
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

// Endpoint returns the URL of an API's endpoint: base followed by path. base may already end with the
// beginning of path, or all of it. A query in base (such as Azure's api-version) stays.
func Endpoint(base, path string) string {
	base = strings.TrimSpace(base)
	if u, err := url.Parse(base); err == nil && u.Host != "" {
		u.Path, u.RawPath = join(u.Path, path), ""
		return u.String()
	}
	return join(base, path) // the fault is reported when a request is sent
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
