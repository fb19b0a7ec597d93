package outgoing

import (
	"net/netip"
	"slices"
	"strings"
)

// reach is the set of addresses that a host may lead to.
type reach int

const (
	reachPublic reach = iota // a public DNS name
	reachInside              // an internal name
	reachExact               // an IP address
)

// insideSuffixes has the suffixes reserved for private use, which are never delegated in
// public DNS: RFC 6761 (localhost, test), RFC 6762 with its appendix G (local, intranet,
// internal, private, corp, home, lan), RFC 8375 (home.arpa). Kubernetes services can be called
// under "svc" because of its DNS search path.
var insideSuffixes = []string{
	"localhost", "test", "local", "intranet", "internal", "private", "corp", "home", "lan", "home.arpa", "svc",
}

// reachOf returns the reach of a host as configured, in lower case.
func reachOf(host string) reach {
	if _, err := netip.ParseAddr(host); err == nil {
		return reachExact
	}
	host = strings.TrimSuffix(host, ".")
	inside := !strings.Contains(host, ".") || slices.ContainsFunc(insideSuffixes, func(suffix string) bool {
		return strings.HasSuffix(host, "."+suffix)
	})
	if inside {
		return reachInside
	}
	return reachPublic
}

// leads reports whether a host may lead to an address that it resolved to.
func (r reach) leads(addr netip.Addr) bool {
	addr = addr.Unmap() // ::ffff:10.0.0.1 is 10.0.0.1
	switch r {
	case reachExact:
		return true // nothing was resolved
	case reachInside:
		return !metadata(addr) && (public(addr) || addr.IsLoopback() || addr.IsPrivate() || shared.Contains(addr))
	default:
		return public(addr)
	}
}

// shared is the range for carrier-grade NAT (RFC 6598), which clusters and overlay networks also use.
var shared = netip.MustParsePrefix("100.64.0.0/10")

// metadata reports whether a cloud serves metadata at an address outside the link-local
// range: AWS, Google, Alibaba, Oracle, and Azure, whose address is in public space.
func metadata(addr netip.Addr) bool {
	switch addr.WithZone("").String() {
	case "fd00:ec2::254", "fd20:ce::254", "100.100.100.200", "192.0.0.192", "168.63.129.16":
		return true
	}
	return false
}

func prefixes(list ...string) []netip.Prefix {
	parsed := make([]netip.Prefix, len(list))
	for i, p := range list {
		parsed[i] = netip.MustParsePrefix(p)
	}
	return parsed
}

// The ranges that are not globally reachable, from IANA's special-purpose address registries
// (IPv4; IPv6 within 2000::/3, the only space assigned for global unicast).
var (
	special4 = prefixes("0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12",
		"192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24",
		"203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4")
	global6  = netip.MustParsePrefix("2000::/3")
	special6 = prefixes("2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20")
	// nat64 addresses contain an IPv4 address in their last four bytes (RFC 6052). Networks
	// without IPv4 use them to reach IPv4 hosts.
	nat64 = netip.MustParsePrefix("64:ff9b::/96")
)

// public reports whether an address is globally reachable.
func public(addr netip.Addr) bool {
	within := func(p netip.Prefix) bool { return p.Contains(addr) }
	switch {
	case metadata(addr) || addr.Zone() != "":
		return false
	case addr.Is4():
		return !slices.ContainsFunc(special4, within)
	case nat64.Contains(addr):
		b := addr.As16()
		return public(netip.AddrFrom4([4]byte(b[12:])))
	default:
		return global6.Contains(addr) && !slices.ContainsFunc(special6, within)
	}
}
