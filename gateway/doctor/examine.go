package doctor

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"fmt"
	"net/http"
	"net/http/httptrace"
	"net/netip"
	"strings"
	"time"
)

// Options of Examine. Client is needed.
type Options struct {
	// URL is the gateway's, as clients write it: scheme, host and the path that a proxy
	// puts before /v1, if any.
	URL    string
	Client *http.Client
	// Key is presented as a bearer token. Serve needs none, but a proxy may. Optional.
	Key string
	// Quiet is how long a stream is silent. It is at least Promise (less would not show
	// whether the gateway's streams survive) and at most MaxQuiet.
	Quiet time.Duration
}

// Promise is the longest time for which the gateway's streams are silent.
const Promise = 15 * time.Second

// Check is one finding.
type Check struct {
	Name  string
	OK    bool
	Found string // what was observed
	Hint  string // "" where OK
}

// slack is how late something may arrive and still not count as held back: several
// times what a packet takes around the world.
const slack = time.Second

// examination is one run of Examine.
type examination struct {
	Options
	report func(Check)
	local  bool          // the first hop is this machine or a private network
	trip   time.Duration // of the first request
}

// Examine sends the gateway at o.URL every kind of request that matters to its clients,
// and reports each finding as soon as there is one. It takes o.Quiet and some seconds
// more, and returns whether all is well.
func Examine(ctx context.Context, o Options, report func(Check)) bool {
	o.URL = strings.TrimRight(o.URL, "/")
	o.Quiet = min(max(o.Quiet, Promise), MaxQuiet)
	well := true
	e := &examination{Options: o, report: func(c Check) {
		well = well && c.OK
		report(c)
	}}
	if e.reach(ctx) && e.compression(ctx) {
		e.body(ctx)
		e.stream(ctx)
	}
	return well
}

func (e *examination) ok(name, found string, args ...any) {
	e.report(Check{Name: name, OK: true, Found: fmt.Sprintf(found, args...)})
}

func (e *examination) broken(name, hint, found string, args ...any) {
	e.report(Check{Name: name, Found: fmt.Sprintf(found, args...), Hint: hint})
}

// patience is how long anything but the long stream may take.
const patience = 20 * time.Second

// do sends a request; the response ends with ctx.
func (e *examination) do(ctx context.Context, method, path, body string, header ...string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, e.URL+path, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Accept-Encoding", "identity")
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	req.Header.Set("Authorization", "Bearer "+e.key())
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	return e.Client.Do(req)
}

func (e *examination) key() string {
	if e.Key != "" {
		return e.Key
	}
	return "askgate-doctor"
}

// reach judges what one small request shows.
func (e *examination) reach(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	peer := ""
	traced := httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(c httptrace.GotConnInfo) {
		peer = c.Conn.RemoteAddr().String()
	}})
	id, begin := "doctor-"+rand.Text(), time.Now()
	resp, err := e.do(traced, http.MethodGet, "/healthz", "", "X-Request-Id", id)
	if err != nil {
		e.broken("reachable", "check the address, the proxy's certificate, and that the proxy points to where the gateway listens", "%v", err)
		return false
	}
	defer resp.Body.Close()
	e.trip = time.Since(begin)
	e.ok("reachable", "%s answers in %s", peer, round(e.trip))
	address, err := netip.ParseAddrPort(peer)
	e.local = err != nil || address.Addr().Unmap().IsLoopback() || address.Addr().Unmap().IsPrivate()
	e.transport(resp)
	if got := resp.Header.Get("X-Request-Id"); got == id {
		e.ok("request id", "X-Request-Id is passed on, both ways")
	} else {
		e.broken("request id", "pass X-Request-Id on, both ways: remove proxy_hide_header and proxy_set_header X-Request-Id",
			"X-Request-Id comes back as %q, so logs cannot be matched", got)
	}
	return true
}

// transport judges the connection to the first hop.
func (e *examination) transport(resp *http.Response) {
	switch {
	case resp.TLS != nil && len(resp.TLS.PeerCertificates) > 0:
		left := time.Until(resp.TLS.PeerCertificates[0].NotAfter)
		e.ok("tls", "%s, the certificate is valid for %d days", tls.VersionName(resp.TLS.Version), int(left.Hours()/24))
	case e.local:
		e.ok("tls", "none, on this machine or a private network")
	default:
		e.broken("tls", "serve https, and let the proxy terminate it", "none, so keys and chats can be read in transit")
	}
	switch {
	case resp.ProtoMajor >= 2:
		e.ok("http", "%s to the client", resp.Proto)
	case resp.ProtoAtLeast(1, 1):
		e.ok("http", "%s to the client; browsers allow six connections for all tabs, HTTP/2 more (listen ... ssl http2;)", resp.Proto)
	default:
		e.broken("http", "let the proxy speak HTTP/1.1 or HTTP/2 to clients", "%s to the client: a stream that ends and one that is cut off look the same", resp.Proto)
	}
}

// briefly asks for a stream without a silence: a buffer passes nothing on before its end.
const briefly = Path + "?quiet=0"

// compression offers every encoding to a stream: none may be used. It is also the
// first request to Serve, and says whether the gateway has it.
func (e *examination) compression(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	resp, err := e.do(ctx, http.MethodPost, briefly, "{}", "Accept-Encoding", "gzip, br, zstd, deflate")
	if err != nil {
		e.broken("stream", "see the proxy's log", "POST %s: %v", Path, err)
		return false
	}
	defer resp.Body.Close()
	if resp.StatusCode == http.StatusMisdirectedRequest {
		e.broken("host", `list the host of this address in "hosts" of gateway.json, and let the proxy pass it on: proxy_set_header Host $host; (nginx)`,
			"421: the gateway does not answer to this host name")
		return false
	}
	if !isStream(resp) {
		e.broken("stream", "route "+Path+" to AskGate, the way clients are routed, and check that its version has it", "POST %s: %s, %s", Path, resp.Status, resp.Header.Get("Content-Type"))
		return false
	}
	if encoding := resp.Header.Get("Content-Encoding"); encoding != "" {
		e.broken("compression", "remove text/event-stream from gzip_types (nginx) or encode's match (Caddy)", "streams are compressed: %s", encoding)
	} else {
		e.ok("compression", "streams are not compressed")
	}
	return true
}

// body sends as much as the gateway accepts.
func (e *examination) body(ctx context.Context) {
	const hint = "client_max_body_size 2m; (nginx), request_body max_size 2MB (Caddy)"
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	resp, err := e.do(ctx, http.MethodPost, briefly, `"`+strings.Repeat("x", MaxBody-2)+`"`)
	if err != nil {
		e.broken("body", hint, "a body of 1 MiB: %v", err)
		return
	}
	defer resp.Body.Close()
	if !isStream(resp) {
		e.broken("body", hint, "a body of 1 MiB: %s", resp.Status)
		return
	}
	a := new(arrivals)
	a.read(ctx, resp.Body, func() bool { return a.seen != nil })
	switch {
	case a.seen == nil:
		e.broken("body", hint, "a body of 1 MiB: the stream is cut off")
	case a.seen.Bytes != MaxBody:
		e.broken("body", hint, "only %d bytes of a 1 MiB body arrive", a.seen.Bytes)
	default:
		e.ok("body", "1 MiB passes")
	}
}

func round(d time.Duration) time.Duration {
	switch {
	case d >= 10*time.Second:
		return d.Round(time.Second)
	case d >= time.Second:
		return d.Round(100 * time.Millisecond)
	}
	return d.Round(time.Millisecond)
}
