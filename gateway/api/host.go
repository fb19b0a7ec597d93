package api

import (
	"net"
	"net/http"
	"slices"

	"github.com/gin-gonic/gin"

	"github.com/askgate/askgate/config"
)

// ownHost refuses what is not sent to a host of the gateway's own, where anybody who
// reaches it is let in, or a proxy says who it is. A page elsewhere can make its own name
// point here: for the browser the gateway is that page's site then, and all that tells is
// the name. Headers that name another host count for nothing. Probes use any address.
func (a *API) ownHost(c *gin.Context) {
	switch conf := &responseOf(c.Writer).setup.Config.Gateway; {
	case conf.Auth.Mode != config.AuthNone && conf.Auth.Mode != config.AuthProxy:
	case c.FullPath() == "/healthz" || c.FullPath() == "/readyz":
	case !answers(conf, c.Request):
		a.handle(func(*request) error { return &fault{code: codeMisdirected} })(c)
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
