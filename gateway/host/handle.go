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

// Route is one address. Path has parameters as ":app".
type Route struct {
	Method, Path string
	// In finds who calls, and where: SignIn, InApp or InChat. nil: Serve does, where it matters.
	In func(*Request) error
	// Counts is the scope in which a request counts before Serve; "" for none, or where Serve counts.
	Counts string
	Serve  func(*Request) error
	// OwnPages keeps the pages of other sites out, see ownPages.
	OwnPages bool
	// NoHead: HEAD is not served beside GET, as the response has no length to tell.
	NoHead bool
	// Changes says that what BodyOf reads there counts in the limit of changes; what of it is a
	// request, Serve has counted by Admit.
	Changes bool
}

// admitted is Serve for those who come in.
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

// Handle makes a gin handler of a route: what it returns as an error becomes a problem, in the
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
		c.Writer.WriteHeaderNow() // tell gin that there is a response: for 404 and 405 it would write its own behind it
	}
}

// OwnHost refuses what is not sent to a host of the gateway's own, where anybody who
// reaches it is let in, or a proxy says who it is. A page elsewhere can make its own name
// point here: for the browser the gateway is that page's site then, and all that tells is
// the name. Headers that name another host count for nothing. Probes use any address.
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

// OwnPages is h for a GET or HEAD that holds something while it is answered (a stream, a place to
// wait, memory), or asks a server of the admin's. Where callers have no key, any page that a
// browser here has open could use that up, without reading a word: only the gateway's own pages,
// listed ones and programs get to h. Files and contents are left out: pages show them as images,
// and nobody guesses their ids.
func OwnPages(h func(*Request) error) func(*Request) error {
	return func(r *Request) error {
		conf := r.Conf()
		if mode := conf.Auth.Mode; mode == config.AuthNone || mode == config.AuthProxy {
			asPost := *r.HTTP()
			asPost.Method = http.MethodPost // which the rule of what changes something is for
			if r.Host.auth.foreign(&asPost, conf.CORS) {
				return &Fault{Code: chat.CodeForbidden, Detail: "other_site"}
			}
		}
		return h(r)
	}
}

// PerAddress counts a call for the address that it comes from, whatever it asks for and
// before the caller is authenticated: guessing keys is limited, too. Probes are not counted.
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

// network is the group of addresses that share one limit.
func network(addr netip.Addr) string {
	if !addr.Is6() {
		return addr.String()
	}
	prefix, _ := addr.Prefix(networkBits) // an IPv6 address has as many
	return prefix.String()
}

// NoteRoute tells the outer handler which route gin found.
func NoteRoute(c *gin.Context) { ResponseOf(c.Writer).route = c.FullPath() }
