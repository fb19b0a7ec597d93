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
	"syscall"
	"time"
)

const (
	maxRedirects   = 3
	maxHeader      = 64 << 10 // bytes of a response's header
	dialTimeout    = 10 * time.Second
	tlsTimeout     = 10 * time.Second
	idleTimeout    = 30 * time.Second // also how long the connections of an old configuration stay
	maxIdlePerHost = 16
)

// Options of a client.
type Options struct {
	// AllowPrivate lets a name of public DNS lead to private addresses: for names whose
	// DNS is one's own.
	AllowPrivate bool
	// MaxBody is in bytes of one response's body, after decompression. Reading more is
	// ErrTooLong. 0: the caller bounds it.
	MaxBody int64
	// Resolver is the system's where it is nil.
	Resolver *net.Resolver
}

// RefusedError says that a client was led where it may not go. Its text names no path,
// no query and nothing that a response said.
type RefusedError struct {
	Host string // the admin's
	Why  string
}

func (e *RefusedError) Error() string { return e.Host + ": refused: " + e.Why }

// ErrTooLong ends a body over Options.MaxBody.
var ErrTooLong = errors.New("the response is too long")

// New makes a client that speaks to the origin of target (scheme, host and port) and
// to no other. A redirect that it does not follow is the response. It bounds the time
// to connect and the size of headers; how long a call may take is for its context. The
// error says what is wrong with target.
func New(target *url.URL, o Options) (*http.Client, error) {
	if err := Check((&url.URL{Scheme: target.Scheme, User: target.User, Host: target.Host}).String()); err != nil {
		return nil, err
	}
	home := originOf(target)
	to := reachOf(home.host)
	if to == reachPublic && o.AllowPrivate {
		to = reachInside
	}
	dialer := &net.Dialer{
		Timeout: dialTimeout, Resolver: o.Resolver,
		ControlContext: func(_ context.Context, _, address string, _ syscall.RawConn) error {
			return to.check(home.host, address)
		},
	}
	transport := &http.Transport{
		DialContext:            dialer.DialContext,
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

// check is asked right before each connection is made.
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
		return &RefusedError{host, fmt.Sprintf("the name leads to %s, where no name may lead", addr)}
	}
}

// guard keeps every request at home, whoever makes it.
type guard struct {
	home    origin
	maxBody int64
	next    http.RoundTripper
}

// RoundTrip implements http.RoundTripper.
func (g *guard) RoundTrip(r *http.Request) (*http.Response, error) {
	if !g.home.has(r.URL) || r.Host != "" && r.Host != r.URL.Host {
		if r.Body != nil {
			_ = r.Body.Close() // a RoundTripper always does
		}
		return nil, &RefusedError{g.home.host, "the request is for another host, port or scheme, or names a user"}
	}
	resp, err := g.next.RoundTrip(r)
	if err == nil && g.maxBody > 0 {
		resp.Body = Bound(resp.Body, g.maxBody)
	}
	return resp, err
}

// CloseIdleConnections is what http.Client's method of that name calls.
func (g *guard) CloseIdleConnections() {
	if t, ok := g.next.(*http.Transport); ok {
		t.CloseIdleConnections()
	}
}

// Bounded is a body of so many bytes at most: reading more is ErrTooLong. For one reader at a time.
type Bounded struct {
	io.ReadCloser
	left int64
}

// Bound bounds a body whose reader says what of it counts; where all of it does, use Options.MaxBody.
func Bound(body io.ReadCloser, most int64) *Bounded { return &Bounded{body, most} }

// Spare has n bytes that were read not count.
func (b *Bounded) Spare(n int) { b.left += int64(n) }

// Read implements io.Reader.
func (b *Bounded) Read(p []byte) (int, error) {
	if int64(len(p)) > b.left+1 { // one more tells whether there is more
		p = p[:b.left+1]
	}
	n, err := b.ReadCloser.Read(p)
	if int64(n) > b.left {
		n, err = int(b.left), ErrTooLong
	}
	b.left -= int64(n)
	return n, err
}
