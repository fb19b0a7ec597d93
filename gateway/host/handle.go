package host

import (
	"net"
	"net/http"
	"net/netip"
	"slices"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/limit"
	"github.com/gin-gonic/gin"
)

// Route is one address. Parameters in Path look like ":app".
type Route struct {
	Method, Path string
	// In finds the caller, the app and the chat: SignIn, InApp or InChat. nil: Serve does so where
	// necessary.
	In func(*Request) error
	// Counts is the scope in which a request counts before Serve; "" for none, or if Serve counts.
	Counts string
	Serve  func(*Request) error
	// OwnPages keeps out the pages of other sites, see the function OwnPages.
	OwnPages bool
	// NoHead means that HEAD is not served along with GET, since the length of the response is
	// unknown.
	NoHead bool
	// Changes says that what BodyOf reads counts in the limit of changes. Serve counts, with Admit,
	// the part that is a request.
	Changes bool
}

// admitted is Serve for admitted requests.
func (route *Route) admitted(r *Request) error {
	if route.In != nil {
		if err := route.In(r); err != nil {
			return err
		}
	}
	if route.Counts != "" {
		if err := Count(r, route.Counts); err != nil {
			return err
		}
	}
	return route.Serve(r)
}

// Handle returns a gin handler for a route; an error from the route becomes a problem in the
// format.
func (h *Host) Handle(route *Route, format Format) gin.HandlerFunc {
	serve := route.admitted
	if route.OwnPages {
		serve = OwnPages(serve)
	}
	return func(c *gin.Context) {
		r := h.NewRequest(c)
		r.Format, r.changes = format, route.Changes
		defer r.Release()
		if err := serve(r); err != nil {
			if r.bodyRead && !r.counted {
				readInVain(r)
			}
			r.Refuse(err)
		}
		c.Writer.WriteHeaderNow() // tell gin that there is a response: otherwise, for 404 and 405, it would add its own
	}
}

// OwnHost refuses requests to a host that is not the gateway's own, if everyone who reaches the
// gateway is let in, or a proxy names the caller. A page elsewhere can make its own name point
// here; for the browser, the gateway is then part of that page's site, and only the name gives it
// away. Headers that name another host are ignored. Probes may use any address.
func (h *Host) OwnHost(c *gin.Context) {
	switch conf := &ResponseOf(c.Writer).setup.Config.Gateway; {
	case conf.Auth.Mode != config.AuthNone && conf.Auth.Mode != config.AuthProxy:
	case c.FullPath() == "/healthz" || c.FullPath() == "/readyz":
	case !answers(conf, c.Request):
		h.Handle(&Route{Serve: func(*Request) error { return &Fault{Code: codeMisdirected} }}, nil)(c)
		c.Abort()
	}
}

func answers(conf *config.Gateway, r *http.Request) bool {
	bare, _, err := net.SplitHostPort(r.Host)
	if err != nil {
		bare = r.Host // without a port
	}
	host, ok := config.ParseHost(bare)
	return ok && (config.IsLoopback(host) || slices.Contains(conf.Hosts, host))
}

// OwnPages wraps h for a GET or HEAD that holds something while it is answered (a stream, a place
// to wait, memory), or queries a server of the admin's. If callers have no keys, any page open in
// a browser here could use that up without reading a word, so only the gateway's own pages,
// listed pages and programs reach h. Files and contents are exempt: pages show them as images,
// and their ids cannot be guessed.
func OwnPages(h func(*Request) error) func(*Request) error {
	return func(r *Request) error {
		conf := r.Conf()
		if mode := conf.Auth.Mode; mode == config.AuthNone || mode == config.AuthProxy {
			asPost := *r.HTTP()
			asPost.Method = http.MethodPost // for the rule about requests that change something
			if r.Host.auth.foreign(&asPost, conf.CORS) {
				return &Fault{Code: chat.CodeForbidden, Detail: "other_site"}
			}
		}
		return h(r)
	}
}

// PerAddress counts a call for the address that it comes from, whatever it requests and before
// the caller is authenticated, so that guessing keys is limited, too. Probes are not counted.
func (h *Host) PerAddress(c *gin.Context) {
	switch c.FullPath() {
	case "/healthz", "/readyz":
		return
	}
	r := h.NewRequest(c)
	conf := r.Conf()
	most := conf.Limits.RequestsPerMinutePerAddress
	if most <= 0 {
		return
	}
	addr, _ := address(c.Request, conf)
	if err := allow(r, limit.Rule{Scope: scopeAddress, Key: network(addr), PerMinute: most}); err != nil {
		r.Refuse(err)
		c.Abort()
	}
}

// networkBits of an IPv6 address are one customer's (RFC 6177, 2).
const networkBits = 64

// network returns the group of addresses that share one limit.
func network(addr netip.Addr) string {
	if !addr.Is6() {
		return addr.String()
	}
	prefix, _ := addr.Prefix(networkBits) // an IPv6 address has enough bits
	return prefix.String()
}

// NoteRoute passes the route that gin found to the outer handler.
func NoteRoute(c *gin.Context) { ResponseOf(c.Writer).route = c.FullPath() }
