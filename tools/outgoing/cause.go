package outgoing

import (
	"crypto/tls"
	"errors"
	"net"
)

// Cause returns the error of a failed request that may be logged. It leaves out errors of
// net/http that contain bytes of the response. again reports whether a retry may succeed.
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
	return true, errors.New("the connection broke, or the response was not HTTP")
}
