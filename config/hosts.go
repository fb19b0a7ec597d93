package config

import (
	"net"
	"net/netip"
	"regexp"
	"strings"
)

// hostsKey is the list of host names that the gateway answers to, in addition to those of loopback.
func hostsKey(dst *[]string) Key {
	return Words("hosts", dst, 100, isHost, "[host names](auth.md#hosts) that the gateway answers to in modes `none` and `proxy`").Then(func(Value) {
		for i, text := range *dst {
			(*dst)[i], _ = ParseHost(text)
		}
	})
}

func isHost(n Value, text string) bool {
	_, ok := ParseHost(text)
	switch {
	case ok:
	case strings.Contains(text, "*"):
		n.Fault("wildcards are not supported: anyone who controls a subdomain could point it here; list each host")
	case withPort.MatchString(text):
		n.Fault("%s has a port; write only the host", n.Raw())
	default:
		n.Fault(`%s is not a host; write a name or an address, as it follows "//" in URLs: "chat.example.org", "10.0.0.5", "fd00::1"`, n.Raw())
	}
	return ok
}

var withPort = regexp.MustCompile(`^[^/]+:[0-9]+$`)

// hostName matches the name in a Host header, in lower case. Browsers send names with other characters
// than ASCII as xn--...; names in a network of containers may contain an underscore.
var hostName = regexp.MustCompile(`^[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*$`)

// ParseHost returns a host name or an address without a port in the form of Gateway.Hosts, and whether
// text is one.
func ParseHost(text string) (string, bool) {
	if inside, ok := strings.CutPrefix(text, "["); ok {
		text, ok = strings.CutSuffix(inside, "]")
		if addr, err := netip.ParseAddr(text); !ok || err != nil || !addr.Is6() {
			return "", false
		}
	}
	if addr, err := netip.ParseAddr(text); err == nil {
		return addr.Unmap().String(), addr.Zone() == ""
	}
	name := strings.ToLower(strings.TrimSuffix(text, "."))
	return name, len(name) <= 253 && hostName.MatchString(name)
}

// IsLoopback reports whether host, in the form of ParseHost, means this machine only. Names below
// localhost do not: outside of browsers they are looked up like any other name.
func IsLoopback(host string) bool {
	addr, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && addr.IsLoopback()
}

// loopback reports whether only this machine can reach an address (host:port).
func loopback(address string) bool {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return false
	}
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.IsLoopback()
}
