package config

import (
	"net"
	"net/netip"
	"strings"
)

// exposure refuses to let everybody on the network in: auth.mode none on another
// address than loopback, unless the admin says so (contract 3). From is the flag
// or the variable that gave the address, "" for the file.
func (l *loader) exposure(from string) {
	if l.opts.Insecure || !l.gatewayOK || !l.authOK || l.gateway.Auth.Mode != AuthNone {
		return
	}
	const mend = `; set up API keys ("mode": "apiKeys", made with: askgate key new), listen on 127.0.0.1, or say --insecure (ASKGATE_INSECURE=true)`
	switch {
	case !loopback(l.gateway.Listen):
		const wrong = `with auth mode "none" everybody who reaches this address may chat` + mend
		if from != "" {
			l.loose = append(l.loose, Fault{File: from, Message: wrong})
			return
		}
		l.listenAt.Fault("%s", wrong) // only the file can have said so: the default is loopback
	case l.opts.serving != "" && !loopback(l.opts.serving):
		// The files may name a loopback address by now, for the next start.
		const wrong = `auth mode "none" is for loopback, and the running gateway listens on another address until it is restarted` + mend
		if l.authAt.v != nil {
			l.authAt.Fault("%s", wrong)
			return
		}
		l.loose = append(l.loose, whole(l.shown("gateway.json"), wrong))
	}
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
