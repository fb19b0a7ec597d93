package outgoing

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"syscall"
	"time"
)

const (
	maxRedirects   = 3
	maxHeader      = 64 << 10 // bytes of a response's header
	dialTimeout    = 10 * time.Second
	tlsTimeout     = 10 * time.Second
	idleTimeout    = 30 * time.Second // also how long connections of an old configuration stay open
	maxIdlePerHost = 16
)

// Options are the options of a client.
type Options struct {
	// AllowPrivate lets a public DNS name lead to private addresses. Set it only for names whose
	// DNS you control.
	AllowPrivate bool
	// MaxBody is the limit of a response body in bytes, after decompression. Reading more
	// returns ErrTooLong. 0: the caller limits it.
	MaxBody int64
	// Resolver resolves names. nil means the system's resolver.
	Resolver *net.Resolver
}

// RefusedError means that a request would have reached a destination that is not allowed. Its
// text contains no path, no query and nothing from a response.
type RefusedError struct {
	Host string // as configured
	Why  string
}

func (e *RefusedError) Error() string { return e.Host + ": refused: " + e.Why }

// ErrTooLong is the error of reading a body beyond Options.MaxBody.
var ErrTooLong = errors.New("the response is too long")

// New returns a client that sends requests only to the origin of target (scheme, host and
// port). It returns a redirect that it does not follow as the response. It limits the time to
// connect and the size of headers; the context limits the duration of a request. The error
// describes what is wrong with target.
func New(target *url.URL, o Options) (*http.Client, error) {
	if err := Check((&url.URL{Scheme: target.Scheme, User: target.User, Host: target.Host}).String()); err != nil {
		return nil, err
	}
	home := originOf(target)
	transport := &http.Transport{
		DialContext:            Dialer(home.host, o).DialContext,
		ForceAttemptHTTP2:      true,
		TLSHandshakeTimeout:    tlsTimeout,
		IdleConnTimeout:        idleTimeout,
		MaxIdleConnsPerHost:    maxIdlePerHost,
		MaxResponseHeaderBytes: maxHeader,
	}
	return &http.Client{
		Transport: &guard{home: home, maxBody: o.MaxBody, next: transport},
		CheckRedirect: func(next *http.Request, via []*http.Request) error {
			if len(via) > maxRedirects || !home.has(next.URL) {
				return http.ErrUseLastResponse
			}
			return nil
		},
	}, nil
}

// Dialer returns a dialer for connections to a host, which may lead where requests of New may. Of the
// options it uses AllowPrivate and Resolver.
func Dialer(host string, o Options) *net.Dialer {
	host = strings.ToLower(host)
	to := reachOf(host)
	if to == reachPublic && o.AllowPrivate {
		to = reachInside
	}
	return &net.Dialer{
		Timeout: dialTimeout, Resolver: o.Resolver,
		ControlContext: func(_ context.Context, _, address string, _ syscall.RawConn) error {
			return to.check(host, address)
		},
	}
}

// check is called right before each connection is made.
func (r reach) check(host, address string) error {
	to, err := netip.ParseAddrPort(address)
	if err != nil {
		return &RefusedError{host, "its address could not be read"}
	}
	switch addr := to.Addr(); {
	case r.leads(addr):
		return nil
	case reachInside.leads(addr):
		return &RefusedError{host, fmt.Sprintf(`a public name that leads to the private address %s; if the name is your own, say "allowPrivate": true`, addr)}
	default:
		return &RefusedError{host, fmt.Sprintf("the name leads to %s, which no name may lead to", addr)}
	}
}

// guard refuses every request to another origin.
type guard struct {
	home    origin
	maxBody int64
	next    http.RoundTripper
}

// RoundTrip implements http.RoundTripper.
func (g *guard) RoundTrip(r *http.Request) (*http.Response, error) {
	if !g.home.has(r.URL) || r.Host != "" && r.Host != r.URL.Host {
		if r.Body != nil {
			_ = r.Body.Close() // a RoundTripper must always close it
		}
		return nil, &RefusedError{g.home.host, "the request is for another host, port or scheme, or names a user"}
	}
	resp, err := g.next.RoundTrip(r)
	if err == nil && g.maxBody > 0 {
		resp.Body = Bound(resp.Body, g.maxBody)
	}
	return resp, err
}

// CloseIdleConnections is called by the http.Client method of the same name.
func (g *guard) CloseIdleConnections() {
	if t, ok := g.next.(*http.Transport); ok {
		t.CloseIdleConnections()
	}
}

// Bounded is a body with a limit: reading more returns ErrTooLong. It is not safe for concurrent use.
type Bounded struct {
	io.ReadCloser
	left int64
}

// Bound limits a body to most bytes. The reader can exclude bytes with Spare; if all count, use Options.MaxBody.
func Bound(body io.ReadCloser, most int64) *Bounded { return &Bounded{body, most} }

// Spare excludes n bytes that were read from the limit.
func (b *Bounded) Spare(n int) { b.left += int64(n) }

// Read implements io.Reader.
func (b *Bounded) Read(p []byte) (int, error) {
	if int64(len(p)) > b.left+1 { // one more shows whether the body continues
		p = p[:b.left+1]
	}
	n, err := b.ReadCloser.Read(p)
	if int64(n) > b.left {
		n, err = int(b.left), ErrTooLong
	}
	b.left -= int64(n)
	return n, err
}
