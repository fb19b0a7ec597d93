package outgoing

import (
	"crypto/tls"
	"errors"
	"net"
)

// Cause is what the log may say of a failed request: errors that net/http makes of a
// response's own bytes stay out. Again says that the next attempt may do better.
func Cause(err error) (again bool, why error) {
	var refused *RefusedError
	var lookup *net.DNSError
	var certificate *tls.CertificateVerificationError
	var network *net.OpError
	switch {
	case errors.As(err, &refused):
		return false, refused
	case errors.As(err, &lookup):
		return !lookup.IsNotFound, lookup
	case errors.As(err, &certificate):
		return false, certificate
	case errors.As(err, &network):
		return true, network
	}
	return true, errors.New("the connection broke, or the answer was no HTTP")
}
