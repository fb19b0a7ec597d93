package host

import (
	"net/http"
	"net/netip"
	"slices"
	"strings"

	"github.com/askgate/askgate/config"
)

// address returns where a call comes from: the peer of the connection or, if that is a trusted
// proxy, the last address in X-Forwarded-For that is not one. Earlier entries may be forged. It
// returns false if the connection has no address.
func address(r *http.Request, conf *config.Gateway) (netip.Addr, bool) {
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return netip.Addr{}, false
	}
	addr := plain(peer.Addr())
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
	return addr, true
}

// trusts reports whether the headers of a peer are believed.
func trusts(conf *config.Gateway, addr netip.Addr) bool {
	return within(conf.TrustedProxies, addr) || conf.Auth.Mode == config.AuthProxy && within(conf.Auth.Proxy.From, addr)
}

// parseHop reads an address as proxies write it, some with a port.
func parseHop(s string) (netip.Addr, bool) {
	if addr, err := netip.ParseAddr(strings.Trim(s, "[]")); err == nil {
		return plain(addr), true
	}
	if with, err := netip.ParseAddrPort(s); err == nil {
		return plain(with.Addr()), true
	}
	return netip.Addr{}, false
}

// plain returns an address in the form in which addresses and networks are compared.
func plain(addr netip.Addr) netip.Addr { return addr.Unmap().WithZone("") }

// within reports whether an address is in one of the networks of a list.
func within(list []netip.Prefix, addr netip.Addr) bool {
	return slices.ContainsFunc(list, func(p netip.Prefix) bool { return p.Contains(addr) })
}
