package upstream

import (
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// DefaultTimeout is the timeout where Options names none (contract, section 3).
const DefaultTimeout = 120 * time.Second

// Options says which server to speak to.
type Options struct {
	URL        string        // to post to, see Endpoint
	Header     http.Header   // of each request, beside those of its body
	Timeout    time.Duration // to the first byte and between bytes; 0: DefaultTimeout
	MaxRetries int           // further attempts after one that failed before the answer; below 0: none
	Client     *http.Client  // nil: one with its own transport, made for many long streams
}

// Server is a model's server. Safe for concurrent use.
type Server struct{ o Options }

// New returns a server. It does not contact it.
func New(o Options) *Server {
	if o.Timeout <= 0 {
		o.Timeout = DefaultTimeout
	}
	if o.Client == nil {
		o.Client = &http.Client{Transport: newTransport(), CheckRedirect: noRedirect}
	}
	return &Server{o}
}

// Endpoint is the URL of an API's call: base and path, whatever part of the path
// base has already. A query (such as Azure's api-version) stays.
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

// noRedirect leaves redirects to be reported: following one would turn the POST
// into a GET or carry the prompt to another host.
func noRedirect(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// newTransport is net/http's default with what many long streams need: idle
// connections are kept for each (net/http keeps two per host), nothing is
// compressed (a compressed stream arrives in blocks), and buffers are small: a
// stream holds them for as long as it is open.
func newTransport() *http.Transport {
	dialer := &net.Dialer{Timeout: 10 * time.Second, KeepAlive: 30 * time.Second}
	return &http.Transport{
		Proxy:                 http.ProxyFromEnvironment,
		DialContext:           dialer.DialContext,
		ForceAttemptHTTP2:     true,
		MaxIdleConns:          1024,
		MaxIdleConnsPerHost:   1024,
		IdleConnTimeout:       90 * time.Second,
		TLSHandshakeTimeout:   10 * time.Second,
		ExpectContinueTimeout: time.Second,
		DisableCompression:    true,
		ReadBufferSize:        1 << 10,
		WriteBufferSize:       1 << 10,
	}
}
