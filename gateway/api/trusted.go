package api

import (
	"net/http"
	"net/netip"
	"slices"
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
	if !within(conf.From, plainAddr(peer.Addr())) {
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

// comesFrom is the address that a call comes from, "" where there is none: the other end of
// the connection or, where that is a trusted proxy, the last one in X-Forwarded-For that is
// not. What stands before that is anybody's word.
func comesFrom(r *http.Request, conf *config.Gateway) string {
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return ""
	}
	addr := plainAddr(peer.Addr())
	for rest := strings.Join(r.Header.Values("X-Forwarded-For"), ","); rest != "" && trusts(conf, addr); {
		var hop string
		if i := strings.LastIndexByte(rest, ','); i >= 0 {
			rest, hop = rest[:i], rest[i+1:]
		} else {
			rest, hop = "", rest
		}
		said, ok := parseHop(strings.TrimSpace(hop))
		if !ok {
			break
		}
		addr = said
	}
	return addr.String()
}

// trusts says whether a proxy's word counts.
func trusts(conf *config.Gateway, addr netip.Addr) bool {
	return within(conf.TrustedProxies, addr) || conf.Auth.Mode == config.AuthProxy && within(conf.Auth.Proxy.From, addr)
}

// parseHop reads an address as proxies write it, some with a port.
func parseHop(s string) (netip.Addr, bool) {
	if addr, err := netip.ParseAddr(strings.Trim(s, "[]")); err == nil {
		return plainAddr(addr), true
	}
	if with, err := netip.ParseAddrPort(s); err == nil {
		return plainAddr(with.Addr()), true
	}
	return netip.Addr{}, false
}

// plainAddr is an address in the form in which addresses and networks are compared.
func plainAddr(addr netip.Addr) netip.Addr { return addr.Unmap().WithZone("") }

func within(list []netip.Prefix, addr netip.Addr) bool {
	return slices.ContainsFunc(list, func(p netip.Prefix) bool { return p.Contains(addr) })
}
