package host

import (
	"context"
	"net/http"
	"net/netip"
	"strings"

	"github.com/askgate/askgate/config"
)

// belowKey is the context key of the path below which the browser sees the gateway.
type belowKey struct{}

// Below returns the path below which the browser sees the gateway, like "/ask"; "" if it is not
// known, or there is none. Addresses and cookies that go out include it.
func Below(r *http.Request) string {
	path, _ := r.Context().Value(belowKey{}).(string)
	return path
}

// unwrap returns a request as it is served: without the path of publicUrl, if the proxy in front
// keeps it, and with the path that a trusted proxy has removed in its context. moved is where a
// request for the path itself is redirected, or "".
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
		u.Path, u.RawPath = rest, strings.TrimPrefix(u.RawPath, kept) // kept contains nothing that is escaped
		inner.URL = &u
	}
	return inner, ""
}

// forwardedPrefix returns the path that one of trustedProxies says it removed. It must be in one
// header, and consist only of plain names.
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
