package outgoing

import (
	"errors"
	"net/netip"
	"net/url"
	"regexp"
	"strconv"
	"strings"
)

// origin is where a client may go: compared as text, so that what merely means the
// same is another one.
type origin struct{ scheme, host, port string }

// originOf is the origin of an absolute address.
func originOf(u *url.URL) origin {
	o := origin{scheme: u.Scheme, host: strings.ToLower(u.Hostname()), port: u.Port()}
	if o.port == "" {
		o.port = map[string]string{"http": "80", "https": "443"}[o.scheme]
	}
	return o
}

// has says whether a request to u stays at the origin. A user in the address would
// become an Authorization header.
func (o origin) has(u *url.URL) bool { return originOf(u) == o && u.User == nil }

var (
	hostName = regexp.MustCompile(`^[a-z0-9_-]{1,63}(\.[a-z0-9_-]{1,63})*\.?$`)
	// A last label like this makes the whole host an IPv4 address, in decimal, octal or
	// hexadecimal parts, to some resolvers and not to others.
	numeric = regexp.MustCompile(`^(.*\.)?([0-9]+|0x[0-9a-f]*)\.?$`)
)

// check says what is wrong with an origin; a wish, for an error message.
func (o origin) check() error {
	if o.scheme != "http" && o.scheme != "https" {
		return errors.New("the address must begin with http:// or https://")
	}
	if n, err := strconv.ParseUint(o.port, 10, 16); err != nil || n == 0 {
		return errors.New("the port must be a number from 1 to 65535")
	}
	if _, err := netip.ParseAddr(o.host); err == nil {
		return nil
	}
	switch {
	case numeric.MatchString(o.host):
		return errors.New("an IPv4 address must be four decimal numbers without leading zeros")
	case !hostName.MatchString(o.host) || len(o.host) > 254:
		return errors.New("the host must be a name in ASCII, or an IP address")
	}
	return nil
}
