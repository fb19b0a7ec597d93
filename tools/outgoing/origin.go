package outgoing

import (
	"errors"
	"net/netip"
	"net/url"
	"regexp"
	"strconv"
	"strings"
)

// origin is the destination that a client may reach. Origins are compared as text: another
// spelling of the same origin is a different one.
type origin struct{ scheme, host, port string }

// originOf returns the origin of an absolute address.
func originOf(u *url.URL) origin {
	o := origin{scheme: u.Scheme, host: strings.ToLower(u.Hostname()), port: u.Port()}
	if o.port == "" {
		o.port = map[string]string{"http": "80", "https": "443"}[o.scheme]
	}
	return o
}

// has reports whether a request to u stays at the origin. It returns false for an address with
// a user, which would become an Authorization header.
func (o origin) has(u *url.URL) bool { return originOf(u) == o && u.User == nil }

// ErrNoAddress means that a text is not an address. Show an example with it.
var ErrNoAddress = errors.New("the address must begin with http:// or https://, and name a host")

// Split splits an address into scheme and host, and the rest from the path on.
func Split(address string) (base, rest string) {
	scheme, tail, _ := strings.Cut(address, "://")
	at := len(address)
	if i := strings.IndexAny(tail, "/?#"); i >= 0 {
		at = len(scheme) + len("://") + i
	}
	return address[:at], address[at:]
}

// Check returns an error if an address is not valid, with how to fix it. It is the rule for all
// configured addresses: New accepts those that pass it.
func Check(address string) error {
	base, rest := Split(address)
	scheme, host, _ := strings.Cut(base, "://")
	switch {
	case scheme != "http" && scheme != "https" || host == "":
		return ErrNoAddress
	case strings.Contains(host, "@"):
		return errors.New(`the address must not contain a user; remove it, and write "headers": {"Authorization": "$NAME"}`)
	case strings.Contains(rest, "#"):
		return errors.New("the address must not contain #; remove it")
	}
	return CheckHost(host)
}

var (
	hostName = regexp.MustCompile(`^[A-Za-z0-9_-]{1,63}(\.[A-Za-z0-9_-]{1,63})*\.?$`)
	// Some resolvers read a host with such a last label as an IPv4 address, in decimal, octal or
	// hexadecimal parts; others do not.
	numeric = regexp.MustCompile(`(?i)^(.*\.)?([0-9]+|0x[0-9a-f]*)\.?$`)
)

// CheckHost returns an error if host[:port] is not valid, with how to fix it.
func CheckHost(hostPort string) error {
	u, err := url.Parse("http://" + hostPort)
	if err != nil {
		return errors.New("invalid host or port; write host or host:port, with an IPv6 address in brackets")
	}
	host, port := u.Hostname(), u.Port()
	if n, err := strconv.ParseUint(port, 10, 16); strings.HasSuffix(hostPort, ":") || port != "" && (err != nil || n == 0) {
		return errors.New("the port must be a number from 1 to 65535")
	}
	if _, err := netip.ParseAddr(host); err == nil {
		return nil
	}
	switch {
	case numeric.MatchString(host):
		return errors.New("the host is an address that programs read differently; write four decimal numbers without leading zeros, like 127.0.0.1")
	case !hostName.MatchString(host) || len(host) > 254:
		return errors.New("the host is not a valid name; use letters, digits, dashes and dots (for other letters the xn-- form), or an IP address")
	}
	return nil
}
