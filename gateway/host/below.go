package host

import (
	"context"
	"net/http"
	"net/netip"
	"strings"

	"github.com/askgate/askgate/config"
)

// belowKey is where a request's context has the path below which the browser sees the gateway.
type belowKey struct{}

// Below is the path below which the browser sees the gateway, like "/ask"; "" where that is not
// known, or there is none. Addresses and cookies that go out have it.
func Below(r *http.Request) string {
	path, _ := r.Context().Value(belowKey{}).(string)
	return path
}

// unwrap is a request as it is served: without the path of publicUrl, where the proxy in front
// keeps that, and knowing the path that a trusted one has taken away. moved is where a request
// for the path itself leads, "" else.
func unwrap(r *http.Request, conf *config.Gateway) (inner *http.Request, moved string) {
	path := forwardedPrefix(r, conf)
	kept := conf.PublicPath()
	rest, keeps := strings.CutPrefix(r.URL.Path, kept)
	switch keeps = keeps && kept != ""; {
	case keeps && rest == "":
		return r, path + kept + "/"
	case keeps:
		keeps = rest[0] == '/'
	}
	if !keeps {
		kept = ""
	}
	if path += kept; path == "" {
		return r, ""
	}
	inner = r.WithContext(context.WithValue(r.Context(), belowKey{}, path))
	if keeps {
		u := *r.URL
		u.Path, u.RawPath = rest, strings.TrimPrefix(u.RawPath, kept) // kept has nothing to escape
		inner.URL = &u
	}
	return inner, ""
}

// forwardedPrefix is the path that one of trustedProxies says it took away: one header, of plain
// names alone.
func forwardedPrefix(r *http.Request, conf *config.Gateway) string {
	said := r.Header["X-Forwarded-Prefix"]
	if len(said) != 1 || len(conf.TrustedProxies) == 0 {
		return ""
	}
	path := strings.TrimSuffix(said[0], "/")
	if !config.IsPublicPath(path) {
		return ""
	}
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil || !within(conf.TrustedProxies, plain(peer.Addr())) {
		return ""
	}
	return path
}
