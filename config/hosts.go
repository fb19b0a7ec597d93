package config

import (
	"net"
	"net/netip"
	"regexp"
	"strings"
)

// hostsKey is the key of the names under which the gateway is asked for, beside loopback's.
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

// hostName is a name as it stands in a Host header, in lower case. What is not ASCII is
// sent as xn--...; names in a network of containers may have an underscore.
var hostName = regexp.MustCompile(`^[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*$`)

// ParseHost is a host name or an address, without a port, in the form of Gateway.Hosts;
// false: it is neither.
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

// IsLoopback says that only this machine is meant by a host, as ParseHost gives it. Names
// below localhost are not: outside of browsers they are looked up like any other.
func IsLoopback(host string) bool {
	addr, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && addr.IsLoopback()
}

// loopback says that only this machine reaches an address (host:port).
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
