package outgoing

import "net/netip"

// MayLead reports whether a client for a configured host connects to an address that the host
// resolved to.
func MayLead(host string, allowPrivate bool, addr netip.Addr) bool {
	to := reachOf(host)
	if to == reachPublic && allowPrivate {
		to = reachInside
	}
	return to.leads(addr)
}
