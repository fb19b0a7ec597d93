package api

import (
	"net/http"
	"net/netip"
	"strings"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/gateway/chat"
)

// byProxy is the caller that a trusted proxy speaks of. What counts is whom the connection
// comes from: headers like X-Forwarded-For are anybody's.
func byProxy(r *http.Request, conf *config.Proxy) (chat.Principal, bool) {
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return chat.Principal{}, false
	}
	if !within(conf.From, plain(peer.Addr())) {
		return chat.Principal{}, false
	}
	p := chat.Principal{Tenant: conf.Tenant, Subject: only(r, conf.Headers.Subject)}
	if conf.Headers.Tenant != "" {
		p.Tenant = only(r, conf.Headers.Tenant)
	}
	if conf.Headers.Roles != "" {
		for role := range strings.SplitSeq(only(r, conf.Headers.Roles), ",") {
			if role = strings.TrimSpace(role); role != "" {
				p.Roles = append(p.Roles, role)
			}
		}
	}
	return p, goodName(p.Tenant) && goodName(p.Subject)
}

// only is a header that is there once, else "": of two, one may be the client's own, which
// the proxy did not take away.
func only(r *http.Request, name string) string {
	if values := r.Header.Values(name); len(values) == 1 {
		return values[0]
	}
	return ""
}
